package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/client"
)

// serviceFlags holds the flags that select the service, and connects to it.
type serviceFlags struct {
	host  *factory
	local bool
	// idle is set if the command starts no work: it does not run the jobs of the embedded
	// service.
	idle bool
	cmd  *cobra.Command
}

// bind adds the flags that select the service.
func (o *serviceFlags) bind(cmd *cobra.Command, f *factory) {
	o.host, o.cmd = f, cmd
	flags := cmd.Flags()
	flags.String(keyProfile, "", "profile of the config file")
	flags.String(keyServer, "", "`URL` of the service")
	flags.BoolVar(&o.local, "local", false, "use the embedded service, overriding the configuration")
	flags.String(keyDataDir, "", "`folder` of the embedded service")
	flags.Var(new(traceFlag), keyDebug, "trace requests to standard error, without secrets; --debug=FILE writes to a file")
	flags.Lookup(keyDebug).NoOptDefVal = "true"
	flags.BoolP("verbose", "v", false, "print each request to standard error: method, path, status, time, bytes")
	flags.BoolP("dry-run", "n", false, "print the requests; send none that changes anything")
	setGroup(flags, groupService, "verbose", "dry-run", "profile", keyServer, "local", keyDataDir, keyDebug)
	_ = cmd.RegisterFlagCompletionFunc("profile", f.completeProfiles) // the flag is there
	cmd.MarkFlagsMutuallyExclusive("local", keyServer)
}

// connect returns a session that is signed in. The caller must close it.
func (o *serviceFlags) connect(ctx context.Context) (*session, error) {
	s, err := o.host.settings(o.cmd.Flags())
	if err != nil {
		return nil, err
	}
	if err := s.checkProfile(o.host); err != nil && !o.local {
		return nil, err
	}
	trace, closeTrace, err := o.host.tracer(s.GetString(keyDebug))
	if err != nil {
		return nil, err
	}
	base := client.Options{UserAgent: userAgent(), Trace: trace, Now: o.host.now, Wrap: o.transportWrapper()}
	var session *session
	if server := s.GetString(keyServer); server != "" && !o.local {
		base.BaseURL = server
		o.host.dryRun.setServer(server)
		session, err = o.connectRemote(ctx, s, base)
	} else {
		base.BaseURL = embeddedURL
		o.host.dryRun.setServer(embeddedURL)
		session, err = o.connectEmbedded(ctx, s, base)
	}
	if err != nil {
		_ = closeTrace()
		return nil, err
	}
	session.closers = append([]func() error{closeTrace}, session.closers...)
	return session, nil
}

// transportWrapper returns the wrapper of the transport that the flags request; nil for
// none.
func (o *serviceFlags) transportWrapper() func(http.RoundTripper) http.RoundTripper {
	if isDryRun(o.cmd) && !dryRunPrintsResult(o.cmd) {
		r := o.host.startDryRun()
		return r.wrap
	}
	if verbose, err := o.cmd.Flags().GetBool("verbose"); err != nil || !verbose {
		return nil
	}
	stderr := o.host.console.Err
	return func(next http.RoundTripper) http.RoundTripper {
		return client.Observe(next, o.host.now, func(e client.RoundTrip) { fmt.Fprintln(stderr, requestLine(e)) })
	}
}

// connectEmbedded starts the service in this process.
func (o *serviceFlags) connectEmbedded(ctx context.Context, s *settings, opts client.Options) (*session, error) {
	dir, err := o.host.dataDir(s)
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(dir)
	forget := func() error { return nil }
	if errors.Is(missing, os.ErrNotExist) && isDryRun(o.cmd) { // a rehearsal leaves no folder behind
		if dir, err = os.MkdirTemp("", "foretell-dry-run-"); err != nil {
			return nil, err
		}
		forget = func() error { return os.RemoveAll(dir) }
	}
	session, err := o.connectEmbeddedAt(ctx, dir, opts)
	if err != nil {
		return nil, errors.Join(err, forget())
	}
	if errors.Is(missing, os.ErrNotExist) && !isQuiet(o.cmd) {
		o.host.note("data is stored in %s", dir)
	}
	session.closers = append([]func() error{forget}, session.closers...)
	return session, nil
}

// connectEmbeddedAt starts the service in this process on a folder.
func (o *serviceFlags) connectEmbeddedAt(ctx context.Context, dir string, opts client.Options) (*session, error) {
	service, err := openLocal(ctx, dir, o.host)
	if err != nil {
		return nil, err
	}
	conn := &session{embedded: true, app: service.app, dataDir: dir, closers: []func() error{service.close}}
	fill := func() error {
		session, err := service.app.LocalSession(ctx)
		if err != nil {
			return err
		}
		conn.account = session.Username
		transport, closer := client.InProcess(service.handler(""))
		conn.closers = append(conn.closers, closer.Close)
		opts.Transport, opts.Token = transport, session.AccessToken
		opts.MaxPoll = 100 * time.Millisecond // to look costs next to nothing here
		opts.Wait = func(ctx context.Context, d time.Duration) error {
			if err := service.app.DiskFull(); err != nil {
				return err
			}
			return client.Sleep(ctx, d)
		}
		opts.Relogin = func(ctx context.Context) (string, error) { // a race may outlive a session
			session, err := service.app.LocalSession(ctx)
			return session.AccessToken, err
		}
		conn.Client, err = client.New(opts)
		return err
	}
	if err := fill(); err != nil {
		conn.Close()
		return nil, err
	}
	if !o.idle && !isDryRun(o.cmd) {
		conn.closers = append(conn.closers, service.work())
	}
	return conn, nil
}

// embeddedURL is the base URL of the embedded service. It is never dialled: the transport
// calls the handler directly.
const embeddedURL = "http://foretell.invalid"

// connectRemote signs in to a service over the network.
func (o *serviceFlags) connectRemote(ctx context.Context, s *settings, opts client.Options) (*session, error) {
	paths, err := s.paths(operationIDs())
	if err != nil {
		return nil, err
	}
	opts.Paths = paths
	if r := o.host.dryRun; r != nil {
		r.paths = paths
	}
	tokens, err := o.host.newTokenSource(s, opts)
	if err != nil {
		return nil, err
	}
	opts.Token, err = tokens.token(ctx)
	if err != nil {
		return nil, err
	}
	if o.host.env(envToken) == "" { // a token that was given has no password behind it
		opts.Relogin = tokens.renew
	}
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	return &session{Client: c, account: tokens.username}, nil
}

// newClient returns a client; an invalid address is a usage error.
func newClient(opts client.Options) (*client.Client, error) {
	c, err := client.New(opts)
	if err == nil {
		return c, nil
	}
	if _, _, found := strings.Cut(opts.BaseURL, "://"); !found {
		return nil, usageErrorf("%w", err).withHint("did you mean %s?", withScheme(strings.TrimSpace(opts.BaseURL)))
	}
	return nil, usageErrorf("%w", err).withHint("set the service's address as in --server https://foretell.example.com")
}

// withScheme adds a scheme: http:// for this machine, https:// for others.
func withScheme(address string) string {
	host, _, _ := strings.Cut(address, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "http://" + address
	}
	return "https://" + address
}

func userAgent() string { return "foretell/" + strings.Trim(currentBuild().Version, "()") }

// isQuiet reports whether --quiet is set.
func isQuiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}
