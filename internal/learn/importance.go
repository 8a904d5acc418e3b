package learn

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
)

// Importance is how much a model relies on a column.
type Importance struct {
	Column string
	// Importance is by how much the metric falls when the column's values are
	// shuffled among the rows. About 0, or a little below, means not at all.
	Importance float64
}

// How many rows are predicted to find the importances: mostImportant rows for
// each column, or fewer where there are so many columns that this would exceed
// importanceBudget rows in all.
const (
	mostImportant    = 2000
	leastImportant   = 100
	importanceBudget = 1_000_000
)

// importances finds the importance of each column of the file: the model of
// each fold predicts its own validation rows, once as they are and once for
// each column with its values shuffled (Breiman, Random Forests, 2001, section
// 10), all features that are made of it together. Other than the importances a tree counts up while it grows, these are of rows not
// learnt from, and mean the same for every algorithm.
func (r *race) importances(ctx context.Context, folds []*Model) []Importance {
	columns := sources(r.table.Schema)
	most := min(mostImportant, max(leastImportant, importanceBudget/max(len(columns), 1)))
	q := r.questionnaire(folds, most)
	if q.frame.Rows == 0 || len(columns) == 0 {
		return nil
	}
	whole := q.score(q.frame)
	list := make([]Importance, len(columns))
	err := each(r.table.params.Workers, len(columns), func(i int) error {
		shuffled := q.shuffled(columns[i].features, derive(r.table.params.Seed, i))
		list[i] = Importance{Column: columns[i].name, Importance: whole - q.score(shuffled)}
		return ctx.Err()
	})
	if err != nil {
		return nil // the time is up: some would be of no use without the others
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Importance, a.Importance) })
	return list
}

// source is a column of the file and the features that are made of it.
type source struct {
	name     string
	features []int
}

// sources returns the columns of the file that anything is learnt from.
func sources(schema *frame.Schema) []source {
	var list []source
	places := make(map[string]int)
	for i := range schema.Columns {
		name := schema.Columns[i].Field()
		at, known := places[name]
		if !known {
			at = len(list)
			places[name] = at
			list = append(list, source{name: name})
		}
		list[at].features = append(list[at].features, i)
	}
	return list
}

// questionnaire is a sample of the validation rows, fold after fold, and who
// is to be asked about which.
type questionnaire struct {
	metric string
	frame  *frame.Frame
	models []*Model
	ends   []int // of each fold's rows
}

func (r *race) questionnaire(folds []*Model, most int) *questionnaire {
	q := &questionnaire{metric: r.judge.metric, models: folds}
	var rows []int32
	for _, part := range r.plan.Parts {
		rows = append(rows, thin(part.Eval, most/len(r.plan.Parts))...)
		q.ends = append(q.ends, len(rows))
	}
	q.frame = pick(r.table.Frame, rows)
	return q
}

// score asks the models about f, which has the rows of q.frame.
func (q *questionnaire) score(f *frame.Frame) float64 {
	classes := len(f.Schema.Classes)
	probabilities := make([]float32, f.Rows*classes)
	lo := 0
	for i, hi := range q.ends {
		q.models[i].predict(probabilities[lo*classes:hi*classes], f, lo, hi)
		lo = hi
	}
	score, err := metric.Score(q.metric, q.models[0].decisions(probabilities, f.Labels))
	if err != nil {
		return 0
	}
	return finite(score)
}

// shuffled returns q.frame with the rows of some columns shuffled, each the
// same way.
func (q *questionnaire) shuffled(columns []int, seed uint64) *frame.Frame {
	order := make([]int32, q.frame.Rows)
	for i, at := range rand.New(rand.NewPCG(seed, 0)).Perm(q.frame.Rows) {
		order[i] = int32(at)
	}
	f := *q.frame
	f.Columns = slices.Clone(f.Columns)
	for _, at := range columns {
		c := &f.Columns[at]
		*c = c.Pick(order)
	}
	return &f
}
