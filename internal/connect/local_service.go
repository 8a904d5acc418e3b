package connect

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel/trace"

	"foretell/internal/account"
	"foretell/internal/app"
	"foretell/internal/blob"
	"foretell/internal/build"
	"foretell/internal/clamav"
	"foretell/internal/cli"
	"foretell/internal/config"
	"foretell/internal/exit"
	"foretell/internal/machine"
	"foretell/internal/server"
	"foretell/internal/store"
	"foretell/internal/store/pgurl"
	"foretell/internal/storedfile"
	"foretell/internal/term"
)

// LocalService is a service in this process whose data is in a data folder.
type LocalService struct {
	App   *app.App
	store *store.Store
	blobs *blob.Store
	// Log is the log of the service.
	Log    *slog.Logger
	now    func() time.Time
	tracer trace.Tracer
	Dir    string
	// factory and notices print the notices of the method Note. notices is nil unless --log-format
	// is json.
	factory *cli.Factory
	notices *slog.Logger
	// Location is the data folder, or the URL of the PostgreSQL database without the password.
	Location string
}

// localOptions are the options for opening a data folder.
type localOptions struct {
	log *slog.Logger
	// acceptDatabase is set to open a database that does not belong to the stored files.
	acceptDatabase bool
	// ownJobsOnly is set to run only the jobs that this process queues or waits for.
	ownJobsOnly bool
	// directTransfers is set if clients exchange files directly with the S3 store.
	directTransfers bool
	// accounts configures the accounts of the service.
	accounts account.Options
	// scanner scans uploaded files for malware. Nil means that no file is scanned.
	scanner *clamav.Client
	// withoutUpgrade is set if the database must neither be created nor upgraded to the newest schema.
	withoutUpgrade bool
	// writesMarker is set to write the marker file of a PostgreSQL database, a file in the data folder
	// that names the database of this folder; see markerFile. Only serve, worker and restore write
	// it, because other commands may run with a FORETELL_DATABASE that is meant for another folder.
	writesMarker bool
	// maxRaces is the maximum number of concurrent races. memory is the maximum sum of the estimated
	// memory of all running races, in bytes; 0 means no limit.
	maxRaces int
	memory   int64
}

// openLocal opens the service with the data at the location at. It creates a missing folder and a
// missing database. If there are stored files but no database, it returns an error. Several
// processes may open the same folder at once.
func openLocal(ctx context.Context, f *cli.Factory, at serviceLocation) (*LocalService, error) {
	memory, err := parseRaceMemory(config.EnvMemory, f.Env(config.EnvMemory))
	if err != nil {
		return nil, err
	}
	return openLocalWith(ctx, f, at, localOptions{log: newCommandLogger(f), ownJobsOnly: true, memory: memory})
}

// ErrOldSchema means that the schema of the database is of an earlier version of foretell and must
// be upgraded. [OpenSelected] and [CheckDatabase] return it. Test with errors.Is.
var ErrOldSchema = store.ErrOldSchema

// openWithoutUpgrade is like [openLocal], but it neither creates the database nor upgrades its
// schema. It returns ErrOldSchema if the schema is of an earlier version.
func openWithoutUpgrade(ctx context.Context, f *cli.Factory, at serviceLocation) (*LocalService, error) {
	return openLocalWith(ctx, f, at, localOptions{log: newCommandLogger(f), ownJobsOnly: true, withoutUpgrade: true})
}

// OpenSelected opens the service with the data folder, the database and the storage that the flags of
// cmd select. It returns ErrOldSchema if the schema of the database is of an earlier version. If
// create is true, it creates a missing SQLite database.
func OpenSelected(ctx context.Context, f *cli.Factory, cmd *cobra.Command, create bool) (*LocalService, error) {
	at, err := locateService(f, cmd)
	if err != nil {
		return nil, err
	}
	if create && !pgurl.Is(at.database) && isMissingOrEmpty(at.database) {
		return openLocal(ctx, f, at)
	}
	return openWithoutUpgrade(ctx, f, at)
}

// DaemonFlags holds the flags of serve and worker.
type DaemonFlags struct {
	// DirectTransfers is set if clients exchange files directly with the S3 store.
	DirectTransfers       bool
	quiet, acceptDatabase bool
	logFormat, logLevel   string
	maxRaces              int
	memory, clamav        string
	// Accounts configures the accounts of the service.
	Accounts account.Options
}

