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

// connection is a client signed in to a service: one over the network, or the
// embedded one in this process.
type connection struct {
	*client.Client
	// embedded tells that the service is in this process and ends with it.
	embedded bool
	// inside is the embedded service; nil of another.
	inside inside
	// dataDir is the embedded service's folder.
	dataDir string
	// account is whom the service takes us for.
	account string
	closers []func() error
}

// inside is what a command can ask of the service in its own process.
type inside interface {
	// TakeUp has this process do the work on a thing that no living process does.
	TakeUp(ctx context.Context, key string) error
	// Elsewhere reports whether another living process works on a thing.
	Elsewhere(ctx context.Context, key string) (bool, error)
	// Usage measures the stored files.
	Usage(ctx context.Context) (*app.Usage, error)
}

// Close stops the embedded service; jobs under way are given back within a
// second, for whoever asks for them to start them again.
func (c *connection) Close() {
	for i := len(c.closers) - 1; i >= 0; i-- {
		_ = c.closers[i]() // the command's result does not depend on it
	}
}

// connector connects a command to its service when it runs.
type connector struct {
	host  *host
	local bool
	// idle is set by commands that cause no work: they leave the jobs in the
	// embedded service's folder alone.
	idle bool
	cmd  *cobra.Command
}

// bind adds the flags that choose the service.
func (o *connector) bind(cmd *cobra.Command, h *host) {
	o.host, o.cmd = h, cmd
	flags := cmd.Flags()
	flags.String(keyProfile, "", "profile of the config file")
	flags.String(keyServer, "", "`URL` of the service")
	flags.BoolVar(&o.local, "local", false, "use the embedded service, whatever is configured")
	flags.String(keyDataDir, "", "`folder` of the embedded service")
	flags.Var(new(traceFlag), keyDebug, "trace the requests on standard error, secrets cut out; --debug=FILE writes to a file")
	flags.Lookup(keyDebug).NoOptDefVal = "true"
	flags.BoolP("verbose", "v", false, "print each request on standard error: method, path, status, time, bytes")
	flags.BoolP("dry-run", "n", false, "print the requests, and send none that changes anything")
	inGroup(flags, groupService, "verbose", "dry-run", "profile", keyServer, "local", keyDataDir, keyDebug)
	_ = cmd.RegisterFlagCompletionFunc("profile", h.completeProfiles) // the flag is there
	cmd.MarkFlagsMutuallyExclusive("local", keyServer)
}

// traceFlag is a text that may be left out.
type traceFlag string

func (f *traceFlag) String() string { return string(*f) }

// Set takes where to write: a file, or true for standard error.
func (f *traceFlag) Set(text string) error {
	*f = traceFlag(text)
	return nil
}

// Type is that of a switch: help texts then show no value to be needed.
func (f *traceFlag) Type() string { return "bool" }

// connect returns a client that is signed in. The caller closes it.
func (o *connector) connect(ctx context.Context) (*connection, error) {
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
	base := client.Options{UserAgent: userAgent(), Trace: trace, Now: o.host.now, Wrap: o.wrap()}
	var conn *connection
	if server := s.GetString(keyServer); server != "" && !o.local {
		base.BaseURL = server
		o.host.rehearsal.at(server)
		conn, err = o.remote(ctx, s, base)
	} else {
		base.BaseURL = embeddedURL
		o.host.rehearsal.at(embeddedURL)
		conn, err = o.embed(ctx, s, base)
	}
	if err != nil {
		_ = closeTrace()
		return nil, err
	}
	conn.closers = append([]func() error{closeTrace}, conn.closers...)
	return conn, nil
}

// wrap puts around the transport what the flags ask for; nil for nothing.
func (o *connector) wrap() func(http.RoundTripper) http.RoundTripper {
	if dryRun(o.cmd) && !dryRunPrintsResult(o.cmd) {
		r := o.host.rehearse()
		return r.around
	}
	if verbose, err := o.cmd.Flags().GetBool("verbose"); err != nil || !verbose {
		return nil
	}
	stderr := o.host.console.Err
	return func(next http.RoundTripper) http.RoundTripper {
		return client.Observe(next, o.host.now, func(e client.Exchange) { fmt.Fprintln(stderr, exchangeText(e)) })
	}
}

// exchangeText is the line of --verbose.
func exchangeText(e client.Exchange) string {
	address := e.URL
	if u, err := url.Parse(e.URL); err == nil {
		address = u.RequestURI()
	}
	answer := "no answer"
	if e.Status != 0 {
		answer = strconv.Itoa(e.Status)
	}
	return fmt.Sprintf("%s %s: %s in %d ms, %s sent, %s received", e.Method, term.Escape(address), answer,
		e.Elapsed.Milliseconds(), term.Bytes(e.Sent), term.Bytes(e.Received))
}

