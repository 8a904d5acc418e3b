package htmlreport

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/report"
)

// TestWrite writes a report with hostile labels as a file: it shows them as text, names every
// score of the report and loads nothing.
func TestWrite(t *testing.T) {
	const hostile = `<script>alert(1)</script>` + "\u202e"
	test := &api.Scores{Accuracy: 0.7612, BalancedAccuracy: 0.6523, MacroF1: 0.6634, LogLoss: 0.5045, Intervals: map[string]api.Interval{"accuracy": {Low: 0.7, High: 0.8}}}
	half := 0.5
	r := &api.ModelReport{
		ModelKey: "3f0c9c5e-0000-4000-8000-000000000001", Algorithm: "BSIX01", Metric: api.MetricAccuracy, Seed: 7, Rows: 750, TestRows: 150,
		Test: test, Baseline: &api.Baseline{Label: hostile, Test: &api.Scores{Accuracy: 0.7}},
		Classes:      []api.ClassReport{{Label: hostile, Rows: 45, Precision: new(0.1234), Recall: new(0.2345), F1: new(0.3456)}, {Label: strings.Repeat("x", 10_000), Rows: 105}},
		Confusion:    [][]int64{{18, 27}, {9, 96}},
		CurveClasses: []string{"bad", hostile},
		Curves: []api.ClassCurve{{Label: "bad"}, {Label: hostile, Positives: 10, Points: []api.CurvePoint{
			{Threshold: 0.9, TruePositives: 4, Precision: 1, Recall: 0.4}, {Threshold: 0.1, TruePositives: 10, FalsePositives: 20, Precision: 1 / 3., Recall: 1, FalsePositiveRate: 1},
		}}},
		Importances: []api.Importance{{Column: hostile, Importance: 0.0456, Interval: &api.Interval{Low: -0.01, High: 0.09}}},
		PartialDependence: []api.PartialDependence{
			{Column: hostile, Points: []api.PartialDependencePoint{{Value: hostile, Rows: 3, Probabilities: []float64{0.4, 0.6}}}},
			{Column: "age", Points: []api.PartialDependencePoint{{Number: &half, Probabilities: []float64{0.4, 0.6}}, {Number: &test.Accuracy, Probabilities: []float64{0.3, 0.7}}}},
		},
		Interactions: []api.Interaction{{
			Columns: []string{hostile, "age"}, Class: hostile, Strength: 0.0123, Share: 0.2,
			Values: [][]string{{hostile, "b"}, {"1", "2"}}, Probabilities: [][]float64{{0.1, 0.2}, {0.3, 0.87}},
		}},
		Algorithms: []api.AlgorithmReport{{Algorithm: "BSIX01", Outcome: api.OutcomeDone, Performance: &half, LogLoss: &half, Curve: []float64{0.4, 0.5}}},
	}
	d := New(&report.Document{
		Name: hostile + "@v1", Model: &api.Model{}, Dataset: &api.Dataset{Columns: []api.Column{{Name: hostile}}}, Training: &api.Training{}, Report: r,
		Drift: &api.DriftReport{File: hostile, Warnings: []string{"the column <b>: 7 texts are new"}, Columns: []api.DriftColumn{{Name: hostile, Level: api.DriftLarge, Index: &half, Parts: []api.DriftPart{{Name: hostile, Share: 1}}}}},
	})
	var file bytes.Buffer
	if err := Write(&file, d, func() time.Time { return time.Unix(0, 0) }); err != nil {
		t.Fatal(err)
	}
	text := file.String()
	for _, want := range []string{"0.7612", "0.6523", "0.6634", "0.5045", "0.70–0.80", "0.1234", "0.2345", "0.3456", "0.0456", "0.0123", "0.87", "76.1 %", "−0.0100 to 0.0900", "Only 150 test rows", "&lt;script&gt;", ", the column &lt;b&gt;: 7 texts are new.</li>"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if found := regexp.MustCompile(`<script|(src|href)=|url\([^d]`).FindString(text); found != "" {
		t.Errorf("the file has %q", found)
	}
	if file.Len() > 1<<20 {
		t.Errorf("the file has %d bytes", file.Len())
	}
}

// TestClassesOfReport checks that a report has a section about the classes only if there are test rows, and a dash
// for a score that no test row defines.
func TestClassesOfReport(t *testing.T) {
	for rows, want := range map[int64]string{0: "", 9: "<td class=\"number\">–</td>"} {
		r := &api.ModelReport{TestRows: rows, Classes: []api.ClassReport{{Label: "a", Rows: rows, Precision: new(0.5), Recall: new(0.5), F1: new(0.5)}, {Label: "b"}}}
		var file bytes.Buffer
		if err := Write(&file, New(&report.Document{Model: &api.Model{}, Training: &api.Training{}, Report: r}), time.Now); err != nil {
			t.Fatal(err)
		}
		_, section, found := strings.Cut(file.String(), `<section aria-labelledby="classes-title">`)
		if section, _, _ = strings.Cut(section, "</section>"); found != (rows > 0) || !strings.Contains(section, want) || strings.Contains(section, "0.0000") {
			t.Errorf("%d test rows: %q", rows, section)
		}
	}
}

// TestManyDriftColumns checks that a report says how many columns of the drift it leaves out.
func TestManyDriftColumns(t *testing.T) {
	for columns, want := range map[int]string{maxDriftColumns: "", maxDriftColumns + 1: "and 1 more column<", maxDriftColumns + 1200: "and 1,200 more columns<"} {
		d := New(&report.Document{
			Model: &api.Model{}, Training: &api.Training{}, Report: &api.ModelReport{},
			Drift: &api.DriftReport{Columns: make([]api.DriftColumn, columns)},
		})
		var file bytes.Buffer
		if err := Write(&file, d, time.Now); err != nil {
			t.Fatal(err)
		}
		if text := file.String(); want != "" && !strings.Contains(text, want) || want == "" && strings.Contains(text, "more column") {
			t.Errorf("%d columns: %q is missing", columns, want)
		}
	}
}

// TestNumberedConfusion checks that the columns of a large confusion matrix have numbers, so
// that the matrix fits on a page.
func TestNumberedConfusion(t *testing.T) {
	r := &api.ModelReport{}
	for i := range maxNamedColumns + 1 {
		r.Classes = append(r.Classes, api.ClassReport{Label: strings.Repeat("a", i+1)})
		r.Confusion = append(r.Confusion, make([]int64, maxNamedColumns+1))
	}
	if c := newConfusionTable(r); !c.IsNumbered || c.Rows[2].Number != 3 || c.Rows[2].Label != "aaa" {
		t.Errorf("%+v", c)
	}
	r.Classes, r.Confusion = r.Classes[1:], r.Confusion[1:]
	if newConfusionTable(r).IsNumbered {
		t.Error("a small matrix has numbers instead of labels")
	}
}

// curvesOf returns a report with a curve of each class.
func curvesOf(labels []string, rows []int64) *api.ModelReport {
	r := &api.ModelReport{CurveClasses: labels}
	for i, label := range labels {
		area := 0.5 + float64(i)/100
		r.Classes = append(r.Classes, api.ClassReport{Label: label, Rows: rows[i], ROCAUC: &area, AveragePrecision: &area})
		r.Curves = append(r.Curves, api.ClassCurve{Label: label, Points: []api.CurvePoint{{Threshold: 0.5, Precision: 0.5, Recall: 0.5}}})
	}
	return r
}

// TestTwoClasses plots the class of prAuc, which is the rarer class, or the second class if both
// have equally many rows. It expects thresholds for both classes.
func TestTwoClasses(t *testing.T) {
	for want, rows := range map[string][]int64{"bad, area 0.5000": {30, 70}, "good, area 0.5100": {50, 50}} {
		c := New(&report.Document{Report: curvesOf([]string{"bad", "good"}, rows)}).Curves
		if got := c.PrecisionRecall.Title; got != "Precision and recall of "+want {
			t.Errorf("rows %v: the plot is titled %q", rows, got)
		}
		label, _, _ := strings.Cut(want, ",")
		if len(c.Thresholds) != 2 || c.Thresholds[0].Label != label || c.ROC.Lines[0].Name != label || len(c.ROC.Lines) != 1 || c.Note != "" {
			t.Errorf("rows %v: %+v", rows, c)
		}
	}
}

// TestEqualClasses checks that the hint of prAuc says that its class has fewer rows only if it has.
func TestEqualClasses(t *testing.T) {
	for want, rows := range map[string][]int64{"average precision of the class with fewer rows": {30, 70}, "average precision of one class": {50, 50}} {
		r := curvesOf([]string{"bad", "good"}, []int64{1, 2})
		r.Test, r.Baseline = &api.Scores{PRAUC: new(0.5)}, &api.Baseline{Label: "good"}
		d := &api.Dataset{Classes: []api.Class{{Label: "bad", Rows: rows[0]}, {Label: "good", Rows: rows[1]}}}
		for _, row := range New(&report.Document{Dataset: d, Report: r}).Metrics {
			if row.Name == api.MetricPRAUC && (row.Hint != want || row.Class != "bad") {
				t.Errorf("rows %v: %q: %q", rows, row.Hint, row.Class)
			}
		}
	}
}

// TestDependenceOnDate checks that the axis of a column of dates has dates.
func TestDependenceOnDate(t *testing.T) {
	r := &api.ModelReport{CurveClasses: []string{"no", "yes"}, PartialDependence: []api.PartialDependence{
		{Column: "day", Points: []api.PartialDependencePoint{{Value: "2024-01-01", Number: new(19723.0), Probabilities: []float64{0.4, 0.6}}, {Value: "2024-01-11", Number: new(19733.0), Probabilities: []float64{0.5, 0.5}}}},
		{Column: "size", Points: []api.PartialDependencePoint{{Value: "19723", Number: new(19723.0), Probabilities: []float64{0.4, 0.6}}, {Value: "19733", Number: new(19733.0), Probabilities: []float64{0.5, 0.5}}}},
	}}
	plots := New(&report.Document{Report: r}).Dependence
	if got := strings.Join(plots[0].Plot.XTicks, " "); got != "2024-01-01 2024-01-06 2024-01-11" {
		t.Errorf("the axis of dates has the ticks %s", got)
	}
	if got := plots[1].Plot.XTicks[0]; got != "19720" {
		t.Errorf("the axis of numbers begins with %s", got)
	}
}

// TestManyClasses plots the classes with the most rows, says so, and offers thresholds for all.
func TestManyClasses(t *testing.T) {
	source := &report.Document{Dataset: &api.Dataset{}, Report: curvesOf([]string{"a", "b", "c", "d", "e", "f"}, []int64{1, 2, 3, 9, 9, 10})}
	c := New(source).Curves
	var names []string
	for _, line := range c.ROC.Lines {
		names = append(names, line.Name)
	}
	if got := strings.Join(names, ""); got != "fdec" || len(c.Thresholds) != 6 || c.Note != "4 of 6 classes: those with the most rows." || c.ThresholdNote != "" {
		t.Errorf("the classes %s are shown, %d thresholds, %q, %q", got, len(c.Thresholds), c.Note, c.ThresholdNote)
	}
	if got := New(source).DependenceNote; got != c.Note {
		t.Errorf("the note of the dependences is %q", got)
	}
}

// TestRacePlot keeps the curves and the threshold within the plot, and the plot within 0 to 1.
func TestRacePlot(t *testing.T) {
	threshold := 0.9
	for name, scores := range map[string][][]float64{
		"no scores yet": {nil, nil}, "one score": {{0.5}, nil}, "equal scores": {{0.5, 0.5, 0.5}}, "perfect": {{0.2, 1, 1}},
		"all": {{0, 1}}, "only 0": {{0, 0}}, "only 1": {{1, 1}}, "close to 0": {{0.001, 0.03}}, "close to 1": {{0.97, 0.999}},
	} {
		for _, threshold := range []*float64{&threshold, nil} {
			t.Run(name, func(t *testing.T) {
				plot := RacePlot("accuracy", threshold, []string{"a", "b"}, scores)
				if plot.MinY < 0 || plot.MaxY > 1 || plot.MinY >= plot.MaxY || threshold != nil && plot.MaxY < *threshold {
					t.Errorf("the plot is %+v", plot)
				}
				for i, values := range scores {
					for _, v := range values {
						if v < plot.MinY || v > plot.MaxY {
							t.Errorf("score %d of %g is outside", i, v)
						}
					}
				}
			})
		}
	}
	if empty := RacePlot("accuracy", nil, []string{"a"}, [][]float64{nil}); empty.MinY != 0 || empty.MaxY != 1 || empty.Empty != "no scores yet" {
		t.Errorf("the plot without scores is %+v", empty)
	}
	if thin := design.SampleEvenly([]int{1, 2, 3, 4, 5, 6, 7}, 3); len(thin) != 3 || thin[0] != 1 || thin[2] != 7 {
		t.Errorf("of seven items %v are left", thin)
	}
}

// TestNeverPredicting checks that never predicting a class is among the candidates for the lowest cost.
func TestNeverPredicting(t *testing.T) {
	curve := api.ClassCurve{Label: "rare", Positives: 10, Negatives: 90, Points: []api.CurvePoint{
		{Threshold: 0.8, TruePositives: 0, FalsePositives: 2}, {Threshold: 0.5, TruePositives: 1, FalsePositives: 4}, {Threshold: 0.01, TruePositives: 10, FalsePositives: 90},
	}}
	for i, row := range newThresholdTable(curve).Costs {
		if wantNever := i < 4; row.IsNever != wantNever || wantNever && (row.Missed != 10 || row.Wrong != 0) {
			t.Errorf("%+v, want never predicting: %v", row, wantNever)
		}
	}
}

// TestMetricHints checks that the page explains each metric.
func TestMetricHints(t *testing.T) {
	for _, name := range api.ReportMetrics() {
		if metricHints[name] == "" {
			t.Errorf("metricHints does not explain %s", name)
		}
	}
}
