package connect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"foretell/internal/build"
	"foretell/internal/cli"
	"foretell/internal/client"
	"foretell/internal/config"
	"foretell/internal/credential"
	"foretell/internal/server"
	"foretell/internal/store/pgurl"
)

// ServiceFlags holds the flags that select the service, and connects to that service.
type ServiceFlags struct {
	Factory *cli.Factory
	// Local is the flag --local: the command uses a service in this process.
	Local bool
	// NoJobs is set if a service in this process must not run jobs during the command.
	NoJobs bool
	// NeedsDatabase is set if the command needs an existing database with the current schema. The
	// embedded service then neither creates the database nor upgrades the schema.
	NeedsDatabase bool
	// ReadOnly is set if the command changes nothing, as in a dry run. It then stores no session,
	// and does not create the account that commands use without a server.
	ReadOnly bool
	// CreatesNothing is set if an embedded service must create neither the data folder nor the
	// database. If one of them is missing, the service has no data.
	CreatesNothing bool
	Cmd            *cobra.Command
}

// Bind adds the flags that select the service, such as --server and --local, and the flags that
// show its requests: --debug, --verbose and --dry-run.
func (o *ServiceFlags) Bind(cmd *cobra.Command, f *cli.Factory) {
	o.Factory, o.Cmd = f, cmd
	flags := cmd.Flags()
	flags.String(config.KeyProfile, "", "profile of the config file to use")
	flags.String(config.KeyServer, "", "`URL` of the service")
	flags.BoolVar(&o.Local, "local", false, "use the embedded service even if a server is configured")
	flags.String(config.KeyDataDir, "", "use the embedded service and store its data in this `folder`")
	flags.Var(new(TraceFlag), config.KeyDebug, "trace requests to standard error, or to FILE with --debug=FILE; secrets are omitted")
	flags.Lookup(config.KeyDebug).NoOptDefVal = "true"
	flags.BoolP("verbose", "v", false, "print each request to standard error: method, path, status, time, bytes")
	flags.BoolP("dry-run", "n", false, "print the requests, but send only those that change nothing")
	cli.SetFlagGroup(flags, cli.GroupService, flagNames...)
	_ = cmd.RegisterFlagCompletionFunc("profile", cli.CompleteProfiles(f)) // fails only if the flag is not defined
	cmd.MarkFlagsMutuallyExclusive("local", config.KeyServer)
	cmd.MarkFlagsMutuallyExclusive(config.KeyDataDir, config.KeyServer)
}

// flagNames are the names of the flags of [ServiceFlags.Bind].
var flagNames = []string{"verbose", "dry-run", "profile", config.KeyServer, "local", config.KeyDataDir, config.KeyDebug}

// ForbidWithModelFile forbids the flags of Bind together with the flag --model, with which the command
// reads a model file and uses no service.
func (o *ServiceFlags) ForbidWithModelFile() {
	for _, name := range flagNames {
		o.Cmd.MarkFlagsMutuallyExclusive("model", name)
	}
}

// WantsEmbedded reports whether the command needs a service in this process, even if a server is
// configured. This is so if --local or --data-dir is set. A command with NeedsDatabase also needs
// it if --database is set, even to an empty value, or if FORETELL_DATABASE selects a database; see
// [cli.Factory.SelectsDatabase]. The variable FORETELL_DATA_DIR has no effect on the result.
func (o *ServiceFlags) WantsEmbedded() bool {
	return o.Local || o.Cmd.Flags().Changed(config.KeyDataDir) || o.NeedsDatabase && (o.Cmd.Flags().Changed(databaseFlag) || o.Factory.SelectsDatabase(o.Cmd))
}

