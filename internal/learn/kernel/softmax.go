package kernel

import "math"

// Softmax converts the scores of one row to probabilities, in place. It shifts
// scores by their maximum, so that none overflows. A row that contains NaN, or
// whose maximum is infinite, becomes the uniform distribution.
func Softmax(row []float32) {
	top := float32(math.Inf(-1))
	for _, v := range row {
		top = max(top, v) // NaN if v is NaN
	}
	sum := 0.0
	for i, v := range row {
		e := exp(v - top)
		row[i] = e
		sum += float64(e)
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

// exp returns eˣ with an error of at most 2 units in the last place. x must be NaN or at most 0.
// The result is NaN if x is NaN, and 0 if x is less than -87.
//
//	eˣ = 2ⁿ · eʳ    n = ⌊x/ln 2 + ½⌋    |r| ≤ ln 2 / 2
//
// To keep r accurate, n·ln 2 is subtracted in two steps, with two constants whose sum is
// ln 2. eʳ is approximated by its Taylor polynomial. Each product is rounded separately, so
// that the bits are the same on all processors.
func exp(x float32) float32 {
	if !(x > -87) {
		if x != x {
			return x
		}
		return 0
	}
	n := int32(float32(x*math.Log2E) - 0.5) // the conversion rounds towards 0; x is not positive, so n is the integer nearest to x/ln 2
	f := float32(n)
	r := x - float32(f*0x1.62ep-1)
	r -= float32(f * 0x1.0bfbe8p-15)
	p := float32(r*(1./5040)) + 1./720
	p = float32(p*r) + 1./120
	p = float32(p*r) + 1./24
	p = float32(p*r) + 1./6
	p = float32(p*r) + 1./2
	p = float32(p*r) + 1
	p = float32(p*r) + 1
	return p * math.Float32frombits(uint32(n+127)<<23)
}
