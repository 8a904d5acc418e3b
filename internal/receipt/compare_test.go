package receipt_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/receipt"
)

// TestCompareModel changes single statements of a receipt. It must ignore statements that are missing,
// because receipts of earlier versions lack some.
func TestCompareModel(t *testing.T) {
	seed, other := int64(1), int64(2)
	stored := func() *receipt.Receipt {
		return &receipt.Receipt{
			Model: receipt.Model{ModelKey: "m1", Version: 3, Algorithm: "BSIX01", Seed: &seed},
			Race:  &receipt.Race{Metric: api.MetricAccuracy, Algorithms: []string{"BSIX01", "BFIF01"}},
			Performance: &receipt.Metrics{Metric: api.MetricAccuracy, Test: &receipt.Score{
				Rows: 10, Value: 0.8, Scores: &api.Scores{Accuracy: 0.8, MacroF1: 0.7},
			}},
		}
	}
	for name, c := range map[string]struct {
		change func(r *receipt.Receipt)
		want   []string
	}{
		"same":         {func(*receipt.Receipt) {}, nil},
		"algorithm":    {func(r *receipt.Receipt) { r.Model.Algorithm = "BFIF01" }, []string{"algorithm"}},
		"seed":         {func(r *receipt.Receipt) { r.Model.Seed = &other }, []string{"seed"}},
		"score":        {func(r *receipt.Receipt) { r.Performance.Test.Value = 0.99 }, []string{"scores"}},
		"score_of_0":   {func(r *receipt.Receipt) { r.Performance.Test.Value = 0 }, []string{"scores"}},
		"other_metric": {func(r *receipt.Receipt) { r.Performance.Test.Scores.MacroF1 = 0.99 }, []string{"scores"}},
		"race":         {func(r *receipt.Receipt) { r.Race.Algorithms = []string{"BSIX01"} }, []string{"race"}},
		"old_receipt":  {func(r *receipt.Receipt) { *r = receipt.Receipt{Model: receipt.Model{ModelKey: "m1"}} }, nil},
	} {
		r := stored()
		c.change(r)
		if _, differing := r.CompareModel(stored()); !cmp.Equal(differing, c.want) {
			t.Errorf("%s: %q differ, want %q", name, differing, c.want)
		}
	}
	compared, _ := stored().CompareModel(stored())
	if want := []string{"model", "algorithm", "seed", "race", "scores"}; !cmp.Equal(compared, want) {
		t.Errorf("%q are compared, want %q", compared, want)
	}
}
