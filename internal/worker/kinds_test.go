package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"foretell/internal/blob"
	"foretell/internal/job"
	"foretell/internal/jobqueue"
	"foretell/internal/worker/training"
)

// TestOneAccountLeavesWorkers checks that the preparations and predictions of one account leave a
// worker for the jobs of other accounts.
func TestOneAccountLeavesWorkers(t *testing.T) {
	t.Parallel()
	w := &Worker{trainer: training.New(training.Config{Queue: jobqueue.New(jobqueue.Config{OwnJobsOnly: true})})}
	for _, k := range w.newKinds(1) {
		if (k.Name == jobqueue.Prepare || k.Name == jobqueue.Predict) && (k.PerAccount < 1 || k.PerAccount >= k.Workers) {
			t.Errorf("one account can run %d of %d jobs of kind %s", k.PerAccount, k.Workers, k.Name)
		}
	}
}

// TestFullDiskPostponesJobs checks that a job returns to the queue if the disk of a server's worker
// is full, because another worker may have space. A command without a server fails at once, and so does
// a job whose own files have filled the disk: it would otherwise be repeated forever.
func TestFullDiskPostponesJobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ ownJobsOnly, isStillFull, want bool }{{false, true, true}, {false, false, false}, {true, true, false}} {
		w := &Worker{queue: jobqueue.New(jobqueue.Config{OwnJobsOnly: c.ownJobsOnly, IsDiskFull: func() bool { return c.isStillFull }})}
		do := w.postponeIfImpossible(func(context.Context, *job.RunningJob) error { return fmt.Errorf("write: %w", blob.ErrDiskFull) })
		if err := do(t.Context(), nil); errors.Is(err, job.ErrPostponed) != c.want || !errors.Is(err, blob.ErrDiskFull) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
