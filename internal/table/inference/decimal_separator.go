package inference

import (
	"math"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// decimalSeparatorCounts counts the rows of a column of numbers that are evidence for the decimal
// separator of the table.
type decimalSeparatorCounts struct {
	point, comma int                     // rows whose number is valid only with this decimal separator, such as 4.5
	either       columnstats.Occurrences // rows whose number is valid with both separators, but with different values, such as 4.568
	hasCommas    bool                    // some of the rows in either have a comma
	// looksGrouped is set if, in the rows counted by either, the separators very likely separate
	// thousands: all numbers without a separator are below 1000, and the largest of them has three
	// digits.
	looksGrouped bool
	distinct     int // distinct numbers in either
}

// minGroupedNumbers is the smallest number of distinct values such as 4.568 in a column from which
// on the point is taken to separate thousands, because decimals would hardly all have exactly three
// digits.
const minGroupedNumbers = 20

// InferWithDecimalSeparators is like Infer, but also sets the separators of a column of numbers.
func InferWithDecimalSeparators(t *columnstats.Column) Result {
	inf := Infer(t)
	if inf.Form == FormNumeric {
		unit := ""
		if inf.Format != nil {
			unit = inf.Format.Unit
		}
		inf.separators = countDecimalSeparators(t.AllOrSample(), unit)
	}
	return inf
}

// countDecimalSeparators returns the counts for the distinct texts of a column. unit is the unit of its
// numbers.
func countDecimalSeparators(texts []columnstats.Value, unit string) (n decimalSeparatorCounts) {
	format := cells.NumberFormat{Unit: unit}
	other := cells.NumberFormat{Unit: unit, DecimalComma: true}
	numbers, largest := 0, 0.0 // the distinct numbers in either, and the largest number without a separator
	for i := range texts {
		one := &texts[i]
		if one.Kind != cells.Text && one.Kind != cells.Number {
			continue
		}
		byPoint, isPoint := format.Parse([]byte(one.Text))
		if !strings.ContainsAny(one.Text, ".,") {
			if isPoint {
				largest = max(largest, math.Abs(byPoint))
			}
			continue
		}
		switch byComma, isComma := other.Parse([]byte(one.Text)); {
		case isPoint && !isComma:
			n.point += one.Rows
		case isComma && !isPoint:
			n.comma += one.Rows
		case isPoint && byPoint != byComma:
			n.either.Add(one)
			numbers++
			n.hasCommas = n.hasCommas || strings.Contains(one.Text, ",")
		}
	}
	n.distinct = numbers
	n.looksGrouped = largest >= 100 && largest < 1000 && (n.hasCommas || numbers >= minGroupedNumbers)
	return n
}

// isAmbiguous reports whether some numbers can be read in two ways and no number reveals which
// reading is right.
func (n *decimalSeparatorCounts) isAmbiguous() bool {
	return n.either.Rows > 0 && n.point == 0 && n.comma == 0
}

// tableDecimalSeparator is what the columns of a table together say about its decimal separator.
type tableDecimalSeparator struct {
	comma bool // a comma separates the decimals in ambiguous columns
	// isUnknown is set if the decimal separator is not certain: if no column proves it and both the
	// point and the comma are plausible, or if different columns prove different separators.
	isUnknown bool
	// isAssumed is set if no column shows a decimal separator, so that the point is only the most likely one.
	isAssumed bool
}

// findTableDecimalSeparator returns the decimal separator for columns that do not show it, because
// all their numbers are like 4.568 or 4,568. The first of these rules that applies decides:
//
//  1. Other columns prove the same decimal separator: it is this separator.
//  2. Other columns prove different decimal separators: it is the point, and isUnknown is set.
//  3. The point, but not the comma, very likely separates thousands: it is the comma, and isUnknown
//     is set. If the comma, but not the point, very likely separates thousands, it is the point.
//  4. Otherwise it is the point. isUnknown is set if a number has a comma. It is not set for 4.568,
//     because in most files this number has decimals. But isAssumed is set.
func findTableDecimalSeparator(inferences []Result) tableDecimalSeparator {
	proven, likely, hasCommas := map[bool]bool{}, map[bool]bool{}, false
	for i := range inferences {
		n := &inferences[i].separators
		switch {
		case n.point != n.comma:
			proven[n.comma > n.point] = true
		case n.isAmbiguous():
			hasCommas = hasCommas || n.hasCommas
			if n.looksGrouped {
				likely[!n.hasCommas] = true
			}
		}
	}
	switch {
	case len(proven) == 1:
		return tableDecimalSeparator{comma: proven[true]}
	case len(proven) == 2:
		return tableDecimalSeparator{isUnknown: true}
	case len(likely) == 1:
		return tableDecimalSeparator{comma: likely[true], isUnknown: likely[true]}
	}
	return tableDecimalSeparator{isUnknown: hasCommas, isAssumed: true}
}

// resolveDecimalSeparators sets the decimal separator of columns whose numbers can be read in two
// ways. If the file is blind and the training file also contains the column, the separator is taken
// from the training file. If not, it is the result of findTableDecimalSeparator.
func resolveDecimalSeparators(inferences []Result, names []string, columns []columnstats.Column, training *frame.Schema) {
	known := make(map[string]bool)
	if training != nil {
		for i := range training.Columns {
			c := &training.Columns[i]
			if c.Kind == frame.Numeric && (c.Feature == "" || c.Feature == frame.ExtractAmount) {
				known[c.SourceName()] = c.DecimalComma
			}
		}
	}
	table := findTableDecimalSeparator(inferences)
	for i := range inferences {
		inf := &inferences[i]
		if !inf.separators.isAmbiguous() {
			continue
		}
		comma, found := known[names[i]]
		if !found {
			comma = table.comma
			// A column that looks grouped contradicts the table if it has enough numbers with the
			// table's decimal separator.
			contradicts := inf.separators.looksGrouped && inf.separators.distinct >= minGroupedNumbers && inf.separators.hasCommas == comma
			// If all of many numbers have exactly three digits after the point, they may be thousands.
			mayBeGrouped := table.isAssumed && inf.separators.distinct >= minGroupedNumbers
			inf.HasUnknownSeparator = table.isUnknown || contradicts || mayBeGrouped
		}
		if comma {
			a := parseAmounts(&columns[i], columns[i].AllOrSample(), true)
			inf.Format, inf.Values, inf.IsSampled = &a.format, a.values, columns[i].IsSampled()
		}
	}
}

// FirstAmbiguousNumber returns the first number whose separator may separate thousands or decimals. The
// result is meaningful only if HasUnknownSeparator is set.
func (inf *Result) FirstAmbiguousNumber() *columnstats.Value { return &inf.separators.either.First }
