package report

import (
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestComparisonWithBaseline checks what the cautions and the summary say about a model that is not
// better than always predicting the same class.
func TestComparisonWithBaseline(t *testing.T) {
	scores := func(value, low, high float64) *api.Scores {
		i := api.Interval{Low: low, High: high}
		return &api.Scores{Accuracy: value, MacroF1: value, Intervals: map[string]api.Interval{api.MetricAccuracy: i, api.MetricMacroF1: i}}
	}
	for name, c := range map[string]struct {
		report    api.ModelReport
		want      string // part of the caution, or "" without one
		isSummary bool   // whether the summary warns, too
	}{
		"the interval includes the baseline": {
			api.ModelReport{Metric: "accuracy", Test: scores(0.5, 0.45, 0.55)},
			`The accuracy may be no better than the 49.7 % of always predicting "a", which its interval includes.`, false,
		},
		"the whole interval is lower": {
			api.ModelReport{Metric: "logLoss", Test: scores(0.1033, 0.07, 0.14)},
			`The accuracy on the test rows is 10.3 % (95 % interval 7.0 % to 14.0 %), worse than the 49.7 % of always predicting "a".`, true,
		},
		"by time": {
			api.ModelReport{Metric: "accuracy", Test: scores(0.1033, 0.07, 0.14), TimeColumn: "t"},
			`of always predicting "a"; by "t", these rows are later than the training rows, and their label seems to depend on the columns in another way.`, true,
		},
		"a metric that counts classes alike": {
			api.ModelReport{Metric: "macroF1", Test: scores(0.1033, 0.07, 0.14)},
			`The macroF1 on the test rows is 10.3 % (95 % interval 7.0 % to 14.0 %), worse than`, true,
		},
		"class weights lower the accuracy": {
			api.ModelReport{Metric: "accuracy", ClassWeights: map[string]float64{"b": 9}, Test: scores(0.1033, 0.07, 0.14)}, "", false,
		},
		"models trained on few of the rows": {
			api.ModelReport{Metric: "accuracy", Test: scores(0.1033, 0.07, 0.14), UsedRows: 340}, "", true,
		},
		"better": {api.ModelReport{Metric: "accuracy", Test: scores(0.6, 0.55, 0.65)}, "", false},
	} {
		r := &c.report
		r.TestRows, r.Rows = 300, 1200
		r.Training = &api.Scores{Accuracy: 0.9}
		r.Baseline = &api.Baseline{Label: "a", Test: &api.Scores{Accuracy: 0.4967, MacroF1: 0.4967}}
		cautions := strings.Join((&Document{Report: r}).Cautions(), "\n")
		if hasGap := strings.Contains(cautions, "its accuracy is much higher: 90.0"); hasGap != (r.UsedRows == 0) {
			t.Errorf("%s: a caution about training rows: %v", name, hasGap)
		}
		if hasBaseline := strings.Contains(cautions, "always predicting"); hasBaseline != (c.want != "") || !strings.Contains(cautions, c.want) {
			t.Errorf("%s: cautions\n%s\nwant %q", name, cautions, c.want)
		}
		summary := strings.Join(Summary(&api.Training{Metric: r.Metric}, "BSIX01", r, "1 s"), "\n")
		const few = "scores are of models trained on at most 340 of 1,200 rows, because the earlier rows of groups that also have later rows are excluded; the final model is trained on all rows"
		for _, text := range []string{cautions, summary} {
			if strings.Contains(text, few) != (r.UsedRows > 0) {
				t.Errorf("%s: %s", name, text)
			}
		}
		if warns := strings.Contains(summary, "  warning     the "); warns != c.isSummary {
			t.Errorf("%s: the summary warns: %v\n%s", name, warns, summary)
		}
	}
}

// TestEqualLogLosses checks that a blend is not explained by a better algorithm if the printed scores
// do not show one.
func TestEqualLogLosses(t *testing.T) {
	loss, performance := 0.15601, 0.95
	r := &api.ModelReport{
		Algorithm: blend, Blended: &api.Candidate{LogLoss: 0.15604, Performance: 0.95},
		Algorithms: []api.AlgorithmReport{{Algorithm: "BSEV02", LogLoss: &loss, Performance: &performance}},
	}
	if got, want := ExplainWin(r), "BLEND was chosen by log loss: 0.1560, best single BSEV02 0.1560 (lower is better)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
