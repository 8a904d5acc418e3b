package frame

import "math"

// roundToInt32 returns the integer nearest to y, whose magnitude must be below 2^31; the
// result for NaN is undefined. The sum has no bits left for fractions.
func roundToInt32(y float64) int32 { return int32(math.Float64bits(y + 3<<51)) }

// decimal is k / 10^e: k in the upper 28 bits, e in the lower 4.
type decimal int32

const (
	exponentBits     = 4
	maxDecimalDigits = 1<<exponentBits - 1
	missingDecimal   = decimal(math.MinInt32) // a missing cell
)

func newDecimal(k int32, e uint8) decimal { return decimal(k<<exponentBits | int32(e)) }

func (f decimal) value() float64 {
	if f == missingDecimal {
		return NaN
	}
	return float64(f>>exponentBits) / powersOf10[f&maxDecimalDigits]
}

// decimalExponents holds, by the exponent bits of a float64, the largest e for which
// numbers with these bits stay below 2^27 when multiplied by 10^e. A number that is not a
// decimal with this e is not one with another.
var decimalExponents = func() (list [1 << 11]uint8) {
	for bits := range list {
		top, e := math.Ldexp(1, bits-1022), maxDecimalDigits
		for e >= 0 && !(top*powersOf10[e] <= 1<<27) {
			e--
		}
		list[bits] = uint8(e) // of numbers that are too large: 255
	}
	return list
}()

// toDecimal returns x as a decimal, and whether that is exact.
func toDecimal(x float64) (cell decimal, whole bool) {
	if x != x {
		return missingDecimal, true
	}
	e := decimalExponents[math.Float64bits(x)>>52&(1<<11-1)]
	power := powersOf10[e&maxDecimalDigits]
	k := roundToInt32(x * power)
	return newDecimal(k, e), float64(k)/power == x && e <= maxDecimalDigits
}

// toDecimals converts values to dst. It returns false if one cannot be represented
// exactly.
func toDecimals(dst []decimal, values []float64) bool {
	for i, x := range values {
		cell, whole := toDecimal(x)
		if !whole {
			return false
		}
		dst[i] = cell
	}
	return true
}
