package frame

import (
	"cmp"
	"math"
	"slices"
)

// sample keeps cells of rows chosen by chance, in memory that does not grow with
// the file: from them come the medians, and how much of the label a column tells
// by itself (see alone).
//
// A row is kept if the hash of its number ends in so many zero bits. When there
// are too many, one more is asked for, and half of the rows go: the same rows
// stay whatever the number of threads.
type sample struct {
	fields   int
	id       int // field of the ID, of which nothing is kept
	label    int // field of the label, -1 in a blind file
	capacity int // rows
	depth    uint
	numbers  []int      // by row: its number in the file, from 0
	cells    [][]uint64 // by row and field, see sampledNumber and sampledText
	some     []uint64   // workspace of different
	values   []float64  // workspace of median
}

// How many rows a sample has: as many as have sampleCells cells, but wideRowsKept
// of a table with many columns, as long as they have no more than mostCellsKept.
const (
	sampleRows    = 10_000
	sampleCells   = 2 << 20
	wideRowsKept  = 1_000
	mostCellsKept = 16 << 20
)

func newSample(fields, id, label int) *sample {
	wide := min(wideRowsKept, mostCellsKept/fields)
	capacity := min(max(sampleCells/fields, wide), sampleRows)
	return &sample{fields: fields, id: id, label: label, capacity: capacity}
}

// A sampled cell is the bits of its number, or those of a NaN that holds the
// hash of its text; blank cells are those of NaN itself.
const (
	sampledBlank = 0x7FF8_0000_0000_0001 // math.NaN
	sampledOther = 0xFFF8_0000_0000_0000
)

func sampledNumber(value float64) uint64 { return math.Float64bits(value + 0) }
func sampledText(cell []byte) uint64     { return sampledOther | hashText(cell)>>13 }

// takes reports whether the row with a number is one to keep.
func (s *sample) takes(row int) bool { return mix(uint64(row)+1)&(1<<s.depth-1) == 0 }

// addGrid takes rows of a grid whose columns were read; the first has a number.
func (s *sample) addGrid(g *grid, first int) {
	for row := range g.rows {
		if !s.takes(first + row) {
			continue
		}
		cells := s.begin(first + row)
		for field := range cells {
			if g.numeric[field] {
				if value := g.values[field*g.stride+row]; value == value {
					cells[field] = sampledNumber(value)
					continue
				}
			}
			cells[field] = s.cell(field, g.cellText(row, field))
		}
	}
}

// add takes a row.
func (s *sample) add(fields [][]byte, row int) {
	if !s.takes(row) {
		return
	}
	cells := s.begin(row)
	for i, cell := range fields {
		cells[i] = s.cell(i, cell)
	}
}

func (s *sample) cell(field int, cell []byte) uint64 {
	switch field {
	case s.id:
		return sampledBlank
	case s.label:
		return sampledText(cell)
	}
	if kind, value := classify(cell); kind == number {
		return sampledNumber(value)
	}
	if cell = trim(cell); len(cell) > 0 {
		return sampledText(cell)
	}
	return sampledBlank
}

// complete reports whether all rows are kept.
func (s *sample) complete() bool { return s.depth == 0 }

// begin makes room for a row and returns it.
func (s *sample) begin(row int) []uint64 {
	for len(s.numbers) >= s.capacity {
		s.depth++
		kept := 0
		for i, number := range s.numbers {
			if s.takes(number) {
				s.numbers[kept], s.cells[kept] = number, s.cells[i]
				kept++
			}
		}
		clear(s.cells[kept:])
		s.numbers, s.cells = s.numbers[:kept], s.cells[:kept]
	}
	cells := make([]uint64, s.fields)
	s.numbers, s.cells = append(s.numbers, row), append(s.cells, cells)
	return cells
}

// column returns the cells of a field, row by row, in the place of dst if that
// has room for them.
func (s *sample) column(dst []uint64, field int) []uint64 {
	dst = slices.Grow(dst[:0], len(s.cells))
	for _, cells := range s.cells {
		dst = append(dst, cells[field])
	}
	return dst
}

// different returns how many different numbers and how many other texts a field
// holds in the rows that are kept.
func (s *sample) different(field int) (numbers, texts int) {
	s.some = s.column(s.some, field)
	slices.Sort(s.some)
	for _, cell := range slices.Compact(s.some) {
		switch value := math.Float64frombits(cell); {
		case value == value:
			numbers++
		case cell != sampledBlank:
			texts++
		}
	}
	return numbers, texts
}

// median returns the middle one of a field's numbers, exact if all rows are
// kept; NaN if there is none.
func (s *sample) median(field int) float64 {
	list := slices.Grow(s.values[:0], len(s.cells))
	for _, cells := range s.cells {
		cell := cells[field]
		if value := math.Float64frombits(cell); value == value {
			list = append(list, value)
		}
	}
	s.values = list
	if len(list) == 0 {
		return NaN
	}
	slices.Sort(list)
	middle := len(list) / 2
	if len(list)%2 == 1 {
		return list[middle]
	}
	return list[middle-1]/2 + list[middle]/2
}

// medianOf is the same of levels of numbers.
func medianOf(values []level) float64 {
	sorted := slices.SortedFunc(slices.Values(values), func(a, b level) int { return cmp.Compare(a.value, b.value) })
	rows := 0
	for i := range sorted {
		rows += sorted[i].rows
	}
	before := 0
	for i := range sorted {
		if before += sorted[i].rows; 2*before > rows {
			return sorted[i].value
		}
		if 2*before == rows {
			return sorted[i].value/2 + sorted[i+1].value/2
		}
	}
	return NaN
}
