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
	// alone is the score of the leaves as they are.
	alone float64
	// leaves are those of more than one row, which may be divided.
	leaves []int32
	// scans are theirs, by output.
	scans [][]leafScan
}

// leafScan scores the tests of one feature in one leaf and output.
type leafScan struct {
	total    int64
	g, h     float64 // the halves of total, the second with l2
	alone    float64 // the score if the leaf is not divided
	l2, unit float64 // in units of the packed hessians; the worth of one unit of the score
}

// scan prepares a level's scan.
func (g *SymmetricGrower) scan() *levelScan {
	s := &levelScan{}
	for leaf := range g.spans {
		if g.spans[leaf].len() > 1 {
			s.leaves = append(s.leaves, int32(leaf))
		}
	}
	for o, scale := range g.sample.Scales {
		base := leafScan{l2: g.l2 / scale.Hessian, unit: scale.Gradient * scale.Gradient / scale.Hessian}
		for _, total := range g.totals[o] {
			s.alone += base.of(total).alone
		}
		scans := make([]leafScan, len(s.leaves))
		for i, leaf := range s.leaves {
			scans[i] = base.of(g.totals[o][leaf])
		}
		s.scans = append(s.scans, scans)
	}
	return s
}

// of returns the scan of a leaf of the given total.
func (s leafScan) of(total int64) leafScan {
	s.total = total
	s.g, s.h = halves(total)
	s.h += s.l2
	s.alone = s.g * s.g / s.h * s.unit
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

// share divides each leaf's total between its two children, reading in its
// histogram, or in its rows, what passes the test.
func (g *SymmetricGrower) share(test *Test) {
	lo, hi := g.offsets[test.Feature], g.offsets[test.Feature+1]
	for o, totals := range g.totals {
		leaves := len(totals)
		for leaf := range leaves {
			in := int64(0)
			if slot := g.slots[leaf]; slot >= 0 {
				for bin, cell := range g.histogram(slot, o)[lo:hi] {
					if test.In(uint8(bin)) {
						in += cell
					}
				}
			} else {
				for _, row := range g.LeafRows(leaf + leaves) {
					in += g.sample.Gradients[o][row]
				}
			}
			totals[leaf] -= in
			totals = append(totals, in)
		}
		g.totals[o] = totals
	}
}

// sides tells what does not change with the leaves that a feature divides.
type sides struct {
	// missing tells whether a row of the sample has no value.
	missing bool
	// middle is the first bin such that half of the sample's weight is in the
	// bins up to it: missing cells that learning has never seen go with the
	// heavier side.
	middle int
}

// look finds the sides of a numeric feature in the histogram of all rows.
func (g *SymmetricGrower) look(feature int) {
	h := g.histogram(0, 0)[g.offsets[feature]:g.offsets[feature+1]]
	all := uint64(uint32(g.totals[0][0]))
	s := sides{missing: h[len(h)-1] != 0}
	for low := uint64(0); s.middle < len(h)-1; s.middle++ {
		if low += uint64(uint32(h[s.middle])); 2*low >= all {
			break
		}
	}
	g.sides[feature] = s
}

// consider replaces best by the best test of one feature if that is better.
func (g *SymmetricGrower) consider(s *levelScan, feature int, r *scanRoom, best *test) {
	f := &g.sample.Bins.Features[feature]
	if f.Categorical {
		g.considerLevels(s, feature, r, best)
		return
	}
	if len(g.spans) == 1 {
		g.look(feature)
	}
	sides := &g.sides[feature]
	last := f.Bins - 1
	clear(r.high[:f.Bins])
	if sides.missing {
		clear(r.low[:f.Bins])
	}
	for o := range s.scans {
		for i := range s.scans[o] {
			leaf := &s.scans[o][i]
			missing := g.listNumbers(r, feature, int(s.leaves[i]), o)
			leaf.prefixes(&r.list, 0, &r.high)
			if sides.missing {
				leaf.prefixes(&r.list, missing, &r.low)
			}
		}
	}
	found := -1
	withHigh, withLow := s.alone, s.alone
	for bin := range last {
		withHigh += r.high[uint8(bin)]
		if withHigh > best.score {
			found = bin
			*best = test{Test{int32(feature), uint8(bin) + 1, f.Missing}, withHigh}
		}
		if !sides.missing {
			continue
		}
		if withLow += r.low[uint8(bin)]; withLow > best.score {
			found = -1
			*best = test{Test{int32(feature), uint8(bin) + 1, f.Missing - 1}, withLow}
		}
	}
	if found >= sides.middle && !sides.missing {
		best.High = f.Missing - 1
	}
}

// considerLevels is consider for a categorical feature.
func (g *SymmetricGrower) considerLevels(s *levelScan, feature int, r *scanRoom, best *test) {
	// By how much splitting a level off exceeds the score of all together.
	bins := g.sample.Bins.Features[feature].Bins
	more := &r.high
	clear(more[:bins])
	for o := range s.scans {
		for i := range s.scans[o] {
			g.listAll(r, feature, int(s.leaves[i]), o)
			s.scans[o][i].singles(&r.list, more)
		}
	}
	for bin := range bins {
		if score := s.alone + more[uint8(bin)]; score > best.score {
			*best = test{Test{int32(feature), uint8(bin), uint8(bin)}, score}
		}
	}
}

func (s *leafScan) score(in int64) float64 {
	gl, hl := halves(in)
	gr, hr := s.g-gl, s.h-hl
	hl += s.l2
	return (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.unit
}

// prefixes adds to dst[bin] by how much the score of dividing after the bin
// exceeds that of dividing before it, start being with the first. What dividing
// off start alone is worth counts as the rise to the first bin.
func (s *leafScan) prefixes(l *list, start int64, dst *[window]float64) {
	sum, score := start, s.alone
	if start != 0 {
		score = s.score(start)
		dst[0] += score - s.alone
	}
	bins := l.bins[:l.n]
	for i, cell := range l.cells[:len(bins)] {
		if sum += cell; sum == s.total { // nothing is left to divide off
			dst[bins[i]] += s.alone - score
			break
		}
		gl, hl := halves(sum) // what score does, written out
		gr, hr := s.g-gl, s.h-hl
		hl += s.l2
		next := (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.unit
		dst[bins[i]] += next - score
		score = next
	}
}

// singles adds to dst[bin] by how much the score of splitting off the bin
// exceeds that of not dividing.
func (s *leafScan) singles(l *list, dst *[window]float64) {
	bins := l.bins[:l.n]
	for i, cell := range l.cells[:len(bins)] {
		dst[bins[i]] += s.score(cell) - s.alone
	}
}
