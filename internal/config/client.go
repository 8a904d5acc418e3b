package config

import (
	"net"
	"net/url"
	"strings"

	"foretell/internal/client"
	"foretell/internal/exit"
)

// NewClient returns a client. An invalid address is a usage error.
func NewClient(opts client.Options) (*client.Client, error) {
	c, err := client.New(opts)
	if err == nil {
		return c, nil
	}
	if _, _, found := strings.Cut(opts.BaseURL, "://"); !found {
		return nil, exit.Usagef("%w", err).WithHint("did you mean %s?", guessScheme(strings.TrimSpace(opts.BaseURL)))
	}
	example := "https://foretell.example.com"
	if u, parseErr := url.Parse(strings.TrimSpace(opts.BaseURL)); parseErr == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		example = client.Origin(u)
	}
	return nil, exit.Usagef("%w", err).WithHint("use the address of the service, as in --server %s", example)
}

// guessScheme returns the URL that is probably meant by an address without a scheme. It adds
// http:// to an address of this machine, and https:// to any other.
func guessScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http://" + address
	}
	return "https://" + address
}

// EmbeddedURL is the base URL of a service in this process. No connection is made to it, because
// the transport of the client is [client.NewInProcessTransport].
const EmbeddedURL = "http://foretell.invalid"
