package tree

import "slices"

// findCategorical sets best to the best split of a categorical feature's levels into two subsets,
// if its gain exceeds best.gain and s.minGain. h is the histogram of the feature.
//
// The levels are sorted by their optimal value −gradient/hessian. For a convex loss, the best left
// side is then a prefix of the levels (Fisher 1958), so only prefixes are scored. The sort key is
// smoothed, so that rare levels do not come first or last by chance. The L2 penalty is higher than
// for a numeric feature, because the order itself depends on the labels (Ke et al. 2017).
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
		if score := s.maxScore(sum, l2, top); score > top {
			top, found, left = score, i+1, sum
		}
	}
	if found > 0 {
		s.setLeftLevels(levels, found, left, best)
		best.gain = top - s.leafScore()
	}
}

// findOneHot sets best to the best split of one level from all other levels, if the gain of this
// split exceeds best.gain and s.minGain. levels holds the bins of the levels. findOneHot may change
// their order.
func (s *splitFinder) findOneHot(h []int64, levels []uint64, best *split) {
	top := s.leafScore() + max(best.gain, s.minGain)
	found := -1
	for i, level := range levels {
		if score := s.maxScore(h[level], s.l2, top); score > top {
			top, found = score, i
		}
	}
	if found >= 0 {
		levels[0], levels[found] = levels[found], levels[0]
		s.setLeftLevels(levels, 1, h[levels[0]], best)
		best.gain = top - s.leafScore()
	}
}

// setLeftLevels sets the left side of best to the first n elements of levels. The lowest
// byte of an element is the bin of the level. left is the packed sum of the left side.
// Levels without rows in the leaf go to the default side; see defaultGoesLeft.
func (s *splitFinder) setLeftLevels(levels []uint64, n int, left int64, best *split) {
	set := new(BinSet)
	if s.defaultGoesLeft(left) {
		*set = BinSet{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
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
