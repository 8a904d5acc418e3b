package profile

import (
	"fmt"
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// Severity is the severity of a finding.
type Severity string

// The severities of a Finding.
const (
	SeverityDefect  Severity = "defect"  // the service rejects the blind file
	SeverityWarning Severity = "warning" // the prediction may suffer
)

// Finding is a difference between a training file and a blind file.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	// Name is the name of the column; empty for the file as a whole.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	// Line and Column are the location in the blind file, as in Defect: that of the
	// column's name if it is not about a cell.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Suggestion is the name of a similar column of the blind file for a missing column;
	// empty without one.
	Suggestion string `json:"likely,omitempty"`
	// Count is the number of columns with the finding, whose Name and Column are then
	// empty; 0 for one column.
	Count int `json:"count,omitempty"`
}

// The thresholds of differences.
const (
	rangeTolerance  = 0.1  // of the training range, beyond its ends
	maxMeanShift    = 0.5  // of the training standard deviation
	maxMissingRise  = 0.2  // of the rows
	maxUnparsable   = 0.05 // of the rows
	MinComparedRows = 30   // rows below which shares and means are not compared
)

// Compare compares the profile of a blind file with that of the training file, column by
// column in the order of the training file. Columns are matched by name; the IDs need not
// be the same. If many columns have the same difference, there is one finding for all of
// them.
func Compare(train, blind *Profile) []Finding {
	c := &comparison{train: train, blind: blind}
	c.checkID()
	for i := range train.Columns {
		known := &train.Columns[i]
		at := blind.ColumnIndex(known.Name)
		if at < 0 {
			if known.Name != blind.Schema.ID {
				c.reportMissing(known.Name)
			}
			continue
		}
		c.checkColumn(known, &blind.Columns[at])
	}
	c.checkExtra()
	c.groupFindings()
	return c.findings
}

type comparison struct {
	train, blind *Profile
	findings     []Finding
	missing      int // columns of the training file that the blind file lacks
}

func (c *comparison) report(severity Severity, code, name, format string, args ...any) {
	c.reportAt(c.blind.headerLine, severity, code, name, format, args...)
}

func (c *comparison) reportAt(line int, severity Severity, code, name, format string, args ...any) {
	f := Finding{Severity: severity, Code: code, Name: name, Message: fmt.Sprintf(format, args...), Line: line}
	if at := c.blind.ColumnIndex(name); at >= 0 {
		f.Column = c.blind.Columns[at].Column
	}
	if c.blind.locate != nil {
		f.Line, f.Column = c.blind.locate(f.Line, f.Column)
	}
	c.findings = append(c.findings, f)
}

// reportMissing suggests a column of the blind file with a similar name that the training
// file does not have.
func (c *comparison) reportMissing(name string) {
	const maxSuggestions = 20 // missing columns with a suggestion
	var extra []string
	for i := range c.blind.Columns {
		if c.missing >= maxSuggestions {
			break
		}
		if one := c.blind.Columns[i].Name; c.train.ColumnIndex(one) < 0 && one != c.train.Schema.Label {
			extra = append(extra, one)
		}
	}
	likely := csvfile.ClosestName(name, extra)
	c.report(SeverityDefect, csvfile.CodeMissingColumn, name, "the column of the training file is missing%s", csvfile.DidYouMean(name, extra))
	c.findings[len(c.findings)-1].Suggestion = likely
	c.missing++
}

func (c *comparison) checkID() {
	want, got := c.train.Schema.ID, c.blind.Schema.ID
	if want == got {
		return
	}
	if c.train.ColumnIndex(got) >= 0 {
		c.report(SeverityDefect, csvfile.CodeMissingColumn, want, "the ID column is missing, and the first column, %s, is a feature", csvfile.Excerpt(got))
		return
	}
	c.report(SeverityWarning, csvfile.CodeOtherIDName, want, "no column has this name: the first, %s, is taken as the ID", csvfile.Excerpt(got))
}

func (c *comparison) checkExtra() {
	for i := range c.blind.Columns {
		name := c.blind.Columns[i].Name
		switch {
		case c.train.ColumnIndex(name) >= 0:
		case name == c.train.Schema.Label:
			c.report(SeverityWarning, csvfile.CodeExtraColumn, name, "the label is carried through and never used to predict")
		default:
			c.report(SeverityWarning, csvfile.CodeExtraColumn, name, "not in the training file: carried through, not used to predict")
		}
	}
}

