//go:build !amd64

package kernel

// There is no assembly for this processor, so these functions process no elements. The
// callers process all elements in Go.

func adamVector(w, m, v, g []float32, c *[8]float32) (done int) { return 0 }

func reluVector(x []float32) (done int) { return 0 }

func reluBackwardVector(grad, act []float32, scale float32) (done int) { return 0 }

func dropoutVector(x []float32, threshold int32, scale float32, state uint64) (done int) { return 0 }

func axpyVector(dst, x []float32, alpha float32) (done int) { return 0 }

func lerpVector(dst, x []float32, t float32) (done int) { return 0 }

func scaleShiftVector(dst, a, scale, bias []float32) (done int) { return 0 }

func scaleShiftBackwardVector(dst, dscale, grad, a, scale []float32) (done int) { return 0 }

func gatherVector[T int64 | uint64](dst, src []T, width int, rows []int32) (done bool) { return false }

func gather4Vector(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) (done bool) {
	return false
}

func partitionVector(rows, rest []int32, data []uint8, table *[256]uint8) (done, kept int) {
	return 0, 0
}

func bestSplitVector(cells []int64, sum int64, params *GainParams) (done int, end int64, at int, left int64) {
	return 0, sum, -1, 0
}

func logisticVector(dst []uint64, scores []float32, labels []int32, target int32) (done int) {
	return 0
}

func expClippedVector(dst, x []float32, shift, least, most float32) (done int) { return 0 }

func maxVector(dst, x []float32) (done int) { return 0 }

func addExpVector(sums, scores, maxScores []float32, least float32) (done int) { return 0 }

func softmaxGradientsVector(dst []uint64, scores, maxScores, normalizers []float32, labels []int32, target int32, least float32) (done int) {
	return 0
}

func addDerivativesVector(g, h, odds []float32, scale float32) (done int) { return 0 }
