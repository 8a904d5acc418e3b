package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// A blind column has a defect, and not only a warning, if at least minDefectRows rows, and more than
// maxDefectShare of the rows with a value, have a value that a model cannot use. The model was
// trained on other data.
const (
	minDefectRows  = 5
	maxDefectShare = 0.5
)

// isDefect reports whether rows of the filled rows are too many for a warning.
func isDefect(rows, filled int) bool {
	return rows >= minDefectRows && ratio(rows, filled) > maxDefectShare
}

// rejectUnreadable makes the findings from an index on defects if they are about values that are treated
// as missing, and if most values of the blind column are. The findings must be those of this column.
func (c *comparison) rejectUnreadable(train, blind *profile.ColumnProfile, from int) {
	if !train.Form.IsOrdered() || len(c.findings) == from || !isDefect(unreadableRows(train, blind, c.blind.Rows)) {
		return
	}
	for i := from; i < len(c.findings); i++ {
		if f := &c.findings[i]; f.Code == csvfile.CodeChangedKind || f.Code == csvfile.CodeDateOrder {
			f.Severity = SeverityDefect
		}
	}
}

// unreadableRows returns the number of rows of a blind column whose value cannot be parsed in the format
// of the training column, and the number of rows with a value. Texts that mean a missing value, such as
// n/a, numbers that mean a missing Unix time, and texts of the training column are not values. rows is the number of rows of the blind file.
func unreadableRows(train, blind *profile.ColumnProfile, rows int) (unreadable, filled int) {
	trained := train.Values()
	known := make(map[string]bool, len(trained))
	for i := range trained {
		known[trained[i].Text] = true
	}
	values := estimatedValues(blind, rows)
	filled = rows - blind.EmptyRows()
	for i := range values {
		one := &values[i]
		switch {
		case train.CanParse(one.Text):
		case one.Kind == cells.Null || isMissingTime(train, one) || known[one.Text]:
			filled -= one.Rows
		default:
			unreadable += one.Rows
		}
	}
	return unreadable, filled
}
