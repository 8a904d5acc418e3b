// Package worker runs the jobs of a service, and removes what dead processes have left behind. A
// process that runs the jobs of all processes also registers itself as a worker. The packages in
// the subfolders do the work of each kind of job.
//
// A killed process leaves jobs that it has leased, and temporary files, whose names contain the
// name of the process. Another process on the same data folder restarts the jobs and removes the
// files.
package worker

import (
	"context"
	"io"
	"log/slog"
	"runtime"
	"time"

	"go.opentelemetry.io/otel/trace"

	"foretell/internal/jobqueue"
	"foretell/internal/problem"
	"foretell/internal/repeat"
	"foretell/internal/spill"
	"foretell/internal/store"
	"foretell/internal/storedfile"
	"foretell/internal/worker/prediction"
	"foretell/internal/worker/preparation"
	"foretell/internal/worker/training"
)

// Config configures a Worker.
type Config struct {
	Store    *store.Store
	Files    *storedfile.Files
	Queue    *jobqueue.Queue
	Problems *problem.Converter
	Now      func() time.Time
	// RecordRefusedFile is described at [preparation.Config] and [prediction.Config].
	RecordRefusedFile func(ctx context.Context, t *store.Tx, account, action, subject string) error
	// Rand is the source of random bytes for keys.
	Rand io.Reader
	Log  *slog.Logger
	// Tracer creates the spans of jobs. If it is nil, jobs have no spans.
	Tracer trace.Tracer
	// TempDir is the folder for temporary files. Defaults to [os.TempDir].
	TempDir string
	// MaxRaces is the maximum number of concurrent races. Defaults to 1.
	MaxRaces int
	// MinDistributedCells is described at [training.Config].
	MinDistributedCells int64
	// PartClaimTimeout is described at [training.Config].
	PartClaimTimeout time.Duration
	// PreparationTimeLimit is described at [preparation.Config.TimeLimit].
	PreparationTimeLimit time.Duration
	// Host is the name of the machine, and Version the version of the program.
	Host, Version string
}

// Worker runs jobs. It is safe for concurrent use.
type Worker struct {
	store         *store.Store
	files         *storedfile.Files
	queue         *jobqueue.Queue
	now           func() time.Time
	log           *slog.Logger
	tracer        trace.Tracer
	tempDir       string
	host, version string
	preparer      *preparation.Preparer
	trainer       *training.Trainer
	predictor     *prediction.Predictor
}

// New returns a Worker, and sets the kinds of c.Queue.
func New(c Config) *Worker {
	w := &Worker{
		store: c.Store, files: c.Files, queue: c.Queue, now: c.Now, log: c.Log, tracer: c.Tracer, tempDir: c.TempDir,
		host: c.Host, version: c.Version,
		preparer: preparation.New(preparation.Config{
			Store: c.Store, Files: c.Files, Queue: c.Queue, Problems: c.Problems, Now: c.Now, RecordRefusedFile: c.RecordRefusedFile, TimeLimit: c.PreparationTimeLimit,
		}),
		trainer: training.New(training.Config{
			Store: c.Store, Files: c.Files, Queue: c.Queue, Problems: c.Problems, Now: c.Now, Rand: c.Rand, Log: c.Log, TempDir: c.TempDir,
			MinDistributedCells: c.MinDistributedCells, PartClaimTimeout: c.PartClaimTimeout,
		}),
		predictor: prediction.New(prediction.Config{
			Store: c.Store, Files: c.Files, Queue: c.Queue, Problems: c.Problems, Now: c.Now, Log: c.Log, RecordRefusedFile: c.RecordRefusedFile,
		}),
	}
	c.Queue.SetKinds(w.newKinds(max(1, c.MaxRaces)))
	return w
}

// sweepInterval is the interval at which a process removes the files of dead processes.
const sweepInterval = time.Hour

// registrationInterval is the interval at which a worker repeats its registration in a PostgreSQL
// database. It is shorter than the time after which a race fails because no registered worker has
// enough memory.
const registrationInterval = 10 * time.Second

// scanWarningInterval is the interval at which a worker checks whether some workers do not scan files.
const scanWarningInterval = time.Minute

// registrationRetryInterval is the interval at which a worker tries again to register itself in an
// SQLite database.
const registrationRetryInterval = 2 * time.Second

