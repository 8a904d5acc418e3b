// Package jobqueue is the queue of jobs in the database. A job is added in the transaction that
// changes the state of its dataset, race or prediction, and is deleted in the transaction that stores
// its result. The queue also finds out which jobs run, wait or are interrupted. It owns the pool of
// package job that runs them.
package jobqueue

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"foretell/internal/auth"
	"foretell/internal/job"
	"foretell/internal/store"
)

// The kinds of jobs.
const (
	// Prepare is the preparation of a dataset.
	Prepare = "prepare"
	// Train is a race.
	Train = "train"
	// Predict is a prediction.
	Predict = "predict"
	// Part is the training of one algorithm of a race by another worker than the worker of the
	// race.
	Part = "part"
)

// ProgressInterval is the interval at which the progress of a job is written with
// [Queue.WriteWithLease].
const ProgressInterval = 250 * time.Millisecond

// Config configures a Queue.
type Config struct {
	Store *store.Store
	Now   func() time.Time
	// Rand is the source of random bytes for keys.
	Rand io.Reader
	Log  *slog.Logger
	// OwnJobsOnly limits the process to the jobs that it has queued, and the jobs that it has taken
	// over with [Queue.AdoptInterrupted]. By default, it runs the jobs of all processes.
	OwnJobsOnly bool
	// Memory is the maximum sum of the estimated memory of all running jobs, in bytes. 0 means no
	// limit.
	Memory int64
	// IsDiskFull reports whether the disk is so full that jobs may be unable to end. May be nil.
	IsDiskFull func() bool
	// Host is the name of this machine.
	Host string
}

// Queue is the queue of jobs in a database. It is safe for concurrent use.
type Queue struct {
	store       *store.Store
	now         func() time.Time
	rand        io.Reader
	log         *slog.Logger
	ownJobsOnly bool
	memory      int64
	isDiskFull  func() bool
	host        string
	pool        *job.Pool
	watchers    job.Watchers
	finished    *finishedCounter
}

// New returns a queue. It runs no jobs until [Queue.Run] is called.
func New(c Config) *Queue {
	q := &Queue{store: c.Store, now: c.Now, rand: c.Rand, log: c.Log, ownJobsOnly: c.OwnJobsOnly, memory: c.Memory, isDiskFull: c.IsDiskFull, host: c.Host, finished: newFinishedCounter()}
	q.pool = job.NewPool(job.Config{
		Store:               jobStore{store: q.store, onQueueChanged: q.watchers.Notify},
		AllowedSubjectsOnly: q.ownJobsOnly, Memory: q.memory, Now: q.now, Log: q.log,
	})
	return q
}

// MustWaitForSpace reports whether the jobs that need space must wait because the disk is full. It is
// always false in a command without a server, which reports a full disk to its user instead.
func (q *Queue) MustWaitForSpace() bool {
	return !q.ownJobsOnly && q.isDiskFull != nil && q.isDiskFull()
}

// SetKinds sets the kinds of jobs that [Queue.Run] runs. It must be called before Run, and not
// concurrently with another method.
func (q *Queue) SetKinds(kinds []job.Kind) { q.pool.SetKinds(kinds) }

// OwnJobsOnly reports whether this process runs only its own jobs; see [Config].
func (q *Queue) OwnJobsOnly() bool { return q.ownJobsOnly }

// Memory returns the maximum sum of the estimated memory of all running jobs of this process, in bytes,
// or 0 if there is no limit.
func (q *Queue) Memory() int64 { return q.memory }

// Run runs jobs of the kinds that were passed to [Queue.SetKinds], until ctx is done; see
// [job.Pool.Run].
func (q *Queue) Run(ctx context.Context) error { return q.pool.Run(ctx) }

// Cancel requests the cancellation of the job of the race with this key, if this process runs the job.
func (q *Queue) Cancel(race string) { q.pool.Cancel(race) }

// StopJobsOfDeleted stops the jobs of this process that belong to a deleted dataset, race, prediction
// or account with this key.
func (q *Queue) StopJobsOfDeleted(key string) { q.pool.StopJobsOfDeleted(key) }

// StoreError returns the error of the last attempt to claim a job or to store its failure,
// whichever was later. It returns nil if that attempt succeeded.
func (q *Queue) StoreError() error { return q.pool.StoreError() }

// Watch starts a goroutine that calls fn whenever the queue may have changed; see
// [job.Watchers.Start].
func (q *Queue) Watch(ctx context.Context, fn func() (next time.Duration)) (stop func()) {
	return q.watchers.Start(ctx, fn)
}

