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
