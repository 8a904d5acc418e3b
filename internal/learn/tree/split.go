package tree

import "foretell/internal/learn/kernel"

// split is a way to divide a leaf by one feature.
type split struct {
	// gain is how much the loss falls, in units of the packed sums' scale;
	// zero where no split is worth its cost.
	gain float64
	// feature is the index of the feature.
	feature int32
	// left is the packed sum of what goes left.
	left int64
	// goesLeft tells by bin who goes left.
	goesLeft *Set
	// bin and missingLeft describe a numeric split: bins up to bin go left.
	bin         uint8
	missingLeft bool
}

// Set is a set of bins.
type Set [4]uint64

// Has tells whether bin is in the set.
func (s *Set) Has(bin uint8) bool { return s[bin>>6]>>(bin&63)&1 != 0 }

func (s *Set) add(bin uint8) { s[bin>>6] |= 1 << (bin & 63) }

// scan looks for the best split of one leaf.
//
// The gain of dividing sums (G, H) into left and right is that of a Newton
// step with a quadratic penalty (Chen & Guestrin 2016, equation 7):
//
//	GL²/(HL+λ) + GR²/(HR+λ) − G²/(H+λ)
//
// up to the factor ½. All quantities are in units of the packed sums.
type scan struct {
	total int64
	l2    float64
	// catL2 is added to l2, and catSmooth to the hessian by which levels are
	// ordered, where more than oneVsRest levels are divided.
	catL2, catSmooth float64
	// least is the smallest hessian of a child.
	least float64
	// floor is the gain that a split has to exceed.
	floor float64
}

// oneVsRest is the number of levels up to which only one is split off.
const oneVsRest = 4

// better returns the gain of a division, not diminished by the score of the
// whole, if that is more than top, else top. It divides only where it must.
func (s *scan) better(left int64, l2, top float64) float64 {
	gl, hl := halves(left)
	gr, hr := halves(s.total - left)
	if hl < s.least || hr < s.least {
		return top
	}
	hl += l2
	hr += l2
	above, below := gl*gl*hr+gr*gr*hl, hl*hr
	if above > top*below {
		return above / below
	}
	return top
}

// alone returns the score of the leaf if it is not divided.
func (s *scan) alone() float64 {
	g, h := halves(s.total)
	return g * g / (h + s.l2)
}

// numeric finds the best edge in the cells of a numeric feature, the last of
// which is that of the missing cells.
func (s *scan) numeric(h []int64, best *split) {
	last := len(h) - 1
	missing := h[last]
	// Missing cells first go right with the high values, then left with the
	// low ones; without missing cells the second pass would find the same.
	slope := s.slope(best)
	at, left := kernel.Peak(h[:last], 0, &slope)
	missingLeft := false
	if missing != 0 {
		if other, sum := kernel.Peak(h[:last], missing, &slope); other >= 0 {
			at, left, missingLeft = other, sum, true
		}
	}
	if at < 0 {
		return
	}
	if missing == 0 {
		missingLeft = s.heavier(left)
	}
	best.gain = slope.Top - s.alone()
	best.left = left
	best.bin = uint8(middle(h[:last], at))
	best.missingLeft = missingLeft
	best.goesLeft = nil
}

// slope returns what an edge is looked for with that is better than best.
func (s *scan) slope(best *split) kernel.Slope {
	g, h := halves(s.total)
	return kernel.Slope{
		Gradient: g, Hessian: h, L2: s.l2,
		Least: s.least, Most: h - s.least,
		Top: s.alone() + max(best.gain, s.floor),
	}
}

// heavier tells whether left weighs at least as much as the rest: where cells
// of a kind that the leaf has never seen are to go.
func (s *scan) heavier(left int64) bool {
	_, hl := halves(left)
	_, hr := halves(s.total - left)
	return hl >= hr
}

// middle moves an edge after bin to the middle of the empty bins behind it, as
// far from the rows of both sides as can be.
func middle(h []int64, bin int) int {
	next := bin + 1
	for next < len(h) && h[next] == 0 {
		next++
	}
	if next == len(h) {
		return bin
	}
	return (bin + next - 1) / 2
}
