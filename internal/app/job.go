package app

import (
	"context"
	"errors"
	"time"

	"foretell/internal/jobqueue"
	"foretell/internal/repeat"
	"foretell/internal/store"
)

// missingWorkerInterval is the interval at which WarnOfMissingWorkers logs.
const missingWorkerInterval = time.Minute

// WarnOfMissingWorkers logs a warning every missingWorkerInterval while jobs are queued, but no
// live process runs the jobs of the service. It is for a service that runs no jobs itself. It
// returns when ctx is done.
func (a *App) WarnOfMissingWorkers(ctx context.Context) {
	repeat.Until(ctx, missingWorkerInterval, func() { a.warnIfNoWorker(ctx) })
}

// warnIfNoWorker logs a warning if jobs are queued and no worker is alive.
func (a *App) warnIfNoWorker(ctx context.Context) {
	queued, hasWorker := int64(0), false
	err := a.store.Read(ctx, func(t *store.Tx) error {
		workers, err := a.queue.Workers(ctx, t)
		if err != nil {
			return err
		}
		counts, err := t.CountJobs(ctx)
		queued, hasWorker = 0, len(workers.Live) > 0
		for _, c := range counts {
			queued += c.Queued
		}
		return err
	})
	if err == nil && queued > 0 && !hasWorker { // an outage of the database has lines of its own in the log
		a.log.WarnContext(ctx, "jobs are queued, but no worker is running: start foretell worker", "queued", queued)
	}
}

// CheckDiskNotFull returns a problem with CodeStorageFull if the disk is so full that no job can
// begin or end. Otherwise it returns nil. A client in this process calls it while it waits for a
// job, so that it does not wait for a job that cannot end.
func (a *App) CheckDiskNotFull() error {
	if err := a.queue.StoreError(); errors.Is(err, store.ErrDiskFull) {
		return a.problems.Convert(err)
	}
	return nil
}

// JobCounts returns the numbers of queued and running jobs of every kind.
func (a *App) JobCounts(ctx context.Context) ([]jobqueue.Counts, error) {
	counts, err := a.queue.Counts(ctx)
	return counts, a.problems.Convert(err)
}

// FinishedJobs returns the number and the durations of the jobs that this process has ended, for
// every kind.
func (a *App) FinishedJobs() []jobqueue.Finished { return a.queue.Finished() }

// AdoptInterruptedJob lets this process run the job on the dataset, race or prediction with this key, at
// once or when no other process runs it; see [jobqueue.Queue.AdoptInterrupted].
func (a *App) AdoptInterruptedJob(ctx context.Context, key string) error {
	return a.problems.Convert(a.queue.AdoptInterrupted(ctx, key))
}

// RunsElsewhere reports whether another live process runs the job on a dataset,
// race or prediction.
func (a *App) RunsElsewhere(ctx context.Context, key string) (elsewhere bool, err error) {
	elsewhere, err = a.queue.RunsElsewhere(ctx, key)
	return elsewhere, a.problems.Convert(err)
}
