package compare

import (
	"math"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// Limits for reporting texts that are not levels. Levels are the texts that a model distinguishes:
// either all texts of the training file, or only the texts that are not rare. If rare texts are not
// levels, some rows usually have texts that are not levels; if nearly every row has its own text,
// many rows do.
const (
	minUnknownShare   = 0.5 // smallest fraction of rows whose text is not a level
	minRowsPerUnknown = 2   // smallest number of rows for each of these texts, on average
)

// checkLevels reports texts that are not levels in three cases: if most rows have such a text, if
// far more rows have such a text than in a sample of the training rows, or if the levels are all
// texts of the training file; see areUnknownsUsual. In all other cases, it reports only texts that
// differ from a level just in spelling. A text that means a missing value is ignored if it is not a
// level.
func (c *comparison) checkLevels(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	values := blind.Values()
	if blind.Form.IsOrdered() {
		values = estimatedValues(blind, c.blind.Rows)
	} else if blind.Estimate {
		return
	}
	key, fold := func(text string) string { return text }, foldSpelling
	if cells.AreBooleans(slices.Values(known.Levels)) {
		key, fold = cells.FoldCase, foldBoolean
	}
	levels, spellings := make(map[string]bool, len(known.Levels)), make(map[string]bool, len(known.Levels))
	for _, level := range known.Levels {
		levels[key(level)], spellings[fold(level)] = true, true
	}
	var unknown, misspelt rowCounter
	first, firstMisspelt, filled, texts := math.MaxInt, math.MaxInt, 0, 0
	for _, one := range values {
		isLevel := levels[key(one.Text)]
		if one.Kind == cells.Null && !isLevel {
			continue
		}
		filled += one.Rows
		if !isLevel {
			unknown.addRows(&one)
			texts++
			first = min(first, one.FirstLine())
			if spellings[fold(one.Text)] {
				misspelt.addRows(&one)
				firstMisspelt = min(firstMisspelt, one.FirstLine())
			}
		}
	}
	if c.areUnknownsUsual(known, unknown.rows, texts, filled) {
		unknown, first = misspelt, firstMisspelt
	}
	if unknown.rows == 0 {
		return
	}
	rows, share, most := formatRows(blind, unknown.rows), humanize.Percent(ratio(unknown.rows, c.blind.Rows)), csvfile.Excerpt(unknown.most.Text)
	if blind.Form.IsOrdered() && !spellings[fold(unknown.most.Text)] { // otherwise the spelling is reported below: explainSpelling explains that 1 means yes, for example
		c.report(SeverityWarning, csvfile.CodeChangedKind, blind.Name, "the column has categories in training, but %s here; in %s (%s), the category is unknown to the model, most often the category %s",
			blind.Form.PluralNoun(), rows, share, most)
		return
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "in %s (%s), the text is unknown to the model, most often the text %s", rows, share, most)
}

// areUnknownsUsual reports whether texts that are not levels are no more frequent in a blind column
// than is usual. rows is the number of rows with such a text, texts is the number of different
// texts in these rows, and filled is the number of all rows with a value.
func (c *comparison) areUnknownsUsual(known *profile.TrainingColumn, rows, texts, filled int) bool {
	share := ratio(rows, filled)
	sampled := ratio(known.SampleUnknown+3, known.SampleRows+3) // a sample has few rows
	switch {
	case len(known.Levels) == known.Distinct && !known.DistinctEstimate:
		return false // the levels are all texts of the training file
	case rows < minExpectedRows:
		return true
	case known.SampleRows > 0 && share > ratio(known.SampleUnknown, known.SampleRows)+maxMissingRise && binomialTailBound(share, sampled, filled) <= c.falseAlarmsPerColumn():
		return false
	}
	return share <= minUnknownShare || rows < minRowsPerUnknown*texts && rows < filled
}
