package client

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
)

// ScoreKind is what the races of two models on the same data must have in common, so that the scores of
// the models can be compared. Its fields are "" from a service that does not report them.
type ScoreKind struct {
	Metric string
	// ClassWeights is the text of [api.ClassWeights]; they change the predicted classes.
	ClassWeights string
	// GroupColumn and TimeColumn decide which rows are scored, and thus how difficult they are.
	GroupColumn, TimeColumn string
}

// ModelScoreKind returns the kind of the scores of a model.
func ModelScoreKind(m *api.ModelExtensions) ScoreKind {
	return ScoreKind{m.Metric, m.ClassWeights.String(), m.GroupColumn, m.TimeColumn}
}

// RaceScoreKind returns the kind of the scores of a race that will start.
func RaceScoreKind(r *api.NewTraining) ScoreKind {
	return ScoreKind{cmp.Or(r.Metric, api.MetricAccuracy), r.ClassWeights.String(), r.GroupColumn, r.TimeColumn}
}

// Task is what two models must have in common, so that their scores can be compared: the columns
// and classes, and the kind of score. If the models have different rows, their scores can be
// compared only roughly.
type Task struct {
	api.TableSchema
	ScoreKind
}

// Difference says why the scores of a model of t cannot be compared with the scores of a model of
// former, such as: new column "x". It returns "" if they can be compared. Unknown parts are
// considered equal. A column that only one of the tables has makes no difference if no model uses
// it.
func (t *Task) Difference(former *Task) string {
	var parts []string
	add := func(what, is, was string) {
		if is != was {
			parts = append(parts, what+" "+cmp.Or(is, "none")+" instead of "+cmp.Or(was, "none"))
		}
	}
	if t.Label != former.Label && t.Label != "" && former.Label != "" {
		add("label", strconv.Quote(t.Label), strconv.Quote(former.Label)) // other columns and classes follow from it
	} else {
		parts = append(parts, namesOnlyIn("new", "column", t.Used, former.Columns)...)
		parts = append(parts, namesOnlyIn("missing", "column", former.Used, t.Columns)...)
		parts = append(parts, namesOnlyIn("new", "class", t.Classes, former.Classes)...)
		parts = append(parts, namesOnlyIn("missing", "class", former.Classes, t.Classes)...)
	}
	if t.Metric != "" && former.Metric != "" {
		add("metric", t.Metric, former.Metric)
		add("class weights", t.ClassWeights, former.ClassWeights)
		add("--group", t.GroupColumn, former.GroupColumn)
		add("--time", t.TimeColumn, former.TimeColumn)
	}
	return strings.Join(parts, ", ")
}

// namesOnlyIn returns a text about the names that are in a, but not in b, such as new class "x". It
// returns nil if all names of a are in b, or if a or b is unknown. a and b must be sorted,
// because a table may have many thousands of columns.
func namesOnlyIn(adjective, noun string, a, b []string) []string {
	only := slices.DeleteFunc(slices.Clone(a), func(name string) bool {
		_, found := slices.BinarySearch(b, name)
		return found
	})
	if len(only) == 0 || len(b) == 0 {
		return nil
	}
	_, noun, _ = strings.Cut(humanize.Count(len(only), noun), " ")
	return []string{adjective + " " + noun + " " + humanize.QuotedList(only, 3)}
}
