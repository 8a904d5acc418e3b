package evaluation

import (
	"math"
	"testing"

	"foretell/internal/learn/metric"
)

// TestScoresOfEachMetric checks that Scores has each metric of races, with an interval of each
// metric of reports, and that NaNScores has none.
func TestScoresOfEachMetric(t *testing.T) {
	t.Parallel()
	p := metric.Predictions{Labels: []int32{0, 1, 0, 1, 1, 0}, Classes: 2, Probabilities: []float32{0.8, 0.2, 0.3, 0.7, 0.4, 0.6, 0.1, 0.9, 0.55, 0.45, 0.7, 0.3}}
	s, err := NewScoresWithIntervals(t.Context(), metric.NameAccuracy, func(string) metric.Predictions { return p })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range metric.RaceNames() {
		if value := s.Performance(name); !(value > 0 && value < 1) {
			t.Errorf("the performance by %s is %v", name, value)
		}
		if value := NaNScores.Performance(name); !math.IsNaN(value) {
			t.Errorf("without rows, the performance by %s is %v, want NaN", name, value)
		}
	}
	for _, name := range metric.ReportNames() {
		if !s.Intervals[name].Known() || s.Intervals[name] == (Interval{}) {
			t.Errorf("%s has no interval", name)
		}
	}
}
