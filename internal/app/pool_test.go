package app

import "testing"

// TestOneAccountLeavesWorkers checks that the preparations and predictions of one account leave a
// worker for the jobs of other accounts.
func TestOneAccountLeavesWorkers(t *testing.T) {
	t.Parallel()
	for _, k := range new(App).newPool(1).Kinds {
		if (k.Name == kindPrepare || k.Name == kindPredict) && (k.PerAccount < 1 || k.PerAccount >= k.Workers) {
			t.Errorf("one account can run %d of %d jobs of kind %s", k.PerAccount, k.Workers, k.Name)
		}
	}
}