// Insert sets the key and the creation time of j, and queues j. The transaction t must also
// write the change of state for which the job is needed.
func (q *Queue) Insert(ctx context.Context, t *store.Tx, j *store.Job) (err error) {
	if j.Key, err = auth.NewUUID(q.rand); err != nil {
		return err
	}
	j.Created = q.now()
	if q.ownJobsOnly {
		j.Process = q.store.ProcessName()
		q.pool.AllowSubject(j.Subject)
	}
	return t.InsertJob(ctx, j)
}

// Notify notifies the pool of this process that a job of the given kind was queued. It must
// be called after the transaction has been committed.
func (q *Queue) Notify(kind string) {
	q.pool.Wake(kind)
	q.watchers.Notify()
}

// Finish deletes a job and calls write, both in one transaction. If this process no longer holds
// the lease, it writes nothing and returns job.ErrLeaseLost. outcome is the final state of the
// dataset, training job or prediction. Finish counts it for [Queue.Finished] and assigns it to
// j.Outcome.
//
// Finish repeats the transaction while the database is unavailable or its disk is full, so that the
// result of the job is not lost. If the process runs only its own jobs, it returns the error of a
// full disk at once, because its user sees the error. If Finish fails, but one of its transactions
// may have been committed, the error wraps store.ErrCommitUnknown.
func (q *Queue) Finish(ctx context.Context, j *job.Job, outcome string, write func(*store.Tx) error) error {
	var unknown error // the error of an earlier attempt that may have been committed
	for {
		err := q.store.Write(ctx, func(t *store.Tx) error {
			if err := t.FinishJob(ctx, j.Key, q.store.ProcessName()); err != nil {
				return err
			}
			return write(t)
		})
		if err == nil {
			q.finished.add(j.Kind, outcome)
			j.Outcome = outcome
			if !j.Begun.IsZero() {
				q.finished.addDuration(j.Kind, q.now().Sub(j.Begun))
			}
			return nil
		}
		if !errors.Is(err, store.ErrUnavailable) && (q.ownJobsOnly || !errors.Is(err, store.ErrDiskFull)) {
			return errors.Join(translateLeaseLost(err), unknown)
		}
		if errors.Is(err, store.ErrCommitUnknown) {
			unknown = err
		}
		q.log.WarnContext(ctx, "cannot store the result of a job; trying again", "job", j.Key, "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(err, unknown)
		case <-time.After(finishRetryInterval):
		}
	}
}

// finishRetryInterval is the time between attempts to store the result of a job.
const finishRetryInterval = 2 * time.Second

// WriteWithLease calls write in a transaction that belongs to the running job j. If this process no
// longer holds the lease of j, it writes nothing and returns job.ErrLeaseLost.
func (q *Queue) WriteWithLease(ctx context.Context, j *job.Job, write func(*store.Tx) error) error {
	err := q.store.Write(ctx, func(t *store.Tx) error {
		if err := t.CheckLease(ctx, j.Key, q.store.ProcessName()); err != nil {
			return err
		}
		return write(t)
	})
	return translateLeaseLost(err)
}

// translateLeaseLost adds job.ErrLeaseLost to an error that wraps store.ErrLeaseLost, so that
// callers need to know only job.ErrLeaseLost. It returns other errors unchanged.
func translateLeaseLost(err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		return errors.Join(job.ErrLeaseLost, err)
	}
	return err
}

// jobStore implements job.Store with a store. It calls onQueueChanged whenever another process may
// have changed the queue.
type jobStore struct {
	store          *store.Store
	onQueueChanged func()
}

func (s jobStore) ClaimJob(ctx context.Context, c job.Claim) (*job.Job, error) {
	j, err := s.store.ClaimJob(ctx, store.JobClaim(c))
	if errors.Is(err, store.ErrNotFound) {
		return nil, job.ErrNoJob
	}
	if err != nil {
		return nil, err
	}
	return &job.Job{Key: j.Key, Account: j.Account, Kind: j.Kind, Subject: j.Subject, Attempt: j.Attempt, Memory: j.Memory, QueuedAt: j.QueuedAt}, nil
}

func (s jobStore) RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error) {
	cancelled, err = s.store.RenewJob(ctx, key, until)
	return cancelled, translateLeaseLost(err)
}

func (s jobStore) ReleaseJob(ctx context.Context, key string, queuedAt time.Time) error {
	return s.store.ReleaseJob(ctx, key, queuedAt)
}

func (s jobStore) EndExpiredLeases(ctx context.Context, c job.LeaseCheck) error {
	return s.store.EndExpiredLeases(ctx, store.LeaseCheck(c))
}

func (s jobStore) WatchJobs(ctx context.Context, changed func(kind string)) error {
	return s.store.WatchJobs(ctx, func(kind string) {
		changed(kind)
		s.onQueueChanged()
	})
}
