package gate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/learn/metric"
)

// TestMetricsOfTheAPI compares the metrics of the API with those of the engine. The packages api and
// metric do not import each other, so both have a list.
func TestMetricsOfTheAPI(t *testing.T) {
	if diff := cmp.Diff(metric.RaceNames(), api.RaceMetrics()); diff != "" {
		t.Errorf("metrics of races (-engine +API):\n%s", diff)
	}
	if diff := cmp.Diff(metric.ReportNames(), api.ReportMetrics()); diff != "" {
		t.Errorf("metrics of reports (-engine +API):\n%s", diff)
	}
	scores := &api.Scores{ROCAUC: new(0.9), PRAUC: new(0.8), Brier: new(0.1), CalibrationError: new(0.05)}
	for _, name := range api.ReportMetrics() {
		if _, known := scores.Value(name); !known {
			t.Errorf("api.Scores.Value does not know %s", name)
		}
	}
}
