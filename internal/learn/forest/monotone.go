package forest

import "foretell/internal/learn/tree"

// bounds are the smallest and the largest fraction of rows of class 1 that a leaf may have. Splits
// with a fraction outside the bounds are not considered, as in scikit-learn's monotonic_cst.
//
// A split by a monotone feature has one side with the smaller fraction. The mean of both fractions
// is an upper bound for all leaves that are later created on that side, and a lower bound for those
// on the other side. Later splits therefore cannot reverse the order.
type bounds struct{ low, high float64 }

var unbounded = bounds{0, 1}

// direction returns the direction of a feature, which is tree.AnyOrder if the feature need not be
// monotone.
func (s *splitter) direction(feature int) tree.Direction {
	if s.monotone == nil {
		return tree.AnyOrder
	}
	return s.monotone[feature]
}

// satisfiesMonotone reports whether the fractions of class 1 on both sides of a split are within
// the bounds of the leaf and in the order that the parameter direction requires. leftRows is the
// number of rows on the left. s.leftCounts must hold the number of these rows in each class. If
// dividesValues is false, the split only separates missing values, so the order does not matter.
func (s *splitter) satisfiesMonotone(direction tree.Direction, leftRows int64, dividesValues bool) bool {
	left := float64(s.leftCounts[1]) / float64(leftRows)
	right := float64(s.classTotals[1]-s.leftCounts[1]) / float64(s.rows-leftRows)
	if min(left, right) < s.bounds.low || max(left, right) > s.bounds.high {
		return false
	}
	return !dividesValues || float64(direction)*(right-left) >= 0
}

// dividesValues reports whether values that are not missing may be on both sides of a
// split.
func (s *splitter) dividesValues(found *nodeSplit) bool {
	return found.numeric && found.threshold < s.bins.Features[found.feature].MissingBin-1
}

// childBounds returns the bounds of the two children of a leaf that was split. The rows
// of the right child begin at g.sample[mid].
func (g *grower) childBounds(leaf *node, mid int32) (left, right bounds) {
	left, right = leaf.bounds, leaf.bounds
	direction := g.direction(leaf.best.feature)
	if direction == tree.AnyOrder || !g.dividesValues(&leaf.best) {
		return left, right
	}
	middle := (classFraction(g.sample[leaf.lo:mid]) + classFraction(g.sample[mid:leaf.hi])) / 2
	if direction == tree.Increasing {
		left.high, right.low = middle, middle
	} else {
		left.low, right.high = middle, middle
	}
	return left, right
}

// classFraction returns the fraction of the rows that are of class 1.
func classFraction(rows []sampleRow) float64 {
	n := 0
	for _, row := range rows {
		n += int(row.class())
	}
	return float64(n) / float64(len(rows))
}
