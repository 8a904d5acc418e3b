package kernel

import "unsafe"

// Each function below runs a kernel in assembly, on as many blocks of eight elements as
// possible. It returns the number of elements processed, which is 0 if the processor
// lacks the instructions. The caller processes the remaining elements in Go.

// adamVector runs Adam.Update in assembly and returns the number of elements processed. c
// holds the constants that Adam.Update computes from the parameters of the step.
func adamVector(w, m, v, g []float32, c *[8]float32) (done int) {
	n := wholeBlocks(len(w))
	adamBlocks(unsafe.SliceData(w), unsafe.SliceData(m), unsafe.SliceData(v), unsafe.SliceData(g), n, c)
	return 8 * int(n)
}

// reluVector runs ReLU in assembly and returns the number of elements processed.
func reluVector(x []float32) (done int) {
	n := wholeBlocks(len(x))
	reluBlocks(unsafe.SliceData(x), n)
	return 8 * int(n)
}

// reluBackwardVector runs ReLUBackward in assembly and returns the number of elements
// processed.
func reluBackwardVector(grad, act []float32, scale float32) (done int) {
	n := wholeBlocks(len(grad))
	reluBackwardBlocks(unsafe.SliceData(grad), unsafe.SliceData(act), n, scale)
	return 8 * int(n)
}

// dropoutVector runs Dropout in assembly and returns the number of elements processed.
func dropoutVector(x []float32, threshold int32, scale float32, state uint64) (done int) {
	n := wholeBlocks(len(x))
	dropoutBlocks(unsafe.SliceData(x), n, threshold, scale, state)
	return 8 * int(n)
}

// axpyVector runs Axpy in assembly and returns the number of elements processed.
func axpyVector(dst, x []float32, alpha float32) (done int) {
	n := wholeBlocks(len(x))
	axpyBlocks(unsafe.SliceData(dst), unsafe.SliceData(x), n, alpha)
	return 8 * int(n)
}

// lerpVector runs Lerp in assembly and returns the number of elements processed.
func lerpVector(dst, x []float32, t float32) (done int) {
	n := wholeBlocks(len(x))
	lerpBlocks(unsafe.SliceData(dst), unsafe.SliceData(x), n, t)
	return 8 * int(n)
}

// scaleShiftVector runs ScaleShift for one row in assembly and returns the number of
// elements processed.
func scaleShiftVector(dst, a, scale, bias []float32) (done int) {
	n := wholeBlocks(len(scale))
	scaleShiftBlocks(unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(scale), unsafe.SliceData(bias), n)
	return 8 * int(n)
}

// scaleShiftBackwardVector runs ScaleShiftBackward for one row in assembly and returns
// the number of elements processed.
func scaleShiftBackwardVector(dst, dscale, grad, a, scale []float32) (done int) {
	n := wholeBlocks(len(scale))
	scaleShiftBackwardBlocks(unsafe.SliceData(dst), unsafe.SliceData(dscale), unsafe.SliceData(grad), unsafe.SliceData(a), unsafe.SliceData(scale), n)
	return 8 * int(n)
}

// wholeBlocks returns the number of whole blocks in n elements, or 0 without AVX2.
func wholeBlocks(n int) uintptr {
	if !useAVX2 {
		return 0
	}
	return uintptr(n / 8)
}

// gatherVector runs Gather in assembly. It returns true if it processed all rows, and
// false if it processed none.
func gatherVector[T int64 | uint64](dst, src []T, width int, rows []int32) (done bool) {
	if !useAVX2 || len(dst) == 0 {
		return useAVX2
	}
	to, from := (*uint64)(unsafe.Pointer(&dst[0])), (*uint64)(unsafe.Pointer(&src[0]))
	gatherRows(to, from, 8*uintptr(width), &rows[0], prefetchable(rows, len(dst)), uintptr(len(dst)))
	return true
}

// gather4Vector runs Gather4Columns in assembly. It returns true if it processed all
// rows, and false if it processed none.
func gather4Vector(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) (done bool) {
	if !useAVX2 || n == 0 {
		return useAVX2
	}
	gather4Rows(&dst[0], 8*uintptr(stride), &src[0], 8*uintptr(width), &rows[0], prefetchable(rows, n), uintptr(n))
	return true
}

// prefetchDistance is the distance, in rows, from the current row to the row that is
// prefetched. It must equal the constant of the same name in the program gen.
const prefetchDistance = 32

