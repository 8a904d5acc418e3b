package boost

import "math"

// steps is the number of steps in which exp32's table goes from 1 to 2, a
// power of two.
const steps = 64

// powers holds the bits of 2^(i/steps).
var powers = func() (bits [steps]uint32) {
	for i := range bits {
		bits[i] = math.Float32bits(float32(math.Exp2(float64(i) / steps)))
	}
	return bits
}()

// exp32 returns e^x to about float32's precision for x between -87 and 87, 0 for
// less, and e^87 for more. It is the softmax's: 2^(n/steps) · e^r, the first
// from a table, the second by its Taylor polynomial, r being within half a step
// (Tang, Table-driven implementation of the exponential function, 1989).
func exp32(x float32) float32 {
	if x < -87 {
		return 0
	}
	if x > 87 {
		x = 87
	}
	const (
		perStep = steps / math.Ln2
		// ln 2 in two parts, the first so short that its multiples are exact.
		high = 0.693359375 / steps
		low  = -2.12194440e-4 / steps
		// Above zero, conversion rounds down.
		above = 1 << 14
	)
	n := int32(x*perStep+(above+0.5)) - above
	r := x - float32(n)*high - float32(n)*low
	power := math.Float32frombits(powers[n&(steps-1)] + uint32(n>>6)<<23)
	return power + power*(r+r*r*0.5)
}
