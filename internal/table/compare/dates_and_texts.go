package compare

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// hasMostlyDates reports whether a blind column that is read as text consists mostly of dates or times that
// the training column can parse. A few Excel dates such as 45123 are sufficient for this.
func hasMostlyDates(train, blind *profile.ColumnProfile, rows int) bool {
	isDates := train.Form == inference.FormDate || train.Form == inference.FormTime
	return isDates && train.Epoch == "" && !blind.Form.IsOrdered() && 2*textsAmongDates(train, blind, rows).rows < rows-blind.EmptyRows()
}

// textsAmongDates counts the rows of a blind column whose text the training column of dates or times cannot
// parse, and does not have. Texts that mean a missing value do not count. rows is the number of rows of the
// blind file.
func textsAmongDates(train, blind *profile.ColumnProfile, rows int) (texts rowCounter) {
	known, values := textSet(train), estimatedValues(blind, rows)
	for i := range values {
		if one := &values[i]; !train.CanParse(one.Text) && one.Kind != cells.Null && !known[one.Text] {
			texts.addRows(one)
		}
	}
	return texts
}

// checkKnownDates reports other texts among the dates or times of a blind column if it has more of them than
// the fraction of training rows without a value suggests: training rows with such a text count as missing.
func (c *comparison) checkKnownDates(known *profile.TrainingColumn, train, blind *profile.ColumnProfile) {
	texts := textsAmongDates(train, blind, c.blind.Rows)
	missing, isKnown := known.MissingShare()
	if isKnown && binomialTailBound(ratio(texts.rows, c.blind.Rows), missing, c.blind.Rows) <= c.falseAlarmsPerColumn() {
		c.reportTexts(train, blind, texts, "")
	}
}
