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
func (r *race) importances(ctx context.Context, m *Model, c *choice) []Importance {
	columns, unseen := r.table.looked(sources(r.table.Schema))
	most := min(mostImportant, max(leastImportant, importanceBudget/max(len(columns), 1)))
	q := r.questionnaire(m, most)
	if q.frame.Rows == 0 || len(columns) == 0 {
		return nil
	}
	for i := range columns {
		columns[i].seed = derive(r.table.params.Seed, i)
	}
	columns = append(columns, source{}) // nothing is shuffled
	scores := make([]float64, len(columns))
	sheets := max(mostAnswers/(q.frame.Rows*m.classes()), 1)
	for lo := 0; lo < len(columns); lo += sheets {
		hi := min(lo+sheets, len(columns))
		if err := q.ask(ctx, c, columns[lo:hi], scores[lo:hi]); err != nil {
			return nil // the time is up: some would be of no use without the others
		}
	}
	last := len(columns) - 1
	list := make([]Importance, last, last+len(unseen))
	for i := range list {
		list[i] = Importance{Column: columns[i].name, Importance: scores[last] - scores[i]}
	}
	for _, column := range unseen {
		list = append(list, Importance{Column: column.name})
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Importance, a.Importance) })
	return list
}

// source is a column of the file and the features that are made of it.
type source struct {
	name     string
	features []int
	seed     uint64 // of its shuffling
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

// mostAnswers is the number of probabilities that are kept at a time.
const mostAnswers = 1 << 22

// questionnaire is a sample of the validation rows, fold after fold.
type questionnaire struct {
	metric  string
	model   *Model
	frame   *frame.Frame
	ends    []int // of each fold's rows
	workers int
	// copies of the frame are there for each worker to shuffle columns in.
	copies chan *frame.Frame
}

func (r *race) questionnaire(m *Model, most int) *questionnaire {
	q := &questionnaire{metric: r.judge.metric, model: m, workers: r.table.params.Workers}
	var rows []int32
	for _, part := range r.plan.Parts {
		rows = append(rows, thin(part.Eval, most/len(r.plan.Parts))...)
		q.ends = append(q.ends, len(rows))
	}
	q.frame = r.table.pick(rows)
	q.copies = make(chan *frame.Frame, q.workers)
	for range q.workers {
		f := *q.frame
		f.Columns = slices.Clone(f.Columns)
		q.copies <- &f
	}
	return q
}

// ask finds for each of the columns the score when it is shuffled. The models
// of the folds are asked one after the other, so that one is there at a time.
func (q *questionnaire) ask(ctx context.Context, c *choice, columns []source, scores []float64) error {
	classes := q.model.classes()
	answers := make([][]float32, len(columns))
	for i := range answers {
		answers[i] = make([]float32, q.frame.Rows*classes)
	}
	lo := 0
	for i, hi := range q.ends {
		fold, err := c.fold(q.model, i)
		if err != nil {
			return err
		}
		err = each(q.workers, len(columns), func(at int) error {
			f := <-q.copies
			defer func() { q.copies <- f }()
			q.shuffle(f, columns[at])
			fold.predict(answers[at][lo*classes:hi*classes], f, lo, hi)
			for _, feature := range columns[at].features {
				f.Columns[feature] = q.frame.Columns[feature]
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		lo = hi
	}
	return each(q.workers, len(columns), func(at int) error {
		score, err := metric.Score(q.metric, q.model.decisions(answers[at], q.frame.Labels))
		scores[at] = finite(score)
		return err
	})
}

// shuffle shuffles the rows of a column of f, all its features the same way.
func (q *questionnaire) shuffle(f *frame.Frame, column source) {
	if len(column.features) == 0 {
		return
	}
	order := make([]int32, f.Rows)
	for i, at := range rand.New(rand.NewPCG(column.seed, 0)).Perm(f.Rows) {
		order[i] = int32(at)
	}
	for _, feature := range column.features {
		f.Columns[feature] = f.Columns[feature].Take(order)
	}
}
