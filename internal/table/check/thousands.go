package check

import (
	"math"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// Limits for the warning about decimal separators that probably separate thousands.
const (
	minOtherNumbers   = 20   // smallest number of distinct other numbers
	maxThousandChance = 1e-3 // largest probability that all suspected numbers are less than 1000 by chance
)

// warnThousands warns about a column in which a point is probably a thousands separator in some
// numbers, such as 2.451 among 2451.23 and 1870.5. This is likely if every number with three
// decimals is less than 1000, although many numbers with fewer decimals are 1000 or more. There is
// no warning if a number such as 2451.235 or 0.451 shows that the column contains three decimals.
// Nor is there a warning if all numbers seem to be rounded to the same number of significant
// digits, such as 2451.23 and 245.123.
func (c *columnChecker) warnThousands() {
	inf := c.inferred
	if inf.Form != inference.FormNumeric || inf.HasUnknownSeparator || inf.Epoch != "" {
		return
	}
	separator := "."
	if inf.Format != nil && inf.Format.DecimalComma {
		separator = ","
	}
	var suspects columnstats.Occurrences
	distinct, others, large, digits, otherDigits := 0, 0, 0, 0, 0
	for _, one := range c.stats.AllOrSample() {
		integer, decimals, isNumber := splitDigits(&one, separator)
		switch {
		case !isNumber:
		case decimals < 3:
			others, otherDigits = others+1, max(otherDigits, integer+decimals)
			if integer > 3 {
				large++
			}
		case decimals > 3 || integer < 1 || integer > 3:
			return
		default:
			suspects.Add(&one)
			distinct, digits = distinct+1, max(digits, integer+decimals)
		}
	}
	if distinct == 0 || others < minOtherNumbers || otherDigits <= digits || math.Pow(float64(others-large+1)/float64(others+1), float64(distinct)) > maxThousandChance {
		return
	}
	first := &suspects.First
	c.warnAt(first.FirstLine(), csvfile.CodeUnclearNumbers, "in %s, the number has three decimals, such as %s in %s, and is less than 1000, unlike other numbers of the column: perhaps the %q in these numbers separates thousands",
		humanize.Count(suspects.Rows, "row"), csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), separator)
}

// splitDigits returns the number of digits before and after the decimal separator of a number,
// without leading zeros. isNumber is false for a text without digits, and for a number that has an
// exponent or several separators.
func splitDigits(one *columnstats.Value, separator string) (integer, decimals int, isNumber bool) {
	if one.Kind != cells.Number && one.Kind != cells.Text || one.Kind == cells.Number && strings.ContainsAny(one.Text, "eE") {
		return 0, 0, false
	}
	before, after, _ := strings.Cut(one.Text, separator)
	isDigit := func(r rune) bool { return r >= '0' && r <= '9' }
	count := func(text string, from rune) (n int) {
		for _, r := range text {
			if isDigit(r) && (n > 0 || r >= from) {
				n++
			}
		}
		return n
	}
	return count(before, '1'), count(after, '0'), strings.ContainsFunc(one.Text, isDigit) && !strings.Contains(after, separator)
}
