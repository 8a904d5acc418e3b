package service

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/listen"
	"foretell/internal/server"
)

// networkFlags holds the flags of serve for addresses, TLS and connections.
type networkFlags struct {
	listen, publicURL        string
	certFile, keyFile        string
	acmeHosts                []string
	acmeDirectory            string
	proxies                  []string
	allowedHosts             []string
	maxConnections           int
	maxConnectionsPerAddress int
}

func (n *networkFlags) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&n.listen, "listen", "127.0.0.1:8080", "`address` to listen on; port 0 picks a free port")
	flags.StringVar(&n.publicURL, "public-url", "", "base `URL` of absolute links, or \"none\" (default the base URL of each request)")
	flags.StringVar(&n.certFile, "tls-cert", "", "`file` of the TLS certificate and its chain in PEM; read again when it changes and on SIGHUP")
	flags.StringVar(&n.keyFile, "tls-key", "", "`file` of the certificate's private key in PEM")
	flags.StringSliceVar(&n.acmeHosts, "tls-acme", nil, "get TLS certificates for these `hosts` by ACME; requests to port 443 of each host must reach the service")
	flags.StringVar(&n.acmeDirectory, "tls-acme-directory", "", "`URL` of the ACME server (default Let's Encrypt)")
	flags.StringSliceVar(&n.proxies, "trust-proxy", nil, "`networks` of proxies whose X-Forwarded headers are used, such as 10.0.0.5")
	flags.StringSliceVar(&n.allowedHosts, "allowed-hosts", nil, "accept only requests to these host `names` and to the host of --public-url; any accepts all names "+
		"(default any or, if --listen is a loopback address and neither --public-url nor --trust-proxy is set, only localhost and IP addresses)")
	flags.IntVar(&n.maxConnections, "max-connections", 0, "maximum `number` of open connections (default depends on the limit of open files)")
	flags.IntVar(&n.maxConnectionsPerAddress, "max-connections-per-address", 0, "maximum `number` of open connections from one address (default half of --max-connections, at most 1000)")
	cli.SetFlagGroup(flags, cli.GroupNetwork, "listen", "public-url", "tls-cert", "tls-key", "tls-acme", "tls-acme-directory",
		"trust-proxy", "allowed-hosts", "max-connections", "max-connections-per-address")
}

// check returns an error for flags that are invalid or cannot be used together.
func (n *networkFlags) check() error {
	switch {
	case (n.certFile == "") != (n.keyFile == ""):
		return exit.Usagef("--tls-cert and --tls-key must be used together")
	case n.certFile != "" && len(n.acmeHosts) > 0:
		return exit.Usagef("--tls-cert and --tls-acme cannot be used together")
	case n.acmeDirectory != "" && len(n.acmeHosts) == 0:
		return exit.Usagef("--tls-acme-directory needs --tls-acme")
	case n.maxConnections < 0:
		return exit.Usagef("invalid --max-connections %d: must be at least 1, or 0 for the default", n.maxConnections)
	case n.maxConnectionsPerAddress < 0:
		return exit.Usagef("invalid --max-connections-per-address %d: must be at least 1, or 0 for the default", n.maxConnectionsPerAddress)
	}
	for _, host := range n.allowedHosts {
		if host == "" || strings.ContainsAny(host, "/*@ ") || strings.Contains(host, ":") && net.ParseIP(host) == nil {
			return exit.Usagef("invalid --allowed-hosts %q: must be a host name without a port, such as foretell.example.com", host)
		}
	}
	for _, host := range n.acmeHosts {
		if _, err := netip.ParseAddr(host); err == nil || host == "" || strings.ContainsAny(host, ":/*@ ") {
			return exit.Usagef("invalid --tls-acme %q: must be a host name such as foretell.example.com", host)
		}
	}
	if err := checkBaseURL("--tls-acme-directory", n.acmeDirectory); err != nil {
		return err
	}
	if err := checkBaseURL("--public-url", n.publicURL); err != nil {
		return err
	}
	if u, err := url.Parse(n.publicURL); err == nil && strings.Trim(u.Path, "/") != "" {
		return exit.Usagef("invalid --public-url %q: must have no path, because the dashboard needs a host of its own", n.publicURL)
	}
	_, err := n.trustedNetworks()
	return err
}

// checkBaseURL returns an error for an invalid value of a flag. A valid value is empty,
// or an absolute URL to which a path can be appended.
func checkBaseURL(flag, value string) error {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return exit.Usagef("invalid %s %q: must be a URL such as https://foretell.example.com", flag, value)
	}
	return nil
}

// serviceURL returns the URL of the service if --public-url is not set. Without --tls-acme, this is
// the URL of the listener, which is the parameter listener. With --tls-acme, it is the URL of the
// first host of the flag, because the certificate is valid only for these hosts.
func (n *networkFlags) serviceURL(listener string) string {
	if len(n.acmeHosts) > 0 {
		return "https://" + n.acmeHosts[0]
	}
	return listener
}