// Bind adds --data-dir, --database, --storage, --accept-database, --races, --memory,
// --clamav and the flags of the log to cmd.
func (f *DaemonFlags) Bind(cmd *cobra.Command) {
	cmd.Flags().String(config.KeyDataDir, "", "data `folder`")
	BindDatabase(cmd)
	BindStorage(cmd)
	cmd.Flags().BoolVar(&f.acceptDatabase, "accept-database", false, "start even if the database is new or does not match the files in blobs/")
	cmd.Flags().IntVar(&f.maxRaces, "races", 1, "maximum `number` of races at once, which share the cores")
	cmd.Flags().StringVar(&f.memory, "memory", "", "maximum `size` of the memory for races, such as 12GB, or \"none\" for no limit (default the memory of the machine or its cgroup, minus a reserve)")
	cmd.Flags().StringVar(&f.clamav, "clamav", "", "scan uploaded files for malware with the clamd at this `address`: HOST:PORT, or the path of a Unix socket")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "do not log")
	cmd.Flags().StringVar(&f.logFormat, "log-format", "text", "`format` of the log on standard error: text or json")
	cmd.Flags().StringVar(&f.logLevel, "log-level", "info", "lowest `level` to log: debug, info, warn or error")
	cli.SetFlagGroup(cmd.Flags(), cli.GroupMonitoring, "quiet", "log-format", "log-level")
}

// OpenDaemon opens the service for serve or worker, which run the jobs of all processes. It
// logs to standard error unless --quiet is set.
func OpenDaemon(ctx context.Context, f *cli.Factory, cmd *cobra.Command, flags DaemonFlags) (*LocalService, error) {
	at, err := locateServiceToMark(f, cmd)
	if err != nil {
		return nil, err
	}
	log, err := flags.newLogger(f)
	if err != nil {
		return nil, err
	}
	for _, name := range cli.UnknownEnvVars(cmd.Root(), f.Environ()) {
		log.WarnContext(ctx, "no command reads this environment variable", "variable", name)
	}
	if flags.maxRaces < 1 {
		return nil, exit.Usagef("invalid --races %d: must be at least 1", flags.maxRaces)
	}
	memory, err := parseRaceMemory("--memory", flags.memory)
	if err != nil {
		return nil, err
	}
	var scanner *clamav.Client
	if flags.clamav != "" {
		if scanner, err = clamav.New(flags.clamav); err != nil {
			return nil, exit.Usagef("invalid --clamav %q: %w", flags.clamav, err)
		}
	}
	service, err := openLocalWith(ctx, f, at, localOptions{
		scanner: scanner, log: log, maxRaces: flags.maxRaces, memory: memory, acceptDatabase: flags.acceptDatabase, directTransfers: flags.DirectTransfers, accounts: flags.Accounts, writesMarker: true,
	})
	if err != nil {
		return nil, err
	}
	if flags.logFormat == formatJSON {
		service.notices = slog.New(slog.NewJSONHandler(f.Console.Err, nil))
	}
	return service, nil
}

// formatJSON is the value of --log-format for a log of JSON lines.
const formatJSON = "json"

// Note prints a notice of serve or worker, such as the address of the service, to standard error,
// even with --quiet. The values of the attributes follow the message. With --log-format json, the
// notice is a line of the log, which no --log-level suppresses.
func (s *LocalService) Note(message string, attributes ...slog.Attr) {
	if s.notices != nil {
		s.notices.LogAttrs(context.Background(), slog.LevelInfo, strings.TrimSuffix(message, ":"), attributes...)
		return
	}
	separator := " "
	if strings.HasSuffix(message, ":") {
		separator = "\n"
	}
	for _, a := range attributes {
		message += separator + a.Value.String()
	}
	s.factory.Note("%s", message)
}

// The default of --memory leaves a reserve for other work of the process and for other programs:
// minMemoryReserve bytes or the fraction memoryReserveShare of the machine's memory, whichever is
// larger.
const (
	minMemoryReserve   = 512 << 20
	memoryReserveShare = 1.0 / 8
)

