package modelreport_test

import (
	"math"
	"strings"
	"testing"

	"foretell/internal/api"
	"foretell/internal/learn"
	"foretell/internal/learn/explain"
	"foretell/internal/modelreport"
	"foretell/internal/store"
)

// outcome returns the outcome of a race whose model was scored on validation rows, but not on test
// rows. The ROC AUC was not measured.
func outcome() *learn.Outcome {
	o := &learn.Outcome{Algorithm: "BSIX01", Status: learn.Completed}
	o.Runs = []learn.Run{{Algorithm: "BSIX01", Status: learn.Completed, Curve: []float64{0.7, 0.8}, Performance: 0.8, LogLoss: 0.4}, {Algorithm: "BFIF01", Status: learn.Failed}}
	o.Report.Classes = []learn.ClassScore{{Label: "yes", Precision: math.NaN(), Recall: math.NaN(), F1: math.NaN(), ROCAUC: math.NaN(), AveragePrecision: math.NaN()}}
	o.Report.ValidationRows = 10
	o.Report.Validation = learn.Scores{Accuracy: 0.8, ROCAUC: math.NaN()}
	o.Report.Confusion = [][]int{{5, 1}, {1, 3}}
	o.Report.Importances = []explain.Importance{{Column: "age", Importance: 0.1}}
	return o
}

// TestEncodeAndParse checks what remains of a report in the database. Figures that were not measured
// must be null, and the summary must not grow with columns or steps.
func TestEncodeAndParse(t *testing.T) {
	t.Parallel()
	full, summary, err := modelreport.Encode(modelreport.New("m1", &store.Training{}, outcome()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := modelreport.Parse(full)
	if err != nil {
		t.Fatal(err)
	}
	if r.Validation == nil || r.Validation.Accuracy != 0.8 || r.Validation.ROCAUC != nil || r.Test != nil || r.TestMissing == "" {
		t.Errorf("validation %+v, test %+v, missing %q", r.Validation, r.Test, r.TestMissing)
	}
	if len(r.Importances) != 1 || len(r.Confusion) != 2 || len(r.Algorithms[0].Curve) != 2 || r.AlgorithmName == "" {
		t.Errorf("the report is %s", full)
	}
	short, err := modelreport.Parse(summary)
	if err != nil {
		t.Fatal(err)
	}
	if short.Importances != nil || short.Confusion != nil || short.Algorithms[0].Curve != nil {
		t.Errorf("the summary is %s", summary)
	}
	for _, r := range []*api.ModelReport{r, short} {
		if a := r.Algorithms; a[0].Performance == nil || *a[0].Performance != 0.8 || a[0].LogLoss == nil || *a[0].LogLoss != 0.4 || a[1].Performance != nil || a[1].LogLoss != nil {
			t.Errorf("the algorithms are %+v", a)
		}
		if c := r.Classes[0]; c.Precision != nil || c.Recall != nil || c.F1 != nil {
			t.Errorf("a class without test rows has the scores %v, %v and %v", c.Precision, c.Recall, c.F1)
		}
	}
	if short.Validation == nil || short.Validation.Accuracy != 0.8 {
		t.Errorf("the summary has the scores %+v", short.Validation)
	}
}

// TestParseEarlyRelease parses a report of an early release, which had scores of 0 when there were
// no rows to score.
func TestParseEarlyRelease(t *testing.T) {
	t.Parallel()
	r, err := modelreport.Parse([]byte(`{"algorithm": "BSIX01", "validationRows": 10, "validation": {"accuracy": 0.9}, "testRows": 0, "test": {"accuracy": 0},
		"algorithms": [{"algorithm": "BSIX01", "performance": 0.9, "logLoss": 0.2, "curve": [0.9]}, {"algorithm": "BFIF01", "performance": 0, "logLoss": 0, "curve": []}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Test != nil || r.Validation == nil || r.Algorithms[0].LogLoss == nil || r.Algorithms[1].Performance != nil || r.Algorithms[1].LogLoss != nil {
		t.Errorf("test %+v, validation %+v, algorithms %+v", r.Test, r.Validation, r.Algorithms)
	}
	if _, err := modelreport.Parse([]byte("{")); err == nil || !strings.Contains(err.Error(), "JSON") {
		t.Errorf("half a report: %v", err)
	}
}

// TestMetricsOfReports checks that a report has each score of the engine.
func TestMetricsOfReports(t *testing.T) {
	o := outcome()
	o.Report.Validation = learn.Scores{Accuracy: 0.1, BalancedAccuracy: 0.2, MacroF1: 0.3, ROCAUC: 0.4, PRAUC: 0.5, LogLoss: 0.6, Brier: 0.7, CalibrationError: 0.8}
	got := modelreport.New("m1", &store.Training{}, o)
	for i, name := range api.ReportMetrics() {
		if value, known := got.Validation.Value(name); !known || value != float64(i+1)/10 {
			t.Errorf("%s is %v, known %t", name, value, known)
		}
	}
}
