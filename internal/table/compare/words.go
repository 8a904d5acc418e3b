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

// checkWords compares columns whose texts have several words. New texts are usual, but another
// language is not. checkWords therefore reports a blind column if most of its texts contain none of
// the words that are features and the fraction of such texts is far larger than in training.
func (c *comparison) checkWords(train, blind *profile.ColumnProfile) {
	words := make(map[string]bool)
	for i := range c.train.Schema.Columns {
		if f := &c.train.Schema.Columns[i]; f.Feature == frame.ExtractWord && f.SourceName() == train.Name {
			words[f.Word] = true
		}
	}
	if len(words) == 0 || !train.HasAllTexts() {
		return
	}
	hasWord := containsTerm("", words)
	before, trained, _ := rowsWithout(train.Values(), hasWord)
	now, filled, first := rowsWithout(estimatedValues(blind, c.blind.Rows), hasWord)
	share, usual := ratio(now.rows, filled), ratio(before.rows, trained)
	if now.rows < minExpectedRows || share <= max(minUnknownShare, usual+maxMissingRise) || binomialTailBound(share, usual, filled) > c.falseAlarmsPerColumn() {
		return
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "in %s (%s), the text contains none of the words that are features; the most frequent of these texts is %s; in training, %s of the texts contain none of these words",
		formatRows(blind, now.rows), humanize.Percent(ratio(now.rows, c.blind.Rows)), csvfile.Excerpt(now.most.Text), humanize.Percent(usual))
}

// checkTerms compares columns of lists, or of texts with several words, when only the items or
// words that the model knows are available. It reports a blind column if most of its texts contain
// none of these items or words and the fraction of such rows is far larger than in a sample of the
// training rows.
func (c *comparison) checkTerms(known *profile.TrainingColumn, blind *profile.ColumnProfile) {
	terms := make(map[string]bool, len(known.Terms))
	for _, term := range known.Terms {
		terms[term] = true
	}
	unknown, filled, first := rowsWithout(estimatedValues(blind, c.blind.Rows), containsTerm(known.ListSeparator, terms))
	share := ratio(c.blind.Rows-filled+unknown.rows, c.blind.Rows) // the fraction of all rows, as in usual
	usual := ratio(known.TermSampleWithout, known.TermSampleRows)
	if unknown.rows < minExpectedRows || ratio(unknown.rows, filled) <= minUnknownShare ||
		share <= usual+2*maxMissingRise || binomialTailBound(share, usual+maxMissingRise, c.blind.Rows) > c.falseAlarmsPerColumn() { // the sample has few rows
		return
	}
	noun := "word"
	if known.ListSeparator != "" {
		noun = "item"
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "in %s (%s), the text contains no %s that the model knows; the most frequent of these texts is %s",
		formatRows(blind, unknown.rows), humanize.Percent(ratio(unknown.rows, c.blind.Rows)), noun, csvfile.Excerpt(unknown.most.Text))
}

// containsTerm returns a function that reports whether a text has one of the terms: an item of a list with
// the given separator, or a word if separator is "".
func containsTerm(separator string, terms map[string]bool) func(text []byte) bool {
	var tokenizer cells.Tokenizer
	return func(text []byte) (found bool) {
		visit := func(term []byte) { found = found || terms[string(term)] }
		if separator != "" {
			cells.VisitItems(text, separator[0], visit)
		} else {
			tokenizer.Tokenize(text, visit)
		}
		return found
	}
}

// rowsWithout counts the rows with a text for which hasTerm returns false. filled is the number of all
// rows with a text. first is the first line of a counted row, or math.MaxInt if there is none.
func rowsWithout(values []columnstats.Value, hasTerm func(text []byte) bool) (without rowCounter, filled, first int) {
	first = math.MaxInt
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Null || one.Kind == cells.Blank {
			continue
		}
		filled += one.Rows
		if !hasTerm([]byte(one.Text)) {
			without.addRows(one)
			first = min(first, one.FirstLine())
		}
	}
	return without, filled, first
}
