package tree

import (
	"context"
	"math/bits"
	"slices"
)

// Twins numbers the rows of bins: two have the same number if all their bins are
// the same, so that no tree tells one from the other. Numbers begin with 0 and
// ascend with the first row of each; n is how many there are. Where hardly any
// row has a twin the numbers are nil.
func (b *Bins) Twins(ctx context.Context, workers int) (numbers []int32, n int, err error) {
	strips, err := b.byRow(ctx, workers)
	if err != nil {
		return nil, 0, err
	}
	t := twins{strips: strips, hashes: make([]uint32, b.Rows)}
	err = Parallel(ctx, workers, (b.Rows+packed-1)/packed, func(_, task int) {
		for row := task * packed; row < min((task+1)*packed, b.Rows); row++ {
			t.hashes[row] = hash(strips, row)
		}
	})
	if err != nil {
		return nil, 0, err
	}
	numbers = t.number(make([]int32, b.Rows))
	return numbers, len(t.firsts), nil
}

// twins finds out which rows are the same: a hash table of open addresses.
type twins struct {
	strips []strip
	hashes []uint32 // by row
	firsts []int32  // the first row of each number
	places []int32  // a number + 1 where the hash of its rows leads to, or further on
}

// Rows are seldom the same if among the first so many, or among all, they hardly
// ever are.
const (
	telling = 1 << 16
	hardly  = 0.9
)

// number fills numbers, or returns nil.
func (t *twins) number(numbers []int32) []int32 {
	t.places = make([]int32, 1<<bits.Len(uint(2*len(numbers))))
	for row := range numbers {
		numbers[row] = t.find(row)
		if row+1 == min(telling, len(numbers)) && t.seldom(row+1) {
			return nil
		}
	}
	if t.seldom(len(numbers)) {
		return nil
	}
	return numbers
}

func (t *twins) seldom(rows int) bool { return float64(len(t.firsts)) > hardly*float64(rows) }

// find returns the number of a row, a new one if none before it is the same.
func (t *twins) find(row int) int32 {
	for at := int(t.hashes[row]); ; at++ {
		place := &t.places[at&(len(t.places)-1)]
		switch {
		case *place == 0:
			t.firsts = append(t.firsts, int32(row))
			*place = int32(len(t.firsts))
			return *place - 1
		case t.same(row, int(t.firsts[*place-1])):
			return *place - 1
		}
	}
}

func (t *twins) same(a, b int) bool {
	for i := range t.strips {
		if s := &t.strips[i]; !slices.Equal(s.row(a), s.row(b)) {
			return false
		}
	}
	return true
}

// row returns the words of a row.
func (s *strip) row(row int) []uint64 { return s.words[row*s.width:][:s.width] }

// hash depends on all the bins of a row.
func hash(strips []strip, row int) uint32 {
	h := uint64(0)
	for i := range strips {
		for _, word := range strips[i].row(row) {
			h = bits.RotateLeft64((h^word)*0x9e3779b97f4a7c15, 29)
		}
	}
	return uint32((h * 0xbf58476d1ce4e5b9) >> 32)
}
