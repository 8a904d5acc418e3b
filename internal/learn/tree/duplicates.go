package tree

import (
	"context"
	"math/bits"
	"slices"

	"foretell/internal/learn/parallel"
)

// DuplicateRows numbers the rows such that two have the same number if all
// their bins are equal, so that no tree can distinguish them. Numbers begin
// with 0 and ascend by the first row of each; n is their count. If nearly all
// rows are unique numbers is nil.
func (b *BinnedMatrix) DuplicateRows(ctx context.Context, workers int) (numbers []int32, n int, err error) {
	blocks, err := b.rowMajor(ctx, workers)
	if err != nil {
		return nil, 0, err
	}
	t := duplicateFinder{blocks: blocks, hashes: make([]uint32, b.Rows)}
	err = parallel.ForContext(ctx, workers, (b.Rows+packRows-1)/packRows, func(_, task int) {
		for row := task * packRows; row < min((task+1)*packRows, b.Rows); row++ {
			t.hashes[row] = hashRow(blocks, row)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	numbers = t.assign(make([]int32, b.Rows))
	return numbers, len(t.firstRows), nil
}

// duplicateFinder numbers rows with a hash table of open addressing.
type duplicateFinder struct {
	blocks    []rowBlock
	hashes    []uint32 // by row
	firstRows []int32  // the first row of each number
	slots     []int32  // number + 1, or 0 if empty
}

// Rows are mostly unique if more than maxUniqueShare of them are, in the first
// uniqueSampleRows or in all.
const (
	uniqueSampleRows = 1 << 16
	maxUniqueShare   = 0.9
)

// assign fills numbers, or returns nil if rows are mostly unique.
func (t *duplicateFinder) assign(numbers []int32) []int32 {
	t.slots = make([]int32, 1<<bits.Len(uint(2*len(numbers))))
	for row := range numbers {
		numbers[row] = t.find(row)
		if row+1 == min(uniqueSampleRows, len(numbers)) && t.mostlyUnique(row+1) {
			return nil
		}
	}
	if t.mostlyUnique(len(numbers)) {
		return nil
	}
	return numbers
}

func (t *duplicateFinder) mostlyUnique(rows int) bool {
	return float64(len(t.firstRows)) > maxUniqueShare*float64(rows)
}

// find returns the number of a row, a new one if no earlier row is equal.
func (t *duplicateFinder) find(row int) int32 {
	for at := int(t.hashes[row]); ; at++ {
		slot := &t.slots[at&(len(t.slots)-1)]
		switch {
		case *slot == 0:
			t.firstRows = append(t.firstRows, int32(row))
			*slot = int32(len(t.firstRows))
			return *slot - 1
		case t.equalRows(row, int(t.firstRows[*slot-1])):
			return *slot - 1
		}
	}
}

func (t *duplicateFinder) equalRows(a, b int) bool {
	for i := range t.blocks {
		if s := &t.blocks[i]; !slices.Equal(s.row(a), s.row(b)) {
			return false
		}
	}
	return true
}

// row returns the words of a row.
func (s *rowBlock) row(row int) []uint64 { return s.words[row*s.width:][:s.width] }

// hashRow returns a hash of all bins of a row.
func hashRow(blocks []rowBlock, row int) uint32 {
	h := uint64(0)
	for i := range blocks {
		for _, word := range blocks[i].row(row) {
			h = bits.RotateLeft64((h^word)*0x9e3779b97f4a7c15, 29)
		}
	}
	return uint32((h * 0xbf58476d1ce4e5b9) >> 32)
}
