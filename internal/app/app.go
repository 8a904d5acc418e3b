package app

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/account"
	"foretell/internal/api"
	"foretell/internal/auth"
	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/jobqueue"
	"foretell/internal/learn/memory"
	"foretell/internal/outage"
	"foretell/internal/problem"
	"foretell/internal/quota"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/turn"
	"foretell/internal/urlkey"
	"foretell/internal/worker"
)

// MinRaceMemory is a lower bound of the estimated memory of a race, in bytes: every estimate is
// larger.
const MinRaceMemory = memory.ProcessBytes

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
	// AcceptMismatch makes New accept a database that does not belong to the stored files. By
	// default, New then returns [storedfile.ErrMismatch]. Files that the database does not
	// reference are kept for 30 days.
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
	// PartClaimTimeout is how long a part of a distributed race waits for a worker to claim it. Defaults
	// to 7 seconds.
	PartClaimTimeout time.Duration
	// PreparationTimeLimit is the time limit for preparing a dataset. One second is added to
	// it for each MiB of the CSV. Defaults to 2 minutes.
	PreparationTimeLimit time.Duration
	// OwnJobsOnly limits [App.Run] to the jobs that this App queued, or adopted with
	// [App.AdoptInterruptedJob]. By default, App.Run runs the jobs of all processes.
	OwnJobsOnly bool
	// DirectTransfers makes clients exchange files directly with the S3 store of Blobs, with signed
	// URLs; see [App.PollDirectUploads]. [New] returns an error if DirectTransfers is set and Blobs
	// is a folder.
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
	log             *slog.Logger // without the errors that a reported outage causes; see Log
	problems        *problem.Converter
	databaseMonitor *outage.Monitor
	storageMonitor  *outage.Monitor
	urlKey          *urlkey.RotatingKey
	queue           *jobqueue.Queue
	worker          *worker.Worker
	uploads         *quota.Uploads
	driftSemaphore  *turn.FairSemaphore                 // limits how many drifts are measured at a time
	driftCalls      *turn.SharedCalls[*api.DriftReport] // drifts that are being measured, by key of the prediction
	// direct is nil unless the files are in an S3 store. sendsUploadURLs is set if clients exchange
	// files directly with this store; see Config.DirectTransfers.
	direct          *blob.DirectAccess
	sendsUploadURLs bool
	// uploadURLReturned wakes [App.PollDirectUploads] when this process returns an upload URL of
	// the S3 store to a client. lastUploadURLTime is when this last happened, in Unix seconds.
	uploadURLReturned chan struct{}
	lastUploadURLTime atomic.Int64
}

// New returns an App. It returns [storedfile.ErrMismatch] if the stored files do not belong to the
// database. The jobs that the App queues wait until [App.Run] is called, in this process or
// another. The caller must call [App.Close].
func New(c Config) (*App, error) {
	if c.Store == nil || c.Blobs == nil || c.Now == nil || c.Rand == nil || c.Log == nil {
		return nil, errors.New("app.Config: Store, Blobs, Now, Rand and Log are required")
	}
	a := &App{
		store: c.Store, tempDir: c.TempDir, now: c.Now, rand: c.Rand,
		uploadURLReturned: make(chan struct{}, 1), driftSemaphore: turn.NewFairSemaphore(1),
		uploads: quota.NewUploads(), driftCalls: turn.NewSharedCalls[*api.DriftReport](),
	}
	a.initMonitorsAndLog(c.Log)
	a.problems = problem.New(problem.Config{Log: a.log, Folder: fullDiskFolder(c), Embedded: c.OwnJobsOnly})
	a.files = storedfile.New(storedfile.Config{Store: c.Store, Blobs: c.Blobs, Now: c.Now, Rand: c.Rand, Log: a.log, Scanner: c.Scanner})
	if direct, ok := c.Blobs.DirectAccess(); ok {
		a.direct = direct
	}
	if a.sendsUploadURLs = c.DirectTransfers; c.DirectTransfers && a.direct == nil {
		return nil, errors.New("app.Config: DirectTransfers needs an S3 store")
	}
	a.Accounts = account.New(account.Config{
		Store: c.Store, Now: c.Now, Rand: c.Rand, Log: a.log, ToProblem: a.problems.Convert, DeletePredictions: a.deletePredictionsOfAccount, OnDeleted: a.cleanUpDeletedAccount, Options: c.Accounts,
	})
	if err := a.files.MatchIdentity(context.Background(), c.AcceptMismatch); err != nil {
		return nil, err
	}
	var err error
	if a.urlKey, err = urlkey.New(context.Background(), c.Store, c.Now, c.Rand); err != nil {
		return nil, err
	}
	a.queue = jobqueue.New(jobqueue.Config{Store: c.Store, Now: c.Now, Rand: c.Rand, Log: a.log, OwnJobsOnly: c.OwnJobsOnly, Memory: c.Memory, IsDiskFull: a.isDiskFull, Host: c.Host})
	a.worker = worker.New(worker.Config{
		Store: c.Store, Files: a.files, Queue: a.queue, Problems: a.problems, Now: c.Now, RecordRefusedFile: a.RecordRefusedFile, Rand: c.Rand, Log: a.log, Tracer: c.Tracer, TempDir: c.TempDir,
		MaxRaces: c.MaxRaces, MinDistributedCells: c.MinDistributedCells, PartClaimTimeout: c.PartClaimTimeout, PreparationTimeLimit: c.PreparationTimeLimit, Host: c.Host, Version: c.Version,
	})
	return a, nil
}

// Close stops the running calls of [App.GetPredictionDrift] and waits until they have ended. Run
// must have returned, and no other method may be called any more. Close does not close the store.
func (a *App) Close() { a.driftCalls.Close() }

// Run runs jobs until ctx is done; see [worker.Worker.Run].
func (a *App) Run(ctx context.Context) error { return a.worker.Run(ctx) }

// TempDir returns the folder for temporary files. It returns "" for the folder of the
// operating system.
func (a *App) TempDir() string { return a.tempDir }

// fullDiskFolder returns the folder whose disk is full if a file cannot be stored: the parent of the
// folder of the files or, with an S3 store, the folder for temporary files, where files are collected
// before they are sent.
func fullDiskFolder(c Config) string {
	if c.Blobs.IsBucket() {
		return cmp.Or(c.TempDir, os.TempDir())
	}
	return filepath.Dir(c.Blobs.Location())
}

// sharedNow returns the current time on the clock that all processes share. The times of datasets,
// races, models and predictions are of this clock, because other machines compare them.
func (a *App) sharedNow() time.Time { return a.store.ToSharedTime(a.now()) }

// newUUID returns a random UUID (version 4).
func (a *App) newUUID() (string, error) { return auth.NewUUID(a.rand) }
