package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
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
	if !train.Form.IsOrdered() || len(c.findings) == from {
		return
	}
	numbers, texts, filled := unreadableRows(train, blind, c.blind.Rows)
	if isDefect(numbers+texts, filled) {
		c.makeDefects(from)
	}
}

// rejectKnown is like rejectUnreadable if the texts of the training column are not known. In its rows
// without a value, the training column may have the same texts and numbers. Therefore far more values of
// the blind column must be unreadable than training rows have no value. Texts, and numbers in a column of
// dates or times, only count if all training rows have a value: a blind file may have only rows with a text
// such as ongoing, or with a 0 that means none.
func (c *comparison) rejectKnown(known *profile.KnownColumn, blind *profile.ColumnProfile, from int) {
	if len(c.findings) == from {
		return
	}
	missing, isKnown := known.MissingShare()
	unreadable, texts, filled := unreadableRows(known.Profile(), blind, c.blind.Rows)
	if isKnown && missing == 0 {
		unreadable += texts
	}
	share := ratio(unreadable, filled)
	if isDefect(unreadable, filled) && share > missing+maxMissingRise && chanceOfShare(share, missing, filled) <= c.falseAlarmsPerColumn() {
		c.makeDefects(from)
	}
}

// makeDefects makes the findings from an index on defects if they are about values in another format.
func (c *comparison) makeDefects(from int) {
	for i := from; i < len(c.findings); i++ {
		if f := &c.findings[i]; f.Code == csvfile.CodeChangedKind || f.Code == csvfile.CodeDateOrder {
			f.Severity = SeverityDefect
		}
	}
}

// unreadableRows counts the rows of a blind column whose value cannot be parsed in the format of the
// training column: those with a number, date or time in the format of the blind column, and those with
// any other text, or with a plain number if the training column has dates or times. filled is the number of rows with a value. Texts that mean a missing value, such as
// n/a, numbers that mean a missing Unix time, and texts of the training column are not values. rows is
// the number of rows of the blind file.
func unreadableRows(train, blind *profile.ColumnProfile, rows int) (numbers, texts, filled int) {
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
		case one.Kind == cells.Number && train.Form != inference.FormNumeric && train.Epoch == "":
			texts += one.Rows
		case one.Kind == cells.Number || blind.Form.IsOrdered() && blind.CanParse(one.Text):
			numbers += one.Rows
		default:
			texts += one.Rows
		}
	}
	return numbers, texts, filled
}
