package report

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestUnpredictedClasses checks that the summary and the report of a model that never predicts a
// class say so, and how to train a model that does.
func TestUnpredictedClasses(t *testing.T) {
	class := func(label string, rows int64) api.ClassReport { return api.ClassReport{Label: label, Rows: rows} }
	rare := []api.ClassReport{class("0", 2993), class("1", 7)}
	for _, c := range []struct {
		name   string
		report api.ModelReport
		want   string
	}{
		{
			"a rare class",
			api.ModelReport{Classes: rare, Confusion: [][]int64{{2993, 0}, {7, 0}}, Metric: "accuracy"},
			`no test row is predicted as "1", although 7 of the 3,000 test rows have this class; to predict more of them, train with --class-weight balanced, --metric 'f1[1]' or --metric balancedAccuracy`,
		},
		{
			"two classes of three",
			api.ModelReport{
				Classes: []api.ClassReport{class("a", 50), class("b", 5), class("c", 6)}, Confusion: [][]int64{{50, 0, 0}, {5, 0, 0}, {6, 0, 0}}, Metric: "logLoss",
			},
			`no test row is predicted as "b", "c", although 11 of the 61 test rows have one of these classes; to predict more of them, train with --metric macroF1`,
		},
		{
			"the weights of the race did not help",
			api.ModelReport{Classes: rare, Confusion: [][]int64{{2993, 0}, {7, 0}}, Metric: "f1[1]"},
			`no test row is predicted as "1", although 7 of the 3,000 test rows have this class`,
		},
		{
			"models trained on few of the rows",
			api.ModelReport{Classes: rare, Confusion: [][]int64{{2993, 0}, {7, 0}}, Metric: "accuracy", UsedRows: 30},
			`no test row is predicted as "1", although 7 of the 3,000 test rows have this class`,
		},
		{
			"a class of test rows only",
			api.ModelReport{Classes: []api.ClassReport{class("A", 17), class("B", 17), class("new", 16)}, Confusion: [][]int64{{17, 0, 0}, {0, 17, 0}, {8, 8, 0}}, Metric: "accuracy", UntrainedClasses: []string{"new"}},
			`no test row is predicted as "new", although 16 of the 50 test rows have this class, because the scored models were trained on no such row; the final model is also trained on the test rows`,
		},
		{
			"a class of test rows only, and another",
			api.ModelReport{Classes: []api.ClassReport{class("A", 50), class("B", 7), class("new", 6)}, Confusion: [][]int64{{50, 0, 0}, {7, 0, 0}, {6, 0, 0}}, Metric: "accuracy", UntrainedClasses: []string{"new"}, RefitInterrupted: true},
			`no test row is predicted as "B", although 7 of the 63 test rows have this class; to predict more of them, train with --metric macroF1; no test row is predicted as "new", although 6 of the 63 test rows have this class, because the scored models were trained on no such row`,
		},
		{"predicted once", api.ModelReport{Classes: rare, Confusion: [][]int64{{2992, 1}, {7, 0}}, Metric: "accuracy"}, ""},
		{"too few rows to be remarkable", api.ModelReport{Classes: []api.ClassReport{class("a", 50), class("b", 4)}, Confusion: [][]int64{{50, 0}, {4, 0}}}, ""},
		{"a service that omits the matrix", api.ModelReport{Classes: rare}, ""},
	} {
		line := "\n  warning     " + c.want
		text := "\n" + strings.Join(Summary(&api.Training{}, "BSIX01", &c.report, "1 s"), "\n")
		if c.want == "" {
			line = "  warning"
		}
		if strings.Contains(text+"\n", line+"\n") == (c.want == "") || c.want == "" && strings.Contains(text, line) {
			t.Errorf("%s: summary\n%s\nwant\n%s", c.name, text, c.want)
		}
		c.report.Test = &api.Scores{}
		cautions := strings.Join((&Document{Report: &c.report}).Cautions(), "\n")
		if c.want != "" && !strings.Contains(cautions, "N"+c.want[1:]+".") {
			t.Errorf("%s: cautions\n%s", c.name, cautions)
		}
	}
}

// TestAsymmetricIntervals checks that an interval has its ends instead of half its width if the
// score is near one of them.
func TestAsymmetricIntervals(t *testing.T) {
	for _, c := range []struct {
		value float64
		i     *api.Interval
		width int
		want  string
	}{
		{0.7589, &api.Interval{Low: 0.67, High: 0.83}, intervalWidth, "0.7589 ± 0.08"},
		{1, &api.Interval{Low: 0.977, High: 1}, intervalWidth, "1.0000 (0.98–1.00)"},
		{0, &api.Interval{Low: 0, High: 0.52}, intervalWidth, "0.0000 (0.00–0.52)"},
		{0.9977, &api.Interval{Low: 0.9951, High: 0.9989}, narrowIntervalWidth, "0.9977 (0.995–0.999)"},
		{0.9977, &api.Interval{Low: 0.9951, High: 0.9989}, intervalWidth, "0.9977"},
		{1, nil, intervalWidth, "1.0000"},
	} {
		if got := formatWithInterval(c.value, c.i, c.width); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
