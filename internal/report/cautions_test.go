package report

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestDominantColumn checks when the predictions are said to depend on one column, also if the importances
// are those of the weighted accuracy, whose baseline is not in the report.
func TestDominantColumn(t *testing.T) {
	for name, c := range map[string]struct {
		metric    string // ImportanceMetric
		accuracy  float64
		paid, age float64 // importances
		want      bool
	}{
		"one column":               {"", 0.95, 0.24, 0.01, true},
		"two columns":              {"", 0.95, 0.24, 0.1, false},
		"small gain":               {"", 0.75, 0.05, 0, false},
		"one column, weighted":     {api.MetricWeightedAccuracy, 0.6, 0.48, 0.02, true},
		"two columns, weighted":    {api.MetricWeightedAccuracy, 0.6, 0.3, 0.2, false},
		"low importance, weighted": {api.MetricWeightedAccuracy, 0.6, 0.05, 0, false},
	} {
		r := &api.ModelReport{
			Metric: api.MetricAccuracy, TestRows: 100, Test: &api.Scores{Accuracy: c.accuracy}, Baseline: &api.Baseline{Test: &api.Scores{Accuracy: 0.7}},
			Importances: []api.Importance{{Column: "paid", Importance: c.paid}, {Column: "age", Importance: c.age}}, ImportanceMetric: c.metric,
		}
		if text := describeDominantColumn(r); (text != "") != c.want {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// TestCalibrationCaution checks that the report warns of poorly calibrated probabilities only if the
// interval of the calibration error excludes 0.
func TestCalibrationCaution(t *testing.T) {
	for _, c := range []struct {
		calibrationError, low float64
		want                  bool
	}{
		{0.155, 0, false}, // few rows
		{0.155, 0.02, true},
		{0.09, 0.07, false},
	} {
		scores := &api.Scores{CalibrationError: &c.calibrationError, Intervals: map[string]api.Interval{api.MetricCalibrationError: {Low: c.low, High: 0.3}}}
		text := strings.Join((&Document{Report: &api.ModelReport{TestRows: 20, Test: scores}}).Cautions(), "\n")
		if strings.Contains(text, "The probabilities are off by 15.5 % on average.") != c.want {
			t.Errorf("%v from %v: %s", c.calibrationError, c.low, text)
		}
	}
}
