package repair

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// Change is a kind of change that File made, with the location of the first such change.
type Change struct {
	// Code identifies the kind of change. Unlike Message, it is the same in every
	// release.
	Code    string `json:"code"`
	Message string `json:"message"`
	// Count is how many rows, cells or columns were changed.
	Count int `json:"count"`
	// Line and Column are the location in the source file, counted from 1. Column is 0
	// for a change of a whole line, and both are 0 for a change of the whole file.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Name is the name of the column; empty if the change is not about a column.
	Name string `json:"name,omitempty"`
	// LeftOut is the number of rows that the change omitted from the copy.
	LeftOut int `json:"leftOut,omitempty"`
}

// The codes of changes, in the order in which they are listed.
const (
	changeDelimiter         = "delimiter"
	changePreambleLeftOut   = "preamble"
	changeHeaderAdded       = "header-made"
	changeColumnNamed       = "column-named"
	changeRenamed           = "column-renamed"
	changeRealigned         = "fields-realigned"
	changeRaggedLeftOut     = "ragged-row-left-out"
	changeBlankRowLeftOut   = "blank-row-left-out"
	changeHeaderRowLeftOut  = "repeated-header-left-out"
	changeSecondHeaderLeft  = "second-header-left-out"
	changeUnlabelledLeftOut = "unlabelled-row-left-out"
	changeLabelTrimmed      = "label-trimmed"
	changeSeparatorsSwapped = "separators-swapped"
	changeIDFilled          = "id-filled"
	changeIDMadeUnique      = "id-made-unique"
	changeIDColumnAdded     = "id-column-made"
	changeMoved             = "column-moved"
	changeReordered         = "columns-reordered"
	changeDropped           = "column-dropped"
	changeLabelRemoved      = "label-taken-out"
)

// changeTexts are the messages of changes. In a message, %s is replaced by the number of changes
// and the noun, as in "3 cells". If text is empty, each change has its own message.
var changeTexts = []struct{ code, noun, text string }{
	{csvfile.FixEncoding, "cell", "converted %s from Windows-1252 to UTF-8"},
	{csvfile.FixByteOrderMark, "", "removed the byte order mark"},
	{csvfile.FixLineEnds, "line", "removed the carriage return at the end of %s, or replaced it with a line feed"},
	{changeDelimiter, "", ""},
	{changePreambleLeftOut, "line", "left out %s before the header"},
	{changeHeaderAdded, "", ""},
	{changeColumnNamed, "column", "gave %s a unique name"},
	{changeRenamed, "column", "renamed %s as in the training file"},
	{csvfile.FixNUL, "cell", "removed NUL bytes from %s"},
	{csvfile.FixQuotes, "row", "corrected misplaced quotes in %s"},
	{csvfile.FixSingleQuotes, "", "removed the single quotes around fields"},
	{csvfile.FixEscapes, "row", "removed the backslashes before quotes in %s"},
	{csvfile.FixEmptyLine, "empty line", "kept %s between the rows of a single column, as a missing value"},
	{changeRealigned, "row", "realigned %s that had too many or too few fields, using the contents of the columns"},
	{changeRaggedLeftOut, "row", "left out %s with too many or too few fields"},
	{changeBlankRowLeftOut, "row", "left out %s of empty cells"},
	{changeHeaderRowLeftOut, "row", "left out %s with a repeated header"},
	{changeSecondHeaderLeft, "row", "left out %s below the header that looked like a second header or a line of units"},
	{changeUnlabelledLeftOut, "row", "left out %s without a label"},
	{changeLabelTrimmed, "label", "trimmed the spaces around %s"},
	{changeSeparatorsSwapped, "number", "exchanged points and commas in %s"},
	{changeIDFilled, "row", "generated IDs for %s without an ID"},
	{changeIDMadeUnique, "row", "appended a number to the ID of %s with a repeated ID"},
	{changeIDColumnAdded, "", ""},
	{changeMoved, "", ""},
	{changeReordered, "", "put the columns in the order of the training file"},
	{changeDropped, "column", "left out %s"},
	{changeLabelRemoved, "", ""},
}

// changeLog collects the changes. Changes of the same kind are one Change.
type changeLog struct{ changes []Change }

// add adds a change at the given location.
func (l *changeLog) add(code string, line, column int) {
	l.addChange(Change{Code: code, Line: line, Column: column})
}

func (l *changeLog) addLeftOut(code string, line int) {
	l.addChange(Change{Code: code, Line: line, LeftOut: 1})
}

func (l *changeLog) addMessage(code string, at Change, format string, args ...any) {
	at.Code, at.Message = code, fmt.Sprintf(format, args...)
	l.addChange(at)
}

func (l *changeLog) addChange(c Change) {
	at := slices.IndexFunc(l.changes, func(known Change) bool { return known.Code == c.Code && known.Message == c.Message })
	if at < 0 {
		at = len(l.changes)
		l.changes = append(l.changes, c)
		l.changes[at].LeftOut = 0
	}
	l.changes[at].Count++
	l.changes[at].LeftOut += c.LeftOut
}

// countLeftOut returns the number of rows omitted by changes with the given code.
func (l *changeLog) countLeftOut(code string) int {
	n := 0
	for _, c := range l.changes {
		if c.Code == code {
			n += c.LeftOut
		}
	}
	return n
}

// report returns the changes with their messages, in the order of changeTexts. names are
// the names of the columns.
func (l *changeLog) report(names []string) []Change {
	rank := func(code string) int {
		for i := range changeTexts {
			if changeTexts[i].code == code {
				return i
			}
		}
		return len(changeTexts)
	}
	list := slices.Clone(l.changes)
	sort.SliceStable(list, func(i, j int) bool { return rank(list[i].Code) < rank(list[j].Code) })
	for i := range list {
		c := &list[i]
		if c.Name == "" && c.Column > 0 && c.Column <= len(names) {
			c.Name = names[c.Column-1]
		}
		known := changeTexts[rank(c.Code)]
		switch {
		case c.Message != "":
		case known.noun == "":
			c.Message = known.text
		default:
			c.Message = strings.Replace(known.text, "%s", humanize.Count(c.Count, known.noun), 1)
			if c.Count == 1 {
				c.Message = strings.Replace(c.Message, " that repeat ", " that repeats ", 1)
			}
		}
	}
	return list
}

// quoteDecoded quotes the first decoded field in the message of the change of encoding, so that the
// user can see whether the encoding is right.
func (r *repairer) quoteDecoded() {
	for i := range r.report.Changes {
		if one := &r.report.Changes[i]; one.Code == csvfile.FixEncoding {
			one.Message += ", such as " + csvfile.Excerpt(r.firstDecoded)
		}
	}
}

func (r *repairer) logChange(code string, line, column int) {
	if !r.firstPass {
		r.log.add(code, line, column)
	}
}
