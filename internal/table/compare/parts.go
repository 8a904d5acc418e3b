package compare

import (
	"fmt"
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// checkParts compares the items of lists and the first characters of codes, called parts here, because
// new lists and new codes are usual, but new parts are not. It reports a column in two cases: in more
// than a few rows, the parts differ from those of the training file only in spelling (see
// foldSpelling); or most rows have no part of the training file. It skips a column of the training file
// with too many texts to count all of them.
func (c *comparison) checkParts(train, blind *profile.ColumnProfile) {
	if !train.HasAllTexts() {
		return
	}
	known, spellings := make(map[string]bool), make(map[string]string)
	trained := train.Values()
	for i := range trained {
		for _, part := range train.ItemsOrPrefixes(trained[i].Text) {
			known[part], spellings[foldSpelling(part)] = true, part
		}
	}
	var misspelled, unknown rowCounter
	var example, spelling string // a misspelled part of the most frequent text with such parts, and its spelling in training
	filled, first := 0, math.MaxInt
	values := estimatedValues(blind, c.blind.Rows)
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Null || one.Kind == cells.Blank {
			continue
		}
		filled += one.Rows
		knownParts, misspelledParts, misspelledPart := 0, 0, ""
		for _, part := range train.ItemsOrPrefixes(one.Text) {
			if known[part] {
				knownParts++
			} else if spellings[foldSpelling(part)] != "" {
				misspelledParts++
				misspelledPart = part
			}
		}
		switch {
		case misspelledParts > 0 && misspelledParts >= knownParts:
			if one.Rows > misspelled.most.Rows {
				example, spelling = misspelledPart, spellings[foldSpelling(misspelledPart)]
			}
			misspelled.addRows(one)
		case knownParts == 0:
			unknown.addRows(one)
			first = min(first, one.FirstLine())
		}
	}
	c.reportMisspelledParts(train, blind, misspelled.rows, filled, example, spelling)
	c.reportUnknownParts(train, blind, unknown, filled, first)
}

// reportMisspelledParts reports rows whose parts differ only in spelling from those of the training
// file. It reports nothing if they are only a few of the rows with a value. filled is the number of
// rows with a value. example is one of these parts, and spelling is its spelling in the training file.
func (c *comparison) reportMisspelledParts(train, blind *profile.ColumnProfile, rows, filled int, example, spelling string) {
	if ratio(rows, filled) <= maxUnparsable {
		return
	}
	severity := SeverityWarning
	if isDefect(rows, filled) {
		severity = SeverityDefect
	}
	what := "begin with characters that the training file has only in another spelling"
	if train.ListSeparator() != "" {
		what = "have items that the training file has only in another spelling"
	}
	c.report(severity, csvfile.CodeOtherSpelling, blind.Name, "%s (%s) %s, such as %s instead of %s",
		countRows(blind, rows), humanize.Percent(ratio(rows, c.blind.Rows)), what, excerpt(example), excerpt(spelling))
}

// reportUnknownParts reports rows that have no part of the training file, if these are most of the rows
// with a value. filled is the number of rows with a value, and first the first line of a reported row.
func (c *comparison) reportUnknownParts(train, blind *profile.ColumnProfile, unknown rowCounter, filled, first int) {
	if unknown.rows < minExpectedRows || ratio(unknown.rows, filled) <= minUnknownShare {
		return
	}
	what := "begin with other characters than all texts of the training file"
	if train.ListSeparator() != "" {
		what = fmt.Sprintf("have no item of the training file, whose items are separated by %q", train.ListSeparator())
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "%s (%s) %s, most often %s",
		countRows(blind, unknown.rows), humanize.Percent(ratio(unknown.rows, c.blind.Rows)), what, csvfile.Excerpt(unknown.most.Text))
}
