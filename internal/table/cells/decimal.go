package cells

import "math"

// RoundToInt32 returns the integer nearest to y, whose magnitude must be below 2^31; the
// result for NaN is undefined. The sum has no bits left for fractions.
func RoundToInt32(y float64) int32 { return int32(math.Float64bits(y + 3<<51)) }

// Decimal is k / 10^e: k in the upper 28 bits, e in the lower 4.
type Decimal int32

// The layout of a Decimal, and its value for a missing cell.
const (
	ExponentBits     = 4                   // bits of e
	MaxDecimalDigits = 1<<ExponentBits - 1 // the largest e
	MissingDecimal   = Decimal(math.MinInt32)
)

// NewDecimal returns k / 10^e. k must fit 28 bits, e must be at most MaxDecimalDigits.
func NewDecimal(k int32, e uint8) Decimal { return Decimal(k<<ExponentBits | int32(e)) }

// Value returns the number, NaN for MissingDecimal.
func (f Decimal) Value() float64 {
	if f == MissingDecimal {
		return NaN
	}
	return float64(f>>ExponentBits) / PowersOf10[f&MaxDecimalDigits]
}

// decimalExponents holds, by the exponent bits of a float64, the largest e for which
// numbers with these bits stay below 2^27 when multiplied by 10^e. A number that is not a
// decimal with this e is not one with another.
var decimalExponents = func() (list [1 << 11]uint8) {
	for bits := range list {
		top, e := math.Ldexp(1, bits-1022), MaxDecimalDigits
		for e >= 0 && !(top*PowersOf10[e] <= 1<<27) {
			e--
		}
		list[bits] = uint8(e) // of numbers that are too large: 255
	}
	return list
}()

// ToDecimal returns x as a decimal, and whether that is exact.
func ToDecimal(x float64) (cell Decimal, whole bool) {
	if x != x {
		return MissingDecimal, true
	}
	e := decimalExponents[math.Float64bits(x)>>52&(1<<11-1)]
	power := PowersOf10[e&MaxDecimalDigits]
	k := RoundToInt32(x * power)
	return NewDecimal(k, e), float64(k)/power == x && e <= MaxDecimalDigits
}

// ToDecimals converts values to dst. It returns false if one cannot be represented
// exactly.
func ToDecimals(dst []Decimal, values []float64) bool {
	for i, x := range values {
		cell, whole := ToDecimal(x)
		if !whole {
			return false
		}
		dst[i] = cell
	}
	return true
}