// prefetchable returns how many of the first n rows are followed by at least prefetchDistance
// further rows.
func prefetchable(rows []int32, n int) uintptr {
	return uintptr(max(min(n, len(rows)-prefetchDistance), 0))
}

// partitionVector runs Partition in assembly. done is the number of rows processed. kept is the
// number of these rows that are now at the front of rows.
func partitionVector(rows, rest []int32, data []uint8, table *[256]uint8) (done, kept int) {
	n := wholeBlocks(len(rows))
	kept = int(partitionBlocks(unsafe.SliceData(rows), unsafe.SliceData(rest), unsafe.SliceData(data), &table[0], &compressOrders, n))
	return 8 * int(n), kept
}

// laneSplits holds eight candidates for the best split, one for each lane of a vector
// register: lane i searches the cells whose index modulo 8 is i. left[i] is the sum of the left
// side of this lane's best split, which ends with the cell 8·block[i]+i.
type laneSplits struct {
	score [8]float64
	left  [8]int64
	block [8]int64
}

// bestSplitVector runs BestSplit in assembly on the first done cells. end is the sum of these cells
// and of the parameter sum. The results at and left are those of BestSplit for these cells.
func bestSplitVector(cells []int64, sum int64, params *GainParams) (done int, end int64, at int, left int64) {
	n := len(cells) / 8
	if !useAVX512DQ || n == 0 {
		return 0, sum, -1, 0
	}
	var best laneSplits
	end, found := bestSplitBlocks(&cells[0], sum, uintptr(n), &params.Gradient, &best.score[0])
	at = -1
	if found == 0 {
		return 8 * n, end, at, 0
	}
	for lane, score := range best.score {
		// A lane that found no split still has the initial score, params.Best.
		if i := 8*int(best.block[lane]) + lane; score > params.Best || score == params.Best && at > i {
			params.Best, at, left = score, i, best.left[lane]
		}
	}
	return 8 * n, end, at, left
}

// logisticVector runs LogisticGradients in assembly and returns the number of elements processed.
func logisticVector(dst []uint64, scores []float32, labels []int32, target int32) (done int) {
	n := wholeBlocks(len(dst))
	logisticBlocks(unsafe.SliceData(dst), unsafe.SliceData(scores), unsafe.SliceData(labels), target, n)
	return 8 * int(n)
}

// expClippedVector runs ExpClipped in assembly and returns the number of elements processed. If
// there are at least eight elements, it processes all of them, because the last block may overlap
// the block before it.
func expClippedVector(dst, x []float32, shift, least, most float32) (done int) {
	n := wholeBlocks(len(dst))
	if n == 0 {
		return 0
	}
	expClippedBlocks(&dst[0], &x[0], &expTable, n, shift, least, most)
	if last := len(dst) - 8; last%8 != 0 {
		expClippedBlocks(&dst[last], &x[last], &expTable, 1, shift, least, most)
	}
	return len(dst)
}

// maxVector runs Max in assembly and returns the number of elements processed.
func maxVector(dst, x []float32) (done int) {
	n := wholeBlocks(len(dst))
	maxBlocks(unsafe.SliceData(dst), unsafe.SliceData(x), n)
	return 8 * int(n)
}

// addExpVector runs AddExp in assembly and returns the number of elements processed.
func addExpVector(sums, scores, maxScores []float32, least float32) (done int) {
	n := wholeBlocks(len(sums))
	addExpBlocks(unsafe.SliceData(sums), unsafe.SliceData(scores), unsafe.SliceData(maxScores), &expTable, n, least)
	return 8 * int(n)
}

// softmaxGradientsVector runs SoftmaxGradients in assembly and returns the number of
// elements processed.
func softmaxGradientsVector(dst []uint64, scores, maxScores, normalizers []float32, labels []int32, target int32, least float32) (done int) {
	n := wholeBlocks(len(dst))
	softmaxGradientsBlocks(unsafe.SliceData(dst), unsafe.SliceData(scores), unsafe.SliceData(maxScores), unsafe.SliceData(normalizers), unsafe.SliceData(labels), &expTable, n, target, least)
	return 8 * int(n)
}

// addDerivativesVector runs AddDerivatives in assembly and returns the number of elements
// processed.
func addDerivativesVector(g, h, odds []float32, scale float32) (done int) {
	n := wholeBlocks(len(g))
	addDerivativesBlocks(unsafe.SliceData(g), unsafe.SliceData(h), unsafe.SliceData(odds), n, scale)
	return 8 * int(n)
}
