package learn

import (
	"context"
	"maps"
	"slices"
	"sync"

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

	// columns are the selected features of the race, nil if all were selected.
	columns        []int32
	screenMutex    sync.Mutex
	binnedFeatures []binnedFeature
	screenedFolds  map[int]*trainingData // by fold index; nil if there is no screening
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
	b, err := tree.NewBinnedMatrix(ctx, t.Frame, bins, t.params.Workers, slices.Collect(maps.Values(t.bins))...)
	if err != nil {
		return nil, err
	}
	if t.bins == nil {
		t.bins = map[int]*tree.BinnedMatrix{}
	}
	t.bins[bins] = b
	return b, nil
}

func (t *trainingData) classes() int { return len(t.Schema.Classes) }

// selectRows returns a frame of the given rows of f, in the order of rows.
func selectRows(f *frame.Frame, rows []int32) *frame.Frame {
	picked := &frame.Frame{Schema: f.Schema, Rows: len(rows), Columns: make([]frame.Column, len(f.Columns))}
	for i := range f.Columns {
		picked.Columns[i] = f.Columns[i].Take(rows)
	}
	picked.Labels = gather(f.Labels, rows)
	return picked
}

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
