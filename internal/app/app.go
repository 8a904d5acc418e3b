package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/jobqueue"
	"foretell/internal/outage"
	"foretell/internal/problem"
	"foretell/internal/repeat"
	"foretell/internal/spill"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/turn"
	"foretell/internal/urlkey"
)

// Config configures an App.
type Config struct {
	Store *store.Store
	Blobs *blob.Store
	// TempDir is the folder for temporary files. It must exist. Defaults to [os.TempDir].
	TempDir string
	// Now returns the current time. Rand is the source of random bytes for keys, tokens and
	// salts. It must be cryptographically secure, as crypto/rand.Reader is.
	Now  func() time.Time
	Rand io.Reader
	Log  *slog.Logger
	// DatasetsAsArray makes ListDatasets return the datasets as a JSON array. By default it returns
	// them as the published API does, in a string that contains the array as JSON.
	DatasetsAsArray bool
	// AcceptMismatch makes New accept a database that does not belong to the stored files; see
	// [storedfile.ErrMismatch]. Files that the database does not reference are then kept for [blob.OrphanGrace].
	AcceptMismatch bool
	// MaxRaces is the maximum number of concurrent races. Defaults to 1.
	MaxRaces int
	// Memory is the maximum sum of the estimated memory of all running races, in bytes. A race that
	// would exceed it stays in the queue. 0 means no limit.
	Memory int64
	// MinDistributedCells is the minimum size of a dataset for its races to be distributed over
	// several workers, as rows × columns × classes. With SQLite, each race has one worker.
	// Defaults to 200,000.
	MinDistributedCells int64
	// PreparationTimeLimit is the time limit for preparing a dataset. One second is added to
	// it for each MiB of the CSV. Defaults to 2 minutes.
	PreparationTimeLimit time.Duration
	// OwnJobsOnly limits [App.Run] to the jobs that this App queued, or adopted with
	// [App.AdoptInterruptedJob]. By default, App.Run runs the jobs of all processes.
	OwnJobsOnly bool
	// DirectTransfers makes clients upload files directly to the S3 store of Blobs, and
	// download results directly from it, with signed URLs. See [App.PollDirectUploads]. [New]
	// returns an error if DirectTransfers is set and Blobs is a folder.
	DirectTransfers bool
	// Tracer creates the spans of jobs. If it is nil, jobs have no spans.
	Tracer trace.Tracer
	// Host is the name of the machine, and Version the version of the program. Administrators
	// see both in the list of workers.
	Host, Version string
	// Scanner scans each uploaded CSV for malware before a job reads it. Nil means that no file is
	// scanned.
	Scanner *clamav.Client
	// Accounts configures accounts and the emails to their owners.
	Accounts account.Options
}

// App implements the operations of the service. The embedded Accounts implements the
// operations on accounts. An App is safe for concurrent use.
type App struct {
	*account.Accounts

	store           *store.Store
	files           *storedfile.Files
	tempDir         string
	now             func() time.Time
	rand            io.Reader
	log             *slog.Logger // see Log
	problems        *problem.Converter
	databaseMonitor *outage.Monitor
	storageMonitor  *outage.Monitor
	tracer          trace.Tracer
	urlKey          *urlkey.RotatingKey
	datasetsAsArray bool
	ownJobsOnly     bool
	memory          int64
	host, version   string
	// distributesRaces reports whether several workers may train one race together.
	distributesRaces    bool
	minDistributedCells int64
	// basePreparationTimeLimit is Config.PreparationTimeLimit.
	basePreparationTimeLimit time.Duration
	queue                    *jobqueue.Queue
	deadlines                raceDeadlines
	models                   *modelCache
	uploads                  *uploadReservations
	driftSemaphore           *turn.FairSemaphore                 // limits how many drifts are measured at a time
	driftCalls               *turn.SharedCalls[*api.DriftReport] // measure drifts, by key of the prediction
	// direct is nil unless Config.DirectTransfers is set.
	direct *blob.DirectAccess
	// uploadURLReturned wakes [App.PollDirectUploads] when this process has returned an upload
	// URL of the S3 store to a client. lastUploadURLTime is the time when it last returned such
	// a URL, in Unix seconds.
	uploadURLReturned chan struct{}
	lastUploadURLTime atomic.Int64
}

