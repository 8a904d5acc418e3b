package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/job"
	"foretell/internal/store"
)

// The kinds of jobs. They are implemented in prepare.go, train.go, predict.go and part.go.
const (
	kindPrepare = "prepare"
	kindTrain   = "train"
	kindPredict = "predict"
	kindPart    = "part"
)

// A process runs at most maxConcurrentJobs preparations and at most maxConcurrentJobs predictions
// at a time. At most maxConcurrentJobsPerAccount of the jobs of each kind belong to the same
// account, so that one account cannot occupy all workers.
const (
	maxConcurrentJobs           = 3
	maxConcurrentJobsPerAccount = 2
)

// newPool returns a pool that runs the jobs of all kinds. maxRaces is the maximum number of
// races, and parts of races, that run concurrently, because each uses all cores and holds a
// dataset in memory. The other jobs read their files row by row.
func (a *App) newPool(maxRaces int) *job.Pool {
	c := job.Config{
		Store: jobStore{store: a.store, onQueueChanged: a.queueWatchers.Notify}, AllowedSubjectsOnly: a.ownJobsOnly, Memory: a.memory, Now: a.now, Log: a.log,
		Kinds: []job.Kind{
			{Name: kindPrepare, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: a.withSpan(kindPrepare, postponeIfUnavailable(a.prepare)), Fail: a.failDataset},
			{Name: kindTrain, Workers: maxRaces, Do: a.withSpan(kindTrain, postponeIfUnavailable(a.train)), Fail: a.failTraining},
			{Name: kindPredict, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: a.withSpan(kindPredict, postponeIfUnavailable(a.predict)), Fail: a.failPrediction},
		},
	}
	if a.distributesRaces {
		c.Kinds = append(c.Kinds, job.Kind{Name: kindPart, Workers: 1, OnlyWhenIdle: true, Do: a.withSpan(kindPart, postponeIfUnavailable(a.trainPart)), Fail: a.failPart})
	}
	return job.NewPool(c)
}

// postponeIfUnavailable returns a function that calls do. If do fails because the
// database, the S3 store or the malware scanner is unavailable, the function returns an
// error that wraps job.ErrPostponed, so that the job returns to the queue.
func postponeIfUnavailable(do func(context.Context, *job.RunningJob) error) func(context.Context, *job.RunningJob) error {
	return func(ctx context.Context, r *job.RunningJob) error {
		err := do(ctx, r)
		if errors.Is(err, blob.ErrUnavailable) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, clamav.ErrUnavailable) {
			return fmt.Errorf("%w: %w", job.ErrPostponed, err)
		}
		return err
	}
}

// CheckDiskNotFull returns a problem with CodeStorageFull if the disk is so full that no job can
// begin or end. Otherwise it returns nil. A client in this process uses it to stop waiting for its
// job.
func (a *App) CheckDiskNotFull() error {
	if err := a.pool.StoreError(); errors.Is(err, store.ErrDiskFull) {
		return a.problems.Convert(err)
	}
	return nil
}

// queueJob queues a job that needs little memory. The transaction t must also write the change of
// state for which the job is needed.
func (a *App) queueJob(ctx context.Context, t *store.Tx, kind, account, subject string) error {
	return a.insertJob(ctx, t, &store.Job{Account: account, Kind: kind, Subject: subject})
}

// insertJob sets the key and the creation time of j, and queues j. The transaction t must also
// write the change of state for which the job is needed.
func (a *App) insertJob(ctx context.Context, t *store.Tx, j *store.Job) (err error) {
	if j.Key, err = a.newUUID(); err != nil {
		return err
	}
	j.Created = a.now()
	if a.ownJobsOnly {
		j.Process = a.store.ProcessName()
		a.pool.AllowSubject(j.Subject)
	}
	return t.InsertJob(ctx, j)
}

// notifyWorkers notifies the workers of this process that a job of the given kind was queued. It must
// be called after the transaction has been committed.
func (a *App) notifyWorkers(kind string) {
	a.pool.Wake(kind)
	a.queueWatchers.Notify()
}

// finishJob deletes a job and calls write, both in one transaction. If this process no longer
// holds the lease, it writes nothing and returns job.ErrLeaseLost. outcome is the final
// state of the dataset, training job or prediction. It is counted in [JobCounts], and
// finishJob sets j.Outcome to it.
//
// While the database is unavailable or its disk is full, finishJob repeats the transaction, so
// that the result of the job is not lost. In an embedded service, it returns the error of a
// full disk at once, because the client then reports the full disk. If finishJob fails, but one
// of its transactions may have been committed, the error wraps store.ErrCommitUnknown.
func (a *App) finishJob(ctx context.Context, j *job.Job, outcome string, write func(*store.Tx) error) error {
	var unknown error // the error of an earlier attempt that may have been committed
	for {
		err := a.store.Write(ctx, func(t *store.Tx) error {
			if err := t.FinishJob(ctx, j.Key, a.store.ProcessName()); err != nil {
				return err
			}
			return write(t)
		})
		if err == nil {
			a.finishedJobs.add(j.Kind, outcome)
			j.Outcome = outcome
			if !j.Begun.IsZero() {
				a.finishedJobs.addDuration(j.Kind, a.now().Sub(j.Begun))
			}
			return nil
		}
		if !errors.Is(err, store.ErrUnavailable) && (a.ownJobsOnly || !errors.Is(err, store.ErrDiskFull)) {
			return errors.Join(translateLeaseLost(err), unknown)
		}
		if errors.Is(err, store.ErrCommitUnknown) {
			unknown = err
		}
		a.log.WarnContext(ctx, "cannot store the result of a job; trying again", "job", j.Key, "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(err, unknown)
		case <-time.After(finishRetryInterval):
		}
	}
}

// finishRetryInterval is the time between attempts to store the result of a job.
const finishRetryInterval = 2 * time.Second

// writeWithLease calls write in a transaction that belongs to a running job. If this process no
// longer holds the lease, it returns job.ErrLeaseLost and writes nothing.
func (a *App) writeWithLease(ctx context.Context, j *job.Job, write func(*store.Tx) error) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.CheckLease(ctx, j.Key, a.store.ProcessName()); err != nil {
			return err
		}
		return write(t)
	})
	return translateLeaseLost(err)
}

// translateLeaseLost joins job.ErrLeaseLost to store.ErrLeaseLost. It returns other errors
// unchanged.
func translateLeaseLost(err error) error {
	if errors.Is(err, store.ErrLeaseLost) {
		return errors.Join(job.ErrLeaseLost, err)
	}
	return err
}

// jobStore implements job.Store with a store. It calls onQueueChanged when another process may
// have changed the queue of jobs.
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
	return &job.Job{Key: j.Key, Account: j.Account, Kind: j.Kind, Subject: j.Subject, Attempt: j.Attempt, Memory: j.Memory, Created: j.Created}, nil
}

func (s jobStore) RenewJob(ctx context.Context, key string, until time.Time) (cancelled bool, err error) {
	cancelled, err = s.store.RenewJob(ctx, key, until)
	return cancelled, translateLeaseLost(err)
}

func (s jobStore) ReleaseJob(ctx context.Context, key string) error {
	return s.store.ReleaseJob(ctx, key)
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
