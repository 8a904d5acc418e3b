package rowsample

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"foretell/internal/rescue"
	"foretell/internal/spill"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// Sample keeps a random sample of rows in bounded memory. It is used to compute medians and the
// accuracy with which single columns predict the label.
//
// A row is kept if the hash of its index ends in zeroBits zero bits. When there are too many rows,
// zeroBits increases by one, and about half of the rows are dropped. The sample is therefore the
// same for any number of threads.
//
// Only a few rows of a wide table fit in memory. All rows of such a table, up to maxWideRows, are
// therefore also written to disk.
type Sample struct {
	fields     int
	id         int // position of the ID, which is not kept
	label      int // position of the label, -1 in a blind file
	capacity   int // largest number of rows in memory
	zeroBits   uint
	rowNumbers []int      // the index in the file of each row
	cells      [][]uint64 // by row and field, as encodeNumber and encodeText return them
	disk       *spill.File
	spilled    *spilledRows // all rows of a wide table that exceeds the memory, otherwise nil
	scratchRow []uint64     // buffer for a row that is only spilled
}

// A sample contains at most maxSampleRows rows and sampleCells values (rows × columns). In a table
// with many columns, sampleCells values are only a few rows, so the sample may have up to
// maxWideRows rows instead, but at most maxSampleCells values.
const (
	maxSampleRows  = 10_000
	sampleCells    = 2 << 20
	maxWideRows    = 1_000
	maxSampleCells = 16 << 20
)

// New returns an empty sample of rows with the given number of fields. id and label are the
// positions of the ID and the label; label is -1 in a blind file. If brief is set, the sample of a
// wide table is smaller, because a brief profile has neither medians nor LabelAccuracy.
func New(fields, id, label int, brief bool, disk *spill.File) *Sample {
	wide := min(maxWideRows, maxSampleCells/fields)
	if brief {
		wide = 1
	}
	capacity := min(max(sampleCells/fields, wide), maxSampleRows)
	return &Sample{fields: fields, id: id, label: label, capacity: capacity, disk: disk}
}

// A sampled value consists of the bits of a float64: the number itself, sampledBlank if the field
// is blank, or another NaN, which contains the hash of the text.
const (
	sampledBlank = 0x7FF8_0000_0000_0001 // the bits of math.NaN()
	sampledText  = 0xFFF8_0000_0000_0000 // combined with the hash of a text
)

func encodeNumber(value float64) uint64 { return math.Float64bits(value + 0) }
func encodeText(cell []byte) uint64     { return sampledText | cells.Hash(cell)>>13 }

// isSampled reports whether the row with the given index is in the sample.
func (s *Sample) isSampled(row int) bool { return cells.Mix64(uint64(row)+1)&(1<<s.zeroBits-1) == 0 }

// AddChunk adds the rows of a parsed chunk. first is the index of the chunk's first row
// in the file.
func (s *Sample) AddChunk(chunk *csvfile.ParsedChunk, first int) {
	for row := range chunk.Rows {
		cells := s.startRow(first + row)
		for field := range cells {
			if chunk.Numeric[field] {
				if value := chunk.Values[field*chunk.Stride+row]; value == value {
					cells[field] = encodeNumber(value)
					continue
				}
			}
			cells[field] = s.encodeCell(field, chunk.Cell(row, field))
		}
		s.spillRow(cells)
	}
}

// Add adds the row with the given index in the file.
func (s *Sample) Add(fields [][]byte, row int) {
	cells := s.startRow(row)
	for field := range cells {
		cells[field] = s.encodeCell(field, fields[field])
	}
	s.spillRow(cells)
}

func (s *Sample) encodeCell(field int, cell []byte) uint64 {
	switch field {
	case s.id:
		return sampledBlank
	case s.label:
		if cells.IsBlank(cell) {
			return sampledBlank
		}
		return encodeText(cell)
	}
	return encodeFeature(cell)
}

// encodeFeature returns the sampled value of a cell that is neither an ID nor a label; see
// sampledBlank.
func encodeFeature(cell []byte) uint64 {
	if kind, value := cells.Classify(cell); kind == cells.Number {
		return encodeNumber(value)
	}
	if cell = cells.Trim(cell); len(cell) > 0 {
		return encodeText(cell)
	}
	return sampledBlank
}

// HasAllRows reports whether all rows of the file are in the sample, in memory or on disk.
func (s *Sample) HasAllRows() bool { return s.zeroBits == 0 || s.spilled != nil }

// startRow returns memory for the values of a row, or nil if the row is not needed. The
// caller must fill the memory and pass it to spillRow.
func (s *Sample) startRow(row int) []uint64 {
	if s.spilled != nil && s.spilled.rows == maxWideRows {
		s.spilled = nil
	}
	if !s.isSampled(row) {
		if s.spilled == nil {
			return nil
		}
		s.scratchRow = slices.Grow(s.scratchRow[:0], s.fields)[:s.fields]
		return s.scratchRow
	}
	for len(s.rowNumbers) >= s.capacity {
		s.halve()
	}
	cells := make([]uint64, s.fields)
	s.rowNumbers, s.cells = append(s.rowNumbers, row), append(s.cells, cells)
	return cells
}

