package frame

import (
	"math"
	"slices"
)

// encoded holds the numbers of a column in few bytes and without loss: as the
// decimal fractions that they were written as. Of the slices one at most is not
// nil.
//
//	small, medium   k / 10^digits   the smallest k is a missing cell
//	large           k / 10^e        each cell with an exponent of its own
//	ranks           values[rank]    of small and medium columns of few values
//
// A quotient of two integers below 2^53 and 10^22 is rounded as the text of the
// fraction is, so that what comes out is what was read.
type encoded struct {
	digits   int
	int8s    []int8
	int16s   []int16
	decimals []decimal

	indices []uint8
	// dictionary are ascending, distinct ones, and NaN from there on.
	dictionary     *[1 << 8]float64
	dictionarySize int
}

func (p *encoded) present() bool {
	return p.int8s != nil || p.int16s != nil || p.decimals != nil || p.indices != nil
}

// Missing cells of small and medium columns.
const (
	missingInt8  = math.MinInt8
	missingInt16 = math.MinInt16
)

func decode[T int8 | int16](dst []float64, cells []T, none T, power float64) {
	for i, cell := range cells {
		dst[i] = float64(cell) / power
		if cell == none {
			dst[i] = NaN
		}
	}
}

func gatherEncoded[T int8 | int16](dst []float64, cells []T, rows []int32, none T, power float64) {
	for i, row := range rows {
		cell := cells[row]
		dst[i] = float64(cell) / power
		if cell == none {
			dst[i] = NaN
		}
	}
}

func encode[T int8 | int16](dst []T, values []float64, none T, power float64) []T {
	n := len(dst)
	dst = slices.Grow(dst, len(values))[:n+len(values)]
	for i, x := range values {
		cell := T(roundToInt32(x * power))
		if x != x {
			cell = none
		}
		dst[n+i] = cell
	}
	return dst
}

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
