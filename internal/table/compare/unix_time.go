package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// isMissingTime reports whether a value of a blind column means that the time is missing: the value
// is 0 or -1, and the training column has Unix times.
func isMissingTime(train *profile.ColumnProfile, one *columnstats.Value) bool {
	return train.Epoch != "" && one.Kind == cells.Number && inference.IsMissingUnixTime(one.Number)
}

// checkUnixTimes compares a blind column with a training column of Unix times. It reports rows with
// Unix times in another unit, rows with numbers that are too large or too small for Unix times, and
// Unix times with an exponent, such as 1.7e9. It returns false if there are more than a few rows of
// the first two kinds. Of train, it uses only Name, Form and Epoch.
func (c *comparison) checkUnixTimes(train, blind *profile.ColumnProfile) (matches bool) {
	if train.Epoch == "" {
		return true
	}
	var other, unlikely, rounded rowCounter
	var unit frame.EpochUnit
	values := estimatedValues(blind, c.blind.Rows)
	for i := range values {
		one := &values[i]
		if one.Kind != cells.Number || isMissingTime(train, one) {
			continue
		}
		switch of := inference.OtherUnixTimeUnit(one.Number, train.Epoch); {
		case of != "":
			other.addRows(one)
			unit = of
		case !inference.IsLikelyUnixTime(one.Number, train.Epoch):
			unlikely.addRows(one)
		case !inference.IsPlainDecimal(one.Text):
			rounded.addRows(one)
		}
	}
	if ratio(rounded.rows, c.blind.Rows) > maxUnparsable {
		c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the Unix times in %s have an exponent, most often %s; such times may have lost their last digits",
			formatRows(blind, rounded.rows), csvfile.Excerpt(rounded.most.Text))
	}
	if ratio(other.rows+unlikely.rows, c.blind.Rows) <= maxUnparsable {
		return true
	}
	severity := SeverityWarning
	if isDefect(other.rows+unlikely.rows, c.blind.Rows-blind.EmptyRows()) {
		severity = SeverityDefect
	}
	if other.rows > 0 {
		treatment := "treated as missing"
		if unit.PerDay() < train.Epoch.PerDay() {
			treatment = "read as times of January 1970"
		}
		c.report(severity, csvfile.CodeChangedKind, train.Name, "the column has %s in training, but %s in %s here, most often %s; the times of these rows are %s",
			frame.DescribeUnit(train.Epoch), frame.DescribeUnit(unit), formatRows(blind, other.rows), csvfile.Excerpt(other.most.Text), treatment)
	}
	if unlikely.rows > 0 {
		treatment := "treated as missing"
		if train.CanParse(unlikely.most.Text) {
			treatment = "read as a time of January 1970"
		}
		c.report(severity, csvfile.CodeChangedKind, train.Name, "in %s, the number is too large or too small for %s, most often the number %s; such a number is %s",
			formatRows(blind, unlikely.rows), frame.DescribeUnit(train.Epoch), csvfile.Excerpt(unlikely.most.Text), treatment)
	}
	return false
}
