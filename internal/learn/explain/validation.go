package explain

import (
	"context"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// maxPredictions is the largest number of probabilities in memory at a time.
const maxPredictions = 1 << 22

// batchRows is the number of rows that are predicted at a time, few enough that a slow
// model responds to cancellation.
const batchRows = 128

// Validation provides the validation rows of a race and the models of its folds, from
// which the influence of columns is computed.
type Validation struct {
	Schema *frame.Schema
	// Used reports for each feature whether it belongs to a column that any of the models
	// may use.
	Used []bool
	// Sample returns at most about maxRows of the validation rows, evenly spaced.
	Sample func(maxRows int) Sample
	// FoldModel returns the model of a fold. This model was not trained on the fold's
	// validation rows. Only one model of a fold is in memory at a time.
	FoldModel func(fold int) (FoldModel, error)
	// Score returns the metric of the race. It must be safe for concurrent use.
	Score func(probabilities []float32, labels []int32) (float64, error)
	// Seed is the seed of all random numbers. Workers is the number of goroutines; it
	// does not change the results.
	Seed    uint64
	Workers int
}

// Sample is a sample of validation rows, fold by fold.
type Sample struct {
	// Frame holds the rows with their labels.
	Frame *frame.Frame
	// Groups holds the group of each row, negative for none. It may be nil.
	Groups []int32
	// Ends holds, for each fold, the index in Frame at which the rows of the fold end.
	Ends []int
}

// FoldModel is the model of one fold.
type FoldModel struct {
	// Used reports for each feature whether the model may use it. It is nil for a model
	// that may use all of Validation.Used.
	Used []bool
	// Predict writes the calibrated class probabilities of f's rows lo…hi-1 to dst,
	// row-major. It must be safe for concurrent use.
	Predict func(dst []float32, f *frame.Frame, lo, hi int)
}

// sample is a Sample together with the Validation that it was drawn from.
type sample struct {
	*Validation
	Sample
}

func (v *Validation) drawSample(maxRows int) *sample { return &sample{v, v.Sample(maxRows)} }

func (v *Validation) classes() int { return len(v.Schema.Classes) }

// eachFold calls do with the model of each fold and the range lo…hi-1 of the sample's rows
// that are validation rows of this fold. Only one model is in memory at a time.
func (s *sample) eachFold(do func(fold FoldModel, lo, hi int) error) error {
	lo := 0
	for i, hi := range s.Ends {
		fold, err := s.FoldModel(i)
		if err != nil {
			return err
		}
		if err := do(fold, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// substitution describes rows of a sample in which some columns have the cells of
// other rows.
type substitution struct {
	rows    []int32 // indices of rows of the sample
	columns []replacedColumn
}

// replacedColumn replaces the features of one column: row i of a substitution gets the
// cells of row rows[i] of donors.
type replacedColumn struct {
	features []int
	donors   *frame.Frame
	rows     []int32
}

// usedBy reports for each feature whether the given model may use it.
func (v *Validation) usedBy(fold FoldModel) []bool {
	if fold.Used == nil {
		return v.Used
	}
	return fold.Used
}

// newFrame returns the rows lo…hi-1 of the substitution. Features that are not
// used have no cells. Differences of dates are computed from the dates of the result.
func (s *substitution) newFrame(sample *sample, used []bool, lo, hi int) *frame.Frame {
	f := &frame.Frame{Schema: sample.Frame.Schema, Rows: hi - lo, Columns: make([]frame.Column, len(sample.Frame.Columns))}
	for feature := range used {
		if used[feature] {
			f.Columns[feature] = sample.Frame.Columns[feature].Take(s.rows[lo:hi])
		}
	}
	for _, column := range s.columns {
		for _, feature := range column.features {
			f.Columns[feature] = column.donors.Columns[feature].Take(column.rows[lo:hi])
		}
	}
	for _, d := range f.Schema.Differences() {
		replaced := func(column replacedColumn) bool {
			return slices.Contains(column.features, d.From) || slices.Contains(column.features, d.To)
		}
		if used[d.Feature] && slices.ContainsFunc(s.columns, replaced) {
			d.Update(f)
		}
	}
	return f
}

// predict returns the class probabilities of the rows of each substitution.
func (s *sample) predict(ctx context.Context, fold FoldModel, list []substitution) ([][]float32, error) {
	type block struct{ at, lo, hi int }
	var blocks []block
	classes, predictions := s.classes(), make([][]float32, len(list))
	for at := range list {
		n := len(list[at].rows)
		predictions[at] = make([]float32, n*classes)
		for lo := 0; lo < n; lo += batchRows {
			blocks = append(blocks, block{at, lo, min(lo+batchRows, n)})
		}
	}
	used := s.usedBy(fold)
	err := parallel.ForError(s.Workers, len(blocks), func(i int) error {
		b := blocks[i]
		f := list[b.at].newFrame(s, used, b.lo, b.hi)
		fold.Predict(predictions[b.at][b.lo*classes:b.hi*classes], f, 0, f.Rows)
		return ctx.Err()
	})
	return predictions, err
}

// rowRange returns the numbers lo…hi-1.
func rowRange(lo, hi int) []int32 {
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	return rows
}
