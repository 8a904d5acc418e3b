package columnstats

import (
	"math"
	"strings"

	"foretell/internal/table/cells"
)

// Numbers may be codes, such as IDs of shops or ZIP codes: names that consist of digits. A column
// of codes is also read as a category, because rows with similar codes are not similar. The
// following limits distinguish codes from quantities, without using the labels.
const (
	// minDistinctCodes is the smallest number of distinct codes in a column of codes. Trees can
	// separate fewer codes by splits on the numeric feature.
	minDistinctCodes = 25
	// maxCodeDensity is the largest share of codes among the integers from the smallest to the
	// largest code. Counts, ages and years are denser.
	maxCodeDensity = 1.0 / 6
	// minPeakShare is the smallest share of rows whose number is a peak. A peak is a number that
	// occurs in at least minRowsOfPeak rows, and more than twice as often as its neighbours on
	// average. The neighbours are the nearest numbers of the column, neighboursPerSide on each side.
	// Quantities have fewer peaks.
	minPeakShare      = 0.4
	neighboursPerSide = 3
	minRowsOfPeak     = 4
	// maxRoundShare is the largest share of multiples of 5 among the peaks. Quantities have more
	// such peaks, for example at 50, 500 and 5000, because people round them.
	maxRoundShare = 0.4
)

// areCodes reports whether the numbers among values are probably codes. values must contain every
// distinct text of a column.
func areCodes(values []Value) bool {
	return isZeroPadded(values) || haveCodePeaks(values, minPeakShare)
}

// mayBeCodes is like areCodes, but values may contain the texts of only the first rows. With fewer
// rows, fewer numbers are peaks, so half of minPeakShare is enough.
func mayBeCodes(values []Value) bool {
	return isZeroPadded(values) || haveCodePeaks(values, minPeakShare/2)
}

// haveCodePeaks reports whether the numbers among values look like codes: whether they are integers
// that are far apart, and the number is a peak (see minPeakShare) in at least the fraction minPeaks
// of the rows.
func haveCodePeaks(values []Value, minPeaks float64) bool {
	numbers := positiveIntegers(values)
	if len(numbers) < minDistinctCodes {
		return false
	}
	sortByNumber(numbers)
	if span := numbers[len(numbers)-1].Number - numbers[0].Number + 1; float64(len(numbers)) > maxCodeDensity*span {
		return false
	}
	rows, peakRows, peaks, roundPeaks := 0, 0, 0, 0
	for i := range numbers {
		n := numbers[i].Rows
		rows += n
		if n < minRowsOfPeak || float64(n) <= 2*meanRowsOfNeighbours(numbers, i) {
			continue
		}
		peakRows += n
		peaks++
		if int64(numbers[i].Number)%5 == 0 {
			roundPeaks++
		}
	}
	return float64(peakRows)/float64(rows) >= minPeaks && float64(roundPeaks)/float64(max(peaks, 1)) <= maxRoundShare
}

// maxCodeDigits is the largest number of digits of a code. float64 represents all integers with at
// most this number of digits.
const maxCodeDigits = 15

// positiveIntegers returns the numbers among values, except 0. It returns nil unless all numbers
// are written in the same form: as plain integers or as integers followed by .0. pandas appends .0
// to integers if another cell of the column is empty.
func positiveIntegers(values []Value) []Value {
	var numbers []Value
	plain, decimal := false, false
	for i := range values {
		if values[i].Kind != cells.Number {
			continue
		}
		digits, hasDecimal := strings.CutSuffix(values[i].Text, ".0")
		decimal = decimal || hasDecimal
		plain = plain || !hasDecimal
		if len(digits) > maxCodeDigits || !isDigits(digits) || plain && decimal {
			return nil
		}
		if values[i].Number > 0 {
			numbers = append(numbers, values[i])
		}
	}
	return numbers
}

// meanRowsOfNeighbours returns how many rows each neighbour of numbers[i] has on average. The
// neighbours are the numbers next to it, at most neighboursPerSide on each side. numbers must have
// at least two elements.
func meanRowsOfNeighbours(numbers []Value, i int) float64 {
	lo, hi := max(i-neighboursPerSide, 0), min(i+neighboursPerSide+1, len(numbers))
	rows := -numbers[i].Rows
	for _, one := range numbers[lo:hi] {
		rows += one.Rows
	}
	return float64(rows) / float64(hi-lo-1)
}

// isZeroPadded reports whether all numbers consist of digits and some have leading zeros,
// as in codes such as 02134.
func isZeroPadded(values []Value) bool {
	zeros := false
	for i := range values {
		if values[i].Kind != cells.Number {
			continue
		}
		if !isDigits(values[i].Text) {
			return false
		}
		zeros = zeros || len(values[i].Text) > 1 && values[i].Text[0] == '0'
	}
	return zeros
}

// isDigits reports whether text consists of digits.
func isDigits(text string) bool {
	for _, char := range []byte(text) {
		if char-'0' > 9 {
			return false
		}
	}
	return true
}

// exactIntegerLimit is the smallest integer that is the same float64 as another integer.
const exactIntegerLimit = 1 << 53

// haveEqualFloats reports whether two of values are different integers but the same float64, such
// as 90071992547409936 and 90071992547409937.
func haveEqualFloats(values []Value) bool {
	integers := make(map[float64]string)
	for i := range values {
		one := &values[i]
		if one.Kind != cells.Number || math.Abs(one.Number) < exactIntegerLimit {
			continue
		}
		digits := strings.TrimLeft(one.Text, "+-0")
		if !isDigits(digits) {
			continue
		}
		if other, known := integers[one.Number]; known && other != digits {
			return true
		}
		integers[one.Number] = digits
	}
	return false
}
