package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// textsAmongDates counts, in texts, the rows whose cell in the blind column cannot be parsed in the
// format of the training column. Texts of the training column and texts that mean a missing value
// do not count. hasDates is true if at least 5 % of the non-empty cells are not counted: the blind
// column then probably contains dates or times as well as other texts, such as the Excel date
// 45123. Both results are zero if the training column has no dates or times, if it has Unix times,
// or if the blind column is read as numbers, dates or times. rows is the number of rows of the
// blind file.
func textsAmongDates(train, blind *profile.ColumnProfile, rows int) (texts rowCounter, hasDates bool) {
	if train.Form != inference.FormDate && train.Form != inference.FormTime || train.Epoch != "" || blind.Form.IsOrdered() {
		return texts, false
	}
	known, values := textSet(train), estimatedValues(blind, rows)
	for i := range values {
		if one := &values[i]; !train.CanParse(one.Text) && one.Kind != cells.Null && !known[one.Text] {
			texts.addRows(one)
		}
	}
	return texts, ratio(texts.rows, rows-blind.EmptyRows()) <= 1-maxUnparsable
}

// checkKnownDates reports other texts among the dates or times of a blind column. Training rows
// with such a text count as rows without a value, so texts are reported only if they are in a far
// larger fraction of the rows than training rows without a value. For hasDates, see
// textsAmongDates.
func (c *comparison) checkKnownDates(known *profile.TrainingColumn, train, blind *profile.ColumnProfile) (hasDates bool) {
	texts, hasDates := textsAmongDates(train, blind, c.blind.Rows)
	missing, isKnown := known.MissingShare()
	if hasDates && isKnown && binomialTailBound(ratio(texts.rows, c.blind.Rows), missing, c.blind.Rows) <= c.falseAlarmsPerColumn() {
		c.reportTexts(train, blind, texts, "")
	}
	return hasDates
}