// Connect connects to the service that the flags select, and returns a session that is logged in.
// The caller must close it.
func (o *ServiceFlags) Connect(ctx context.Context) (*Session, error) {
	s, err := config.Load(o.Factory.Env, o.Cmd.Flags())
	if err != nil {
		return nil, err
	}
	if err := s.CheckProfile(o.Factory.Env); err != nil && !o.WantsEmbedded() {
		return nil, err
	}
	trace, closeTrace, err := NewTracer(o.Factory, s.GetString(config.KeyDebug))
	if err != nil {
		return nil, err
	}
	base := client.Options{UserAgent: build.UserAgent(), CertificateFile: o.Factory.Env(config.EnvCertificateFile), Trace: trace, Now: o.Factory.Now, Wrap: o.transportWrapper()}
	var session *Session
	if server := s.GetString(config.KeyServer); server != "" && !o.WantsEmbedded() {
		base.BaseURL = server
		o.Factory.DryRun.SetServer(server)
		session, err = o.connectRemote(ctx, s, base)
	} else {
		base.BaseURL = config.EmbeddedURL
		o.Factory.DryRun.SetServer(config.EmbeddedURL)
		session, err = o.connectEmbedded(ctx, s, base)
	}
	if err != nil {
		_ = closeTrace()
		return nil, err
	}
	session.closers = append([]func() error{closeTrace}, session.closers...)
	return session, nil
}

// transportWrapper returns the function that wraps the transport of the client for --dry-run or
// --verbose, or nil if neither is set.
func (o *ServiceFlags) transportWrapper() func(http.RoundTripper) http.RoundTripper {
	if cli.IsDryRun(o.Cmd) && !cli.DryRunPrintsResult(o.Cmd) {
		r := o.Factory.StartDryRun()
		return r.Wrap
	}
	if verbose, err := o.Cmd.Flags().GetBool("verbose"); err != nil || !verbose {
		return nil
	}
	stderr := o.Factory.Console.Err
	return func(next http.RoundTripper) http.RoundTripper {
		return client.Observe(next, o.Factory.Now, func(e client.RoundTrip) {
			if line := formatRoundTrip(e); o.Factory.NotesAreEvents {
				o.Factory.Note("%s", line)
			} else {
				fmt.Fprintln(stderr, line)
			}
		})
	}
}

// connectEmbedded starts the service in this process, with the data folder that s selects.
func (o *ServiceFlags) connectEmbedded(ctx context.Context, s *config.Settings, opts client.Options) (*Session, error) {
	dir, err := config.DataDir(o.Factory.Env, s)
	if err != nil {
		return nil, err
	}
	location, err := databaseLocation(o.Factory, o.Cmd, dir)
	if err != nil {
		return nil, err
	}
	at := serviceLocation{dir: dir, database: location, storage: storageLocation(o.Factory, o.Cmd)}
	if o.NeedsDatabase {
		if err := checkDatabaseExists(ctx, o.Factory, at); err != nil {
			return nil, err
		}
	}
	if (o.CreatesNothing || cli.IsDryRun(o.Cmd)) && !pgurl.Is(location) && isMissingOrEmpty(location) {
		return o.connectEmptyService(ctx, at, opts)
	}
	_, statErr := os.Stat(dir)
	session, err := o.connectEmbeddedAt(ctx, at, opts)
	if err == nil && errors.Is(statErr, os.ErrNotExist) && !pgurl.Is(location) && !cli.IsQuiet(o.Cmd) {
		o.Factory.Note("data is stored in %s", dir)
	}
	return session, err
}

// connectEmptyService starts the service in this process with an empty database in a temporary
// folder, because the command must not create the data folder or the database of at. If there are
// stored files, the missing database is an error.
func (o *ServiceFlags) connectEmptyService(ctx context.Context, at serviceLocation, opts client.Options) (*Session, error) {
	if err := checkNoFilesWithoutDatabase(ctx, o.Factory, at); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "foretell-empty-")
	if err != nil {
		return nil, err
	}
	removeDir := func() error { return os.RemoveAll(dir) }
	session, err := o.ConnectTemporary(ctx, dir, opts)
	if err != nil {
		return nil, errors.Join(err, removeDir())
	}
	session.DataDir = at.dir
	session.closers = append([]func() error{removeDir}, session.closers...)
	return session, nil
}