func (c *comparison) checkColumn(train, blind *ColumnProfile) {
	before, now := ratio(train.Missing, c.train.Rows), ratio(blind.Missing, c.blind.Rows)
	if now > before+maxMissingRise && c.blind.Rows >= MinComparedRows {
		c.report(SeverityWarning, csvfile.CodeMoreMissing, train.Name, "%.0f %% of the rows have no value, %.0f %% in training", 100*now, 100*before)
	}
	if train.Features == 0 {
		return // it is not used
	}
	if !train.Form.IsOrdered() {
		c.checkCategories(train, blind)
		return
	}
	if c.checkForm(train, blind) && train.Numbers != nil && blind.Numbers != nil && train.dayFirst == blind.dayFirst {
		c.checkNumbers(train.Name, train.Form, train.Numbers, blind.Numbers)
	}
}

// checkForm checks for cells that cannot be parsed as those of the training file. It
// reports whether the numbers of both can be compared.
func (c *comparison) checkForm(train, blind *ColumnProfile) bool {
	rows, most := train.unparsableRows(blind, c.blind.Rows)
	form := train.Form
	switch {
	case rows == 0:
		return form == blind.Form
	case form != blind.Form:
		c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "a column of %s in training, of %s here: the %s are taken as missing",
			form.pluralNoun(), blind.Form.pluralNoun(), blind.Form.pluralNoun())
	case ratio(rows, c.blind.Rows) > maxUnparsable:
		c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "in %s %s that are written in another way than in training, most often %s: taken as missing",
			humanize.Count(rows, "row"), form.pluralNoun(), csvfile.Excerpt(most.text))
	default:
		return true
	}
	return false
}

// unparsableRows returns the number of rows of a blind column whose value cannot be parsed as
// those of the training column, and the most frequent one.
func (c *ColumnProfile) unparsableRows(blind *ColumnProfile, rows int) (unread int, most distinctValue) {
	known := make(map[string]bool, len(c.values))
	for i := range c.values {
		known[c.values[i].text] = true
	}
	measured := rows - blind.emptyRows
	for i := range blind.values {
		one := &blind.values[i]
		measured -= one.rows
		if c.CanParse(one.text) || c.Form == blind.Form && (one.kind == cells.Null || known[one.text]) {
			continue
		}
		unread += one.rows
		if one.rows > most.rows {
			most = *one
		}
	}
	if c.Form != blind.Form && c.Form != FormNumeric && blind.Form == FormNumeric {
		unread += measured // numbers that were not kept, and are not dates
	}
	return unread, most
}

// CanParse reports whether a text can be parsed in the format of the column.
func (c *ColumnProfile) CanParse(text string) bool {
	cell := []byte(text)
	switch {
	case c.Form != FormNumeric:
		_, ok := cells.ParseDateTime(cell, c.dayFirst)
		return ok
	case c.format != nil:
		_, ok := c.format.Parse(cell)
		return ok
	}
	return !math.IsNaN(cells.NumberOrNaN(cell))
}

// checkCategories checks for texts that the training file does not have. Texts of words
// are usually new.
func (c *comparison) checkCategories(train, blind *ColumnProfile) {
	if train.Form == FormText || train.Estimate { // not all of its texts are known
		return
	}
	known := make(map[string]bool, len(train.values))
	for i := range train.values {
		known[train.values[i].text] = true
	}
	texts, rows, most, first := 0, 0, distinctValue{}, math.MaxInt
	for _, one := range blind.values {
		if !known[one.text] {
			texts, rows, first = texts+1, rows+one.rows, min(first, one.firstLine())
			if one.rows > most.rows {
				most = one
			}
		}
	}
	if texts == 0 {
		return
	}
	what := "a text that training never had: " + csvfile.Excerpt(most.text)
	if texts > 1 {
		what = fmt.Sprintf("texts that training never had: %s different ones, most often %s", humanize.Comma(texts), csvfile.Excerpt(most.text))
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "in %s (%s) %s",
		humanize.Count(rows, "row"), humanize.Percent(ratio(rows, c.blind.Rows)), what)
}

func (c *comparison) checkNumbers(name string, form Form, train, blind *NumericStats) {
	slack := (train.Max - train.Min) * rangeTolerance
	moved := blind.Min < train.Min-slack || blind.Max > train.Max+slack
	if moved {
		c.report(SeverityWarning, csvfile.CodeMovedRange, name, "from %s to %s, in training from %s to %s",
			form.Format(blind.Min), form.Format(blind.Max), form.Format(train.Min), form.Format(train.Max))
	}
	if shift := blind.Mean - train.Mean; !moved && c.blind.Rows >= MinComparedRows && math.Abs(shift) > maxMeanShift*train.StdDev {
		c.report(SeverityWarning, csvfile.CodeMovedRange, name, "%s on average, in training %s", form.Format(blind.Mean), form.Format(train.Mean))
	}
}

func ratio(part, all int) float64 { return float64(part) / float64(max(all, 1)) }