// parseRaceMemory returns the memory for races in bytes, or 0 for no limit. text is the value of
// the flag or environment variable called name. If text is empty, the result is the memory of the
// machine minus a reserve for other programs (see minMemoryReserve), but at least half of it.
func parseRaceMemory(name, text string) (int64, error) {
	switch text {
	case "":
		total := machine.Memory()
		return max(total/2, total-max(minMemoryReserve, int64(float64(total)*memoryReserveShare))), nil
	case "none":
		return 0, nil
	}
	n, err := cli.ParseBytes(text)
	if err == nil && n < app.MinRaceMemory {
		err = fmt.Errorf("must be at least %s, which the smallest race needs, or \"none\" for no limit", term.FormatBytes(app.MinRaceMemory))
	}
	if err != nil {
		return 0, exit.Usagef("invalid %s %q: %w", name, text, err)
	}
	return n, nil
}

// openLocalWith is like [openLocal], but with options.
func openLocalWith(ctx context.Context, f *cli.Factory, at serviceLocation, opts localOptions) (*LocalService, error) {
	defer time.AfterFunc(slowOpening, func() {
		opts.log.WarnContext(ctx, "the service has not started yet: it is still opening the database and the storage of files")
	}).Stop()
	database, err := opts.openDatabase(ctx, f, at)
	if err != nil {
		return nil, err
	}
	blobs, err := openBlobs(ctx, f, at.dir, at.storage, database.ProcessName())
	if err != nil {
		return nil, errors.Join(err, database.Close())
	}
	if opts.directTransfers && !blobs.IsBucket() {
		return nil, errors.Join(exit.Usagef("--uploads direct needs an S3 store").WithHint("name the store with --storage s3://BUCKET/PREFIX"), database.Close())
	}
	host, _ := os.Hostname() // "" on an error
	a, err := app.New(app.Config{
		Host: host, Version: build.Current().Version,
		Store: database, Blobs: blobs, TempDir: at.dir, Now: f.Now, Rand: rand.Reader, Log: opts.log,
		AcceptMismatch: opts.acceptDatabase, OwnJobsOnly: opts.ownJobsOnly, DirectTransfers: opts.directTransfers, Accounts: opts.accounts,
		MaxRaces: opts.maxRaces, Memory: opts.memory, Scanner: opts.scanner, Tracer: f.Tracer,
	})
	if err != nil {
		return nil, errors.Join(openError(at, blobs, err), database.Close())
	}
	shown := at.dir
	if database.IsOnServer() {
		shown = pgurl.Redact(at.database)
		if opts.writesMarker {
			if err := writeMarker(ctx, opts.log, at.dir, at.database); err != nil {
				return nil, errors.Join(DataDirError(at.dir, err), database.Close())
			}
		}
	}
	return &LocalService{factory: f, App: a, store: database, blobs: blobs, Log: a.Log(), now: f.Now, tracer: f.Tracer, Dir: at.dir, Location: shown}, nil
}