// Run runs jobs until ctx is done. Then it stops the running jobs and ends their leases, so
// that another process can claim the jobs immediately. See [job.Pool.Run] for how long this
// takes.
//
// At the start and then every hour, Run also removes the files and registrations of dead
// processes. Jobs do not wait for this, because listing all stored files may take minutes.
func (w *Worker) Run(ctx context.Context) error {
	recounts := 2 // at the start and an hour later: until then, processes of an earlier version may still run
	defer repeat.AfterAndEvery(ctx, 0, sweepInterval, func() {
		w.removeLeftovers(ctx, recounts > 0)
		recounts--
	})()
	defer w.trainer.FailTooLargeRaces(ctx)()
	if !w.queue.OwnJobsOnly() {
		defer w.registerWorker(ctx)()
		defer w.trainer.WatchDeadlines(ctx)()
	}
	return w.queue.Run(ctx)
}

// registerWorker registers this process as a worker: a process that runs the jobs of all processes.
// Calling unregister ends the registration.
func (w *Worker) registerWorker(ctx context.Context) (unregister func()) {
	write := func(ctx context.Context, fn func(*store.Tx) error) (done bool) {
		err := w.store.Write(ctx, fn)
		if err != nil && ctx.Err() == nil { // not fatal: without the registration, clients see wrong states of jobs
			w.log.WarnContext(ctx, "cannot update the registration of the worker", "error", err)
		}
		return err == nil
	}
	self := &store.Worker{
		Process: w.store.ProcessName(), Memory: w.queue.Memory(), ScansFiles: w.files.ScansForMalware(), Host: w.host, Version: w.version, Cores: int64(runtime.GOMAXPROCS(0)), Started: w.now(),
	}
	registered, interval := false, registrationRetryInterval
	// With PostgreSQL, other processes delete the registration of a process that is suspended, for example
	// while its virtual machine is moved. With SQLite, one successful registration is enough.
	if w.store.IsOnServer() {
		interval = registrationInterval
	}
	register := func() {
		if registered && !w.store.IsOnServer() {
			return
		}
		registered = write(ctx, func(t *store.Tx) error { return t.UpsertWorker(ctx, self) })
	}
	register()
	stop := repeat.Every(ctx, interval, register)
	last := [2]int{}
	stopWarnings := repeat.AfterAndEvery(ctx, 0, scanWarningInterval, func() { last = w.warnOfUnscannedFiles(ctx, last) })
	return func() {
		stopWarnings()
		stop()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second) // the process must end soon, even if the database hangs
		defer cancel()
		write(ctx, func(t *store.Tx) error { return t.DeleteWorker(ctx, self.Process) })
	}
}

// removeLeftovers removes the files and registrations of dead processes, and expired sessions. If
// recount is true, it also corrects the stored number of datasets of each account; see
// [store.Store.RecountDatasets].
func (w *Worker) removeLeftovers(ctx context.Context, recount bool) {
	warn := func(message string, err error) {
		if err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, message, "error", err)
		}
	}
	warn("cannot remove the registrations of dead workers", w.store.DeleteDeadWorkers(ctx))
	warn("cannot remove expired sessions", w.store.DeleteExpiredSessions(ctx, w.now()))
	w.trainer.DeletePartsOfEndedRaces(ctx)
	if recount {
		warn("cannot recount the datasets of each account", w.store.RecountDatasets(ctx))
	}
	if w.tempDir != "" {
		warn("cannot remove leftover temporary files", spill.Sweep(w.tempDir))
	}
	w.files.Sweep(ctx)
}

// warnOfUnscannedFiles returns the numbers of workers that scan uploaded files for malware and of those
// that do not. If both are above zero and differ from last, the result of the last call, it logs a warning.
func (w *Worker) warnOfUnscannedFiles(ctx context.Context, last [2]int) (now [2]int) {
	scanning, others := 0, 0
	err := w.store.Read(ctx, func(t *store.Tx) error {
		scanning, others = 0, 0
		workers, err := w.queue.Workers(ctx, t)
		if err != nil {
			return err
		}
		for _, worker := range workers.Live {
			if worker.ScansFiles {
				scanning++
			} else {
				others++
			}
		}
		return nil
	})
	if err != nil {
		return last
	}
	if now = [2]int{scanning, others}; scanning > 0 && others > 0 && now != last {
		w.log.WarnContext(ctx, "some workers do not scan files for malware: start all with --clamav", "scan", scanning, "doNotScan", others)
	}
	return now
}
