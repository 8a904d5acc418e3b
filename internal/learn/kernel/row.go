package kernel

// Broadcast copies row into every row of dst, whose length is a multiple of
// len(row).
func Broadcast(dst, row []float32) {
	n := len(row)
	for i := 0; i+n <= len(dst) && n > 0; i += n {
		copy(dst[i:i+n], row)
	}
}

// AffineRows writes a with every row multiplied by scale, element by element,
// plus bias, to dst.
func AffineRows(dst, a, scale, bias []float32) {
	check("AffineRows", len(dst), len(a))
	check("AffineRows", len(bias), len(scale))
	n := len(scale)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		d, x, b := dst[i:i+n], a[i:i+n], bias[:n]
		for j := affineVector(d, x, scale, b); j < n; j++ {
			d[j] = float32(x[j]*scale[j]) + b[j]
		}
	}
}

// AffineBack goes back through AffineRows: from the gradient grad of its
// result it adds that of a to dst and that of scale to dscale.
func AffineBack(dst, dscale, grad, a, scale []float32) {
	check("AffineBack", len(dst), len(grad))
	check("AffineBack", len(a), len(grad))
	check("AffineBack", len(dscale), len(scale))
	n := len(scale)
	for i := 0; i+n <= len(grad) && n > 0; i += n {
		d, x, s, g := dst[i:i+n], a[i:i+n], dscale[:n], grad[i:i+n]
		for j := affineBackVector(d, s, g, x, scale); j < n; j++ {
			d[j] += float32(g[j] * scale[j])
			s[j] += float32(g[j] * x[j])
		}
	}
}

// SumRows adds the sum of a's rows to dst.
func SumRows(dst, a []float32) {
	n := len(dst)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		Axpy(dst, a[i:i+n], 1)
	}
}

// Axpy adds alpha·x to dst.
func Axpy(dst, x []float32, alpha float32) {
	check("Axpy", len(dst), len(x))
	done := axpyVector(dst, x, alpha)
	x = x[done:]
	dst = dst[done : done+len(x)]
	for i, v := range x {
		dst[i] += float32(alpha * v)
	}
}

// Blend moves dst towards x: dst ← dst + t·(x − dst).
func Blend(dst, x []float32, t float32) {
	check("Blend", len(dst), len(x))
	done := blendVector(dst, x, t)
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
// infinite where an element is.
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
