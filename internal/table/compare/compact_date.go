package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// checkCompactDates reports a blind column of dates without separators, such as 20231020, if the
// training column contains Unix times or other numbers, because the model would read the dates as
// such numbers. low and high are the range of the training numbers. If the training numbers are not
// Unix times, blind numbers in this range are not reported, because they may only look like dates.
// checkCompactDates returns true if it reports the column.
func (c *comparison) checkCompactDates(train, blind *profile.ColumnProfile, low, high float64) (found bool) {
	if blind.Form != inference.FormDate || blind.Epoch != "" || train.Form != inference.FormNumeric && train.Epoch == "" {
		return false
	}
	var dates rowCounter
	values := estimatedValues(blind, c.blind.Rows)
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Number && train.CanParse(one.Text) && (train.Epoch != "" || one.Number < low || one.Number > high) {
			dates.addRows(one)
		}
	}
	severity, filled := SeverityWarning, c.blind.Rows-blind.EmptyRows()
	switch {
	case ratio(dates.rows, filled) <= maxDefectShare:
		return false
	case isDefect(dates.rows, filled):
		severity = SeverityDefect
	}
	c.report(severity, csvfile.CodeChangedKind, train.Name, "the column has %s in training, but dates in %s here, most often %s; these dates are read as %s",
		pluralNoun(train), formatRows(blind, dates.rows), csvfile.Excerpt(dates.most.Text), pluralNoun(train))
	return true
}
