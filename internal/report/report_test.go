package report

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/term"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestWriteText(t *testing.T) {
	r := &api.ModelReport{
		ModelKey: "3f0c9c5e-0000-4000-8000-000000000001", Algorithm: "BLEND", Metric: "accuracy", Seed: 7,
		Blend: []api.BlendShare{{Algorithm: "BSIX01", Weight: 0.625}, {Algorithm: "BSEV01", Weight: 0.375}},
		Rows:  750, TestRows: 112, ValidationRows: 638, TrainingRows: 638,
		Validation: &api.Scores{Accuracy: 0.7602, BalancedAccuracy: 0.69, MacroF1: 0.7, ROCAUC: new(0.79), LogLoss: 0.49},
		Test:       &api.Scores{Accuracy: 0.7589, BalancedAccuracy: 0.68, MacroF1: 0.69, ROCAUC: new(0.78), LogLoss: 0.5},
		Training:   &api.Scores{Accuracy: 0.93, BalancedAccuracy: 0.9, MacroF1: 0.91, ROCAUC: new(0.98), LogLoss: 0.2},
		Classes: []api.ClassReport{
			{Label: "bad", Rows: 34, Precision: new(0.62), Recall: new(0.5), F1: new(0.5536)},
			{Label: "good\tor so", Rows: 78, Precision: new(0.8), Recall: new(0.87), F1: new(0.8335)},
		},
		Confusion:   [][]int64{{17, 17}, {10, 68}},
		Importances: []api.Importance{{Column: "checking_status", Importance: 0.08}, {Column: "duration", Importance: 0.031}, {Column: "age", Importance: -0.001}},
		Algorithms: []api.AlgorithmReport{
			{Algorithm: "BSEV01", Status: "NOT_COMPLETED", Performance: new(0.75), LogLoss: new(0.51), Curve: []float64{0.7, 0.75}, Seconds: []float64{1.5, 4.25}},
			{Algorithm: "BFIF01", Status: "FAILED", Curve: []float64{}},
			{Algorithm: "BSIX01", Status: "NOT_COMPLETED", Performance: new(0.7602), LogLoss: new(0.49), Curve: []float64{0.74, 0.7602, 0.7589}, Seconds: []float64{0.2, 0.6, 1.1}},
		},
		Blended: &api.Candidate{Performance: 0.76, LogLoss: 0.485, Interval: &api.Interval{Low: 0.7253, High: 0.7916}},
		Baseline: &api.Baseline{
			Label:      "good\tor so",
			Validation: &api.Scores{Accuracy: 0.7, BalancedAccuracy: 0.5, MacroF1: 0.41, ROCAUC: new(0.5), LogLoss: 0.61},
			Test:       &api.Scores{Accuracy: 0.6964, BalancedAccuracy: 0.5, MacroF1: 0.41, LogLoss: 0.6142},
		},
	}
	r.Test.Brier, r.Test.CalibrationError, r.Validation.Brier, r.Validation.CalibrationError = new(0.17), new(0.05), new(0.165), new(0.03)
	r.Classes[0].Intervals = map[string]api.Interval{"precision": {Low: 0.43, High: 0.77}, "recall": {Low: 0.34, High: 0.66}, "f1": {Low: 0.36, High: 0.65}}
	r.Importances[0].Interval = &api.Interval{Low: 0.06, High: 0.1}
	r.Reliability = []api.ReliabilityBin{
		{Low: 0.4, High: 0.5},
		{Low: 0.5, High: 0.6, Rows: 30, Predicted: new(0.55), Observed: new(0.6), Interval: &api.Interval{Low: 0.42, High: 0.75}},
		{Low: 0.6, High: 0.7, Rows: 82, Predicted: new(0.66), Observed: new(0.8)},
	}
	r.CurveClasses = []string{"bad", "good\tor so"}
	point := func(value string, number *float64, bad float64) api.PartialDependencePoint {
		return api.PartialDependencePoint{Value: value, Number: number, Probabilities: []float64{bad, 1 - bad}}
	}
	r.PartialDependence = []api.PartialDependence{
		{Column: "checking_status", Points: []api.PartialDependencePoint{point("<0", nil, 0.4), point(">=200", nil, 0.2)}},
		{Column: "duration", Points: []api.PartialDependencePoint{point("4", new(4.0), 0.2), point("12", new(12.0), 0.3), point("72", new(72.0), 0.6)}},
	}
	r.Interactions = []api.Interaction{{
		Columns: []string{"checking_status", "duration"}, Class: "bad", Strength: 0.0249, Share: 0.044,
		Values: [][]string{{"<0", ">=200"}, {"4", "12", "72"}}, Probabilities: [][]float64{{0.2, 0.3, 0.7}, {0.1, 0.2, 0.4}},
	}}
	r.Test.Intervals = map[string]api.Interval{"accuracy": {Low: 0.6716, High: 0.8291}, "logLoss": {Low: 0.4951, High: 0.5049}}
	var b strings.Builder
	if err := WriteText(&b, &Document{
		Name: "shop@v3", Report: r, Training: &api.Training{DatasetKey: "0a1b2c3d-0000-4000-8000-000000000002"}, Dataset: &api.Dataset{Rows: 750, LabelName: "class", DatasetEntry: api.DatasetEntry{DatasetName: "my shop"}},
	}, 80); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestEffectsOfOtherVersions checks that a report whose points lack probabilities is
