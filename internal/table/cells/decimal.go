package cells

import "math"

// RoundToInt32 returns the integer nearest to y. The magnitude of y must be below 2^31; the result
// for NaN is undefined. RoundToInt32 adds 3·2^51 to y. A float64 of this size has no bits for a
// fraction, so the sum is rounded to an integer, and its lowest 32 bits are the result.
func RoundToInt32(y float64) int32 { return int32(math.Float64bits(y + 3<<51)) }

// Decimal is the number k / 10^e. The upper 28 bits hold k, the lower 4 hold e.
type Decimal int32

// The layout of a Decimal, and its value for a missing cell.
const (
	ExponentBits     = 4                   // bits of e
	MaxDecimalDigits = 1<<ExponentBits - 1 // the largest e
	MissingDecimal   = Decimal(math.MinInt32)
)

// NewDecimal returns k / 10^e, where k must fit 28 bits and e must be at most
// MaxDecimalDigits.
func NewDecimal(k int32, e uint8) Decimal { return Decimal(k<<ExponentBits | int32(e)) }

// Value returns the number, or NaN for MissingDecimal.
func (f Decimal) Value() float64 {
	if f == MissingDecimal {
		return NaN
	}
	return float64(f>>ExponentBits) / PowersOf10[f&MaxDecimalDigits]
}

// decimalExponents maps the exponent bits of a float64 to the largest e ≤ MaxDecimalDigits such
// that |x|·10^e < 2^27 for every x with these exponent bits, or to 255 if no e ≥ 0 is small enough.
// Any x that a Decimal represents exactly equals k / 10^e for this e and some integer k.
var decimalExponents = func() (list [1 << 11]uint8) {
	for bits := range list {
		top, e := math.Ldexp(1, bits-1022), MaxDecimalDigits
		for e >= 0 && !(top*PowersOf10[e] <= 1<<27) {
			e--
		}
		list[bits] = uint8(e) // 255 for numbers that are too large
	}
	return list
}()

// ToDecimal returns the decimal nearest to x, and reports whether it equals x.
func ToDecimal(x float64) (cell Decimal, exact bool) {
	if x != x {
		return MissingDecimal, true
	}
	e := decimalExponents[math.Float64bits(x)>>52&(1<<11-1)]
	power := PowersOf10[e&MaxDecimalDigits]
	k := RoundToInt32(x * power)
	return NewDecimal(k, e), float64(k)/power == x && e <= MaxDecimalDigits
}

// ToDecimals converts values to decimals in dst. It returns false if a value has no exact
// decimal.
func ToDecimals(dst []Decimal, values []float64) (exact bool) {
	for i, x := range values {
		cell, exact := ToDecimal(x)
		if !exact {
			return false
		}
		dst[i] = cell
	}
	return true
}
