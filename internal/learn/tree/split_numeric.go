package tree

import "foretell/internal/learn/kernel"

// split is a split of a leaf by one feature.
type split struct {
	// gain is twice the decrease of the loss, in units of the packed sums. It is zero if
	// no split exceeds the minimum gain.
	gain float64
	// feature is the index of the feature.
	feature int32
	// left is the packed sum of the left child.
	left int64
	// leftBins is the set of bins that go left in a categorical split. It is nil in a numeric
	// split.
	leftBins *BinSet
	// In a numeric split the bins 0 … bin go left. missingLeft reports whether missing
	// values also go left.
	bin         uint8
	missingLeft bool
}

// BinSet is a set of bins.
type BinSet [4]uint64

// Has reports whether bin is in the set.
func (s *BinSet) Has(bin uint8) bool { return s[bin>>6]>>(bin&63)&1 != 0 }

func (s *BinSet) add(bin uint8) { s[bin>>6] |= 1 << (bin & 63) }

// splitFinder finds the best split of one leaf.
//
// The gain of splitting a leaf with the sums (G, H) into left (GL, HL) and right (GR, HR)
// is twice the decrease in the loss after Newton steps with the L2 penalty λ (Chen &
// Guestrin 2016, equation 7):
//
//	GL²/(HL+λ) + GR²/(HR+λ) − G²/(H+λ)
//
// All quantities are in units of the packed sums.
type splitFinder struct {
	total int64
	l2    float64
	// catL2 and catSmooth apply to a categorical feature with more than maxOneHot levels
	// in the leaf. catL2 is added to l2, and catSmooth is added to each level's hessian when the
	// levels are sorted.
	catL2, catSmooth float64
	// minHessian is the smallest sum of hessians that a child may have.
	minHessian float64
	// minGain is the gain that a split must exceed.
	minGain float64
	// bounds limit the values of the leaf's descendants. It is nil if no feature of the
	// tree is monotone.
	bounds *bounds
}

// maxOneHot is the largest number of levels of a categorical feature in a leaf for which only
// one-hot splits are tried. A one-hot split separates one level from all other levels.
const maxOneHot = 4

// maxScore returns the score of a split if the split is valid and its score exceeds top; otherwise,
// it returns top. A split is invalid if the hessian of a side is below minHessian. The score of a
// split is its gain plus the score of the leaf without a split. left is the packed sum of the left
// side.
func (s *splitFinder) maxScore(left int64, l2, top float64) float64 {
	gl, hl := unpack(left)
	gr, hr := unpack(s.total - left)
	if hl < s.minHessian || hr < s.minHessian {
		return top
	}
	hl += l2
	hr += l2
	if s.bounds != nil {
		return max(top, s.bounds.score(gl, hl)+s.bounds.score(gr, hr))
	}
	above, below := gl*gl*hr+gr*gr*hl, hl*hr
	if above > top*below {
		return above / below
	}
	return top
}

// leafScore returns the score of the leaf without a split.
func (s *splitFinder) leafScore() float64 {
	g, h := unpack(s.total)
	if s.bounds != nil {
		return s.bounds.score(g, h+s.l2)
	}
	return g * g / (h + s.l2)
}

// findNumeric sets best to the best split of a numeric feature, if its gain exceeds both best.gain
// and s.minGain. h is the histogram of the feature. Its last cell is the sum of the rows with
// missing values.
func (s *splitFinder) findNumeric(h []int64, best *split) {
	last := len(h) - 1
	missing := h[last]
	// In the first pass, missing values go to the right with the high values; in the second pass,
	// they go to the left with the low values. Without missing values, the second pass would find
	// the same split.
	params := s.gainParams(best)
	at, left := kernel.BestSplit(h[:last], 0, &params)
	missingLeft := false
	if missing != 0 {
		if other, sum := kernel.BestSplit(h[:last], missing, &params); other >= 0 {
			at, left, missingLeft = other, sum, true
		}
	}
	if at < 0 {
		return
	}
	if missing == 0 {
		missingLeft = s.defaultGoesLeft(left)
	}
	best.gain = params.Best - s.leafScore()
	best.left = left
	best.bin = uint8(middleBin(h[:last], at))
	best.missingLeft = missingLeft
	best.leftBins = nil
}

// gainParams returns the parameters with which kernel.BestSplit finds a split better than best.
func (s *splitFinder) gainParams(best *split) kernel.GainParams {
	g, h := unpack(s.total)
	return kernel.GainParams{
		Gradient: g, Hessian: h, L2: s.l2,
		MinHessian: s.minHessian, MaxHessian: h - s.minHessian,
		Best: s.leafScore() + max(best.gain, s.minGain),
	}
}

// defaultGoesLeft reports whether bins without rows in the leaf go left. Such bins go to the side
// with the larger hessian or, in a tie, left. left is the packed sum of the left side.
func (s *splitFinder) defaultGoesLeft(left int64) bool {
	_, hl := unpack(left)
	_, hr := unpack(s.total - left)
	return hl >= hr
}

// middleBin returns the middle one of bin and the empty bins that follow it. A threshold there is
// far from the rows on both sides.
func middleBin(h []int64, bin int) int {
	next := bin + 1
	for next < len(h) && h[next] == 0 {
		next++
	}
	if next == len(h) {
		return bin
	}
	return (bin + next - 1) / 2
}
