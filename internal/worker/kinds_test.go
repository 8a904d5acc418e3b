package worker

import (
	"testing"

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
