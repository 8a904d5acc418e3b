package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// textsAmongDates counts the rows of a blind column that have an unknown text: the training column
// has dates or times, the text cannot be parsed in their format, and the training column does not
// have the text either. Texts that mean a missing value do not count. hasDates reports whether the
// blind column is read as text although at least 5 % of its values can be parsed in the format of
// the training column. A few other texts, such as the Excel date 45123, are sufficient for this.
// rows is the number of rows of the blind file.
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
// with such a text count as rows without a value. So it reports the texts only if they are in far
// more rows than the fraction of training rows without a value suggests. For hasDates see
// textsAmongDates.
func (c *comparison) checkKnownDates(known *profile.TrainingColumn, train, blind *profile.ColumnProfile) (hasDates bool) {
	texts, hasDates := textsAmongDates(train, blind, c.blind.Rows)
	missing, isKnown := known.MissingShare()
	if hasDates && isKnown && binomialTailBound(ratio(texts.rows, c.blind.Rows), missing, c.blind.Rows) <= c.falseAlarmsPerColumn() {
		c.reportTexts(train, blind, texts, "")
	}
	return hasDates
}
