package tree

import (
	"fmt"
	"math"
)

// Direction is the direction in which the value of a tree may change when a numeric feature
// increases and all other features stay the same. It does not apply to missing values of the
// feature.
type Direction int8

// The directions of a feature.
const (
	Decreasing Direction = -1 // the value never rises with the feature
	AnyOrder   Direction = 0
	Increasing Direction = 1 // the value never falls
)

// CheckDirections returns an error unless directions is nil or has a direction for each of the given
// number of columns. It is also an error if there are directions and more than two classes.
func CheckDirections(directions []Direction, columns, classes int) error {
	if directions != nil && (classes != 2 || len(directions) != columns) {
		return fmt.Errorf("%d monotone directions for %d columns and %d classes: want one for each column, and two classes", len(directions), columns, classes)
	}
	return nil
}

// bounds are the smallest and the largest value that a leaf may have. A value is -g/(h+λ), where g
// and h are sums of derivatives in the integer units of Scale.
//
// A split by a monotone feature has one side with smaller values. The mean of the values of both
// sides is an upper bound for all leaves that are later created on that side, and a lower bound for
// those on the other side. Later splits therefore cannot reverse the order. This is the basic
// method of LightGBM (monotone_constraints_method; Auguste, Malory & Smirnov, A better method to
// enforce monotonic constraints in regression and classification trees, 2020, section 2).
type bounds struct{ low, high float64 }

var unbounded = bounds{math.Inf(-1), math.Inf(1)}

// clamp returns the number within the bounds that is closest to the given value.
func (b *bounds) clamp(value float64) float64 { return min(max(value, b.low), b.high) }

// score returns -(2·g·w + h·w²), twice the decrease of the loss when the value of the leaf changes
// from 0 to w, where w is the best value within the bounds. g and h are the sums of the leaf; h
// must include the L2 penalty. Without bounds, the result is g²/h.
func (b *bounds) score(g, h float64) float64 {
	w := b.clamp(-g / h)
	return -(2*g + h*w) * w
}

// findBoundedNumeric is findNumeric for a leaf with bounds. It ignores splits against the direction
// of the feature.
func (s *splitFinder) findBoundedNumeric(h []int64, direction Direction, best *split) {
	last := len(h) - 1
	// The loop lowers end to the last bin with rows, not counting the bin of missing values. A
	// split after this bin separates only missing values.
	end := last - 1
	for end > 0 && h[end] == 0 {
		end--
	}
	top := s.leafScore() + max(best.gain, s.minGain)
	at, left, missingLeft := -1, int64(0), false
	for _, start := range []int64{0, h[last]} {
		sum := start
		for bin, cell := range h[:end+1] {
			sum += cell
			if bin < end && !s.satisfiesMonotone(sum, direction) {
				continue
			}
			if score := s.maxScore(sum, s.l2, top); score > top {
				top, at, left, missingLeft = score, bin, sum, start != 0
			}
		}
		if h[last] == 0 {
			break
		}
	}
	if at < 0 {
		return
	}
	if h[last] == 0 {
		missingLeft = s.defaultGoesLeft(left)
	}
	best.gain = top - s.leafScore()
	best.left, best.missingLeft, best.leftBins = left, missingLeft, nil
	best.bin = uint8(last - 1) // all values that are not missing go left
	if at < end {
		best.bin = uint8(middleBin(h[:last], at))
	}
}

// satisfiesMonotone reports whether the leaf values on the two sides of a split have the
// order that direction requires. left is the packed sum of the left side.
func (s *splitFinder) satisfiesMonotone(left int64, direction Direction) bool {
	if direction == AnyOrder {
		return true
	}
	low, high := s.sideValues(left)
	return float64(direction)*(high-low) >= 0
}

// sideValues returns the leaf values on the two sides of a split, clamped to the bounds.
// left is the packed sum of the left side.
func (s *splitFinder) sideValues(left int64) (leftValue, rightValue float64) {
	gl, hl := unpack(left)
	gr, hr := unpack(s.total - left)
	return s.bounds.clamp(-gl / (hl + s.l2)), s.bounds.clamp(-gr / (hr + s.l2))
}

// appendChildBounds appends the bounds of the two children of leaf to g.bounds. The split is
// leaf.best.
func (g *Grower) appendChildBounds(leaf *frontierLeaf) {
	if g.sample.Monotone == nil {
		return
	}
	left := g.bounds[leaf.node]
	right := left
	feature := leaf.best.feature
	if d := g.sample.Monotone[feature]; d != AnyOrder && leaf.best.bin < g.bins.Features[feature].MissingBin-1 {
		finder := g.newSplitFinder(leaf)
		a, b := finder.sideValues(leaf.best.left)
		middle := a/2 + b/2
		if d == Increasing {
			left.high, right.low = middle, middle
		} else {
			left.low, right.high = middle, middle
		}
	}
	g.bounds = append(g.bounds, left, right)
}

// LeafBounds returns the smallest and the largest value that a leaf of the last tree may
// have. A bound that does not exist is infinite.
func (g *Grower) LeafBounds(leaf int) (low, high float64) {
	if g.sample.Monotone == nil {
		return unbounded.low, unbounded.high
	}
	b, unit := g.bounds[g.leaves[leaf]], g.sample.Scale.Gradient/g.sample.Scale.Hessian
	return b.low * unit, b.high * unit
}

// addGainsInDirection is addThresholdGains for a feature with the given direction, which may be
// AnyOrder. A split that separates only the missing values has no direction.
func (s *leafScorer) addGainsInDirection(h *sparseHistogram, start int64, direction Direction, dst *[histWidth]float64) {
	if direction == AnyOrder {
		s.addThresholdGains(h, start, dst)
		return
	}
	sum, score := start, s.baseScore
	if start != 0 {
		score = s.score(start)
		dst[0] += score - s.baseScore
	}
	for i, cell := range h.cells[:h.n] {
		sum += cell
		var next float64
		if i == h.n-1 && sum != s.total { // only missing values are on the right
			next = s.score(sum)
		} else {
			next = s.monotoneScore(sum, direction)
		}
		dst[h.bins[i]] += next - score
		score = next
	}
}

// monotoneScore returns the score of the leaf after a split by a feature with a direction. left is
// the packed sum of the low side. If the values of the two sides are in the wrong order, the result
// is the score of the leaf without a split.
func (s *leafScorer) monotoneScore(left int64, direction Direction) float64 {
	if left == s.total {
		return s.baseScore
	}
	gl, hl := unpack(left)
	gr, hr := s.g-gl, s.h-hl
	hl += s.l2
	if float64(direction)*(gl*hr-gr*hl) < 0 { // Increasing requires -gl/hl <= -gr/hr
		return s.baseScore
	}
	return s.score(left)
}
