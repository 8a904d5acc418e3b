package kernel

import "unsafe"

// The functions below do whole blocks of eight elements by assembly, where the
// processor has it, and return how many elements that were.

// adamVector is Adam.Update with its constants c.
func adamVector(w, m, v, g []float32, c *[8]float32) int {
	n := whole(len(w))
	adamBlocks(unsafe.SliceData(w), unsafe.SliceData(m), unsafe.SliceData(v), unsafe.SliceData(g), n, c)
	return 8 * int(n)
}

// rectifyVector is Rectify.
func rectifyVector(x []float32) int {
	n := whole(len(x))
	rectifyBlocks(unsafe.SliceData(x), n)
	return 8 * int(n)
}

// rectifyBackVector is RectifyBack.
func rectifyBackVector(grad, act []float32, scale float32) int {
	n := whole(len(grad))
	rectifyBackBlocks(unsafe.SliceData(grad), unsafe.SliceData(act), n, scale)
	return 8 * int(n)
}

// dropVector is Drop.
func dropVector(x []float32, threshold int32, scale float32, state uint64) int {
	n := whole(len(x))
	dropBlocks(unsafe.SliceData(x), n, threshold, scale, state)
	return 8 * int(n)
}

// axpyVector is Axpy.
func axpyVector(dst, x []float32, alpha float32) int {
	n := whole(len(x))
	axpyBlocks(unsafe.SliceData(dst), unsafe.SliceData(x), n, alpha)
	return 8 * int(n)
}

// blendVector is Blend.
func blendVector(dst, x []float32, t float32) int {
	n := whole(len(x))
	blendBlocks(unsafe.SliceData(dst), unsafe.SliceData(x), n, t)
	return 8 * int(n)
}

// affineVector is AffineRows of one row.
func affineVector(dst, a, scale, bias []float32) int {
	n := whole(len(scale))
	affineBlocks(unsafe.SliceData(dst), unsafe.SliceData(a), unsafe.SliceData(scale), unsafe.SliceData(bias), n)
	return 8 * int(n)
}

// affineBackVector is AffineBack of one row.
func affineBackVector(dst, dscale, grad, a, scale []float32) int {
	n := whole(len(scale))
	affineBackBlocks(unsafe.SliceData(dst), unsafe.SliceData(dscale), unsafe.SliceData(grad), unsafe.SliceData(a), unsafe.SliceData(scale), n)
	return 8 * int(n)
}

// whole is the number of whole blocks in n elements.
func whole(n int) uintptr {
	if !vector {
		return 0
	}
	return uintptr(n / 8)
}

// pickVector is Pick. It tells whether it did it.
func pickVector[T int64 | uint64](dst, src []T, width int, rows []int32) bool {
	if !vector || len(dst) == 0 {
		return vector
	}
	to, from := (*uint64)(unsafe.Pointer(&dst[0])), (*uint64)(unsafe.Pointer(&src[0]))
	pickRows(to, from, 8*uintptr(width), &rows[0], followed(rows, len(dst)), uintptr(len(dst)))
	return true
}

// pickFourVector is PickFour.
func pickFourVector(dst []uint64, stride int, src []uint64, width int, rows []int32, n int) bool {
	if !vector || n == 0 {
		return vector
	}
	pickFourRows(&dst[0], 8*uintptr(stride), &src[0], 8*uintptr(width), &rows[0], followed(rows, n), uintptr(n))
	return true
}

// distance is how many rows ahead memory is asked for what will be needed, as
// in gen.
const distance = 32

// followed is how many of the first n rows are followed by others at a distance.
func followed(rows []int32, n int) uintptr {
	return uintptr(max(min(n, len(rows)-distance), 0))
}

// partVector is Part. It returns how many rows it did and kept.
func partVector(rows, rest []int32, data []uint8, table *[256]uint8) (done, kept int) {
	n := whole(len(rows))
	kept = int(partBlocks(unsafe.SliceData(rows), unsafe.SliceData(rest), unsafe.SliceData(data), &table[0], &orders, n))
	return 8 * int(n), kept
}

// peaks are the best divisions of eight lanes.
type peaks struct {
	score [8]float64
	left  [8]int64
	block [8]int64
}

// peakVector is Peak. It returns how many cells it did, and the sum up to there.
func peakVector(cells []int64, sum int64, s *Slope) (done int, end int64, at int, left int64) {
	n := len(cells) / 8
	if !widest || n == 0 {
		return 0, sum, -1, 0
	}
	var best peaks
	end, found := peakBlocks(&cells[0], sum, uintptr(n), &s.Gradient, &best.score[0])
	at = -1
	if found == 0 {
		return 8 * n, end, at, 0
	}
	for lane, score := range best.score {
		// A lane that found nothing still holds the score to exceed.
		if i := 8*int(best.block[lane]) + lane; score > s.Top || score == s.Top && at > i {
			s.Top, at, left = score, i, best.left[lane]
		}
	}
	return 8 * n, end, at, left
}

// logisticVector is Logistic.
func logisticVector(dst []uint64, scores []float32, labels []int32, target int32) int {
	n := whole(len(dst))
	logisticBlocks(unsafe.SliceData(dst), unsafe.SliceData(scores), unsafe.SliceData(labels), target, n)
	return 8 * int(n)
}
