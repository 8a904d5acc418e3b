package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/app"
	"foretell/internal/client"
	"foretell/internal/term"
)

// session is a client that is signed in to a service: over the network, or embedded in
// this process.
type session struct {
	*client.Client
	// embedded is set if the service runs in this process.
	embedded bool
	// app is the embedded service; nil otherwise.
	app embeddedApp
	// dataDir is the data folder of the embedded service.
	dataDir string
	// account is the name of the signed-in account.
	account string
	// progress shows waits; nil for a command that waits for nothing.
	progress *term.Progress
	// continueRun returns the command that continues the whole run with a race; "" starts
	// it again. It is nil if the command is only about the race.
	continueRun func(race string) string
	closers     []func() error
}

// embeddedApp is the part of the embedded service that commands use directly.
type embeddedApp interface {
	// Adopt makes this process do the work on an object unless another process does it.
	Adopt(ctx context.Context, key string) error
	// RunsElsewhere reports whether another process works on an object.
	RunsElsewhere(ctx context.Context, key string) (bool, error)
	// Usage measures the stored files.
	Usage(ctx context.Context) (*app.Usage, error)
}

// Close stops the embedded service. Running jobs are released within a second; they
// restart when a command waits for them.
func (c *session) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the command's result does not depend on it
	}
}

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

// traceFlag is a string flag whose value is optional.
type traceFlag string

func (f *traceFlag) String() string { return string(*f) }

// Set sets the destination: a file, or true for standard error.
func (f *traceFlag) Set(text string) error {
	*f = traceFlag(text)
	return nil
}

// Type returns bool, so that help shows no value.
func (f *traceFlag) Type() string { return "bool" }

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

// requestLine formats a request for --verbose.
func requestLine(e client.RoundTrip) string {
	address := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		address = u.RequestURI()
	}
	answer := "no response"
	if e.Status != 0 {
		answer = strconv.Itoa(e.Status)
	}
	return fmt.Sprintf("%s %s: %s in %d ms, %s sent, %s received", e.Method, term.Escape(address), answer,
		e.Elapsed.Milliseconds(), term.Bytes(e.Sent), term.Bytes(e.Received))
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

// tracer returns the function that traces requests to debug; nil for no trace.
func (f *factory) tracer(debug string) (func(client.TraceEvent), func() error, error) {
	nothing := func() error { return nil }
	switch debug {
	case "", "0", "false":
		return nil, nothing, nil
	case "1", "true":
		return traceTo(f.console.Err), nothing, nil
	}
	file, err := os.OpenFile(debug, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, usageErrorf("--debug: %w", err).withHint("name a writable file, as in --debug=trace.log")
	}
	return traceTo(file), file.Close, nil
}

func traceTo(w io.Writer) func(client.TraceEvent) {
	return func(e client.TraceEvent) {
		var b strings.Builder
		switch {
		case e.Answer != "":
			fmt.Fprintf(&b, "< %s\n", e.Answer)
		case e.Err != nil:
			fmt.Fprintf(&b, "> %s %s\n! %v\n", e.Method, e.URL, e.Err)
		default:
			fmt.Fprintf(&b, "> %s %s\n", e.Method, e.URL)
			writeHeader(&b, "> ", e.Sent)
			if e.Body != "" {
				fmt.Fprintf(&b, "> %s\n", e.Body)
			}
			fmt.Fprintf(&b, "< %d %s in %s\n", e.Status, http.StatusText(e.Status), e.Elapsed.Round(1000))
			writeHeader(&b, "< ", e.Received)
		}
		_, _ = io.WriteString(w, b.String())
	}
}

func writeHeader(b *strings.Builder, prefix string, header http.Header) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(b, "%s%s: %s\n", prefix, name, term.Escape(strings.Join(header[name], ", ")))
	}
}

// isQuiet reports whether --quiet is set.
func isQuiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}