// printed without them.
func TestEffectsOfOtherVersions(t *testing.T) {
	number := 1.0
	r := &api.ModelReport{CurveClasses: []string{"no", "yes"}, PartialDependence: []api.PartialDependence{
		{Column: "empty"},
		{Column: "partial", Points: []api.PartialDependencePoint{{Number: &number, Probabilities: []float64{0.4, 0.6}}, {Number: &number}}},
		{Column: "whole", Points: []api.PartialDependencePoint{{Number: &number, Probabilities: []float64{0.4, 0.6}}}},
	}}
	var b strings.Builder
	if err := WriteText(&b, &Document{Report: r}, 80); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "whole") || strings.Contains(got, "empty") || strings.Contains(got, "partial ") {
		t.Error(got)
	}
}

// TestWidth checks that the report of a model with long names fits 60 columns, also if a character of
// the names is two columns wide.
func TestWidth(t *testing.T) {
	for _, long := range []string{strings.Repeat("name ", 20), strings.Repeat("年収の合計", 8)} {
		testWidth(t, long)
	}
}

func testWidth(t *testing.T, long string) {
	t.Helper()
	r := &api.ModelReport{
		ModelKey: "3f0c9c5e-0000-4000-8000-000000000001", Algorithm: "BLEND", Metric: "balancedAccuracy", Rows: 12_345_678, Seed: 7,
		Blend: []api.BlendShare{
			{Algorithm: "BSIX01", Weight: 0.25},
			{Algorithm: "BSEV01", Weight: 0.25},
			{Algorithm: "BSEV02", Weight: 0.25},
			{Algorithm: "BFIF01", Weight: 0.25},
		},
		Importances: []api.Importance{{Column: long, Importance: 0.1}, {Column: "a", Importance: 0.1}},
		Algorithms:  []api.AlgorithmReport{{Algorithm: "BSEV01", Status: "NOT_COMPLETED", Curve: []float64{0.5}}},
	}
	for range 6 {
		r.Classes = append(r.Classes, api.ClassReport{Label: long, Rows: 1_234_567})
		r.Confusion = append(r.Confusion, []int64{1, 2, 3, 4, 5, 12_345})
	}
	var b strings.Builder
	if err := WriteText(&b, &Document{Report: r}, 60); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := term.Width(strings.TrimSuffix(line, "\n")); n > 60 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if !strings.Contains(b.String(), "12345") {
		t.Error("a matrix that fits is left out")
	}
}

// TestNotMeasured checks that a score that was not computed is not printed.
func TestNotMeasured(t *testing.T) {
	r := &api.ModelReport{
		Metric: "accuracy", Rows: 750, ValidationRows: 638,
		Validation: &api.Scores{Accuracy: 0.76, BalancedAccuracy: 0.69, MacroF1: 0.7, ROCAUC: new(0.79), LogLoss: 0.49},
	}
	var b strings.Builder
	if err := WriteText(&b, &Document{Report: r}, 60); err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{" accuracy - 0.7600 - ", " rows 0 638 0"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not in %s", want, b.String())
		}
	}
}

func TestManyClassesHaveNoConfusionMatrix(t *testing.T) {
	r := &api.ModelReport{}
	for range MaxConfusionClasses + 1 {
		r.Classes = append(r.Classes, api.ClassReport{Label: "c"})
		r.Confusion = append(r.Confusion, make([]int64, MaxConfusionClasses+1))
	}
	var b strings.Builder
	if err := WriteText(&b, &Document{Report: r}, 80); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "Confusion") {
		t.Error("the confusion matrix of 13 classes is shown")
	}
}

