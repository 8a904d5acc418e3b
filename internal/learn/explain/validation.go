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

// Validation provides what is needed to compute the influence of columns: the validation rows of a
// race and the models of its folds.
type Validation struct {
	Schema *frame.Schema
	// Used reports for each feature whether it belongs to a column that any of the models
	// may use.
	Used []bool
	// Sample returns at most maxRows of the validation rows, evenly spaced within each
	// fold.
	Sample func(maxRows int) Sample
	// FoldModel returns the model of a fold. This model was not trained on the fold's
	// validation rows. Only one model of a fold is in memory at a time.
	FoldModel func(fold int) (FoldModel, error)
	// Score returns the score of the probabilities by the metric of the race, or NaN if it cannot
	// be computed. It must be safe for concurrent use.
	Score func(ctx context.Context, probabilities []float32, labels []int32) (float64, error)
	// RareShare is the fraction of the validation rows that are of the class on which the metric
	// mainly depends. For a metric of one class, this is that class; for other metrics, it is the
	// rarer class if there are two classes. RareShare is 0 in all other cases and for unweighted
	// accuracy.
	RareShare float64
	// Seed is the seed of all random numbers. Workers is the number of goroutines; it
	// does not change the results.
	Seed    uint64
	Workers int
}

// Sample is a sample of validation rows, fold by fold.
type Sample struct {
	// Frame holds the rows with their labels.
	Frame *frame.Frame
	// Groups holds the group of each row; a negative number means no group. It may be
	// nil.
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

// eachFold calls do for each fold, with the model of the fold. The rows lo…hi-1 of the
// sample are validation rows of this fold. Only one model is in memory at a time.
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

// substitution describes copies of a sample's rows in which the cells of some columns are replaced
// by cells of other rows. All new cells come from the same frame.
type substitution struct {
	rows    []int32 // indices of rows of the sample
	columns []replacedColumn
}

// replacedColumn describes the new cells of one column: in row i of a substitution, the
// features have the cells of row rows[i] of donors.
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

// substitutionPart is the range lo…hi-1 of the rows of a substitution. dst receives their
// predictions.
type substitutionPart struct {
	*substitution
	lo, hi int
	dst    []float32
}

// usesSampleCells reports whether all cells of the part are from the sample. Such parts can be
// joined into one frame.
func (p *substitutionPart) usesSampleCells(sample *sample) bool {
	return !slices.ContainsFunc(p.columns, func(c replacedColumn) bool { return c.donors != sample.Frame })
}

// divideIntoBatches divides the rows of substitutions into lists of parts. The parts of a list are
// predicted together, in one frame, because in a wide table it would take longer to build a frame
// for each substitution than to predict its rows. The predictions of list[i] are written to
// predictions[i].
func (s *sample) divideIntoBatches(list []substitution, predictions [][]float32) [][]substitutionPart {
	var batches [][]substitutionPart
	classes, space := s.classes(), 0
	for at := range list {
		n := len(list[at].rows)
		for lo, hi := 0, 0; lo < n; lo = hi {
			hi = min(lo+batchRows, n)
			p := substitutionPart{&list[at], lo, hi, predictions[at][lo*classes : hi*classes]}
			fromSample := p.usesSampleCells(s)
			if fromSample && hi-lo <= space {
				batches[len(batches)-1] = append(batches[len(batches)-1], p)
				space -= hi - lo
				continue
			}
			batches, space = append(batches, []substitutionPart{p}), 0
			if fromSample {
				space = batchRows - (hi - lo)
			}
		}
	}
	return batches
}

// newFrame returns the rows of the parts, one part after another. Features that are not used have
// no cells. Differences of dates are computed anew. If there are several parts, usesSampleCells
// must be true for all of them.
func (s *sample) newFrame(used []bool, differences []frame.Difference, parts ...substitutionPart) *frame.Frame {
	var rows []int32
	for _, p := range parts {
		rows = append(rows, p.rows[p.lo:p.hi]...)
	}
	f := &frame.Frame{Schema: s.Frame.Schema, Rows: len(rows), Columns: make([]frame.Column, len(s.Frame.Columns))}
	replaced := make(map[int][]int32) // for each replaced feature, the rows that have its cells
	first, donors := 0, s.Frame
	for _, p := range parts {
		for _, column := range p.columns {
			donors = column.donors
			for _, feature := range column.features {
				if replaced[feature] == nil {
					replaced[feature] = slices.Clone(rows)
				}
				copy(replaced[feature][first:], column.rows[p.lo:p.hi])
			}
		}
		first += p.hi - p.lo
	}
	for feature := range used {
		if used[feature] && replaced[feature] == nil {
			f.Columns[feature] = s.Frame.Columns[feature].Take(rows)
		}
	}
	for feature, cells := range replaced {
		f.Columns[feature] = donors.Columns[feature].Take(cells)
	}
	for _, d := range differences {
		if used[d.Feature] && (replaced[d.From] != nil || replaced[d.To] != nil) {
			d.Recompute(f)
		}
	}
	return f
}

// predict returns the class probabilities of the rows of each substitution.
func (s *sample) predict(ctx context.Context, fold FoldModel, list []substitution) ([][]float32, error) {
	classes, predictions := s.classes(), make([][]float32, len(list))
	for at := range list {
		predictions[at] = make([]float32, len(list[at].rows)*classes)
	}
	batches := s.divideIntoBatches(list, predictions)
	used, differences := s.usedBy(fold), s.Frame.Schema.Differences()
	err := parallel.ForError(s.Workers, len(batches), func(i int) error {
		f := s.newFrame(used, differences, batches[i]...)
		probabilities := make([]float32, f.Rows*classes)
		fold.Predict(probabilities, f, 0, f.Rows)
		for _, p := range batches[i] {
			probabilities = probabilities[copy(p.dst, probabilities):]
		}
		return ctx.Err()
	})
	return predictions, err
}
