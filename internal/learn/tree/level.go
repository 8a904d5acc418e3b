package tree

// test is a Test with the score of all leaves when divided by it.
type test struct {
	Test
	score float64
}

// levelScan holds what the scores of one level's tests need. The score of a
// test is that of a split summed over leaves and outputs:
//
//	Σ GL²/(HL+λ) + GR²/(HR+λ)
type levelScan struct {
	totals [][]int64 // by output, then leaf
	l2     []float64 // by output, in units of the packed hessians
	unit   []float64 // by output: the worth of one unit of the score
}

// scan prepares a level's scan.
func (g *SymmetricGrower) scan() *levelScan {
	s := &levelScan{}
	for o, gradients := range g.sample.Gradients {
		scale := g.sample.Scales[o]
		totals := make([]int64, len(g.spans))
		for leaf, span := range g.spans {
			for _, row := range g.rows[span.lo:span.hi] {
				totals[leaf] += gradients[row]
			}
		}
		s.totals = append(s.totals, totals)
		s.l2 = append(s.l2, g.l2/scale.Hessian)
		s.unit = append(s.unit, scale.Gradient*scale.Gradient/scale.Hessian)
	}
	return s
}

// alone returns the score of the leaves as they are.
func (s *levelScan) alone() float64 {
	score := 0.0
	for o, totals := range s.totals {
		for _, total := range totals {
			g, h := halves(total)
			score += g * g / (h + s.l2[o]) * s.unit[o]
		}
	}
	return score
}

// consider replaces best by the best test of one feature if that is better.
func (g *SymmetricGrower) consider(s *levelScan, feature int, best *test) {
	f := &g.sample.Bins.Features[feature]
	// Scores by bin: with the missing cells among the high ones, and the low.
	var high, low [window]float64
	missing := g.anyMissing(feature)
	for o, totals := range s.totals {
		for leaf, total := range totals {
			h := g.histogram(leaf, o)[g.offsets[feature]:g.offsets[feature+1]]
			leaf := leafScan{total: total, l2: s.l2[o], unit: s.unit[o]}
			if f.Categorical {
				leaf.singles(h, &high)
				continue
			}
			last := len(h) - 1
			leaf.prefixes(h[:last], 0, &high)
			if missing {
				leaf.prefixes(h[:last], h[last], &low)
			}
		}
	}
	for bin := range f.Bins {
		b := uint8(bin)
		if high[bin] > best.score {
			best.score = high[bin]
			best.Test = Test{int32(feature), b + 1, f.Missing, f.Missing}
			if f.Categorical {
				best.Test = Test{int32(feature), b, b, b}
			} else if !missing && g.lowHeavier(s, feature, bin) {
				best.High, best.Also = f.Missing-1, f.Missing-1
			}
		}
		if low[bin] > best.score {
			best.score = low[bin]
			best.Test = Test{int32(feature), b + 1, f.Missing - 1, f.Missing - 1}
		}
	}
}

// anyMissing tells whether a row of the sample has no value in a numeric
// feature.
func (g *SymmetricGrower) anyMissing(feature int) bool {
	for leaf := range g.spans {
		if g.histogram(leaf, 0)[g.offsets[feature+1]-1] != 0 {
			return true
		}
	}
	return false
}

// lowHeavier tells whether at least half of the sample's weight is in the bins
// up to bin: where missing cells are to go that learning has never seen.
func (g *SymmetricGrower) lowHeavier(s *levelScan, feature, bin int) bool {
	var low, all float64
	for leaf, total := range s.totals[0] {
		at := g.offsets[feature]
		for _, cell := range g.histogram(leaf, 0)[at : at+bin+1] {
			_, h := halves(cell)
			low += h
		}
		_, h := halves(total)
		all += h
	}
	return 2*low >= all
}

// leafScan scores the tests of one feature in one leaf and output.
type leafScan struct {
	total    int64
	l2, unit float64
}

func (s *leafScan) score(in int64) float64 {
	gl, hl := halves(in)
	gr, hr := halves(s.total - in)
	hl += s.l2
	hr += s.l2
	return (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.unit
}

// prefixes adds to dst the score of dividing after each bin, start being with
// the first.
func (s *leafScan) prefixes(h []int64, start int64, dst *[window]float64) {
	sum := start
	score := s.score(sum)
	for bin, cell := range h {
		if cell != 0 {
			sum += cell
			score = s.score(sum)
		}
		dst[uint8(bin)] += score
	}
}

// singles adds to dst the score of splitting off each bin.
func (s *leafScan) singles(h []int64, dst *[window]float64) {
	none := s.score(0)
	for bin, cell := range h {
		if cell == 0 {
			dst[uint8(bin)] += none
		} else {
			dst[uint8(bin)] += s.score(cell)
		}
	}
}
