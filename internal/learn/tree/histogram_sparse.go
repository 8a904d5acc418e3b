package tree

import "math/bits"

// sparseHistogram is the histogram of one feature, leaf and output without the empty
// cells. cells[i] is the cell of bins[i] for i < n, and bins are ascending. If the leaf
// has few rows, n is much smaller than the number of bins.
type sparseHistogram struct {
	n     int
	cells [histWidth]int64
	bins  [histWidth]uint8
}

// sparseBuilder sums the gradients of a few rows by bin. All fields are zero
// between uses.
type sparseBuilder struct {
	sums [histWidth]int64
	used Set
}

// sparseThreshold returns the number of rows of a leaf below which summing its
// rows is faster than scanning the bins of a feature.
func sparseThreshold(bins *BinnedMatrix) int {
	sum := 0
	for i := range bins.Features {
		sum += bins.Features[i].NumBins
	}
	return max(sum/max(2*len(bins.Features), 1), 1)
}

// build sets dst to the sums of the gradients of rows by bin, then clears b. data is
// indexed by row; gradients[i] belongs to rows[i].
func (b *sparseBuilder) build(dst *sparseHistogram, data []uint8, rows []int32, gradients []int64) {
	gradients = gradients[:len(rows)]
	for i, row := range rows {
		bin := data[row]
		b.sums[bin] += gradients[i]
		b.used.add(bin)
	}
	n := 0
	for word := range b.used {
		for rest := b.used[word]; rest != 0; rest &= rest - 1 {
			bin := uint8(word<<6 + bits.TrailingZeros64(rest))
			dst.bins[uint8(n)], dst.cells[uint8(n)] = bin, b.sums[bin]
			b.sums[bin] = 0
			n++
		}
		b.used[word] = 0
	}
	dst.n = n
}

// setDense sets h to the cells of dense that are not zero. The loop stores each cell
// unconditionally and then decides whether to keep it, so that it needs no branch.
func (h *sparseHistogram) setDense(dense []int64) {
	n := 0
	for bin, cell := range dense {
		h.bins[uint8(n)], h.cells[uint8(n)] = uint8(bin), cell
		if cell != 0 {
			n++
		}
	}
	h.n = n
}
