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
	s := &levelScan{totals: g.totals}
	for _, scale := range g.sample.Scales {
		s.l2 = append(s.l2, g.l2/scale.Hessian)
		s.unit = append(s.unit, scale.Gradient*scale.Gradient/scale.Hessian)
	}
	return s
}

// sumUp finds the totals of the sample.
func (g *SymmetricGrower) sumUp() {
	g.totals = g.totals[:0]
	for _, gradients := range g.sample.Gradients {
		total := int64(0)
		for _, row := range g.rows {
			total += gradients[row]
		}
		g.totals = append(g.totals, []int64{total})
	}
}

// share gives each leaf's total to its two children, reading in its histogram
// what passes the test.
func (g *SymmetricGrower) share(test *Test) {
	lo, hi := g.offsets[test.Feature], g.offsets[test.Feature+1]
	for o, totals := range g.totals {
		leaves := len(totals)
		for leaf := range leaves {
			in := int64(0)
			for bin, cell := range g.histogram(leaf, o)[lo:hi] {
				if test.In(uint8(bin)) {
					in += cell
				}
			}
			totals[leaf] -= in
			totals = append(totals, in)
		}
		g.totals[o] = totals
	}
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
	if f.Categorical {
		g.considerLevels(s, feature, best)
		return
	}
	// By how much the score rises with each bin: with the missing cells among
	// the high ones, and the low.
	var high, low [window]float64
	missing := g.anyMissing(feature)
	last := f.Bins - 1
	for o, totals := range s.totals {
		for leaf, total := range totals {
			h := g.histogram(leaf, o)[g.offsets[feature]:g.offsets[feature+1]]
			rows := g.spans[leaf].len()
			leaf := leafScan{total: total, l2: s.l2[o], unit: s.unit[o]}
			if rows < 2 { // nothing to divide
				high[0] += leaf.score(0)
				low[0] += leaf.score(0)
				continue
			}
			leaf.prefixes(h[:last], 0, &high)
			if missing {
				leaf.prefixes(h[:last], h[last], &low)
			}
		}
	}
	found := -1
	var withHigh, withLow float64
	for bin := range last {
		withHigh += high[uint8(bin)]
		withLow += low[uint8(bin)]
		if withHigh > best.score {
			found = bin
			*best = test{Test{int32(feature), uint8(bin) + 1, f.Missing}, withHigh}
		}
		if withLow > best.score {
			found = -1
			*best = test{Test{int32(feature), uint8(bin) + 1, f.Missing - 1}, withLow}
		}
	}
	if found >= 0 && !missing && g.lowHeavier(s, feature, found) {
		best.High = f.Missing - 1
	}
}

// considerLevels is consider for a categorical feature.
func (g *SymmetricGrower) considerLevels(s *levelScan, feature int, best *test) {
	// By how much splitting a level off exceeds the score of all together.
	var more [window]float64
	together := 0.0
	for o, totals := range s.totals {
		for leaf, total := range totals {
			h := g.histogram(leaf, o)[g.offsets[feature]:g.offsets[feature+1]]
			leaf := leafScan{total: total, l2: s.l2[o], unit: s.unit[o]}
			together += leaf.singles(h, &more)
		}
	}
	for bin := range g.sample.Bins.Features[feature].Bins {
		if score := together + more[uint8(bin)]; score > best.score {
			*best = test{Test{int32(feature), uint8(bin), uint8(bin)}, score}
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

// prefixes adds to dst[bin] by how much the score of dividing after the bin
// exceeds that of dividing before it, start being with the first. The score of
// not dividing counts as the rise to the first bin.
func (s *leafScan) prefixes(h []int64, start int64, dst *[window]float64) {
	g, hess := halves(s.total)
	hess += s.l2
	sum := start
	score := s.score(sum)
	dst[0] += score
	for bin, cell := range h {
		if cell == 0 {
			continue
		}
		sum += cell
		gl, hl := halves(sum) // what score does, written out
		gr, hr := g-gl, hess-hl
		hl += s.l2
		next := (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.unit
		dst[uint8(bin)] += next - score
		score = next
	}
}

// singles adds to dst[bin] by how much the score of splitting off the bin
// exceeds that of not dividing, which it returns.
func (s *leafScan) singles(h []int64, dst *[window]float64) float64 {
	none := s.score(0)
	for bin, cell := range h {
		if cell != 0 {
			dst[uint8(bin)] += s.score(cell) - none
		}
	}
	return none
}