// ConnectTemporary starts the service in this process with a new database and new stored files in
// dir, a temporary folder. Unlike [ServiceFlags.Connect], it ignores --storage and FORETELL_STORAGE,
// because the files of the temporary service must not be among those of another service.
func (o *ServiceFlags) ConnectTemporary(ctx context.Context, dir string, opts client.Options) (*Session, error) {
	return o.connectEmbeddedAt(ctx, serviceLocation{dir: dir, database: filepath.Join(dir, databaseFile)}, opts)
}

// connectEmbeddedAt starts the service in this process with the data at the location at.
func (o *ServiceFlags) connectEmbeddedAt(ctx context.Context, at serviceLocation, opts client.Options) (*Session, error) {
	open := func() (*LocalService, error) { return openLocal(ctx, o.Factory, at) }
	if o.NeedsDatabase {
		open = func() (*LocalService, error) { return openWithoutUpgrade(ctx, o.Factory, at) }
	}
	service, err := open()
	if err != nil {
		return nil, err
	}
	o.Factory.Embedded = true
	conn := &Session{factory: o.Factory, Embedded: true, App: service.App, service: service, DataDir: at.dir, closers: []func() error{service.Close}}
	openSession := service.App.OpenLocalSession
	if o.ReadOnly || cli.IsDryRun(o.Cmd) {
		openSession = service.App.OpenLocalReadSession
	}
	signIn := func() error {
		session, err := openSession(ctx)
		if err != nil {
			return err
		}
		conn.Account = session.Username
		transport, closer := client.NewInProcessTransport(service.Handler(server.Options{ShowCauses: true}))
		conn.closers = append(conn.closers, closer.Close)
		opts.Transport, opts.Token = transport, session.AccessToken
		opts.MaxPoll = 100 * time.Millisecond // polls are cheap in the same process
		opts.Wait = func(ctx context.Context, d time.Duration) error {
			if err := service.App.CheckDiskNotFull(); err != nil {
				return err
			}
			return client.Sleep(ctx, d)
		}
		opts.Relogin = func(ctx context.Context) (string, error) { // a race may outlive a session
			session, err := openSession(ctx)
			return session.AccessToken, err
		}
		conn.Client, err = client.New(opts)
		return err
	}
	if err := signIn(); err != nil {
		conn.Close()
		return nil, err
	}
	if !o.NoJobs && !cli.IsDryRun(o.Cmd) {
		conn.closers = append(conn.closers, service.StartJobs())
	}
	return conn, nil
}

// connectRemote logs in to the server that s selects.
func (o *ServiceFlags) connectRemote(ctx context.Context, s *config.Settings, opts client.Options) (*Session, error) {
	paths, err := s.PathOverrides(config.OperationIDs())
	if err != nil {
		return nil, err
	}
	opts.Paths = paths
	o.Factory.WarnInvalidProxy(opts.BaseURL) // before a password is sent
	if r := o.Factory.DryRun; r != nil {
		r.Paths = paths
	}
	tokens, err := credential.NewTokenSource(o.Factory.Env, o.Factory.Now, s, opts)
	if err != nil {
		return nil, err
	}
	opts.Token, err = tokens.Token(ctx)
	if err != nil {
		return nil, err
	}
	if tokens.CanRenew() {
		opts.Relogin = tokens.Renew
	}
	c, err := config.NewClient(opts)
	if err != nil {
		return nil, err
	}
	endSession := func() error {
		closing := opts
		closing.Attempts, closing.Relogin = 1, nil
		if cli.IsDryRun(o.Cmd) { // its log-in was sent, so the log-out must not be simulated
			closing.Wrap = nil
		}
		return tokens.EndOpenedSession(context.WithoutCancel(ctx), closing) // also after Ctrl-C
	}
	return &Session{factory: o.Factory, Client: c, Account: tokens.Username, closers: []func() error{endSession}}, nil
}