// TestOptionalScores checks that a score is shown if it was computed for any set of rows, or if it is
// the metric of the race.
func TestOptionalScores(t *testing.T) {
	r := &api.ModelReport{Test: &api.Scores{Accuracy: 0.9}, Metric: api.MetricPRAUC}
	var b strings.Builder
	writeScores(&b, nil, r, 100)
	if strings.Contains(b.String(), api.MetricBrier) {
		t.Errorf("a score of an old report that it does not have:\n%s", b.String())
	}
	if !strings.Contains(b.String(), api.MetricPRAUC) {
		t.Errorf("the metric of the race is missing:\n%s", b.String())
	}
	r.Test.Brier = new(0.17)
	b.Reset()
	writeScores(&b, nil, r, 100)
	if !strings.Contains(b.String(), api.MetricBrier) || !strings.Contains(b.String(), "0.17") {
		t.Errorf("a score of the test rows is missing:\n%s", b.String())
	}
}

// TestUnpredictedTestRows checks that the report of a race that had no time for its test rows does not
// say that it has none, and that prAuc is said to be of the class with fewer rows only if it is.
func TestUnpredictedTestRows(t *testing.T) {
	r := &api.ModelReport{
		Rows: 300, TestMissing: api.TestMissingNoTime, Validation: &api.Scores{Accuracy: 0.9, PRAUC: new(0.5)}, ValidationRows: 60, Baseline: &api.Baseline{Label: "x"},
		Classes: []api.ClassReport{{Label: "x", Rows: 30}, {Label: "y", Rows: 30}},
	}
	d := &Document{Report: r}
	if text := strings.Join(d.Cautions(), " "); !strings.HasPrefix(text, "There are no scores on test rows (no time for the test rows: ") {
		t.Error(text)
	}
	for rows, want := range map[int64]string{150: "prAuc is the average precision of the class \"y\"\n", 149: "prAuc is the average precision of the class \"y\", which has fewer rows\n"} {
		d.Dataset = &api.Dataset{Classes: []api.Class{{Label: "x", Rows: 300 - rows}, {Label: "y", Rows: rows}}}
		var b strings.Builder
		if err := WriteText(&b, d, 100); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%d rows: %v, %s", rows, err, b.String())
		}
	}
}

// TestEffectsFit writes effects of columns with long names to a narrow terminal.
func TestEffectsFit(t *testing.T) {
	for _, name := range []string{"a column with a very long name", "とても長い名前の列とその値の合計"} {
		testEffectsFit(t, name)
	}
}

func testEffectsFit(t *testing.T, name string) {
	t.Helper()
	const width = 60
	r := &api.ModelReport{CurveClasses: []string{"a class with a long label", "b"}}
	effect := api.PartialDependence{Column: name}
	for i := range 40 {
		share := float64(i) / 40
		effect.Points = append(effect.Points, api.PartialDependencePoint{Value: strconv.Itoa(1000 + i), Number: new(float64(i)), Probabilities: []float64{share, 1 - share}})
	}
	r.PartialDependence = []api.PartialDependence{effect}
	r.Interactions = []api.Interaction{{Columns: []string{name, name + " too"}, Class: r.CurveClasses[0], Strength: 0.125, Share: 0.004}}
	var b strings.Builder
	writeEffects(&b, r, width)
	writeInteractions(&b, r, width)
	if !strings.Contains(b.String(), "0.4 %") || !strings.Contains(b.String(), "1000…1039") {
		t.Errorf("the effects are missing:\n%s", b.String())
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if strings.HasPrefix(line, "  ") && term.Width(line) > width {
			t.Errorf("%d columns: %s", term.Width(line), line)
		}
	}
}

// TestScoresOfClasses checks that the rows of the tables of scores are aligned if the metric names a class
// with a tab, and that a score that no test row defines is a dash.
func TestScoresOfClasses(t *testing.T) {
	const metric = "f1[a\tb]"
	r := &api.ModelReport{
		Metric: metric, TestRows: 9, ValidationRows: 9, TrainingRows: 9,
		Test: &api.Scores{OfClass: map[string]float64{metric: 0.25}}, Validation: &api.Scores{OfClass: map[string]float64{metric: 0.5}},
		Classes: []api.ClassReport{{Label: "a\tb", Rows: 9, Recall: new(0.125), F1: new(0.25)}, {Label: "c", Precision: new(0.0)}},
	}
	var b strings.Builder
	writeScores(&b, nil, r, 80)
	writeClasses(&b, r, 80)
	for _, want := range []string{`(?m)^ *f1\[a\\tb\] +0\.2500 +0\.5000 +- *$`, `(?m)^ *a\\tb +9 +- +0\.1250 +0\.2500 *$`, `(?m)^ *c +0 +0\.0000 +- +- *$`} {
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("%s does not match\n%s", want, b.String())
		}
	}
}
