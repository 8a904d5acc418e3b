//go:build !amd64

package kernel

// There is no assembly for this processor, so these functions process no elements. The
// callers process all elements in Go.

func adamVector(_, _, _, _ []float32, _ *[8]float32) int { return 0 }

func reluVector([]float32) int { return 0 }

func reluBackwardVector(_, _ []float32, _ float32) int { return 0 }

func dropoutVector([]float32, int32, float32, uint64) int { return 0 }

func axpyVector(_, _ []float32, _ float32) int { return 0 }

func lerpVector(_, _ []float32, _ float32) int { return 0 }

func scaleShiftVector(_, _, _, _ []float32) int { return 0 }

func scaleShiftBackwardVector(_, _, _, _, _ []float32) int { return 0 }

func gatherVector[T int64 | uint64](_, _ []T, _ int, _ []int32) bool { return false }

func gather4Vector(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) bool {
	return false
}

func partitionVector(_, _ []int32, _ []uint8, _ *[256]uint8) (done, kept int) { return 0, 0 }

func bestSplitVector(_ []int64, sum int64, _ *GainParams) (done int, end int64, at int, left int64) {
	return 0, sum, -1, 0
}

func logisticVector([]uint64, []float32, []int32, int32) int { return 0 }
