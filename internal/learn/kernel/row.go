package kernel

import "math"

// Broadcast copies row into every row of dst, whose length is a multiple of
// len(row).
func Broadcast(dst, row []float32) {
	n := len(row)
	for i := 0; i+n <= len(dst) && n > 0; i += n {
		copy(dst[i:i+n], row)
	}
}

// ScaleRows writes a with every row multiplied by row, element by element, to
// dst. dst may be a.
func ScaleRows(dst, a, row []float32) {
	check("ScaleRows", len(dst), len(a))
	n := len(row)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		d, x := dst[i:i+n], a[i:i+n]
		for j, r := range row {
			d[j] = x[j] * r
		}
	}
}

// SumRows adds the sum of a's rows to dst.
func SumRows(dst, a []float32) {
	n := len(dst)
	for i := 0; i+n <= len(a) && n > 0; i += n {
		for j, x := range a[i : i+n] {
			dst[j] += x
		}
	}
}

// Axpy adds alpha·x to dst.
func Axpy(dst, x []float32, alpha float32) {
	check("Axpy", len(dst), len(x))
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] += float32(alpha * v)
	}
}

// Blend moves dst towards x: dst ← dst + t·(x − dst).
func Blend(dst, x []float32, t float32) {
	check("Blend", len(dst), len(x))
	dst = dst[:len(x)]
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

// Softmax turns the scores of one row into probabilities, in place. Scores
// are shifted by their maximum, so that none overflows; a row that holds NaN
// becomes the uniform distribution.
func Softmax(row []float32) {
	top := float32(math.Inf(-1))
	for _, v := range row {
		top = max(top, v) // NaN wins
	}
	sum := 0.0
	for i, v := range row {
		e := math.Exp(float64(v - top))
		row[i] = float32(e)
		sum += e
	}
	if !(sum >= 1) || math.IsInf(sum, 1) {
		for i := range row {
			row[i] = 1 / float32(len(row))
		}
		return
	}
	scale := float32(1 / sum)
	for i := range row {
		row[i] *= scale
	}
}
