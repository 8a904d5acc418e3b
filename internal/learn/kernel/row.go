package kernel

// Broadcast copies row into every row of dst. The length of dst must be a multiple of
// len(row).
func Broadcast(dst, row []float32) {
	n := len(row)
	for i := 0; i+n <= len(dst) && n > 0; i += n {
		copy(dst[i:i+n], row)
	}
}

// ScaleShift multiplies every row of a element-wise by scale, adds bias, and writes the result to
// dst.
func ScaleShift(dst, a, scale, bias []float32) {
	checkLen("ScaleShift", len(dst), len(a))
	checkLen("ScaleShift", len(bias), len(scale))
	n := len(scale)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		d, x, b := dst[i:i+n], a[i:i+n], bias[:n]
		for j := scaleShiftVector(d, x, scale, b); j < n; j++ {
			d[j] = float32(x[j]*scale[j]) + b[j]
		}
	}
}

// ScaleShiftBackward is the backward pass of ScaleShift. grad is the gradient of
// ScaleShift's result. ScaleShiftBackward adds the gradient of a to dst and the gradient
// of scale to dscale.
func ScaleShiftBackward(dst, dscale, grad, a, scale []float32) {
	checkLen("ScaleShiftBackward", len(dst), len(grad))
	checkLen("ScaleShiftBackward", len(a), len(grad))
	checkLen("ScaleShiftBackward", len(dscale), len(scale))
	n := len(scale)
	for i := 0; i+n <= len(grad) && n > 0; i += n {
		d, x, s, g := dst[i:i+n], a[i:i+n], dscale[:n], grad[i:i+n]
		for j := scaleShiftBackwardVector(d, s, g, x, scale); j < n; j++ {
			d[j] += float32(g[j] * scale[j])
			s[j] += float32(g[j] * x[j])
		}
	}
}

// SumRows adds every row of a to dst. A row has len(dst) elements.
func SumRows(dst, a []float32) {
	n := len(dst)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		Axpy(dst, a[i:i+n], 1)
	}
}

// Axpy adds alpha·x to dst.
func Axpy(dst, x []float32, alpha float32) {
	checkLen("Axpy", len(dst), len(x))
	done := axpyVector(dst, x, alpha)
	x = x[done:]
	dst = dst[done : done+len(x)]
	for i, v := range x {
		dst[i] += float32(alpha * v)
	}
}

// Lerp moves dst towards x: dst ← dst + t·(x − dst).
func Lerp(dst, x []float32, t float32) {
	checkLen("Lerp", len(dst), len(x))
	done := lerpVector(dst, x, t)
	x = x[done:]
	dst = dst[done : done+len(x)]
	for i, v := range x {
		dst[i] += float32(t * (v - dst[i]))
	}
}

// Scale multiplies dst by alpha.
func Scale(dst []float32, alpha float32) {
	for i := range dst {
		dst[i] *= alpha
	}
}

// SumSquares returns the sum of the squares of x in float64. It is NaN or
// infinite if an element of x is.
func SumSquares(x []float32) float64 {
	var s0, s1, s2, s3 float64
	for ; len(x) >= 4; x = x[4:] {
		a, b, c, d := float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3])
		s0 += float64(a * a)
		s1 += float64(b * b)
		s2 += float64(c * c)
		s3 += float64(d * d)
	}
	for _, v := range x {
		s0 += float64(float64(v) * float64(v))
	}
	return (s0 + s1) + (s2 + s3)
}
