package compare

import (
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// checkWords reports a blind column of texts of several words if most of its texts have none of the words
// that are features, and far more than in training. New texts are usual, but another language is not.
func (c *comparison) checkWords(train, blind *profile.ColumnProfile) {
	words := make(map[string]bool)
	for i := range c.train.Schema.Columns {
		if f := &c.train.Schema.Columns[i]; f.Feature == frame.ExtractWord && f.SourceName() == train.Name {
			words[f.Word] = true
		}
	}
	if len(words) == 0 {
		return
	}
	before, trained, _ := rowsWithoutWords(train.Values(), words)
	now, filled, first := rowsWithoutWords(estimatedValues(blind, c.blind.Rows), words)
	share, usual := ratio(now.rows, filled), ratio(before.rows, trained)
	if now.rows < minExpectedRows || share <= max(minUnknownShare, usual+maxMissingRise) || chanceOfShare(share, usual, filled) > c.falseAlarmsPerColumn() {
		return
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "%s (%s) %s none of the words that are features, most often %s; in training, %s of the texts have none",
		countRows(blind, now.rows), humanize.Percent(ratio(now.rows, c.blind.Rows)), humanize.Have(now.rows), csvfile.Excerpt(now.most.Text), humanize.Percent(usual))
}

// rowsWithoutWords returns the rows whose text has none of the words, the number of rows with a text, and
// the first line of the former.
func rowsWithoutWords(values []columnstats.Value, words map[string]bool) (without unreadRows, filled, first int) {
	var tokenizer cells.Tokenizer
	first = math.MaxInt
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Null || one.Kind == cells.Blank {
			continue
		}
		filled += one.Rows
		found := false
		tokenizer.Tokenize([]byte(one.Text), func(word []byte) { found = found || words[string(word)] })
		if !found {
			without.addRows(one)
			first = min(first, one.FirstLine())
		}
	}
	return without, filled, first
}
