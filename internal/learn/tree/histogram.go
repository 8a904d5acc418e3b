package tree

// A histogram holds one cell, a packed sum of gradients, for each bin of each feature, feature
// after feature. The cells of a feature are accessed as an array of 256 cells, so that a one-byte
// index needs no bounds check. Padding at the end makes room for the array of the last feature.

// histWidth is the number of cells that a byte can index.
const histWidth = 256

// featureOffsets returns the index of each feature's first cell. The last
// element is the number of cells of a histogram without padding.
func featureOffsets(bins *BinnedMatrix) []int {
	offsets := make([]int, len(bins.Features)+1)
	for i := range bins.Features {
		offsets[i+1] = offsets[i] + bins.Features[i].NumBins
	}
	return offsets
}

// featureCells returns an array that begins with the cells of one feature. offset is the
// index of the feature's first cell.
func featureCells(histogram []int64, offset int) *[histWidth]int64 {
	return (*[histWidth]int64)(histogram[offset : offset+histWidth])
}

// addCells adds the cells in more to the cells in sum, element by element.
func addCells(sum, more []int64) {
	sum = sum[:len(more)]
	for i, c := range more {
		sum[i] += c
	}
}

// subtractCells subtracts the cells in child from the cells in parent, element by element.
func subtractCells(parent, child []int64) {
	parent = parent[:len(child)]
	for i, c := range child {
		parent[i] -= c
	}
}

// gatherGradients sets dst to the gradients of rows, so that building the
// histogram of every feature reads them in sequence. It returns
// dst[:len(rows)].
func gatherGradients(dst []int64, gradients []int64, rows []int32) []int64 {
	dst = dst[:len(rows)]
	for i, row := range rows {
		dst[i] = gradients[row]
	}
	return dst
}
