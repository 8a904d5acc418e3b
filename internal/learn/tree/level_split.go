package tree

// scoredSplit is a split of a level and the score of the level after this split; see
// levelScorer.
type scoredSplit struct {
	LevelSplit
	score float64
}

// levelScorer scores the splits of one level. The score of a split is the sum of the term below
// over all leaves and outputs. G and H are sums of gradients and hessians, L and R stand for the
// two sides of the split, and λ is the L2 penalty.
//
//	GL²/(HL+λ) + GR²/(HR+λ)
type levelScorer struct {
	// baseScore is the score of the leaves without a split.
	baseScore float64
	// leaves are the leaves that can be split, because they have more than one row.
	leaves []int32
	// scorers[output][i] scores the splits of leaves[i].
	scorers [][]leafScorer
}

// leafScorer scores the splits of one leaf, for one output.
type leafScorer struct {
	total     int64
	g, h      float64 // unpacked total; h includes l2
	baseScore float64 // score of the leaf without a split
	l2        float64 // in units of the packed hessians
	scale     float64 // factor that converts a score from packed units
}

// splitWorkspace is the working memory of one worker that scores splits.
type splitWorkspace struct {
	histogram sparseHistogram
	// missingHigh and missingLow hold differences of scores: element bin is the score of the split
	// after bin minus the score of the split after bin-1. The sum of the elements 0 … bin is thus
	// the gain of the split after bin. In missingHigh, rows with missing values are on the side of
	// the high bins; in missingLow, they are on the side of the low bins.
	//
	// For a categorical feature, missingHigh[bin] is the gain of separating bin from all other
	// bins.
	missingHigh, missingLow [histWidth]float64
	builder                 sparseBuilder
}

func (g *SymmetricGrower) newLevelScorer() *levelScorer {
	s := &levelScorer{}
	for leaf := range g.rowRanges {
		if g.rowRanges[leaf].len() > 1 {
			s.leaves = append(s.leaves, int32(leaf))
		}
	}
	for o, scale := range g.sample.Scales {
		base := leafScorer{l2: g.l2 / scale.Hessian, scale: scale.Gradient * scale.Gradient / scale.Hessian}
		for _, total := range g.totals[o] {
			s.baseScore += base.forLeaf(total).baseScore
		}
		scorers := make([]leafScorer, len(s.leaves))
		for i, leaf := range s.leaves {
			scorers[i] = base.forLeaf(g.totals[o][leaf])
		}
		s.scorers = append(s.scorers, scorers)
	}
	return s
}

// forLeaf returns the scorer of a leaf. total is the packed sum of the leaf's rows. l2 and scale
// are the same as in s.
func (s leafScorer) forLeaf(total int64) leafScorer {
	s.total = total
	s.g, s.h = unpack(total)
	s.h += s.l2
	s.baseScore = s.g * s.g / s.h * s.scale
	return s
}

// sumGradients sets g.totals to the sum of the gradients of all rows for each output.
func (g *SymmetricGrower) sumGradients() {
	g.totals = g.totals[:0]
	for _, gradients := range g.sample.Gradients {
		total := int64(0)
		for _, row := range g.rows {
			total += gradients[row]
		}
		g.totals = append(g.totals, []int64{total})
	}
}

// splitTotals divides each leaf's total between its two children. The total of the child with the
// passing rows is the sum of the passing bins in the leaf's histogram. If the leaf has no
// histogram, this total is the sum of the gradients of the passing rows.
func (g *SymmetricGrower) splitTotals(split *LevelSplit) {
	lo, hi := g.offsets[split.Feature], g.offsets[split.Feature+1]
	for o, totals := range g.totals {
		leaves := len(totals)
		for leaf := range leaves {
			passing := int64(0)
			if slot := g.slots[leaf]; slot >= 0 {
				for bin, cell := range g.histogram(slot, o)[lo:hi] {
					if split.Passes(uint8(bin)) {
						passing += cell
					}
				}
			} else {
				for _, row := range g.LeafRows(leaf + leaves) {
					passing += g.sample.Gradients[o][row]
				}
			}
			totals[leaf] -= passing
			totals = append(totals, passing)
		}
		g.totals[o] = totals
	}
}

// defaultDirection determines the side to which a split by a numeric feature sends missing values.
// The side is the same in all leaves of the level.
type defaultDirection struct {
	// hasMissing reports whether the feature has a missing value in a row of the sample.
	hasMissing bool
	// medianBin is the first bin b such that the bins 0 … b contain at least half of the sample's
	// hessian. If hasMissing is false, missing values in predictions go to the side with more of
	// the hessian, which is the low side if the threshold is at least medianBin.
	medianBin int
}

