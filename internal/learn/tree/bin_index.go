package tree

import "math"

// binIndex is a lookup table that finds the bin of a value faster than a binary search over all
// thresholds. It divides the range of the thresholds into cells of equal width. A value is compared
// only with the thresholds in its own cell. In this example, a value in the second cell is compared
// with t1 and t2:
//
//	thresholds  t0        t1 t2         t3   t4
//	cells       │       │       │       │       │
//
// Rounding may put a value into a neighbouring cell. Even then, the bins are exact, because a
// larger value is never in an earlier cell.
type binIndex struct {
	origin, scale float64
	// The thresholds in cell c have the indices firstThreshold[c] …
	// firstThreshold[c+1]-1.
	firstThreshold []uint8
}

// binIndexCells is the number of cells of a binIndex.
const binIndexCells = 1024

// newBinIndex returns a binIndex for thresholds, which must be ascending. It returns nil if a
// binary search is as fast, or if the range of the thresholds cannot be divided into cells of a
// finite, positive width.
func newBinIndex(thresholds []float64) *binIndex {
	n := len(thresholds)
	if n < 8 {
		return nil
	}
	idx := &binIndex{origin: thresholds[0], scale: binIndexCells / (thresholds[n-1] - thresholds[0])}
	if idx.scale <= 0 || math.IsInf(idx.scale, 0) || math.IsInf(idx.origin, 0) {
		return nil
	}
	idx.firstThreshold = make([]uint8, binIndexCells+1)
	cell := 0
	for i, threshold := range thresholds {
		for at := idx.cellIndex(threshold); cell < at; {
			cell++
			idx.firstThreshold[cell] = uint8(i)
		}
	}
	for cell++; cell <= binIndexCells; cell++ {
		idx.firstThreshold[cell] = uint8(n)
	}
	return idx
}

// cellIndex returns the index of the cell that contains x, which must be between the first and
// the last threshold.
func (idx *binIndex) cellIndex(x float64) int {
	return min(int((x-idx.origin)*idx.scale), binIndexCells-1)
}

// fill writes the bins of values to dst[0], dst[stride] and so on. thresholds must be the
// thresholds passed to newBinIndex. missing is the bin of NaN.
func (idx *binIndex) fill(dst []uint8, stride int, values, thresholds []float64, missing uint8) {
	last := len(thresholds) - 1
	low, high := thresholds[0], thresholds[last]
	i := 0
	for _, x := range values {
		bin := missing
		switch {
		case x <= low:
			bin = 0
		case x > high:
			bin = uint8(last + 1)
		case x == x:
			cell := idx.cellIndex(x)
			lo, hi := int(idx.firstThreshold[cell]), int(idx.firstThreshold[cell+1])
			for hi-lo > 4 {
				if mid := (lo + hi) / 2; thresholds[mid] < x {
					lo = mid + 1
				} else {
					hi = mid
				}
			}
			for lo < hi && thresholds[lo] < x {
				lo++
			}
			bin = uint8(lo)
		}
		dst[i] = bin
		i += stride
	}
}
