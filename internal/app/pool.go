package app

import (
	"context"
	"errors"
	"fmt"

	"foretell/internal/blob"
	"foretell/internal/clamav"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/store"
)

// A process runs at most maxConcurrentJobs preparations and at most maxConcurrentJobs predictions
// at a time. At most maxConcurrentJobsPerAccount of the jobs of each kind belong to the same
// account, so that one account cannot occupy all workers.
const (
	maxConcurrentJobs           = 3
	maxConcurrentJobsPerAccount = 2
)

// newKinds returns the kinds of jobs. maxRaces is the maximum number of
// races, and parts of races, that run concurrently, because each uses all cores and holds a
// dataset in memory. The other jobs read their files row by row.
func (a *App) newKinds(maxRaces int) []job.Kind {
	kinds := []job.Kind{
		{Name: jobqueue.Prepare, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: a.withSpan(jobqueue.Prepare, postponeIfUnavailable(a.prepare)), Fail: a.failDataset},
		{Name: jobqueue.Train, Workers: maxRaces, Do: a.withSpan(jobqueue.Train, postponeIfUnavailable(a.train)), Fail: a.failTraining},
		{Name: jobqueue.Predict, Workers: maxConcurrentJobs, PerAccount: maxConcurrentJobsPerAccount, Do: a.withSpan(jobqueue.Predict, postponeIfUnavailable(a.predict)), Fail: a.failPrediction},
	}
	if a.distributesRaces {
		kinds = append(kinds, job.Kind{Name: jobqueue.Part, Workers: 1, OnlyWhenIdle: true, Do: a.withSpan(jobqueue.Part, postponeIfUnavailable(a.trainPart)), Fail: a.failPart})
	}
	return kinds
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
