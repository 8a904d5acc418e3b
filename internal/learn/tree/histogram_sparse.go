package tree

import "math/bits"

// sparseHistogram holds the cells of one feature, leaf and output that are not
// empty, by ascending bin. It is much shorter than the histogram if rows are
// few.
type sparseHistogram struct {
	n     int
	cells [histWidth]int64
	bins  [histWidth]uint8
}

// scanWorkspace is the working memory of one worker that scores splits.
type scanWorkspace struct {
	histogram sparseHistogram
	// missingHigh and missingLow hold the increase of the score at each bin,
	// with missing cells on the side of the high bins and of the low bins.
	missingHigh, missingLow [histWidth]float64
	builder                 sparseBuilder
}

// sparseBuilder sums the gradients of a few rows by bin. All fields are zero
// between uses.
type sparseBuilder struct {
	sums [histWidth]int64
	used Set
}

// sparseThreshold returns the number of rows below which summing them is faster
// than scanning the bins of a feature.
func sparseThreshold(bins *BinnedMatrix) int {
	sum := 0
	for i := range bins.Features {
		sum += bins.Features[i].NumBins
	}
	return max(sum/max(2*len(bins.Features), 1), 1)
}

// build sets dst to the sums of rows, whose gradients are parallel to them, and
// clears itself.
func (h *sparseBuilder) build(dst *sparseHistogram, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		bin := data[row]
		h.sums[bin] += gradients[i]
		h.used.add(bin)
	}
	n := 0
	for word := range h.used {
		for rest := h.used[word]; rest != 0; rest &= rest - 1 {
			bin := uint8(word<<6 + bits.TrailingZeros64(rest))
			dst.bins[uint8(n)], dst.cells[uint8(n)] = bin, h.sums[bin]
			h.sums[bin] = 0
			n++
		}
		h.used[word] = 0
	}
	dst.n = n
}

// fromDense sets l to the cells of a histogram that are not empty, without a
// branch.
func (l *sparseHistogram) fromDense(h []int64) {
	n := 0
	for bin, cell := range h {
		l.bins[uint8(n)], l.cells[uint8(n)] = uint8(bin), cell
		if cell != 0 {
			n++
		}
	}
	l.n = n
}

// loadSparse loads the cells of a feature, leaf and output into the workspace.
func (g *SymmetricGrower) loadSparse(w *scanWorkspace, feature, leaf, output int) {
	if slot := g.slots[leaf]; slot >= 0 {
		w.histogram.fromDense(g.histogram(slot, output)[g.offsets[feature]:g.offsets[feature+1]])
		return
	}
	s := g.rowRanges[leaf]
	w.builder.build(&w.histogram, g.sample.Bins.Features[feature].Data, g.rows[s.lo:s.hi], g.ordered.sparseOf(output, leaf, s.len()))
}

// loadSparseNumeric is loadSparse without the cell of missing values, which it
// returns.
func (g *SymmetricGrower) loadSparseNumeric(w *scanWorkspace, feature, leaf, output int) (missing int64) {
	g.loadSparse(w, feature, leaf, output)
	h := &w.histogram
	last := g.sample.Bins.Features[feature].NumBins - 1
	if h.n > 0 && int(h.bins[h.n-1]) == last {
		h.n--
		return h.cells[h.n]
	}
	return 0
}
