package tree

import "math/bits"

// sparseHistogram is the histogram of one feature, for one leaf and output, as a list of
// its n cells that are not empty. cells[i] is the cell of bin bins[i], and bins are
// ascending.
type sparseHistogram struct {
	n     int
	cells [histWidth]int64
	bins  [histWidth]uint8
}

// sparseBuilder sums the gradients of a few rows by bin. All fields are zero
// between uses.
type sparseBuilder struct {
	sums [histWidth]int64
	used BinSet
}

// sparseThreshold returns the number of rows below which summing the gradients of a leaf's rows is
// faster than scanning the bins of a feature.
func sparseThreshold(bins *BinnedMatrix) int {
	sum := 0
	for i := range bins.Features {
		sum += bins.Features[i].NumBins
	}
	return max(sum/max(2*len(bins.Features), 1), 1)
}

// build sets dst to the sums of the gradients of rows by bin, and clears b for the next
// use. data[row] is the bin of a row. gradients[i] is the gradient of rows[i].
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

// setFromDense sets h to the non-zero cells of dense. To avoid a branch, it stores every cell at
// index n, and increases n only if the cell is not zero.
func (h *sparseHistogram) setFromDense(dense []int64) {
	n := 0
	for bin, cell := range dense {
		h.bins[uint8(n)], h.cells[uint8(n)] = uint8(bin), cell
		if cell != 0 {
			n++
		}
	}
	h.n = n
}
