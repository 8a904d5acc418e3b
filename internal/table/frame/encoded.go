package frame

import (
	"math"
	"slices"

	"foretell/internal/table/cells"
)

// encoded holds the numbers of a column in few bytes and without loss, in one of the following
// forms, where k is an integer:
//
//	int8s, int16s   k / 10^digits         the smallest k of the type is a missing value
//	decimals        k / 10^e              each value has its own exponent e
//	indices         dictionary[index]     if there are few distinct values
//
// At most one of the slices is not nil. float64 represents k and 10^e exactly, so their quotient is
// the float64 nearest to the decimal. Decoding thus returns exactly the values that were parsed.
type encoded struct {
	digits   int
	int8s    []int8
	int16s   []int16
	decimals []cells.Decimal

	indices []uint8
	// dictionary holds the distinct values in ascending order. Its remaining elements are
	// NaN.
	dictionary     *[1 << 8]float64
	dictionarySize int
}

func (e *encoded) isSet() bool {
	return e.int8s != nil || e.int16s != nil || e.decimals != nil || e.indices != nil
}

// sliceInPlace restricts e to rows lo…hi-1.
func (e *encoded) sliceInPlace(lo, hi int) {
	switch {
	case e.int8s != nil:
		e.int8s = e.int8s[lo:hi]
	case e.int16s != nil:
		e.int16s = e.int16s[lo:hi]
	case e.decimals != nil:
		e.decimals = e.decimals[lo:hi]
	default:
		e.indices = e.indices[lo:hi]
	}
}

// take returns the given rows of e, in the order of rows. The result shares the dictionary of e.
func (e *encoded) take(rows []int32) encoded {
	taken := *e
	taken.int8s, taken.int16s = takeRows(e.int8s, rows), takeRows(e.int16s, rows)
	taken.decimals, taken.indices = takeRows(e.decimals, rows), takeRows(e.indices, rows)
	return taken
}

// The numbers that represent missing values in int8s and int16s.
const (
	missingInt8  = math.MinInt8
	missingInt16 = math.MinInt16
)

func decode[T int8 | int16](dst []float64, ints []T, missing T, power float64) {
	for i, cell := range ints {
		dst[i] = float64(cell) / power
		if cell == missing {
			dst[i] = cells.NaN
		}
	}
}

func gatherEncoded[T int8 | int16](dst []float64, ints []T, rows []int32, missing T, power float64) {
	for i, row := range rows {
		cell := ints[row]
		dst[i] = float64(cell) / power
		if cell == missing {
			dst[i] = cells.NaN
		}
	}
}

func encode[T int8 | int16](dst []T, values []float64, missing T, power float64) []T {
	n := len(dst)
	dst = slices.Grow(dst, len(values))[:n+len(values)]
	for i, x := range values {
		cell := T(cells.RoundToInt32(x * power))
		if x != x {
			cell = missing
		}
		dst[n+i] = cell
	}
	return dst
}
