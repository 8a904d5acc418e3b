package frame

import (
	"cmp"
	"math"
	"slices"
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
}

// newAlone returns nil where the sample is too small to tell anything.
func newAlone(s *sample) *alone {
	a := &alone{sample: s}
	index := make(map[uint64]int32)
	for i, cell := range s.column(s.label) {
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
func (a *alone) measure(fields []int) []float64 {
	told := make([]float64, len(fields))
	inParallel(len(fields), func(i int) { told[i] = a.told(a.sample.column(fields[i])) })
	return told
}

// told returns the share of rows whose label the cells tell.
func (a *alone) told(cells []uint64) float64 {
	order := make([]int32, len(cells))
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
		right += a.rightOf(cells, order, half)
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
func (a *alone) rightOf(cells []uint64, order []int32, half uint8) int {
	counts, filled := make([]int, len(a.rows)), make([]int, len(a.rows))
	var runs []run
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
	right := 0
	for i, class := range guesses(runs, usual) {
		for _, row := range runs[i].rows {
			if a.halves[row] == half && a.classes[row] == class {
				right++
			}
		}
	}
	return right
}

// guesses returns a class for each run: its own, or that of the nearest number,
// or the usual one.
func guesses(runs []run, usual int32) []int32 {
	list, distance := make([]int32, len(runs)), make([]float64, len(runs))
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