// embed starts the service in this process.
func (o *connector) embed(ctx context.Context, s *settings, opts client.Options) (*connection, error) {
	dir, err := o.host.dataDir(s)
	if err != nil {
		return nil, err
	}
	_, missing := os.Stat(dir)
	forget := func() error { return nil }
	if errors.Is(missing, os.ErrNotExist) && dryRun(o.cmd) { // a rehearsal leaves no folder behind
		if dir, err = os.MkdirTemp("", "foretell-dry-run-"); err != nil {
			return nil, err
		}
		forget = func() error { return os.RemoveAll(dir) }
	}
	conn, err := o.embedAt(ctx, dir, opts)
	if err != nil {
		return nil, errors.Join(err, forget())
	}
	if errors.Is(missing, os.ErrNotExist) && !quiet(o.cmd) {
		o.host.note("data is kept in %s", dir)
	}
	conn.closers = append([]func() error{forget}, conn.closers...)
	return conn, nil
}

// embedAt starts the service in this process on a folder.
func (o *connector) embedAt(ctx context.Context, dir string, opts client.Options) (*connection, error) {
	house, err := openHouse(ctx, dir, o.host)
	if err != nil {
		return nil, err
	}
	conn := &connection{embedded: true, inside: house.app, dataDir: dir, closers: []func() error{house.close}}
	fill := func() error {
		session, err := house.app.LocalSession(ctx)
		if err != nil {
			return err
		}
		conn.account = session.Username
		transport, closer := client.InProcess(house.handler(""))
		conn.closers = append(conn.closers, closer.Close)
		opts.Transport, opts.Token = transport, session.AccessToken
		opts.LongestPoll = 100 * time.Millisecond // to look costs next to nothing here
		opts.Wait = func(ctx context.Context, d time.Duration) error {
			if err := house.app.Stuck(); err != nil {
				return err
			}
			return client.Sleep(ctx, d)
		}
		opts.Relogin = func(ctx context.Context) (string, error) { // a race may outlive a session
			session, err := house.app.LocalSession(ctx)
			return session.AccessToken, err
		}
		conn.Client, err = client.New(opts)
		return err
	}
	if err := fill(); err != nil {
		conn.Close()
		return nil, err
	}
	if !o.idle && !dryRun(o.cmd) {
		conn.closers = append(conn.closers, house.work())
	}
	return conn, nil
}

// embeddedURL stands in the answers of the embedded service. Nothing listens
// there: the transport leads to this process.
const embeddedURL = "http://foretell.invalid"

// remote signs in to a service over the network.
func (o *connector) remote(ctx context.Context, s *settings, opts client.Options) (*connection, error) {
	paths, err := s.paths(operationIDs())
	if err != nil {
		return nil, err
	}
	opts.Paths = paths
	if r := o.host.rehearsal; r != nil {
		r.paths = paths
	}
	signer, err := o.host.newSigner(s, opts)
	if err != nil {
		return nil, err
	}
	opts.Token, err = signer.token(ctx)
	if err != nil {
		return nil, err
	}
	if o.host.env(envToken) == "" { // a token that was given has no password behind it
		opts.Relogin = signer.again
	}
	c, err := newClient(opts)
	if err != nil {
		return nil, err
	}
	return &connection{Client: c, account: signer.username}, nil
}

// newClient makes a client; an address that cannot be one is a wrong flag.
func newClient(opts client.Options) (*client.Client, error) {
	c, err := client.New(opts)
	if err == nil {
		return c, nil
	}
	if _, _, found := strings.Cut(opts.BaseURL, "://"); !found {
		return nil, usage("%w", err).advise("did you mean %s?", withScheme(strings.TrimSpace(opts.BaseURL)))
	}
	return nil, usage("%w", err).advise("give the service's address as in --server https://foretell.example.com")
}

// withScheme completes an address: http:// for this machine, https:// for others.
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

// tracer returns what writes the requests to where debug says; nil for nowhere.
func (h *host) tracer(debug string) (func(client.TraceEvent), func() error, error) {
	nothing := func() error { return nil }
	switch debug {
	case "", "0", "false":
		return nil, nothing, nil
	case "1", "true":
		return traceTo(h.console.Err), nothing, nil
	}
	file, err := os.OpenFile(debug, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, usage("--debug: %w", err).advise("name a file that can be written, as in --debug=trace.log")
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
			writeHeader(&b, "< ", e.Got)
		}
		_, _ = io.WriteString(w, b.String())
	}
}

func writeHeader(b *strings.Builder, prefix string, header http.Header) {
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(b, "%s%s: %s\n", prefix, name, term.Escape(strings.Join(header[name], ", ")))
	}
}

// quiet reports whether a command was asked to be.
func quiet(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup("quiet")
	return flag != nil && flag.Value.String() == "true"
}
