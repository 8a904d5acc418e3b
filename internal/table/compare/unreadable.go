package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// A blind column gets a defect and not only a warning if a model cannot use the values in at least
// minDefectRows rows, and in more than the fraction maxDefectShare of the rows with a value. The
// contents of such a column differ from those of the training rows.
const (
	minDefectRows  = 5
	maxDefectShare = 0.5
)

// isDefect reports whether a finding is a defect and not only a warning. rows is the number of rows
// whose value a model cannot use. filled is the number of rows with any value.
func isDefect(rows, filled int) bool {
	return rows >= minDefectRows && ratio(rows, filled) > maxDefectShare
}

// rejectUnreadable turns the findings in c.findings[from:] into defects if most values of the blind
// column are treated as missing; see escalateToDefects. The findings must be about this column.
func (c *comparison) rejectUnreadable(train, blind *profile.ColumnProfile, from int) {
	if !train.Form.IsOrdered() || len(c.findings) == from {
		return
	}
	numbers, texts, filled := unreadableRows(train, blind, c.blind.Rows)
	if isDefect(numbers+texts, filled) {
		c.escalateToDefects(from)
	}
}

// rejectUnreadableKnown is rejectUnreadable for a training column whose texts are not known.
// Training rows with an unreadable value count as rows without a value. Therefore the fraction of
// unreadable values in the blind column must be far larger than the fraction of training rows
// without a value.
//
// Texts, and numbers in a column of dates or times, are counted as unreadable only if all training
// rows have a value. If not, the training file may also contain them, such as the text ongoing, or
// 0 for no date.
func (c *comparison) rejectUnreadableKnown(known *profile.TrainingColumn, blind *profile.ColumnProfile, from int) {
	if len(c.findings) == from {
		return
	}
	missing, isKnown := known.MissingShare()
	unreadable, texts, filled := unreadableRows(known.Profile(), blind, c.blind.Rows)
	if isKnown && missing == 0 {
		unreadable += texts
	}
	share := ratio(unreadable, filled)
	if isDefect(unreadable, filled) && share > missing+maxMissingRise && binomialTailBound(share, missing, filled) <= c.falseAlarmsPerColumn() {
		c.escalateToDefects(from)
	}
}

// escalateToDefects looks for findings about values in another format in c.findings[from:], and
// makes them defects.
func (c *comparison) escalateToDefects(from int) {
	for i := from; i < len(c.findings); i++ {
		if f := &c.findings[i]; f.Code == csvfile.CodeChangedKind || f.Code == csvfile.CodeDateOrder {
			f.Severity = SeverityDefect
		}
	}
}

// unreadableRows counts the rows of a blind column whose value cannot be parsed in the format of
// the training column. The result numbers counts rows with a number, date or time, and the result
// texts counts rows with any other text. filled is the number of rows with a value. rows is the
// number of rows of the blind file.
//
// If the training column has numbers, a number with any unit counts as a number. If it has dates or
// times other than Unix times, a plain number counts as a text.
//
// These are not values: texts that mean a missing value, such as n/a, numbers that mean a missing
// Unix time, and texts of the training column.
func unreadableRows(train, blind *profile.ColumnProfile, rows int) (numbers, texts, filled int) {
	known, values := textSet(train), estimatedValues(blind, rows)
	filled = rows - blind.EmptyRows()
	for i := range values {
		one := &values[i]
		switch {
		case train.CanParse(one.Text):
		case one.Kind == cells.Null || isMissingTime(train, one) || known[one.Text]:
			filled -= one.Rows
		case one.Kind == cells.Number && train.Form != inference.FormNumeric && train.Epoch == "":
			texts += one.Rows
		case one.Kind == cells.Number || blind.Form.IsOrdered() && blind.CanParse(one.Text) || train.Form == inference.FormNumeric && isAmount(one.Text):
			numbers += one.Rows
		default:
			texts += one.Rows
		}
	}
	return numbers, texts, filled
}

// isAmount reports whether a text is a number with any unit, such as 19 MB.
func isAmount(text string) bool {
	_, _, withPoint := cells.ParseAmount([]byte(text), false)
	_, _, withComma := cells.ParseAmount([]byte(text), true)
	return withPoint || withComma
}
