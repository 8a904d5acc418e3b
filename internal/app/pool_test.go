package app

import (
	"testing"

	"foretell/internal/jobqueue"
)

// TestOneAccountLeavesWorkers checks that the preparations and predictions of one account leave a
// worker for the jobs of other accounts.
func TestOneAccountLeavesWorkers(t *testing.T) {
	t.Parallel()
	for _, k := range new(App).newKinds(1) {
		if (k.Name == jobqueue.Prepare || k.Name == jobqueue.Predict) && (k.PerAccount < 1 || k.PerAccount >= k.Workers) {
			t.Errorf("one account can run %d of %d jobs of kind %s", k.PerAccount, k.Workers, k.Name)
		}
	}
}