// DataDirError converts an error of opening the data folder dir to one with a message and
// a hint for users.
func DataDirError(dir string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err // not caused by the folder
	}
	if errors.Is(err, syscall.ENOTDIR) {
		err = errors.New("it is not a folder")
	}
	e := exit.Errorf(exit.Unexpected, "cannot use the data folder %s: %w", dir, err)
	database := term.ShellQuote(filepath.Join(dir, databaseFile))
	switch {
	case errors.Is(err, blob.ErrUnavailable):
		return storageError(err)
	case errors.Is(err, storedfile.ErrOtherStorage):
		return e.WithHint("nothing was changed; pass the location of these files with --storage or %s; if they were moved, delete the file folder.id of the new location", config.EnvStorage)
	case errors.Is(err, storedfile.ErrFilesGone):
		return e.WithHint("nothing was changed; mount the disk of %[1]s, restore %[1]s from a backup, or pass the location of the files with --storage; "+
			"to start without these files, use `foretell serve --accept-database`", term.ShellQuote(filepath.Join(dir, "blobs")))
	case errors.Is(err, storedfile.ErrMismatch):
		return e.WithHint("no stored file was changed; restore %s from a backup, or continue without it: "+
			"`foretell serve --accept-database` keeps the files for 30 days", database)
	case errors.Is(err, store.ErrCorrupt):
		return e.WithHint("nothing was changed; move %[1]s, %[1]s-wal and %[1]s-shm away and restore %[1]s from a backup, "+
			"or use another folder with --data-dir or %[2]s", database, config.EnvDataDir)
	case errors.Is(err, store.ErrDiskFull):
		free, _, _ := blob.DiskSpace(dir) // 0 on an error
		if limit := machine.FileSizeLimit(); limit > 0 && limit < free {
			return exit.Errorf(exit.Unexpected, "cannot use the data folder %s: this process is only allowed to write files of at most %s: %w", dir, term.FormatBytes(int64(limit)), err).
				WithHint("raise the limit with `ulimit -f unlimited`")
		}
		return exit.Errorf(exit.Unexpected, "cannot use the data folder %s: its disk is full, %s free: %w", dir, term.FormatBytes(int64(free)), err).
			WithHint("free a few MB on that disk, then `foretell prune` can delete old models; or move the folder to another disk and use it with --data-dir")
	case errors.Is(err, store.ErrNewerSchema): // err has the path of the database
		return exit.Errorf(exit.Unexpected, "cannot use the data folder: %w", err).WithHint("use the version of foretell that wrote the database, or a newer one, or use another folder with --data-dir or %s", config.EnvDataDir)
	case errors.Is(err, fs.ErrPermission) && !isMissing(dir):
		const hint = "run the command as the user who owns the folder"
		if runtime.GOOS == "windows" {
			return e.WithHint(hint)
		}
		return e.WithHint(hint + ", such as `sudo -u foretell foretell …`")
	}
	return e.WithHint("use another folder with --data-dir or %s", config.EnvDataDir)
}

// isMissing reports whether there is no file or folder with this name.
func isMissing(name string) bool {
	_, err := os.Stat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// Handler returns the handler of the API with the given options, except for Log, Now, Tracer and
// Version, which it sets itself.
func (s *LocalService) Handler(opts server.Options) http.Handler {
	opts.Log, opts.Now, opts.Tracer, opts.Version = s.Log, s.now, s.tracer, build.Current().Version
	return server.New(s.App, opts)
}

// Metrics returns new metrics of the service.
func (s *LocalService) Metrics() *server.Metrics {
	m := server.NewMetrics(s.App, s.Log, s.now)
	m.AddBuildInfo(build.Current().Version)
	return m
}

// StartJobs begins to run jobs in the background. The returned function stops the jobs and waits
// until they have ended.
func (s *LocalService) StartJobs() func() error {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.App.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// PollDirectUploads starts to watch for files that clients have sent directly to the S3 store, and
// prepares their datasets. It ends when ctx is done or stop is called. It does nothing unless the
// service was opened with DirectTransfers.
func (s *LocalService) PollDirectUploads(ctx context.Context) (stop func()) {
	return startBackground(ctx, s.App.PollDirectUploads)
}

// MonitorOutages starts to observe whether the database and the stored files are available. It ends
// when ctx is done or stop is called.
func (s *LocalService) MonitorOutages(ctx context.Context) (stop func()) {
	return startBackground(ctx, s.App.MonitorOutages)
}

// WarnOfMissingWorkers starts to log a warning at intervals while jobs are queued and no worker is
// alive. It ends when ctx is done or stop is called.
func (s *LocalService) WarnOfMissingWorkers(ctx context.Context) (stop func()) {
	return startBackground(ctx, s.App.WarnOfMissingWorkers)
}

// SendMails starts to send the emails in the outbox. It ends when ctx is done or stop is called. The
// function stop waits for an email that is being sent, at most a few seconds.
func (s *LocalService) SendMails(ctx context.Context) (stop func()) {
	return startBackground(ctx, s.App.SendMails)
}

// EnforceRetention starts to delete expired data regularly. It ends when ctx is done or stop is
// called.
func (s *LocalService) EnforceRetention(ctx context.Context, retention app.Retention) (stop func()) {
	return startBackground(ctx, func(ctx context.Context) { s.App.EnforceRetention(ctx, retention) })
}

// startBackground calls run in another goroutine. The function stop cancels the context of run and
// waits until run has returned.
func startBackground(ctx context.Context, run func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Close closes the App and the store. Jobs must have ended.
func (s *LocalService) Close() error {
	s.App.Close()
	return s.store.Close()
}