// spillRow writes the values of a row to disk, if the sample keeps all rows there. cells is the
// result of startRow for the row.
func (s *Sample) spillRow(cells []uint64) {
	if s.spilled != nil && cells != nil {
		s.spilled.add(cells)
	}
}

// halve drops about half of the rows from memory. If the table is wide, the first call
// also starts to write all rows to disk, beginning with the rows so far.
func (s *Sample) halve() {
	if s.zeroBits == 0 && s.capacity < maxWideRows {
		s.spilled = newSpilledRows(s.disk, s.fields)
		for _, cells := range s.cells {
			s.spilled.add(cells)
		}
	}
	s.zeroBits++
	kept := 0
	for i, number := range s.rowNumbers {
		if s.isSampled(number) {
			s.rowNumbers[kept], s.cells[kept] = number, s.cells[i]
			kept++
		}
	}
	clear(s.cells[kept:])
	s.rowNumbers, s.cells = s.rowNumbers[:kept], s.cells[:kept]
}

// fieldCells returns the sampled values of a field by row, reusing dst if it is large
// enough.
func (s *Sample) fieldCells(dst []uint64, field int) []uint64 {
	dst = slices.Grow(dst[:0], len(s.cells))
	for _, cells := range s.cells {
		dst = append(dst, cells[field])
	}
	return dst
}

// FieldStats are the statistics of the sampled values of a field.
type FieldStats struct {
	Median         float64 // median of the numbers; NaN if there are no numbers
	Numbers, Texts int     // number of distinct numbers and of distinct texts
	// Percentiles holds 101 of the sorted numbers, at evenly spaced positions from the smallest to
	// the largest. It is nil if there are fewer than minPercentileRows numbers.
	Percentiles []float64
}

// minPercentileRows is the smallest number of sampled numbers whose percentiles are computed.
const minPercentileRows = 1000

// FieldStats returns the statistics of each wanted field.
func (s *Sample) FieldStats(ctx context.Context, wanted func(field int) bool) ([]FieldStats, error) {
	list := make([]FieldStats, s.fields)
	err := s.forEachField(ctx, wanted, func(field int, cells []uint64) { list[field] = sortAndComputeStats(cells) })
	return list, err
}

// forEachField calls visit with each wanted field and its sampled values, in the order of
// rowIndices. The function visit may change the values. Calls for different fields may be
// concurrent.
func (s *Sample) forEachField(ctx context.Context, wanted func(field int) bool, visit func(field int, cells []uint64)) error {
	if s.spilled != nil {
		errs := make([]error, len(s.spilled.groups))
		err := rescue.ParallelFor(ctx, len(errs), func(i int) { errs[i] = s.spilled.forEachField(i, wanted, visit) })
		return errors.Join(err, errors.Join(errs...))
	}
	buffers := sync.Pool{New: func() any { return new([]uint64) }}
	return rescue.ParallelFor(ctx, s.fields, func(field int) {
		if wanted(field) {
			cells := buffers.Get().(*[]uint64)
			*cells = s.fieldCells(*cells, field)
			visit(field, *cells)
			buffers.Put(cells)
		}
	})
}

// rowIndices returns, for each row of the sample, its index in the file.
func (s *Sample) rowIndices() []int {
	if s.spilled == nil {
		return s.rowNumbers
	}
	numbers := make([]int, s.spilled.rows)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}

// blankSortKey is the sort key of a blank cell.
const blankSortKey = 0xFFF7_FFFF_FFFF_FFFF

// sortKey returns a key for a sampled value, so that numbers come first, ordered by value, then
// blank fields, then texts.
func sortKey(cell uint64) uint64 {
	switch {
	case cell == sampledBlank:
		return blankSortKey
	case cell >= sampledText:
		return cell
	case cell>>63 == 1:
		return ^cell
	}
	return cell | 1<<63
}

// numberFromSortKey returns the number with the given sort key.
func numberFromSortKey(cell uint64) float64 {
	if cell>>63 == 0 {
		return math.Float64frombits(^cell)
	}
	return math.Float64frombits(cell &^ (1 << 63))
}

// sortAndComputeStats computes the statistics of the sampled values of a field. It
// overwrites values.
func sortAndComputeStats(values []uint64) FieldStats {
	f := FieldStats{Median: cells.NaN}
	for i, cell := range values {
		values[i] = sortKey(cell)
	}
	slices.Sort(values)
	n, _ := slices.BinarySearch(values, blankSortKey)
	if middle := n / 2; n%2 == 1 {
		f.Median = numberFromSortKey(values[middle])
	} else if n > 0 {
		f.Median = numberFromSortKey(values[middle-1])/2 + numberFromSortKey(values[middle])/2
	}
	if n >= minPercentileRows {
		f.Percentiles = make([]float64, 101)
		for i := range f.Percentiles {
			f.Percentiles[i] = numberFromSortKey(values[i*(n-1)/100])
		}
	}
	for i, cell := range values {
		switch {
		case i > 0 && cell == values[i-1] || cell == blankSortKey:
		case i < n:
			f.Numbers++
		default:
			f.Texts++
		}
	}
	return f
}
