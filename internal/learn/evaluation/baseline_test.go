package evaluation

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/learn/metric"
)

// TestBaseline compares the scores of the baseline with those computed from constant
// probabilities.
func TestBaseline(t *testing.T) {
	for name, c := range map[string]struct {
		labels []int32
		shares []float64
	}{
		"all_classes":        {[]int32{0, 1, 1, 1, 2, 2}, []float64{0.2, 0.5, 0.3}},
		"a_class_is_absent":  {[]int32{0, 1, 1}, []float64{0.2, 0.5, 0.3}},
		"it_is_never_right":  {[]int32{0, 2}, []float64{0.2, 0.5, 0.3}},
		"rows_of_one_class":  {[]int32{1, 1}, []float64{0.4, 0.6}},
		"no_rows":            {nil, []float64{0.4, 0.6}},
		"two_classes_alike":  {[]int32{0, 1, 0, 1}, []float64{0.49, 0.51}},
		"one_row_of_another": {[]int32{0}, []float64{0.4, 0.6}},
	} {
		t.Run(name, func(t *testing.T) {
			p := metric.Predictions{Labels: c.labels, Classes: len(c.shares)}
			for range c.labels {
				for _, share := range c.shares {
					p.Probabilities = append(p.Probabilities, float32(share))
				}
			}
			want, err := NewScores(t.Context(), metric.NameAccuracy, func(string) metric.Predictions { return p })
			if err != nil {
				t.Fatal(err)
			}
			want.PRAUC = math.NaN() // added by addBaselineMetrics
			if len(c.labels) == 0 {
				want = NaNScores
			}
			got := baselineScores(c.labels, 1, c.shares)
			if diff := cmp.Diff(want, got, cmpopts.EquateNaNs(), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := baselineScores([]int32{0, 1}, 1, []float64{0.5, 0.5}); math.Abs(got.LogLoss-math.Ln2) > 1e-12 {
		t.Errorf("the log loss of equal probabilities is %v", got.LogLoss)
	}
}
