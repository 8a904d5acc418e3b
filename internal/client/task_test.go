package client

import (
	"testing"

	"foretell/internal/api"
)

func TestDifference(t *testing.T) {
	t.Parallel()
	former := Task{api.TableSchema{Label: "paid", Columns: []string{"a", "b", "constant"}, Used: []string{"a", "b"}, Classes: []string{"no", "yes"}}, ScoreKind{Metric: "accuracy"}}
	for name, test := range map[string]struct {
		change func(now *Task)
		want   string
	}{
		"none":                        {func(*Task) {}, ""},
		"columns":                     {func(now *Task) { now.Columns = []string{"a", "c", "d", "e", "f"}; now.Used = now.Columns }, `new columns "c", "d", "e" and 1 more, missing column "b"`},
		"unused column":               {func(now *Task) { now.Columns = []string{"a", "b", "empty"} }, ""},
		"column that became constant": {func(now *Task) { now.Used = now.Used[:1] }, ""},
		"classes":                     {func(now *Task) { now.Classes = []string{"?", "Yes", "no", "yes"} }, `new classes "?", "Yes"`},
		"missing class":               {func(now *Task) { now.Classes = []string{"no"} }, `missing class "yes"`},
		"label":                       {func(now *Task) { now.Label, now.Columns, now.Used = "a", []string{"paid"}, []string{"paid"} }, `label "a" instead of "paid"`},
		"score":                       {func(now *Task) { now.ScoreKind = ScoreKind{"rocAuc", "balanced", "customer", "day"} }, "metric rocAuc instead of accuracy, class weights balanced instead of none, --group customer instead of none, --time day instead of none"},
		"unknown schema":              {func(now *Task) { now.TableSchema = api.TableSchema{} }, ""},
		"unknown score":               {func(now *Task) { now.ScoreKind = ScoreKind{} }, ""},
	} {
		now := former
		test.change(&now)
		if got := now.Difference(&former); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
