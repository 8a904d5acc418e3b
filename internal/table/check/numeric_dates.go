package check

import (
	"regexp"
	"strconv"
	"sync"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
)

// minNumericDates is the smallest number of distinct cells of a column for warnNumericDates. If
// numbers with four decimals had random decimals, only one of 50 would be like 4.2020.
const minNumericDates = 5

// Cells that are probably dates, but are read as numbers.
var (
	monthAndYear = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d$`) })              // 04.2020
	dayAndMonth  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.$`) }) // 24.12.
)

// warnNumericDates warns about a training column of numbers if all of them are probably months,
// such as 04.2020, or days without a year, such as 24.12. with a point at the end.
func (c *columnChecker) warnNumericDates() {
	if c.opts.Blind || c.inferred.Form != inference.FormNumeric {
		return
	}
	for _, pattern := range []*regexp.Regexp{monthAndYear(), dayAndMonth()} {
		if first := c.firstOfAll(pattern); first != nil {
			read := first.Number
			if c.inferred.Format != nil {
				read, _ = c.inferred.Format.Parse([]byte(first.Text))
			}
			c.warnAt(first.FirstLine(), csvfile.CodeNumericDates, "the numbers are probably months or days, such as %s (%s), which is read as the number %s; their order is not the order of time",
				csvfile.Excerpt(first.Text), c.opts.FormatLine(first.FirstLine()), strconv.FormatFloat(read, 'f', -1, 64))
			return
		}
	}
}

// firstOfAll returns the first cell of the column if all cells with a value match the pattern, and
// enough of them are different. Otherwise it returns nil.
func (c *columnChecker) firstOfAll(pattern *regexp.Regexp) (first *columnstats.Value) {
	texts, distinct := c.stats.AllOrSample(), 0
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Blank || one.Kind == cells.Null {
			continue
		}
		if !pattern.MatchString(one.Text) {
			return nil
		}
		if distinct++; first == nil || one.FirstLine() < first.FirstLine() {
			first = one
		}
	}
	if distinct < minNumericDates {
		return nil
	}
	return first
}
