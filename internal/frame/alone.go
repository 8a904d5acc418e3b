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
	enoughAlone = 50   // sampled rows below which nothing is measured
	enoughOdd   = 15   // of them with another label than the most frequent one
	leakShare   = 0.98 // of the rows that always naming the most frequent label gets wrong
)

// alone measures how well each column tells the label by itself, on the sampled
// rows: those of one half by what the other half says of equal cells, of the
// nearest number, or of all cells that are not blank.
type alone struct {
	sample  *sample
	classes []int32 // by row, from 0
	rows    []int   // by class
	halves  []uint8 // by row: 0 or 1
	most    int     // the most frequent class
	rooms   sync.Pool
}

// aloneRoom is the workspace for one column.
type aloneRoom struct {
	cells          []uint64
	order          []int32
	counts, filled []int
	runs           []run
	list           []int32
	distance       []float64
}

// newAlone returns nil where the sample is too small to tell anything.
func newAlone(s *sample) *alone {
	a := &alone{sample: s, rooms: sync.Pool{New: func() any { return new(aloneRoom) }}}
	index := make(map[uint64]int32)
	for i, cell := range s.column(nil, s.label) {
		class, known := index[cell]
		if !known {
			class = int32(len(index))
			index[cell] = class
			a.rows = append(a.rows, 0)
		}
		a.rows[class]++
		a.classes = append(a.classes, class)
		a.halves = append(a.halves, uint8(mix(uint64(s.numbers[i])+1)>>63))
	}
	for class, rows := range a.rows {
		if rows > a.rows[a.most] {
			a.most = class
		}
	}
	if n := len(a.classes); n < enoughAlone || n-a.rows[a.most] < enoughOdd {
		return nil
	}
	return a
}

// base is the share of rows whose label is told by always naming the most
// frequent one.
func (a *alone) base() float64 { return share(a.rows[a.most], len(a.classes)) }

// leaks reports whether so high a share is as good as all.
func (a *alone) leaks(told float64) bool { return told-a.base() >= leakShare*(1-a.base()) }

// measure returns for each of the fields the share of rows whose label it tells.
func (a *alone) measure(ctx context.Context, fields []int) ([]float64, error) {
	told := make([]float64, len(fields))
	err := inParallel(ctx, len(fields), func(i int) {
		room := a.rooms.Get().(*aloneRoom)
		room.cells = a.sample.column(room.cells, fields[i])
		told[i] = a.told(room)
		a.rooms.Put(room)
	})
	return told, err
}

// told returns the share of rows whose label the room's cells tell.
func (a *alone) told(room *aloneRoom) float64 {
	cells := room.cells
	room.order = slices.Grow(room.order[:0], len(cells))[:len(cells)]
	order := room.order
	for i := range order {
		order[i] = int32(i)
	}
	// Numbers by size, then blanks and texts by their bits: equal ones meet.
	slices.SortFunc(order, func(i, j int32) int {
		x, y := math.Float64frombits(cells[i]), math.Float64frombits(cells[j])
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		case x == x && y != y:
			return -1
		case x != x && y == y:
			return 1
		}
		return cmp.Compare(cells[i], cells[j])
	})
	right := 0
	for half := range uint8(2) {
		right += a.rightOf(room, half)
	}
	return share(right, len(cells))
}

// run is rows with equal cells, in the order of the cells.
type run struct {
	rows  []int32
	value float64 // NaN for blanks and texts
	class int32   // the most frequent one of the rows to learn from, -1 without any
}

// rightOf returns how many rows of a half are told by the other half.
func (a *alone) rightOf(room *aloneRoom, half uint8) int {
	cells, order, runs := room.cells, room.order, room.runs[:0]
	room.counts, room.filled = zeroed(room.counts, len(a.rows)), zeroed(room.filled, len(a.rows))
	counts, filled := room.counts, room.filled
	for len(order) > 0 {
		cell, end := cells[order[0]], 1
		for end < len(order) && cells[order[end]] == cell {
			end++
		}
		r := run{rows: order[:end], value: math.Float64frombits(cell), class: -1}
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
	usual := int32(a.most) // of cells that are not blank
	for class, rows := range filled {
		if rows > filled[usual] {
			usual = int32(class)
		}
	}
	room.runs = runs
	right := 0
	for i, class := range room.guesses(usual) {
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

// guesses returns a class for each run: its own, or that of the nearest number,
// or the usual one.
func (room *aloneRoom) guesses(usual int32) []int32 {
	runs := room.runs
	room.list = slices.Grow(room.list[:0], len(runs))[:len(runs)]
	room.distance = slices.Grow(room.distance[:0], len(runs))[:len(runs)]
	list, distance := room.list, room.distance
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
