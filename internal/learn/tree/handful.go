package tree

import "math/bits"

// list holds the cells of one feature, leaf and output that rows fall into, by
// ascending bins. It is much shorter than the histogram where rows are few.
type list struct {
	n     int
	cells [window]int64
	bins  [window]uint8
}

// scanRoom is what the scan of one feature needs, for each worker.
type scanRoom struct {
	list list
	// high and low tell by how much the score rises with each bin: with the
	// missing cells among the high ones, and the low.
	high, low [window]float64
	handful   handful
}

// handful sums up the gradients of a few rows by their bins. All is zero
// between its uses.
type handful struct {
	sums [window]int64
	used Set
}

// few returns the number of rows below which it is faster to sum them up than
// to go through the bins of a feature.
func few(bins *Bins) int {
	sum := 0
	for i := range bins.Features {
		sum += bins.Features[i].Bins
	}
	return max(sum/max(2*len(bins.Features), 1), 1)
}

// fill lists the sums of rows, whose gradients run parallel to them, and
// forgets them.
func (h *handful) fill(l *list, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		bin := data[row]
		h.sums[bin] += gradients[i]
		h.used.add(bin)
	}
	n := 0
	for at := range h.used {
		for left := h.used[at]; left != 0; left &= left - 1 {
			bin := uint8(at<<6 + bits.TrailingZeros64(left))
			l.bins[uint8(n)], l.cells[uint8(n)] = bin, h.sums[bin]
			h.sums[bin] = 0
			n++
		}
		h.used[at] = 0
	}
	l.n = n
}

// compress lists the cells of a histogram that are not empty, without a branch.
func (l *list) compress(h []int64) {
	n := 0
	for bin, cell := range h {
		l.bins[uint8(n)], l.cells[uint8(n)] = uint8(bin), cell
		if cell != 0 {
			n++
		}
	}
	l.n = n
}

// listAll lists the cells of a feature, a leaf and an output.
func (g *SymmetricGrower) listAll(r *scanRoom, feature, leaf, output int) {
	if slot := g.slots[leaf]; slot >= 0 {
		r.list.compress(g.histogram(slot, output)[g.offsets[feature]:g.offsets[feature+1]])
		return
	}
	s := g.spans[leaf]
	r.handful.fill(&r.list, g.sample.Bins.Features[feature].Data, g.rows[s.lo:s.hi], g.ordered.fewOf(output, leaf, s.len()))
}

// listNumbers is listAll without the last cell, that of the missing cells, which
// it returns.
func (g *SymmetricGrower) listNumbers(r *scanRoom, feature, leaf, output int) (missing int64) {
	g.listAll(r, feature, leaf, output)
	l := &r.list
	last := g.sample.Bins.Features[feature].Bins - 1
	if l.n > 0 && int(l.bins[l.n-1]) == last {
		l.n--
		return l.cells[l.n]
	}
	return 0
}
