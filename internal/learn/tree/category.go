package tree

import (
	"cmp"
	"slices"
)

// level is a bin of a categorical feature with rows in the leaf.
type level struct {
	bin  uint8
	cell int64
	rank float64
}

// categorical finds the best subset of the levels in the cells of a
// categorical feature. For a convex loss the best of all subsets is among the
// prefixes of the levels ordered by their optimal value −g/h (Fisher 1958), so
// that is where it looks; the order is smoothed because rare levels lie at its
// ends by chance, and the penalty is higher than that of an edge because the
// order was made from the same labels (Ke et al. 2017).
func (s *scan) categorical(h []int64, best *split) {
	var room [window]level
	levels := room[:0]
	for bin, cell := range h {
		if cell != 0 {
			levels = append(levels, level{bin: uint8(bin), cell: cell})
		}
	}
	if len(levels) < 2 {
		return
	}
	if len(levels) <= oneVsRest {
		s.single(levels, best)
		return
	}
	for i := range levels {
		g, h := halves(levels[i].cell)
		levels[i].rank = g / (h + s.catSmooth)
	}
	slices.SortFunc(levels, func(a, b level) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.bin, b.bin))
	})
	l2 := s.l2 + s.catL2
	top := s.alone() + max(best.gain, s.floor)
	found := 0
	var sum, left int64
	for i := range len(levels) - 1 {
		sum += levels[i].cell
		if gain := s.gain(sum, l2); gain > top {
			top, found, left = gain, i+1, sum
		}
	}
	if found > 0 {
		s.take(levels, found, left, best)
		best.gain = top - s.alone()
	}
}

// single finds the best level to split off from the others.
func (s *scan) single(levels []level, best *split) {
	top := s.alone() + max(best.gain, s.floor)
	found := -1
	for i := range levels {
		if gain := s.gain(levels[i].cell, s.l2); gain > top {
			top, found = gain, i
		}
	}
	if found >= 0 {
		levels[0], levels[found] = levels[found], levels[0]
		s.take(levels, 1, levels[0].cell, best)
		best.gain = top - s.alone()
	}
}

// take makes the first n levels the left side of best. Levels that are not in
// the leaf go with the heavier side.
func (s *scan) take(levels []level, n int, left int64, best *split) {
	set := new(Set)
	if s.heavier(left) {
		*set = Set{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		for i := range levels[n:] {
			bin := levels[n+i].bin
			set[bin>>6] &^= 1 << (bin & 63)
		}
	} else {
		for i := range levels[:n] {
			set.add(levels[i].bin)
		}
	}
	best.left = left
	best.goesLeft = set
}
