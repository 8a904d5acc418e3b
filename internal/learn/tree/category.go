package tree

import "slices"

// categorical finds the best subset of the levels in the cells of a
// categorical feature. For a convex loss the best of all subsets is among the
// prefixes of the levels ordered by their optimal value −g/h (Fisher 1958), so
// that is where it looks; the order is smoothed because rare levels lie at its
// ends by chance, and the penalty is higher than that of an edge because the
// order was made from the same labels (Ke et al. 2017).
func (s *scan) categorical(h []int64, best *split) {
	// A level is its rank and its bin in one number, the bin in the lowest byte.
	var room [window]uint64
	levels := room[:0]
	for bin, cell := range h {
		if cell != 0 {
			levels = append(levels, uint64(bin))
		}
	}
	if len(levels) < 2 {
		return
	}
	if len(levels) <= oneVsRest {
		s.single(h, levels, best)
		return
	}
	for i, level := range levels {
		g, h := halves(h[level])
		levels[i] = sortable(g/(h+s.catSmooth))&^0xff | level
	}
	slices.Sort(levels)
	l2 := s.l2 + s.catL2
	top := s.alone() + max(best.gain, s.floor)
	found := 0
	var sum, left int64
	for i, level := range levels[:len(levels)-1] {
		sum += h[uint8(level)]
		if gain := s.better(sum, l2, top); gain > top {
			top, found, left = gain, i+1, sum
		}
	}
	if found > 0 {
		s.take(levels, found, left, best)
		best.gain = top - s.alone()
	}
}

// single finds the best level to split off from the others.
func (s *scan) single(h []int64, levels []uint64, best *split) {
	top := s.alone() + max(best.gain, s.floor)
	found := -1
	for i, level := range levels {
		if gain := s.better(h[level], s.l2, top); gain > top {
			top, found = gain, i
		}
	}
	if found >= 0 {
		levels[0], levels[found] = levels[found], levels[0]
		s.take(levels, 1, h[levels[0]], best)
		best.gain = top - s.alone()
	}
}

// take makes the first n levels the left side of best. Levels that are not in
// the leaf go with the heavier side.
func (s *scan) take(levels []uint64, n int, left int64, best *split) {
	set := new(Set)
	if s.heavier(left) {
		*set = Set{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
		for _, level := range levels[n:] {
			bin := uint8(level)
			set[bin>>6] &^= 1 << (bin & 63)
		}
	} else {
		for _, level := range levels[:n] {
			set.add(uint8(level))
		}
	}
	best.left = left
	best.goesLeft = set
}
