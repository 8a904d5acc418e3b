package frame

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"foretell/internal/scratch"
)

// sample keeps cells of rows chosen by chance, in memory that does not grow with
// the file: from them come the medians, and how much of the label a column tells
// by itself (see alone).
//
// A row is kept if the hash of its number ends in so many zero bits. When there
// are too many, one more is asked for, and half of the rows go: the same rows
// stay whatever the number of threads.
//
// A wide table has so few rows in memory that all of them go to the disk too, as
// long as they are at most wideRowsKept.
type sample struct {
	fields   int
	id       int // field of the ID, of which nothing is kept
	label    int // field of the label, -1 in a blind file
	capacity int // rows
	depth    uint
	numbers  []int      // by row: its number in the file, from 0
	cells    [][]uint64 // by row and field, see sampledNumber and sampledText
	disk     *scratch.Disk
	all      *overflow // all rows, once the memory has too few of a wide table; else nil
	spare    []uint64  // a row that only all has
}

// How many rows a sample has: as many as have sampleCells cells, but wideRowsKept
// of a table with many columns, in memory as long as they have no more than
// mostCellsKept.
const (
	sampleRows    = 10_000
	sampleCells   = 2 << 20
	wideRowsKept  = 1_000
	mostCellsKept = 16 << 20
)

// newSample returns an empty sample. A brief one has less memory: the columns of a
// wide table are not held against the label.
func newSample(fields, id, label int, brief bool, disk *scratch.Disk) *sample {
	wide := min(wideRowsKept, mostCellsKept/fields)
	if brief {
		wide = 1
	}
	capacity := min(max(sampleCells/fields, wide), sampleRows)
	return &sample{fields: fields, id: id, label: label, capacity: capacity, disk: disk}
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
		s.end(cells)
	}
}

// add takes a row.
func (s *sample) add(fields [][]byte, row int) {
	cells := s.begin(row)
	for field := range cells {
		cells[field] = s.cell(field, fields[field])
	}
	s.end(cells)
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
func (s *sample) complete() bool { return s.depth == 0 || s.all != nil }

// begin returns where the cells of the row with a number belong, nil if it is not
// one to keep. They are passed to end.
func (s *sample) begin(row int) []uint64 {
	if s.all != nil && s.all.rows == wideRowsKept {
		s.all = nil
	}
	if !s.takes(row) {
		if s.all == nil {
			return nil
		}
		s.spare = slices.Grow(s.spare[:0], s.fields)[:s.fields]
		return s.spare
	}
	for len(s.numbers) >= s.capacity {
		s.halve()
	}
	cells := make([]uint64, s.fields)
	s.numbers, s.cells = append(s.numbers, row), append(s.cells, cells)
	return cells
}

// end takes the cells of a row that has begun.
func (s *sample) end(cells []uint64) {
	if s.all != nil && cells != nil {
		s.all.add(cells)
	}
}

// halve lets go of about half of the rows. Those of a wide table go to the disk
// before the first time.
func (s *sample) halve() {
	if s.depth == 0 && s.capacity < wideRowsKept {
		s.all = newOverflow(s.disk, s.fields)
		for _, cells := range s.cells {
			s.all.add(cells)
		}
	}
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

// column returns the cells of a field, row by row, in the place of dst if that
// has room for them.
func (s *sample) column(dst []uint64, field int) []uint64 {
	dst = slices.Grow(dst[:0], len(s.cells))
	for _, cells := range s.cells {
		dst = append(dst, cells[field])
	}
	return dst
}

// cellFigures are of the cells that a sample has of a field: of all rows if it is
// complete.
type cellFigures struct {
	median         float64 // of the numbers; NaN if there is none
	numbers, texts int     // different ones
}

// figures returns those of the wanted fields, by field.
func (s *sample) figures(ctx context.Context, wanted func(field int) bool) ([]cellFigures, error) {
	list := make([]cellFigures, s.fields)
	err := s.each(ctx, wanted, func(field int, cells []uint64) { list[field] = figuresOf(cells) })
	return list, err
}

// each calls do with each wanted field and its cells, one for each of rows, which do
// may change. Calls are made by several goroutines, one for a field.
func (s *sample) each(ctx context.Context, wanted func(field int) bool, do func(field int, cells []uint64)) error {
	if s.all != nil {
		errs := make([]error, len(s.all.groups))
		err := inParallel(ctx, len(errs), func(i int) { errs[i] = s.all.each(i, wanted, do) })
		return errors.Join(err, errors.Join(errs...))
	}
	rooms := sync.Pool{New: func() any { return new([]uint64) }}
	return inParallel(ctx, s.fields, func(field int) {
		if wanted(field) {
			cells := rooms.Get().(*[]uint64)
			*cells = s.column(*cells, field)
			do(field, *cells)
			rooms.Put(cells)
		}
	})
}

// rows returns the numbers in the file of the rows that each has cells of.
func (s *sample) rows() []int {
	if s.all == nil {
		return s.numbers
	}
	numbers := make([]int, s.all.rows)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// The order of sampled cells: numbers by size, blank ones, texts.
const orderedBlank = 0xFFF7_FFFF_FFFF_FFFF

func ordered(cell uint64) uint64 {
	switch {
	case cell == sampledBlank:
		return orderedBlank
	case cell >= sampledOther:
		return cell
	case cell>>63 == 1:
		return ^cell
	}
	return cell | 1<<63
}

// orderedNumber returns the number of an ordered cell.
func orderedNumber(cell uint64) float64 {
	if cell>>63 == 0 {
		return math.Float64frombits(^cell)
	}
	return math.Float64frombits(cell &^ (1 << 63))
}

// figuresOf sorts the cells.
func figuresOf(cells []uint64) cellFigures {
	f := cellFigures{median: NaN}
	for i, cell := range cells {
		cells[i] = ordered(cell)
	}
	slices.Sort(cells)
	n, _ := slices.BinarySearch(cells, orderedBlank)
	if middle := n / 2; n%2 == 1 {
		f.median = orderedNumber(cells[middle])
	} else if n > 0 {
		f.median = orderedNumber(cells[middle-1])/2 + orderedNumber(cells[middle])/2
	}
	for i, cell := range cells {
		switch {
		case i > 0 && cell == cells[i-1] || cell == orderedBlank:
		case i < n:
			f.numbers++
		default:
			f.texts++
		}
	}
	return f
}

// medianOf returns the middle one of levels of numbers.
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
