package frame

import (
	"math"
	"slices"
)

// packed holds the numbers of a column in few bytes and without loss: as the
// decimal fractions that they were written as. Of the slices one at most is not
// nil.
//
//	small, medium   k / 10^digits   the smallest k is a missing cell
//	large           k / 10^e        each cell with an exponent of its own
//	ranks           values[rank]    of small and medium columns of few values
//
// A quotient of two integers below 2^53 and 10^22 is rounded as the text of the
// fraction is, so that what comes out is what was read.
type packed struct {
	digits int
	small  []int8
	medium []int16
	large  []fraction

	ranks []uint8
	// values are ascending, distinct ones, and NaN from there on.
	values   *[1 << 8]float64
	distinct int
}

func (p *packed) any() bool {
	return p.small != nil || p.medium != nil || p.large != nil || p.ranks != nil
}

// Missing cells of small and medium columns.
const (
	noSmall  = math.MinInt8
	noMedium = math.MinInt16
)

func unpack[T int8 | int16](dst []float64, cells []T, none T, power float64) {
	for i, cell := range cells {
		dst[i] = float64(cell) / power
		if cell == none {
			dst[i] = NaN
		}
	}
}

func gather[T int8 | int16](dst []float64, cells []T, rows []int32, none T, power float64) {
	for i, row := range rows {
		cell := cells[row]
		dst[i] = float64(cell) / power
		if cell == none {
			dst[i] = NaN
		}
	}
}

func pack[T int8 | int16](dst []T, values []float64, none T, power float64) []T {
	n := len(dst)
	dst = slices.Grow(dst, len(values))[:n+len(values)]
	for i, x := range values {
		cell := T(nearest(x * power))
		if x != x {
			cell = none
		}
		dst[n+i] = cell
	}
	return dst
}

// nearest returns the integer that is nearest to y, which is below 2^31 in
// size; anything for NaN. The sum has no bits for fractions left.
func nearest(y float64) int32 { return int32(math.Float64bits(y + 3<<51)) }

// fraction is k / 10^e: k in the upper 28 bits, e in the lower 4.
type fraction int32

const (
	exponentBits = 4
	mostDigits   = 1<<exponentBits - 1
	noFraction   = fraction(math.MinInt32) // a missing cell
)

func newFraction(k int32, e uint8) fraction { return fraction(k<<exponentBits | int32(e)) }

func (f fraction) value() float64 {
	if f == noFraction {
		return NaN
	}
	return float64(f>>exponentBits) / powers[f&mostDigits]
}

// exponents holds, by the exponent bits of a float64, the largest e for which
// the numbers with these bits are below 2^27 when multiplied by 10^e. If one of
// them is no fraction with this e it is none with another.
var exponents = func() (list [1 << 11]uint8) {
	for bits := range list {
		top, e := math.Ldexp(1, bits-1022), mostDigits
		for e >= 0 && !(top*powers[e] <= 1<<27) {
			e--
		}
		list[bits] = uint8(e) // of numbers that are too large: 255
	}
	return list
}()

// toFraction returns the fraction that a value is, if it is one.
func toFraction(x float64) (cell fraction, whole bool) {
	if x != x {
		return noFraction, true
	}
	e := exponents[math.Float64bits(x)>>52&(1<<11-1)]
	power := powers[e&mostDigits]
	k := nearest(x * power)
	return newFraction(k, e), float64(k)/power == x && e <= mostDigits
}

// toFractions writes values to dst. It returns false if one is no fraction.
func toFractions(dst []fraction, values []float64) bool {
	for i, x := range values {
		cell, whole := toFraction(x)
		if !whole {
			return false
		}
		dst[i] = cell
	}
	return true
}
