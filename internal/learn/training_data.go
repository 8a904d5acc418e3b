package learn

import (
	"context"
	"maps"
	"slices"
	"sync"

	"foretell/internal/learn/text"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// trainingData is the labelled frame of a race and the state that its fitters
// share.
type trainingData struct {
	*frame.Frame
	params Params

	mu   sync.Mutex
	bins map[int]*tree.BinnedMatrix

	// features are the features of a fold if the data is that of one fold, and otherwise
	// nil.
	features *foldFeatures
	// siblings holds the binned matrices of the other folds, whose bins may be shared. It
	// is nil if the folds have no features of their own.
	siblings *sharedBins

	foldMutex      sync.Mutex // guards the fields below
	binnedFeatures []binnedFeature
	corpora        []*text.Corpus        // by text of the schema
	foldData       map[int]*trainingData // by fold index; nil if folds have no features of their own
	// foldFeatures are the features of each fold that this or another machine has trained,
	// by fold index.
	foldFeatures map[int]*foldFeatures
	textTimer    textTimer
	foldBins     sharedBins
}

// sharedBins holds binned matrices of the folds of a race, which share the bins of equal
// features. Scores of texts differ between folds.
type sharedBins struct {
	mu       sync.Mutex
	matrices map[int]*tree.BinnedMatrix // by the number of bins
}

// list returns the matrices. s may be nil.
func (s *sharedBins) list() []*tree.BinnedMatrix {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.matrices))
}

// add adds a matrix, unless there is one for the same number of bins. s may be nil.
func (s *sharedBins) add(bins int, b *tree.BinnedMatrix) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.matrices == nil {
		s.matrices = map[int]*tree.BinnedMatrix{}
	}
	if s.matrices[bins] == nil {
		s.matrices[bins] = b
	}
}

// binnedMatrix returns the matrix with at most the given number of bins, 0 for
// the default. It builds each matrix once, while concurrent callers wait.
// Matrices share the features that do not depend on the number of bins, such as
// those with few values.
func (t *trainingData) binnedMatrix(ctx context.Context, bins int) (*tree.BinnedMatrix, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.bins[bins]; b != nil {
		return b, nil
	}
	b, err := tree.NewBinnedMatrix(ctx, t.Frame, bins, t.params.Workers, append(slices.Collect(maps.Values(t.bins)), t.siblings.list()...)...)
	if err != nil {
		return nil, err
	}
	t.siblings.add(bins, b)
	if t.bins == nil {
		t.bins = map[int]*tree.BinnedMatrix{}
	}
	t.bins[bins] = b
	return b, nil
}

func (t *trainingData) classes() int { return len(t.Schema.Classes) }

// gather returns the cells of the given rows, nil if cells is nil.
func gather[T any](cells []T, rows []int32) []T {
	if cells == nil {
		return nil
	}
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = cells[row]
	}
	return picked
}
