package tree

import "slices"

// findCategorical finds the best subset of the levels of a categorical feature, whose
// histogram is h. For a convex loss the best subset is a prefix of the levels ordered by
// their optimal value −gradient/hessian (Fisher 1958), so only prefixes are scored.
// Smoothing keeps rare levels from being first or last by chance. The L2 penalty is higher
// than for a threshold, because the order is itself fitted to the labels (Ke et al. 2017).
func (s *splitFinder) findCategorical(h []int64, best *split) {
	// An element holds the sort key of a level, and the level's bin in the lowest byte.
	var buffer [histWidth]uint64
	levels := buffer[:0]
	for bin, cell := range h {
		if cell != 0 {
			levels = append(levels, uint64(bin))
		}
	}
	if len(levels) < 2 {
		return
	}
	if len(levels) <= maxOneHot {
		s.findOneHot(h, levels, best)
		return
	}
	for i, level := range levels {
		g, h := unpack(h[level])
		levels[i] = sortKey(g/(h+s.catSmooth))&^0xff | level
	}
	slices.Sort(levels)
	l2 := s.l2 + s.catL2
	top := s.leafScore() + max(best.gain, s.minGain)
	found := 0
	var sum, left int64
	for i, level := range levels[:len(levels)-1] {
		sum += h[uint8(level)]
		if gain := s.maxGain(sum, l2, top); gain > top {
			top, found, left = gain, i+1, sum
		}
	}
	if found > 0 {
		s.setLeftLevels(levels, found, left, best)
		best.gain = top - s.leafScore()
	}
}

// findOneHot sets best to the split that separates the best single level from the others,
// if its gain is higher than that of best.
func (s *splitFinder) findOneHot(h []int64, levels []uint64, best *split) {
	top := s.leafScore() + max(best.gain, s.minGain)
	found := -1
	for i, level := range levels {
		if gain := s.maxGain(h[level], s.l2, top); gain > top {
			top, found = gain, i
		}
	}
	if found >= 0 {
		levels[0], levels[found] = levels[found], levels[0]
		s.setLeftLevels(levels, 1, h[levels[0]], best)
		best.gain = top - s.leafScore()
	}
}

// setLeftLevels makes the first n of levels the left side of best, with the packed sum
// left. Levels that no row of the leaf has go to the default side, see defaultGoesLeft.
func (s *splitFinder) setLeftLevels(levels []uint64, n int, left int64, best *split) {
	set := new(Set)
	if s.defaultGoesLeft(left) {
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
	best.leftBins = set
}
