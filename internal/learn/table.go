package learn

import (
	"context"
	"maps"
	"slices"
	"sync"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// table is the labelled frame of a race and what its fitters share.
type table struct {
	*frame.Frame
	params Params

	mu   sync.Mutex
	bins map[int]*tree.BinnedMatrix

	// columns are the features of the race's table that this one has; nil for
	// all.
	columns   []int32
	screening sync.Mutex
	codes     []coded
	parts     map[int]*table // what screened has returned; nil if it was the table itself
}

// binned returns the frame cut into the given number of bins, 0 being the
// default. It is made once; who asks meanwhile waits. Features that are cut alike
// however many the bins may be, as those of few values are, are in memory once.
func (t *table) binned(ctx context.Context, bins int) (*tree.BinnedMatrix, error) {
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

// classes is the number of classes of the label.
func (t *table) classes() int { return len(t.Schema.Classes) }

// pick returns a frame of the given rows of f, in their order.
func pick(f *frame.Frame, rows []int32) *frame.Frame {
	picked := &frame.Frame{Schema: f.Schema, Rows: len(rows), Columns: make([]frame.Column, len(f.Columns))}
	for i := range f.Columns {
		picked.Columns[i] = f.Columns[i].Take(rows)
	}
	picked.Labels = pickCells(f.Labels, rows)
	return picked
}

// pickCells returns the cells of the given rows; nil if there are no cells.
func pickCells[T any](cells []T, rows []int32) []T {
	if cells == nil {
		return nil
	}
	picked := make([]T, len(rows))
	for i, row := range rows {
		picked[i] = cells[row]
	}
	return picked
}
