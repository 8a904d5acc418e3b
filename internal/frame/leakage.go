package frame

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
)

// The rules by which one column is said to tell the label by itself.
const (
	minLeakRows     = 50   // sampled rows below which nothing is measured
	minMinorityRows = 15   // of them with another label than the most frequent one
	minLeakShare    = 0.98 // of the rows that always naming the most frequent label gets wrong
	minFewRowsShare = 0.9  // the same of few rows, but at most
	maxMissed       = 2    // rows are missed: one on each side of the boundary between two classes
)

// leakDetector measures how well each column tells the label by itself, on the sampled
// rows: those of one half by what the other half says of equal cells, of the
// nearest number, or of all cells that are not blank.
type leakDetector struct {
	sample     *rowSample
	classes    []int32 // by row, from 0
	classRows  []int   // by class
	halves     []uint8 // by row: 0 or 1
	majority   int     // the most frequent class
	workspaces sync.Pool
}

// leakWorkspace is the workspace for one column.
type leakWorkspace struct {
	keys           []uint64
	order          []int32 // of the cells by their keys: equal ones meet
	counts, filled []int
	runs           []cellRun
	predicted      []int32
	distance       []float64
}

// newLeakDetector returns nil where the sample is too small to tell anything.
func newLeakDetector(ctx context.Context, s *rowSample) (*leakDetector, error) {
	a := &leakDetector{sample: s, workspaces: sync.Pool{New: func() any { return new(leakWorkspace) }}}
	var labels []uint64
	err := s.forEachField(ctx, func(field int) bool { return field == s.label }, func(_ int, cells []uint64) { labels = slices.Clone(cells) })
	if err != nil {
		return nil, err
	}
	index, numbers := make(map[uint64]int32), s.rows()
	for i, cell := range labels {
		class, known := index[cell]
		if !known {
			class = int32(len(index))
			index[cell] = class
			a.classRows = append(a.classRows, 0)
		}
		a.classRows[class]++
		a.classes = append(a.classes, class)
		a.halves = append(a.halves, uint8(mix(uint64(numbers[i])+1)>>63))
	}
	for class, rows := range a.classRows {
		if rows > a.classRows[a.majority] {
			a.majority = class
		}
	}
	if n := len(a.classes); n < minLeakRows || n-a.classRows[a.majority] < minMinorityRows {
		return nil, nil
	}
	return a, nil
}

// baseline is the share of rows whose label is told by always naming the most
// frequent one.
func (a *leakDetector) baseline() float64 { return ratio(a.classRows[a.majority], len(a.classes)) }

// leaks reports whether a column that tells the label of this share of the rows
// tells nearly all that the most frequent label does not.
func (a *leakDetector) leaks(told float64) bool {
	rows := float64(len(a.classes))
	odd, missed := (1-a.baseline())*rows, (1-told)*rows
	const rounding = 1e-6
	return told > a.baseline() && missed <= max((1-minLeakShare)*odd, min((1-minFewRowsShare)*odd, maxMissed))+rounding
}

// accuracies returns by field the share of rows whose label it tells.
func (a *leakDetector) accuracies(ctx context.Context, wanted func(field int) bool) ([]float64, error) {
	told := make([]float64, a.sample.fields)
	err := a.sample.forEachField(ctx, wanted, func(field int, cells []uint64) {
		room := a.workspaces.Get().(*leakWorkspace)
		told[field] = a.accuracy(cells, room)
		a.workspaces.Put(room)
	})
	return told, err
}

// accuracy returns the share of rows whose label the cells tell.
func (a *leakDetector) accuracy(cells []uint64, room *leakWorkspace) float64 {
	room.order, room.keys = slices.Grow(room.order[:0], len(cells)), slices.Grow(room.keys[:0], len(cells))
	for i, cell := range cells {
		room.order, room.keys = append(room.order, int32(i)), append(room.keys, sortKey(cell))
	}
	keys := room.keys
	slices.SortFunc(room.order, func(i, j int32) int { return cmp.Compare(keys[i], keys[j]) })
	right := 0
	for half := range uint8(2) {
		right += a.correct(cells, room, half)
	}
	return ratio(right, len(cells))
}

// cellRun is rows with equal cells, in the order of the cells.
type cellRun struct {
	rows  []int32
	value float64 // NaN for blanks and texts
	class int32   // the most frequent one of the rows to learn from, -1 without any
}

// correct returns how many rows of a half are told by the other half.
func (a *leakDetector) correct(cells []uint64, room *leakWorkspace, half uint8) int {
	order, runs := room.order, room.runs[:0]
	room.counts, room.filled = zeroed(room.counts, len(a.classRows)), zeroed(room.filled, len(a.classRows))
	counts, filled := room.counts, room.filled
	for len(order) > 0 {
		cell, end := cells[order[0]], 1
		for end < len(order) && cells[order[end]] == cell {
			end++
		}
		r := cellRun{rows: order[:end], value: math.Float64frombits(cell), class: -1}
		clear(counts)
		for _, row := range r.rows {
			if a.halves[row] == half {
				continue
			}
			class := a.classes[row]
			if counts[class]++; r.class < 0 || counts[class] > counts[r.class] {
				r.class = class
			}
			if cell != sampledBlank {
				filled[class]++
			}
		}
		runs = append(runs, r)
		order = order[end:]
	}
	usual := int32(a.majority) // of cells that are not blank
	for class, rows := range filled {
		if rows > filled[usual] {
			usual = int32(class)
		}
	}
	room.runs = runs
	right := 0
	for i, class := range room.predictions(usual) {
		for _, row := range runs[i].rows {
			if a.halves[row] == half && a.classes[row] == class {
				right++
			}
		}
	}
	return right
}

// zeroed returns n zeros, in the place of list if that has room for them.
func zeroed(list []int, n int) []int {
	list = slices.Grow(list[:0], n)[:n]
	clear(list)
	return list
}

// predictions returns a class for each run: its own, or that of the nearest number,
// or the usual one.
func (room *leakWorkspace) predictions(usual int32) []int32 {
	runs := room.runs
	room.predicted = slices.Grow(room.predicted[:0], len(runs))[:len(runs)]
	room.distance = slices.Grow(room.distance[:0], len(runs))[:len(runs)]
	list, distance := room.predicted, room.distance
	below, above := -1, -1
	for i, r := range runs {
		list[i], distance[i] = usual, math.Inf(1)
		switch {
		case r.class >= 0:
			list[i], below = r.class, i
		case r.value == r.value && below >= 0:
			list[i], distance[i] = runs[below].class, r.value-runs[below].value
		}
	}
	for i, r := range slices.Backward(runs) {
		switch {
		case r.value != r.value: // blanks and texts stand behind the numbers
		case r.class >= 0:
			above = i
		case above >= 0 && runs[above].value-r.value < distance[i]:
			list[i] = runs[above].class
		}
	}
	return list
}