// New returns an App, or [storedfile.ErrMismatch] if the stored files do not belong to the database. Jobs that
// the App has queued wait until [App.Run] is called, in this process or another. The caller must call
// [App.Close].
func New(c Config) (*App, error) {
	if c.Store == nil || c.Blobs == nil || c.Now == nil || c.Rand == nil || c.Log == nil {
		return nil, errors.New("app.Config: Store, Blobs, Now, Rand and Log are required")
	}
	a := &App{
		store: c.Store, tempDir: c.TempDir, now: c.Now, rand: c.Rand, datasetsAsArray: c.DatasetsAsArray, ownJobsOnly: c.OwnJobsOnly,
		memory: c.Memory, host: c.Host, version: c.Version, distributesRaces: c.Store.IsOnServer() && !c.OwnJobsOnly, minDistributedCells: cmp.Or(c.MinDistributedCells, minDistributedCells), tracer: c.Tracer,
		models: newModelCache(), uploadURLReturned: make(chan struct{}, 1), driftSemaphore: turn.NewFairSemaphore(1),
		uploads: newUploadReservations(), driftCalls: turn.NewSharedCalls[*api.DriftReport](),
	}
	a.monitorOutages(c.Log)
	a.problems = &problem.Converter{Log: a.log, Location: c.Blobs.Location(), Embedded: c.OwnJobsOnly}
	a.files = storedfile.New(storedfile.Config{Store: c.Store, Blobs: c.Blobs, Now: c.Now, Rand: c.Rand, Log: a.log, Problems: a.problems, Scanner: c.Scanner})
	if c.DirectTransfers {
		direct, ok := c.Blobs.DirectAccess()
		if !ok {
			return nil, errors.New("app.Config: DirectTransfers needs an S3 store")
		}
		a.direct = direct
	}
	a.Accounts = account.New(account.Config{
		Store: c.Store, Now: c.Now, Rand: c.Rand, Log: a.log, ToProblem: a.problems.Convert, OnDeleted: a.cleanUpDeletedAccount, Options: c.Accounts,
	})
	if err := a.files.CheckIdentity(context.Background(), c.AcceptMismatch); err != nil {
		return nil, err
	}
	var err error
	if a.urlKey, err = urlkey.New(context.Background(), c.Store, c.Now, c.Rand); err != nil {
		return nil, err
	}
	a.basePreparationTimeLimit = cmp.Or(c.PreparationTimeLimit, defaultPreparationTimeLimit)
	a.queue = jobqueue.New(jobqueue.Config{Store: c.Store, Now: c.Now, Rand: c.Rand, Log: a.log, OwnJobsOnly: c.OwnJobsOnly, Memory: c.Memory})
	a.queue.SetKinds(a.newKinds(max(1, c.MaxRaces)))
	return a, nil
}

// Close ends the measurements of drifts, and waits until they have ended. Run must have returned, and
// no other method may be called any more. Close does not close the store.
func (a *App) Close() { a.driftCalls.Close() }

// sweepInterval is the interval at which a process removes the files of dead processes.
const sweepInterval = time.Hour

// registrationInterval is the interval at which a worker repeats its registration in a PostgreSQL
// database.
const registrationInterval = time.Minute

// Run runs jobs until ctx is done. Then it stops the running jobs and ends their leases, so
// that another process can claim the jobs immediately. See [job.Pool.Run] for how long this
// takes.
//
// At the start and then every hour, Run also removes the files and registrations of dead
// processes. Jobs do not wait for this, because listing all stored files may take minutes.
func (a *App) Run(ctx context.Context) error {
	recounts := 2
	defer repeat.AfterAndEvery(ctx, 0, sweepInterval, func() {
		a.removeLeftovers(ctx, recounts > 0)
		recounts--
	})()
	defer a.failTooLargeRaces(ctx)()
	if !a.ownJobsOnly {
		defer a.registerWorker(ctx)()
		defer a.watchDeadlines(ctx)()
	}
	return a.queue.Run(ctx)
}

// registerWorker registers this process as a worker, that is, as a process that runs the jobs
// of all processes. Calling unregister ends the registration. With PostgreSQL, the registration
// is repeated every registrationInterval, because other processes delete the registration of a
// process that is suspended, for example while its virtual machine is moved.
func (a *App) registerWorker(ctx context.Context) (unregister func()) {
	write := func(ctx context.Context, fn func(*store.Tx) error) {
		if err := a.store.Write(ctx, fn); err != nil && ctx.Err() == nil { // not fatal: without the registration, clients see wrong states of jobs
			a.log.WarnContext(ctx, "cannot update the registration of the worker", "error", err)
		}
	}
	self := &store.Worker{
		Process: a.store.ProcessName(), Memory: a.memory, ScansFiles: a.files.ScansForMalware(), Host: a.host, Version: a.version, Cores: int64(runtime.GOMAXPROCS(0)), Started: a.now(),
	}
	register := func() {
		write(ctx, func(t *store.Tx) error { return t.UpsertWorker(ctx, self) })
		a.warnOfUnscannedFiles(ctx)
	}
	register()
	stop := func() {}
	if a.store.IsOnServer() {
		stop = repeat.Every(ctx, registrationInterval, register)
	}
	return func() {
		stop()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second) // the process must end soon, even if the database hangs
		defer cancel()
		write(ctx, func(t *store.Tx) error { return t.DeleteWorker(ctx, self.Process) })
	}
}

// removeLeftovers removes the files and registrations of dead processes, and expired sessions.
// If recount is true, it also recounts the datasets of each account. This is necessary in the
// first hour after an upgrade, because processes of the earlier version may still run, and they
// do not update the stored count.
func (a *App) removeLeftovers(ctx context.Context, recount bool) {
	warn := func(message string, err error) {
		if err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, message, "error", err)
		}
	}
	warn("cannot remove the registrations of dead workers", a.store.DeleteDeadWorkers(ctx))
	warn("cannot remove expired sessions", a.store.DeleteExpiredSessions(ctx, a.now()))
	a.deletePartsOfEndedRaces(ctx)
	if recount {
		warn("cannot recount the datasets of each account", a.store.RecountDatasets(ctx))
	}
	if a.tempDir != "" {
		warn("cannot remove leftover temporary files", spill.Sweep(a.tempDir))
	}
	a.files.Sweep(ctx)
}

// TempDir returns the folder for temporary files. It returns "" for the folder of the
// operating system.
func (a *App) TempDir() string { return a.tempDir }

// newUUID returns a random UUID (version 4).
func (a *App) newUUID() (string, error) { return auth.NewUUID(a.rand) }
