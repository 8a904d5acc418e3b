package kernel

import "math"

// Softmax converts the scores of one row to probabilities, in place. It shifts
// scores by their maximum, so that none overflows. A row that contains NaN
// becomes the uniform distribution.
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

// exp returns eˣ for x ≤ 0 with an error of at most 2 units in the last place. It returns
// NaN if x is NaN, and 0 if x is below -87.
//
//	eˣ = 2ⁿ · eʳ    n = ⌊x/ln 2 + ½⌋    |r| ≤ ln 2 / 2
//
// ln 2 is the sum of two constants, so that r is exact. eʳ is computed by its Taylor
// polynomial. Each product is rounded separately, so that the bits are the same
// everywhere.
func exp(x float32) float32 {
	if !(x > -87) {
		if x != x {
			return x
		}
		return 0
	}
	n := int32(float32(x*math.Log2E) - 0.5) // rounds towards 0, and so to the nearest integer, as x is not positive
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
