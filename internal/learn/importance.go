package learn

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/rng"
	"foretell/internal/table/frame"
)

// Importance is the permutation importance of a column.
type Importance struct {
	Column string
	// Importance is the decrease of the metric if the column's values are
	// shuffled among the rows. It is about 0, perhaps slightly negative, for a
	// column that the model does not use.
	Importance float64
}

// maxImportanceRows is the largest number of rows that are predicted for each
// column. If there are many columns, fewer rows are predicted, so that there
// are about maxImportancePredictions in total, but at least minImportanceRows.
const (
	maxImportanceRows        = 2000
	minImportanceRows        = 100
	maxImportancePredictions = 1_000_000
)

// computeImportances returns the importance of each column of the file. The
// model of each fold predicts the fold's validation rows, once unchanged and
// once for each column with its values shuffled. All features extracted from a
// column are shuffled together (Breiman, Random Forests, 2001, section 10).
// Unlike the gains of a tree's splits, these importances are measured on rows
// that were not trained on, and are comparable between algorithms.
func (r *race) computeImportances(ctx context.Context, m *Model, c *candidate) []Importance {
	columns, unused := r.data.splitByUse(groupByColumn(r.data.Schema))
	maxRows := min(maxImportanceRows, max(minImportanceRows, maxImportancePredictions/max(len(columns), 1)))
	sample := r.newPermutationSample(m, maxRows)
	if sample.frame.Rows == 0 || len(columns) == 0 {
		return nil
	}
	for i := range columns {
		columns[i].seed = rng.Derive(r.data.params.Seed, i)
	}
	columns = append(columns, inputColumn{}) // the unchanged rows
	scores := make([]float64, len(columns))
	batch := max(maxPredictions/(sample.frame.Rows*m.classes()), 1)
	for lo := 0; lo < len(columns); lo += batch {
		hi := min(lo+batch, len(columns))
		if err := sample.scoreShuffled(ctx, c, columns[lo:hi], scores[lo:hi]); err != nil {
			return nil // no time left: partial importances would mislead
		}
	}
	last := len(columns) - 1
	list := make([]Importance, last, last+len(unused))
	for i := range list {
		list[i] = Importance{Column: columns[i].name, Importance: scores[last] - scores[i]}
	}
	for _, column := range unused {
		list = append(list, Importance{Column: column.name})
	}
	slices.SortStableFunc(list, func(a, b Importance) int { return cmp.Compare(b.Importance, a.Importance) })
	return list
}

// inputColumn is a column of the file with the features extracted from it.
type inputColumn struct {
	name     string
	features []int
	seed     uint64 // of the permutation
}

// groupByColumn groups the features of a schema by the column of the file that they are
// extracted from.
func groupByColumn(schema *frame.Schema) []inputColumn {
	var list []inputColumn
	positions := make(map[string]int)
	for i := range schema.Columns {
		name := schema.Columns[i].SourceName()
		at, known := positions[name]
		if !known {
			at = len(list)
			positions[name] = at
			list = append(list, inputColumn{name: name})
		}
		list[at].features = append(list[at].features, i)
	}
	return list
}

// maxPredictions is the largest number of probabilities in memory at a time.
const maxPredictions = 1 << 22

// permutationSample is a sample of the validation rows, fold by fold.
type permutationSample struct {
	metric  string
	model   *Model
	frame   *frame.Frame
	ends    []int // the end of each fold's rows
	workers int
	// copies holds a copy of the frame for each worker, in which it shuffles
	// columns.
	copies chan *frame.Frame
}

func (r *race) newPermutationSample(m *Model, maxRows int) *permutationSample {
	sample := &permutationSample{metric: r.evaluator.metric, model: m, workers: r.data.params.Workers}
	var rows []int32
	for _, fold := range r.plan.Folds {
		rows = append(rows, subsample(fold.Validation, maxRows/len(r.plan.Folds))...)
		sample.ends = append(sample.ends, len(rows))
	}
	sample.frame = r.data.selectRows(rows)
	sample.copies = make(chan *frame.Frame, sample.workers)
	for range sample.workers {
		f := *sample.frame
		f.Columns = slices.Clone(f.Columns)
		sample.copies <- &f
	}
	return sample
}

// scoreShuffled sets scores[i] to the metric when columns[i] is shuffled. Only
// one fold model is in memory at a time.
func (s *permutationSample) scoreShuffled(ctx context.Context, c *candidate, columns []inputColumn, scores []float64) error {
	classes := s.model.classes()
	predictions := make([][]float32, len(columns))
	for i := range predictions {
		predictions[i] = make([]float32, s.frame.Rows*classes)
	}
	lo := 0
	for i, hi := range s.ends {
		fold, err := c.newFoldModel(s.model, i)
		if err != nil {
			return err
		}
		err = parallelFor(s.workers, len(columns), func(at int) error {
			f := <-s.copies
			defer func() { s.copies <- f }()
			s.shuffle(f, columns[at])
			fold.predict(predictions[at][lo*classes:hi*classes], f, lo, hi)
			for _, feature := range columns[at].features {
				f.Columns[feature] = s.frame.Columns[feature]
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		lo = hi
	}
	return parallelFor(s.workers, len(columns), func(at int) error {
		score, err := metric.Score(s.metric, s.model.newPredictions(predictions[at], s.frame.Labels))
		scores[at] = finiteOrZero(score)
		return err
	})
}

// shuffle permutes the rows of column in f, in the same way for all its
// features.
func (s *permutationSample) shuffle(f *frame.Frame, column inputColumn) {
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
