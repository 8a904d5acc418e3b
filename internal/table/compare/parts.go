package compare

import (
	"fmt"
	"math"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// checkParts compares parts of texts: the items of lists or the first characters of codes. New
// lists and new codes are usual, but new parts are not. A column is reported if more than a few
// rows have parts of the training file only in another spelling (see foldSpelling), or if most rows
// have no part of the training file. Columns for which not all training texts are known are
// skipped.
func (c *comparison) checkParts(train, blind *profile.ColumnProfile) {
	if !train.HasAllTexts() {
		return
	}
	var parts []string
	trained := train.Values()
	for i := range trained {
		parts = append(parts, train.ItemsOrPrefixes(trained[i].Text)...)
	}
	r := c.countParts(train, blind, parts, nil)
	c.reportMisspelledParts(train, blind, &r)
	c.reportUnknownParts(train, blind, &r)
}

// checkKnownParts compares the parts of a blind column, such as the items of lists (see
// checkParts), with those that a model or a dataset knows. It reports misspelled parts, and returns
// true if it reports the column.
//
// A dataset may know only the most frequent lists, and other lists of the training file may have
// the spelling of the blind column. Therefore only a column with many misspelled items is reported,
// as a warning.
//
// A model knows only the frequent items of lists. An item that differs only in case from a known
// item may be a different item, which the model does not know. Therefore an item in upper case
// counts as misspelled only if the model knows no item in upper case.
func (c *comparison) checkKnownParts(known *profile.TrainingColumn, blind *profile.ColumnProfile) (found bool) {
	train, parts, isComplete := known.Profile(), known.Parts, len(known.Parts) > 0 || known.HasAllTexts()
	if len(known.Levels) > 0 || !train.HasItemsOrPrefixes() {
		return false // new texts are not usual
	}
	if len(parts) == 0 {
		for _, text := range known.Texts {
			parts = append(parts, train.ItemsOrPrefixes(text)...)
		}
	}
	var usualCases map[letterCase]bool
	if len(known.Parts) > 0 && train.ListSeparator() != "" {
		usualCases = map[letterCase]bool{}
		for _, part := range parts {
			usualCases[caseOf(part)] = true
		}
	}
	r := c.countParts(train, blind, parts, usualCases)
	if !isComplete && !isDefect(r.misspelled.rows, r.filled) {
		return false
	}
	from := len(c.findings)
	c.reportMisspelledParts(train, blind, &r)
	if found = len(c.findings) > from; found && !isComplete {
		c.findings[from].Severity = SeverityWarning
	}
	return found
}

// partCounts counts the rows of a blind column with parts that a training column does not have.
type partCounts struct {
	misspelled rowCounter // rows whose text has misspelled parts, and at least as many of them as correctly spelled parts
	unknown    rowCounter // rows whose text has no part of the training column, not even misspelled
	filled     int        // number of rows with a value
	firstLine  int        // the first line of a row in unknown
	// example is a misspelled part of the most frequent text with such parts, and spelling is its
	// spelling in the training column.
	example, spelling string
}

// letterCase says whether the letters of a text are capitals, small letters or both.
type letterCase int

const (
	noCase letterCase = iota // without letters, or with letters that have no case
	lowerCase
	upperCase
	mixedCase // such as Title
)

func caseOf(text string) letterCase {
	lower, upper := strings.ToLower(text), strings.ToUpper(text)
	switch {
	case lower == upper:
		return noCase
	case text == lower:
		return lowerCase
	case text == upper:
		return upperCase
	}
	return mixedCase
}

// countParts returns the partCounts of a blind column. parts are the parts of the training column.
// train determines what the parts of a text are. A part that differs only in case from one of parts
// does not count as misspelled if its case is one of usualCases.
func (c *comparison) countParts(train, blind *profile.ColumnProfile, parts []string, usualCases map[letterCase]bool) partCounts {
	known, spellings := make(map[string]bool), make(map[string]string)
	for _, part := range parts {
		known[part], spellings[foldSpelling(part)] = true, part
	}
	r := partCounts{firstLine: math.MaxInt}
	values := estimatedValues(blind, c.blind.Rows)
	for i := range values {
		one := &values[i]
		if one.Kind == cells.Null || one.Kind == cells.Blank {
			continue
		}
		r.filled += one.Rows
		knownParts, misspelledParts, misspelledPart := 0, 0, ""
		for _, part := range train.ItemsOrPrefixes(one.Text) {
			if known[part] {
				knownParts++
			} else if trained := spellings[foldSpelling(part)]; trained != "" && (!usualCases[caseOf(part)] || !strings.EqualFold(part, trained)) {
				misspelledParts++
				misspelledPart = part
			}
		}
		switch {
		case misspelledParts > 0 && misspelledParts >= knownParts:
			if one.Rows > r.misspelled.most.Rows {
				r.example, r.spelling = misspelledPart, spellings[foldSpelling(misspelledPart)]
			}
			r.misspelled.addRows(one)
		case knownParts == 0:
			r.unknown.addRows(one)
			r.firstLine = min(r.firstLine, one.FirstLine())
		}
	}
	return r
}

// reportMisspelledParts reports the rows in which a part of the text, such as an item of a list, differs
// only in spelling from a part that the training file has. If these are only a few of the rows with
// a value, it reports nothing.
func (c *comparison) reportMisspelledParts(train, blind *profile.ColumnProfile, r *partCounts) {
	rows := r.misspelled.rows
	if ratio(rows, r.filled) <= maxUnparsable {
		return
	}
	severity := SeverityWarning
	if isDefect(rows, r.filled) {
		severity = SeverityDefect
	}
	what := "begin with characters that the training file has only in another spelling"
	if train.ListSeparator() != "" {
		what = "have items that the training file has only in another spelling"
	}
	c.report(severity, csvfile.CodeOtherSpelling, blind.Name, "%s (%s) %s, such as %s instead of %s",
		formatRows(blind, rows), humanize.Percent(ratio(rows, c.blind.Rows)), what, excerpt(r.example), excerpt(r.spelling))
}

// reportUnknownParts reports rows that have no part of the training file, if these are most of the rows
// with a value.
func (c *comparison) reportUnknownParts(train, blind *profile.ColumnProfile, r *partCounts) {
	unknown := r.unknown
	if unknown.rows < minExpectedRows || ratio(unknown.rows, r.filled) <= minUnknownShare {
		return
	}
	what := "begin with other characters than all texts of the training file"
	if train.ListSeparator() != "" {
		what = fmt.Sprintf("have no item of the training file, whose items are separated by %q", train.ListSeparator())
	}
	c.reportAt(r.firstLine, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "%s (%s) %s, most often %s",
		formatRows(blind, unknown.rows), humanize.Percent(ratio(unknown.rows, c.blind.Rows)), what, csvfile.Excerpt(unknown.most.Text))
}
