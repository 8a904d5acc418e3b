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
	numbers  []int    // by row: its number in the file, from 0
	cells    []uint64 // by row and field, see sampledNumber and sampledText
}

const (
	sampleRows  = 10_000
	sampleCells = 2 << 20
	leastSample = 500
)

func newSample(fields, id, label int) *sample {
	capacity := min(max(sampleCells/fields, leastSample), sampleRows)
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
		s.begin(first + row)
		for field := range s.fields {
			if g.numeric[field] {
				if value := g.values[field*g.stride+row]; value == value {
					s.cells = append(s.cells, sampledNumber(value))
					continue
				}
			}
			s.cells = append(s.cells, s.cell(field, g.cellText(row, field)))
		}
	}
}

// add takes a row.
func (s *sample) add(fields [][]byte, row int) {
	if !s.takes(row) {
		return
	}
	s.begin(row)
	for i, cell := range fields {
		s.cells = append(s.cells, s.cell(i, cell))
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

// begin makes room for a row.
func (s *sample) begin(row int) {
	for len(s.numbers) >= s.capacity {
		s.depth++
		kept := 0
		for i, number := range s.numbers {
			if s.takes(number) {
				s.numbers[kept] = number
				copy(s.cells[kept*s.fields:][:s.fields], s.cells[i*s.fields:])
				kept++
			}
		}
		s.numbers, s.cells = s.numbers[:kept], s.cells[:kept*s.fields]
	}
	s.numbers = append(s.numbers, row)
}

// column returns the cells of a field, row by row.
func (s *sample) column(field int) []uint64 {
	list := make([]uint64, 0, len(s.numbers))
	for at := field; at < len(s.cells); at += s.fields {
		list = append(list, s.cells[at])
	}
	return list
}

// median returns the middle one of a field's numbers, exact if all rows are
// kept; NaN if there is none.
func (s *sample) median(field int) float64 {
	var list []float64
	for _, cell := range s.column(field) {
		if value := math.Float64frombits(cell); value == value {
			list = append(list, value)
		}
	}
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
