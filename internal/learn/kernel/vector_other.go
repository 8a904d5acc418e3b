//go:build !amd64

package kernel

// There is no assembly here: these functions do nothing.

func adamVector(_, _, _, _ []float32, _ *[8]float32) int { return 0 }

func rectifyVector([]float32) int { return 0 }

func rectifyBackVector(_, _ []float32, _ float32) int { return 0 }

func dropVector([]float32, int32, float32, uint64) int { return 0 }

func axpyVector(_, _ []float32, _ float32) int { return 0 }

func blendVector(_, _ []float32, _ float32) int { return 0 }

func affineVector(_, _, _, _ []float32) int { return 0 }

func affineBackVector(_, _, _, _, _ []float32) int { return 0 }

func pickVector[T int64 | uint64](_, _ []T, _ int, _ []int32) bool { return false }

func pickFourVector([]uint64, int, []uint64, int, []int32, int) bool { return false }

func partVector(_, _ []int32, _ []uint8, _ *[256]uint8) (done, kept int) { return 0, 0 }

func peakVector(_ []int64, sum int64, _ *Slope) (done int, end int64, at int, left int64) {
	return 0, sum, -1, 0
}

func logisticVector([]uint64, []float32, []int32, int32) int { return 0 }
