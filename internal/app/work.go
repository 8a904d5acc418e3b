package app

import (
	"context"
	"errors"
	"time"

	"foretell/internal/job"
	"foretell/internal/store"
)

// The kinds of jobs, in prepare.go, train.go and predict.go.
const (
	kindPrepare = "prepare"
	kindTrain   = "train"
	kindPredict = "predict"
)

// predicting and preparing are the number of concurrent predictions and
// preparations, preparingOf that of preparations of one account: a worker stays
// free for other accounts.
const (
	predicting  = 2
	preparing   = 3
	preparingOf = 2
)

// newPool returns the pool of the three kinds. Training uses all cores and
// holds a dataset in memory, so few jobs run at a time; the others stream.
func (a *App) newPool(training int) *job.Pool {
	return job.NewPool(job.Config{
		Store: queue{a.store}, Wanted: a.ownWork, Now: a.now, Log: a.log,
		Kinds: []job.Kind{
			{Name: kindPrepare, Workers: preparing, PerAccount: preparingOf, Do: a.prepare, GiveUp: a.failDataset},
			{Name: kindTrain, Workers: training, Do: a.train, GiveUp: a.failTraining},
			{Name: kindPredict, Workers: predicting, Do: a.predict, GiveUp: a.failPrediction},
		},
	})
}

// Stuck returns the problem of a full disk while jobs cannot begin or end
// because of it, so that a client in this process stops waiting; else nil.
func (a *App) Stuck() error {
	if err := a.pool.Stuck(); errors.Is(err, store.ErrFull) {
		return a.problem(err)
	}
	return nil
}

// queue inserts a job in the transaction of the state change that causes it.
func (a *App) queue(ctx context.Context, t *store.Tx, kind, account, subject string) error {
	key, err := a.newKey()
	if err != nil {
		return err
	}
	j := &store.Job{Key: key, Account: account, Kind: kind, Subject: subject, Created: a.now()}
	if a.ownWork {
		j.Process = a.store.Process()
		a.pool.Want(subject)
	}
	return t.InsertJob(ctx, j)
}

// finish commits the end of a job together with the writes of write, if this
// process still has the lease. The outcome is the final state of its subject.
func (a *App) finish(ctx context.Context, j *job.Job, outcome string, write func(*store.Tx) error) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.FinishJob(ctx, j.Key, a.store.Process()); err != nil {
			return err
		}
		return write(t)
	})
	if err == nil {
		a.finished.add(j.Kind, outcome)
	}
	return lost(err)
}

// note commits the writes of write while a job runs, under the same condition.
func (a *App) note(ctx context.Context, j *job.Job, write func(*store.Tx) error) error {
	err := a.store.Write(ctx, func(t *store.Tx) error {
		if err := t.HoldJob(ctx, j.Key, a.store.Process()); err != nil {
			return err
		}
		return write(t)
	})
	return lost(err)
}

// lost translates the store's ErrLost into the pool's.
func lost(err error) error {
	if errors.Is(err, store.ErrLost) {
		return errors.Join(job.ErrLost, err)
	}
	return err
}

// queue adapts the store to job.Store.
type queue struct{ store *store.Store }

func (q queue) ClaimJob(ctx context.Context, c job.Claim) (*job.Job, error) {
	j, err := q.store.ClaimJob(ctx, store.JobClaim(c))
	if errors.Is(err, store.ErrNotFound) {
		return nil, job.ErrNone
	}
	if err != nil {
		return nil, err
	}
	return &job.Job{Key: j.Key, Account: j.Account, Kind: j.Kind, Subject: j.Subject, Attempt: j.Attempt, Created: j.Created}, nil
}

func (q queue) RenewJob(ctx context.Context, key string, until time.Time) (bool, error) {
	cancelled, err := q.store.RenewJob(ctx, key, until)
	return cancelled, lost(err)
}

func (q queue) ReleaseJob(ctx context.Context, key string) error { return q.store.ReleaseJob(ctx, key) }

func (q queue) FreeDeadJobs(ctx context.Context) error { return q.store.FreeDeadJobs(ctx) }
