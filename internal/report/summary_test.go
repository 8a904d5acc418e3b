package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
)

// TestSummary summarises races with different outcomes.
func TestSummary(t *testing.T) {
	single := func(name string, performance, logLoss float64, outcome string) api.AlgorithmReport {
		return api.AlgorithmReport{Algorithm: name, Outcome: outcome, Performance: &performance, LogLoss: &logLoss}
	}
	two := []api.AlgorithmReport{single("BSIX01", 0.77, 0.5, api.OutcomeDone), single("BFIF01", 0.79, 0.52, api.OutcomeDone)}
	for _, c := range []struct {
		name   string
		job    api.Training
		report *api.ModelReport
		want   string
	}{
		{
			"predictions from one column",
			api.Training{Metric: "accuracy", AchievedPerformance: new(0.999)},
			&api.ModelReport{
				Algorithm: "BSIX01", Metric: "accuracy", Rows: 750, ValidationRows: 600, TestRows: 150,
				Validation: &api.Scores{Accuracy: 0.999, LogLoss: 0.01}, Test: &api.Scores{Accuracy: 0.999, LogLoss: 0.01},
				Baseline:    &api.Baseline{Label: "good", Validation: &api.Scores{Accuracy: 0.7}, Test: &api.Scores{Accuracy: 0.7}},
				Importances: []api.Importance{{Column: "paid", Importance: 0.28}, {Column: "age", Importance: 0.01}},
			},
			`BSIX01 boosting was chosen, after 11 s
  test        not measured: accuracy cannot be computed on the 150 test rows
  validation  accuracy 0.9990 on 600 rows
  log loss    test 0.0100, validation 0.0100
  baseline    always "good": accuracy test 0.7000, validation 0.7000
  warning     the predictions depend almost entirely on the column "paid": is it known before the label is?`,
		},
		{
			"a blend, with all figures",
			api.Training{Metric: "accuracy", AchievedPerformance: new(0.76), TestPerformance: new(0.75)},
			&api.ModelReport{
				Algorithm: "BLEND", Metric: "accuracy", Rows: 750, ValidationRows: 600, TestRows: 150, Algorithms: two, Notes: []string{"the time limit ended the race"},
				Blend:      []api.BlendShare{{Algorithm: "BSIX01", Weight: 0.6}, {Algorithm: "BFIF01", Weight: 0.4}},
				Blended:    &api.Candidate{Performance: 0.76, LogLoss: 0.49},
				Validation: &api.Scores{Accuracy: 0.76, LogLoss: 0.49, Intervals: map[string]api.Interval{"accuracy": {Low: 0.7243, High: 0.7925}}},
				Test:       &api.Scores{Accuracy: 0.75, LogLoss: 0.51, Intervals: map[string]api.Interval{"accuracy": {Low: 0.6752, High: 0.8125}}},
				Baseline:   &api.Baseline{Label: "good", Validation: &api.Scores{Accuracy: 0.7}, Test: &api.Scores{Accuracy: 0.7067}},
			},
			`BLEND was chosen by log loss: 0.4900, best single BSIX01 0.5000 (lower is better), after 11 s
  made of     BSIX01 60%, BFIF01 40%
  test        accuracy 0.7500 (0.68–0.81) on 150 rows
  validation  accuracy 0.7600 (0.72–0.79) on 600 rows
  log loss    test 0.5100, validation 0.4900
  baseline    always "good": accuracy test 0.7067, validation 0.7000
  note        the time limit ended the race`,
		},
		{
			"no time for the test rows",
			api.Training{Metric: "accuracy", Outcome: api.OutcomeTimeLimit, AchievedPerformance: new(0.77)},
			&api.ModelReport{
				Algorithm: "BSIX01", Metric: "accuracy", Rows: 750, ValidationRows: 600, Algorithms: two, TestMissing: api.TestMissingNoTime,
				Blended: &api.Candidate{Performance: 0.7, LogLoss: 0.6},
			},
			`BSIX01 boosting was chosen by log loss: 0.5000, next best BFIF01 0.5200 (lower is better) at the time limit, after 11 s
  test        not measured: no time for the test rows: let the race end by itself, or increase --time-limit
  validation  accuracy 0.7700 on 600 rows`,
		},
		{
			"compared before calibration",
			api.Training{Metric: "accuracy"},
			&api.ModelReport{Algorithm: "BSIX01", Metric: "accuracy", Algorithms: two, Blended: &api.Candidate{LogLoss: 0.6}, Validation: &api.Scores{LogLoss: 0.48}},
			"BSIX01 boosting was chosen by log loss: 0.5000, next best BFIF01 0.5200 (lower is better), after 11 s\n  log loss    validation 0.4800 (before calibration 0.5000)",
		},
		{
			"too few groups",
			api.Training{Metric: "accuracy", Outcome: api.OutcomeTimeLimit, AchievedPerformance: new(0.77)},
			&api.ModelReport{
				Algorithm: "BSIX01", Metric: "accuracy", Rows: 750, ValidationRows: 600, Algorithms: two, TestMissing: api.TestMissingTooFewRows, GroupColumn: "gender",
				Blended: &api.Candidate{Performance: 0.7, LogLoss: 0.6},
			},
			`BSIX01 boosting was chosen by log loss: 0.5000, next best BFIF01 0.5200 (lower is better) at the time limit, after 11 s
  test        not measured: the division of the rows by gender leaves no test rows
  validation  accuracy 0.7700 on 600 rows`,
		},
		{
			"a metric that cannot be computed",
			api.Training{Metric: "prAuc"},
			&api.ModelReport{Algorithm: "BFIF01", Metric: "prAuc", Rows: 1500, ValidationRows: 1200, TestRows: 300, Validation: &api.Scores{LogLoss: 0.1}, Test: &api.Scores{LogLoss: 0.2}},
			`BFIF01 forest was chosen, after 11 s
  test        not measured: prAuc cannot be computed on the 300 test rows
  validation  not measured: prAuc cannot be computed on the 1,200 validation rows
  log loss    test 0.2000, validation 0.1000`,
		},
		{
			"times that cannot be divided",
			api.Training{Metric: "accuracy"},
			&api.ModelReport{Algorithm: "BFIF01", Metric: "accuracy", Rows: 2000, TestMissing: api.TestMissingTooFewRows, TimeColumn: "year"},
			`BFIF01 forest was chosen, after 11 s
  test        not measured: the division of the rows by year leaves no test rows
  validation  not measured: the division of the rows by year leaves no validation rows`,
		},
		{
			"a blend with a higher log loss than a single one",
			api.Training{Metric: "accuracy"},
			&api.ModelReport{Algorithm: "BLEND", Metric: "accuracy", Algorithms: two, Blended: &api.Candidate{LogLoss: 0.501}},
			`BLEND was chosen, although its log loss on the validation rows is higher (0.5010, best single BSIX01 0.5000), because a blend is usually better on new rows, after 11 s`,
		},
		{
			"a performance that no other comes near",
			api.Training{Metric: "accuracy"},
			&api.ModelReport{Algorithm: "BFIF01", Metric: "accuracy", Algorithms: two},
			`BFIF01 forest was chosen by accuracy: 0.7900, next best BSIX01 0.7700, after 11 s`,
		},
		{
			"a threshold",
			api.Training{Metric: "accuracy", Outcome: api.OutcomeReached, TargetPerformance: new(0.75)},
			&api.ModelReport{
				Algorithm: "BSIX01", Metric: "accuracy", TargetPerformance: new(0.75),
				Algorithms: []api.AlgorithmReport{single("BSIX01", 0.77, 0.5, api.OutcomeReached), two[1]},
			},
			`BSIX01 boosting reached accuracy 0.7500 first, with 0.7700, after 11 s`,
		},
		{
			"more features than are learnt from",
			api.Training{Metric: "accuracy"},
			&api.ModelReport{Algorithm: "BFIF01", Metric: "accuracy", Algorithms: two, Features: 50_000, ScreenedFeatures: 1_000},
			"BFIF01 forest was chosen by accuracy: 0.7900, next best BSIX01 0.7700, after 11 s\n  features    each fold's 1000 most informative of 50000",
		},
		{
			"another deployment",
			api.Training{Metric: "accuracy", AchievedPerformance: new(0.76)},
			nil,
			"BSIX01 boosting was chosen, after 11 s\n  validation  accuracy 0.7600",
		},
	} {
		algorithm := "BSIX01"
		if c.report != nil {
			algorithm = c.report.Algorithm
		}
		if diff := cmp.Diff(c.want, strings.Join(Summary(&c.job, algorithm, c.report, "11 s"), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestRepeatedRace checks that the report promises the same model only for a race that ended
// by itself.
func TestRepeatedRace(t *testing.T) {
	for outcome, same := range map[string]bool{
		api.OutcomeReached: true, api.OutcomeDone: true, api.OutcomeTimeLimit: false, api.OutcomeCancelled: false,
	} {
		d := &Document{Dataset: &api.Dataset{}, Training: &api.Training{Outcome: outcome}}
		purpose := d.Steps()[1].Purpose
		if got := strings.Contains(purpose, "make the same model"); got != same {
			t.Errorf("%s: %q promises the same model: %t, want %t", outcome, purpose, got, same)
		}
	}
}

func TestBaselineNameIsQuoted(t *testing.T) {
	if got, want := baselineName(` did not, "die"`, 16), `always " did not, \"die\""`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRaceCommand checks that the command that repeats a race has its seed, its algorithms and its
// time limit, with and without the report of its model.
func TestRaceCommand(t *testing.T) {
	seed := int64(7)
	job := &api.Training{DatasetKey: "0a1b2c3d-0000-4000-8000-000000000000", Metric: "accuracy", TimeLimitSeconds: 300, Seed: &seed}
	const want = "foretell training create 0a1b2c3d --time-limit 5m --seed 7 --algorithm BSIX01"
	if got := RaceCommand(job, nil, "BSIX01"); got != want {
		t.Errorf("without a report: %s", got)
	}
	r := &api.ModelReport{Seed: 7, Algorithms: []api.AlgorithmReport{{Algorithm: "BSIX01"}}}
	if got := RaceCommand(job, r); got != want {
		t.Errorf("with a report: %s", got)
	}
	job.TimeLimitSeconds = api.DefaultTimeLimitSeconds
	if got := RaceCommand(job, nil, api.Algorithms(2)...); got != "foretell training create 0a1b2c3d --seed 7" {
		t.Errorf("with all algorithms: %s", got)
	}
}
