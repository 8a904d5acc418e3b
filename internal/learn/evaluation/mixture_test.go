package evaluation

import (
	"math"
	"testing"

	"foretell/internal/learn/metric"
)

// TestRowLosses checks that the losses of the rows add up to the log loss of the report, also
// for probabilities of 0 and 1.
func TestRowLosses(t *testing.T) {
	e := New(metric.NameAccuracy, 2, []int32{0, 1, 1, 0}, nil)
	probabilities := []float32{0, 1, 0, 1, 0.25, 0.75, 0.6, 0.4}
	sum := 0.0
	for _, loss := range e.RowLosses(probabilities) {
		sum += loss
	}
	if want := metric.LogLoss(e.Predictions(probabilities)) * 4; math.Abs(sum-want) > 1e-12 {
		t.Errorf("the losses add up to %v, want %v", sum, want)
	}
}
