package boost

import "math"

// expSteps is the number of elements of expTable, a power of two.
const expSteps = 64

// expTable holds the float32 bits of 2^(i/expSteps).
var expTable = func() (bits [expSteps]uint32) {
	for i := range bits {
		bits[i] = math.Float32bits(float32(math.Exp2(float64(i) / expSteps)))
	}
	return bits
}()

// exp32 returns e^x to about float32 precision for x between -87 and 87. It returns 0 for
// smaller x and e^87 for larger x. It computes 2^(n/expSteps) · e^r, where n is an
// integer and |r| is at most half of ln 2/expSteps. The first factor is from a table. The
// second is approximated by its Taylor polynomial of degree 2 (Tang, Table-driven
// implementation of the exponential function, 1989).
//
// Here and in the other sums of this package, products are converted explicitly. This
// prevents the compiler from fusing a multiplication and an addition on arm64, which would
// change the last bits.
func exp32(x float32) float32 {
	if x < -87 {
		return 0
	}
	if x > 87 {
		x = 87
	}
	const (
		perStep = expSteps / math.Ln2
		// high + low is ln 2 / expSteps. high has so few bits that its multiples are
		// exact.
		high = 0.693359375 / expSteps
		low  = -2.12194440e-4 / expSteps
		// bias makes the number positive. The conversion truncates, so with the added 0.5
		// it rounds to the nearest integer.
		bias = 1 << 14
	)
	n := int32(float32(x*perStep)+(bias+0.5)) - bias
	r := x - float32(float32(n)*high) - float32(float32(n)*low)
	power := math.Float32frombits(expTable[n&(expSteps-1)] + uint32(n>>6)<<23)
	return power + float32(power*(r+float32(r*r*0.5)))
}