// trustedNetworks returns the addresses and networks of the proxies that --trust-proxy names.
func (n *networkFlags) trustedNetworks() ([]netip.Prefix, error) {
	var networks []netip.Prefix
	for _, text := range n.proxies {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return nil, exit.Usagef("invalid --trust-proxy %q: must be an address such as 10.0.0.5, or a network such as 10.0.0.4/30", text)
			}
			network = netip.PrefixFrom(address, address.BitLen())
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// anyHost is the value of --allowed-hosts that allows all host names.
const anyHost = "any"

// allowedHostNames returns the host names to which requests may be sent; nil allows all. If
// --allowed-hosts is set, it returns the names of the flag. Otherwise, it returns LoopbackHosts if
// only this machine can reach the listener, and nil if other machines can. Other machines can if
// address is not a loopback address, or if a proxy or a public URL is set.
func (n *networkFlags) allowedHostNames(address net.Addr) []string {
	switch tcp, ok := address.(*net.TCPAddr); {
	case slices.Contains(n.allowedHosts, anyHost):
		return nil
	case len(n.allowedHosts) > 0:
		return n.allowedHosts
	case ok && tcp.IP.IsLoopback() && n.publicURL == "" && len(n.proxies) == 0:
		return server.LoopbackHosts
	}
	return nil
}

// tlsConfig returns the TLS configuration, or nil if TLS is not used. The certificate is nil unless
// it is read from files. dir is the data folder.
func (n *networkFlags) tlsConfig(dir string, log *slog.Logger, now func() time.Time) (config *tls.Config, certificate *listen.Certificate, err error) {
	switch {
	case len(n.acmeHosts) > 0:
		return listen.ACME{Hosts: n.acmeHosts, Folder: filepath.Join(dir, "acme"), Directory: n.acmeDirectory}.TLSConfig(), nil, nil
	case n.certFile != "":
		certificate, err := listen.ReadCertificate(n.certFile, n.keyFile, log, now)
		if err != nil {
			return nil, nil, exit.Errorf(exit.Usage, "cannot use the TLS certificate: %w", err).
				WithHint("--tls-cert needs the certificate followed by its chain, and --tls-key its private key; both are PEM files")
		}
		return certificate.TLSConfig(), certificate, nil
	}
	return nil, nil, nil
}

// openListener opens a listener that limits the number of connections.
func (n *networkFlags) openListener(ctx context.Context, log *slog.Logger, now func() time.Time) (*listen.Listener, error) {
	exempt, err := n.trustedNetworks()
	if err != nil {
		return nil, err
	}
	inner, err := listenTCP(ctx, "listen", n.listen)
	if err != nil {
		return nil, err
	}
	return listen.New(inner, listen.Limits{Connections: n.maxConnections, PerAddress: n.maxConnectionsPerAddress, Exempt: exempt}, log, now), nil
}

// wsaAddressNotAvailable is the error code WSAEADDRNOTAVAIL of Windows. On Windows,
// syscall.EADDRNOTAVAIL has another value, which the system never returns.
const wsaAddressNotAvailable = syscall.Errno(10049)

// listenTCP opens a TCP listener at address. flag is the name of the flag with this address, for
// error messages.
func listenTCP(ctx context.Context, flag, address string) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	var malformed *net.AddrError
	var unknown *net.DNSError
	_, port, _ := net.SplitHostPort(address)
	const formatHint = "use HOST:PORT, such as 127.0.0.1:8080; a port is at most 65535"
	switch {
	case errors.As(err, &malformed):
		return nil, exit.Usagef("invalid --%s %q: %w", flag, address, malformed).WithHint(formatHint)
	case errors.As(err, &unknown) && unknown.IsNotFound && unknown.Name == "tcp/"+port: // the error of package net for an invalid port
		return nil, exit.Usagef("invalid --%s %q: %q is not a port number", flag, address, port).WithHint(formatHint)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return nil, exit.Usagef("invalid --%s %q: the host %q is unknown", flag, address, unknown.Name).WithHint("use an address of this machine, such as 127.0.0.1:8080, or 0.0.0.0:8080 for all its addresses")
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.Is(err, wsaAddressNotAvailable):
		return nil, exit.Usagef("invalid --%s %q: this machine does not have the address", flag, address).WithHint("use an address of this machine, such as 127.0.0.1:8080, or 0.0.0.0:8080 for all its addresses")
	case err != nil:
		var op *net.OpError
		if errors.As(err, &op) { // op.Error contains the address, too
			err = op.Err
		}
		return nil, exit.Errorf(exit.Conflict, "cannot listen on %s: %w", address, err).WithHint("name another address with --%s; port 0 picks a free port", flag)
	}
	return listener, nil
}
