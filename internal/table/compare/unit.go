package compare

import (
	"math"
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// maxUnitRatio is a limit of explainUnit: after the conversion to the unit of training, the median
// of the blind numbers is at most this many times the median of the training numbers, and at least
// this fraction of it.
const maxUnitRatio = 3

// unitReference describes the numbers of a training column, or of a sample of its rows.
type unitReference struct {
	rows              int
	low, median, high float64
}

// newUnitReference returns a description without rows if the numbers are not known.
func newUnitReference(train *profile.ColumnProfile) (r unitReference) {
	if n := train.Numbers; n != nil && n.Histogram != nil {
		for _, rows := range n.Histogram.Rows {
			r.rows += rows
		}
		r.low, r.median, r.high = n.Min, n.Median, n.Max
	}
	return r
}

// newSampleReference is newUnitReference for a sample of the training numbers.
func newSampleReference(sample []float64) unitReference {
	if len(sample) == 0 {
		return unitReference{}
	}
	numbers := slices.Sorted(slices.Values(sample))
	return unitReference{len(numbers), numbers[0], numbers[len(numbers)/2], numbers[len(numbers)-1]}
}

// unitFactors returns the factors by which numbers may differ from the numbers of a column with a
// unit if they are written without the unit: for example 0.47 for 47%, and 90 minutes for 1.5 h.
func unitFactors(unit string) []float64 {
	switch unit {
	case "%":
		return []float64{1. / 100}
	case cells.DurationUnit:
		return []float64{60, 3600}
	}
	return []float64{1000, 1. / 1000}
}

// explainUnit returns how blind numbers without a unit have to be converted to be like the training
// numbers, such as "multiplied by 100". It returns "" if no factor explains the difference, or if
// the blind numbers are not clearly smaller or larger than the training numbers: all numbers of one
// of the files must be smaller than the median of the other file, and this must not be likely by
// chance.
func (c *comparison) explainUnit(train *unitReference, unit string, blind *profile.ColumnProfile) string {
	n, rows, limit := blind.Numbers, c.blind.Rows-blind.Missing, c.falseAlarmsPerColumn()
	if n == nil || rows == 0 || n.Median <= 0 || train.median <= 0 || n.Min < 0 {
		return ""
	}
	isBelow := n.Max < train.median && outOfRangePValue(train.rows/2, rows, train.rows) <= limit
	isAbove := n.Median > train.high && outOfRangePValue(rows/2, train.rows, rows) <= limit
	if !isBelow && !isAbove {
		return ""
	}
	for _, factor := range unitFactors(unit) {
		converted := n.Median / factor
		isSimilar := converted <= maxUnitRatio*train.median && train.median <= maxUnitRatio*converted
		if !isSimilar || n.Max/factor > train.high+rangeTolerance*(train.high-train.low) || isBelow != (factor < 1) {
			continue
		}
		if factor < 1 {
			return "multiplied by " + formatExact(math.Round(1/factor))
		}
		return "divided by " + formatExact(factor)
	}
	return ""
}

// checkUnit reports a blind column whose numbers have no unit if those of the training column have
// one. A program that writes no unit may also write other numbers, such as 0.47 instead of 47%, and
// 0.47 is then read as 0.47%. If the training column has no durations, checkUnit reports nothing in
// two cases: many training numbers have no unit, either, or more than a few blind numbers cannot be
// parsed. But if explainUnit explains the difference, checkUnit always reports a defect.
//
// checkUnit returns true if the profiles of both columns describe numbers in the same unit.
// Otherwise, ranges and means cannot be compared. For example, 90 min is read correctly as 1.5 h,
// but not in the profile of the blind file.
func (c *comparison) checkUnit(train, blind *profile.ColumnProfile, numbers unitReference) (isSame bool) {
	if train.Form != inference.FormNumeric || train.NumberFormat().Unit == "" {
		return true
	}
	if blind.Form != inference.FormNumeric || blind.Missing == c.blind.Rows {
		return true
	}
	if unit := blind.NumberFormat().Unit; unit != "" {
		return unit == train.NumberFormat().Unit
	}
	unit, isDuration := train.NumberFormat().Unit, isDurationColumn(train)
	shown := "unit " + csvfile.Excerpt(unit)
	if isDuration { // perhaps no cell has the unit h
		shown = "unit hours"
	}
	if conversion := c.explainUnit(&numbers, unit, blind); conversion != "" {
		c.report(SeverityDefect, csvfile.CodeChangedKind, train.Name, "the numbers have the %s in training, but no unit here, and are like the numbers of training only if they are %s", shown, conversion)
		return false
	}
	if isDuration {
		c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the column has durations in training, but numbers without a unit here; these numbers are read as hours")
		return true
	}
	if unread := unparsedNumbers(train, blind, c.blind.Rows); ratio(unread.rows, c.blind.Rows) > maxUnparsable || hasManyWithoutUnit(train) {
		return true
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the numbers have the %s in training, but no unit here; the numbers here are read in the unit of training", shown)
	return true
}

// hasManyWithoutUnit reports whether at least a tenth of the numbers of a training column have no
// unit, as in a column of 2, 3, 4 and 5more. It returns false if the numbers are unknown.
func hasManyWithoutUnit(train *profile.ColumnProfile) bool {
	format, without, all := train.NumberFormat(), 0, 0
	for _, one := range train.Values() {
		if _, unit, ok := cells.ParseAmount([]byte(one.Text), format.DecimalComma); ok {
			if all += one.Rows; unit == "" {
				without += one.Rows
			}
		}
	}
	return all > 0 && 10*without >= all
}