// setDefaultDirection computes the defaultDirection of a numeric feature from
// the histogram of all rows.
func (g *SymmetricGrower) setDefaultDirection(feature int) {
	h := g.histogram(0, 0)[g.offsets[feature]:g.offsets[feature+1]]
	all := uint64(uint32(g.totals[0][0]))
	direction := defaultDirection{hasMissing: h[len(h)-1] != 0}
	for low := uint64(0); direction.medianBin < len(h)-1; direction.medianBin++ {
		if low += uint64(uint32(h[direction.medianBin])); 2*low >= all {
			break
		}
	}
	g.defaultDirections[feature] = direction
}

// considerFeature sets *best to the best split of one feature if that split has
// a higher score than *best.
func (g *SymmetricGrower) considerFeature(s *levelScorer, feature int, w *splitWorkspace, best *scoredSplit) {
	f := &g.sample.Bins.Features[feature]
	if f.Categorical {
		g.considerCategorical(s, feature, w, best)
		return
	}
	if len(g.rowRanges) == 1 {
		g.setDefaultDirection(feature)
	}
	direction, order := &g.defaultDirections[feature], g.sample.direction(feature)
	last := f.NumBins - 1
	clear(w.missingHigh[:f.NumBins])
	if direction.hasMissing {
		clear(w.missingLow[:f.NumBins])
	}
	for o := range s.scorers {
		for i := range s.scorers[o] {
			leaf := &s.scorers[o][i]
			missing := g.loadNumericHistogram(w, feature, int(s.leaves[i]), o)
			leaf.addGainsInDirection(&w.histogram, 0, order, &w.missingHigh)
			if direction.hasMissing {
				leaf.addGainsInDirection(&w.histogram, missing, order, &w.missingLow)
			}
		}
	}
	found := -1
	withHigh, withLow := s.baseScore, s.baseScore
	for bin := range last {
		withHigh += w.missingHigh[uint8(bin)]
		if withHigh > best.score {
			found = bin
			*best = scoredSplit{LevelSplit{int32(feature), uint8(bin) + 1, f.MissingBin}, withHigh}
		}
		if !direction.hasMissing {
			continue
		}
		if withLow += w.missingLow[uint8(bin)]; withLow > best.score {
			found = -1
			*best = scoredSplit{LevelSplit{int32(feature), uint8(bin) + 1, f.MissingBin - 1}, withLow}
		}
	}
	if found >= direction.medianBin && !direction.hasMissing {
		best.High = f.MissingBin - 1
	}
}

// considerCategorical does the same as considerFeature for a categorical feature.
func (g *SymmetricGrower) considerCategorical(s *levelScorer, feature int, w *splitWorkspace, best *scoredSplit) {
	// gains[bin] is the increase of the score if the category in bin is separated from the
	// other categories.
	bins := g.sample.Bins.Features[feature].NumBins
	gains := &w.missingHigh
	clear(gains[:bins])
	for o := range s.scorers {
		for i := range s.scorers[o] {
			g.loadHistogram(w, feature, int(s.leaves[i]), o)
			s.scorers[o][i].addOneHotGains(&w.histogram, gains)
		}
	}
	for bin := range bins {
		if score := s.baseScore + gains[uint8(bin)]; score > best.score {
			*best = scoredSplit{LevelSplit{int32(feature), uint8(bin), uint8(bin)}, score}
		}
	}
}

// score returns the score of the leaf after a split. side is the packed sum of one of the
// two sides.
func (s *leafScorer) score(side int64) float64 {
	gl, hl := unpack(side)
	gr, hr := s.g-gl, s.h-hl
	hl += s.l2
	return (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.scale
}

// addThresholdGains adds the gains of the splits after each bin to dst, as differences: dst[0] + …
// + dst[bin] is the gain of the split after bin. start is the packed sum of the rows with missing
// values if they are on the left of every split, and 0 if they are on the right. If start is not 0,
// dst[0] includes the gain of separating only these rows.
func (s *leafScorer) addThresholdGains(h *sparseHistogram, start int64, dst *[histWidth]float64) {
	sum, score := start, s.baseScore
	if start != 0 {
		score = s.score(start)
		dst[0] += score - s.baseScore
	}
	bins := h.bins[:h.n]
	for i, cell := range h.cells[:len(bins)] {
		if sum += cell; sum == s.total { // the right side is empty from here on
			dst[bins[i]] += s.baseScore - score
			break
		}
		gl, hl := unpack(sum) // score, inlined by hand
		gr, hr := s.g-gl, s.h-hl
		hl += s.l2
		next := (gl*gl*hr + gr*gr*hl) / (hl * hr) * s.scale
		dst[bins[i]] += next - score
		score = next
	}
}

// addOneHotGains adds to dst[bin] the gain of separating bin from the other bins.
func (s *leafScorer) addOneHotGains(h *sparseHistogram, dst *[histWidth]float64) {
	bins := h.bins[:h.n]
	for i, cell := range h.cells[:len(bins)] {
		dst[bins[i]] += s.score(cell) - s.baseScore
	}
}
