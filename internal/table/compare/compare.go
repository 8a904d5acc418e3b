package compare

import (
	"fmt"
	"math"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/inference"
	"foretell/internal/table/profile"
)

// Severity is how serious a finding is.
type Severity string

// The severities of a Finding.
const (
	SeverityDefect  Severity = "defect"  // the service rejects the blind file, or a model would misread or ignore many values of a column
	SeverityWarning Severity = "warning" // the predictions may be less accurate
)

// Finding is a difference between a training file and a blind file.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	// Name is the name of the column; empty for the file as a whole.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
	// Line and Column are the location in the blind file, as in csvfile.Defect. If the finding is
	// not about a cell, they are the location of the column's name.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Suggestion is the name of the column of the blind file that may be the missing
	// column under another name; empty if no column is similar.
	Suggestion string `json:"likely,omitempty"`
	// Count is the number of columns if the finding is about several columns; Name is then empty
	// and Column is 0. For all other findings, Count is 0.
	Count int `json:"count,omitempty"`
	// OtherSeparators are the names of all columns of the blind file that are read correctly only
	// if points and commas are exchanged, as in 1,234.5 and 1.234,5. It is nil if this exchange
	// does not correct the column called Name, for example because its numbers have both formats.
	OtherSeparators []string `json:"-"`

	hasOtherSeparators bool // whether exchanging points and commas corrects the column
}

// Profiles reports a difference between a training file and a blind file only if it is larger than
// these limits.
const (
	maxMissingRise = 0.2  // increase of the fraction of rows without a value
	maxUnparsable  = 0.05 // fraction of the rows whose value cannot be parsed
)

// Profiles compares the profile of a blind file with the profile of the training file. It matches
// columns by name. If the blind file has no column with the name of the ID, its first column is
// taken as the ID, and Profiles reports a warning, or a defect if this column has the name of a
// feature of the training file. The findings are in the order of the training file's columns. If
// many columns have the same difference, one finding describes all of them.
func Profiles(train, blind *profile.Profile) []Finding {
	c := &comparison{train: train, blind: blind, compared: len(train.Columns)}
	c.checkID()
	for i := range train.Columns {
		known := &train.Columns[i]
		at := blind.ColumnIndex(known.Name)
		if at < 0 {
			if known.Name != blind.Schema.ID && known.Features > 0 { // no model uses a column without features
				c.reportMissing(known.Name)
			}
			continue
		}
		from, column := len(c.findings), &blind.Columns[at]
		c.checkColumn(known, column)
		c.rejectUnreadable(known, column, from)
		c.explainSpelling(columnstats.Texts(known.Values()), true, column, from)
		c.explainEncoding(columnstats.Texts(known.Values()), column, from)
		c.rejectRecoded(known, column, from)
	}
	c.reportExtraColumns()
	c.setOtherSeparators()
	c.groupFindings()
	return c.findings
}

type comparison struct {
	train, blind *profile.Profile
	findings     []Finding
	missing      int // number of columns that the blind file lacks
	compared     int // number of columns of the training file

	// otherSeparators are the columns whose numbers have, or may have, a decimal separator that
	// differs from training.
	otherSeparators []string
	// misreadTraining are the columns whose numbers are read wrongly in the training file; see
	// checkTrainingSeparator.
	misreadTraining []string
}

func (c *comparison) report(severity Severity, code, name, format string, args ...any) {
	c.reportAt(c.blind.HeaderLine(), severity, code, name, format, args...)
}

func (c *comparison) reportAt(line int, severity Severity, code, name, format string, args ...any) {
	f := Finding{Severity: severity, Code: code, Name: name, Message: fmt.Sprintf(format, args...), Line: line}
	if at := c.blind.ColumnIndex(name); at >= 0 {
		f.Column = c.blind.Columns[at].Column
	}
	f.Line, f.Column = c.blind.Locate(f.Line, f.Column)
	c.findings = append(c.findings, f)
}

// MissingColumnMessage is the message about a column of the training file that the blind file lacks. The
// name of a similar column may follow.
const MissingColumnMessage = "this column of the training file is missing"

// reportMissing reports a missing column. It suggests a column of the blind file with a
// similar name that the training file does not have.
func (c *comparison) reportMissing(name string) {
	const maxSuggestions = 20 // largest number of missing columns that get a suggestion
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
	c.report(SeverityDefect, csvfile.CodeMissingColumn, name, MissingColumnMessage+"%s", csvfile.DidYouMean(name, extra))
	c.findings[len(c.findings)-1].Suggestion = likely
	c.missing++
}

func (c *comparison) checkID() {
	want, got := c.train.Schema.ID, c.blind.Schema.ID
	if want == got {
		return
	}
	if c.train.ColumnIndex(got) >= 0 {
		c.report(SeverityDefect, csvfile.CodeMissingColumn, want, "the ID column is missing, and the first column, %s, is a feature, not an ID", csvfile.Excerpt(got))
		return
	}
	c.report(SeverityWarning, csvfile.CodeOtherIDName, want, "no column has this name, so the first column, %s, is the ID", csvfile.Excerpt(got))
}

func (c *comparison) reportExtraColumns() {
	for i := range c.blind.Columns {
		name := c.blind.Columns[i].Name
		switch {
		case c.train.ColumnIndex(name) >= 0:
		case name == c.train.Schema.Label:
			c.report(SeverityWarning, csvfile.CodeExtraColumn, name, "the label is copied to the result and not used to predict")
		default:
			c.report(SeverityWarning, csvfile.CodeExtraColumn, name, "the column is not in the training file, so it is copied to the result but not used to predict")
		}
	}
}

func (c *comparison) checkColumn(train, blind *profile.ColumnProfile) {
	if train.Features == 0 {
		return // the model does not use the column
	}
	missing := blind.Missing
	if !train.Form.IsOrdered() {
		missing = blind.EmptyRows() // the blind column may look numeric, but in this feature every text is a value, so only empty cells are missing
	}
	if isCategory := !train.Form.IsOrdered() && train.Form != inference.FormText; isCategory && train.Missing > 0 && !train.Estimate {
		missing += nullRows(blind, func(text string) bool {
			return slices.ContainsFunc(train.Values(), func(one columnstats.Value) bool { return one.Text == text })
		})
	}
	c.checkMissing(train.Name, train.Missing, c.train.Rows, ratio(missing, c.blind.Rows))
	if !train.Form.IsOrdered() {
		c.checkCategories(train, blind)
		return
	}
	isSameUnit := c.checkUnit(train, blind, newUnitReference(train))
	c.checkTimeZones(train, blind)
	c.checkTimesOfDay(train, blind, train.IsInteger())
	matches := c.checkSeparators(train, blind, nil)
	if !c.checkUnixTimes(train, blind) {
		return
	}
	if c.checkDateOrder(train, blind) && c.checkForm(train, blind) && matches && isSameUnit && train.Numbers != nil && blind.Numbers != nil && train.DateFormat() == blind.DateFormat() {
		c.checkNumbers(train.Form, train.Numbers, c.train.Rows-train.Missing, blind)
	}
}

// checkMissing reports a column if far more of its rows have no value than in training. missing is
// the number of rows without a value among the trainRows rows of the training file. The parameter
// now is the fraction of rows without a value in the blind file.
func (c *comparison) checkMissing(name string, missing, trainRows int, now float64) {
	before := ratio(missing, trainRows)
	// Even if all training rows have a value, a fraction of up to 3/trainRows of other rows may
	// have none (the rule of three).
	if now > before+maxMissingRise && c.isMissingUnusual(now, ratio(missing+3, trainRows+3)) {
		c.report(SeverityWarning, csvfile.CodeMoreMissing, name, "%.0f %% of the rows have no value, compared with %.0f %% in training", 100*now, 100*before)
	}
}

// isMissingUnusual reports whether more rows of the blind file have no value than is likely by
// chance. The parameter now is the fraction of the rows without a value. usual is the probability
// that a row has no value. In a file of at least profile.MinComparedRows rows, isMissingUnusual
// always returns true, because checkMissing reports only large differences.
func (c *comparison) isMissingUnusual(now, usual float64) bool {
	return c.blind.Rows >= profile.MinComparedRows || binomialTailBound(now, usual, c.blind.Rows) <= c.falseAlarmsPerColumn()
}

// checkForm reports texts of the blind column that cannot be parsed in the format of the
// training column. It returns true if the numbers of both files can be compared.
func (c *comparison) checkForm(train, blind *profile.ColumnProfile) (numbersComparable bool) {
	other, texts := unparsableRows(train, blind, c.blind.Rows)
	switch rows := other.rows + texts.rows; {
	case rows == 0:
		var numbers columnstats.NumericStats
		if train.Numbers != nil {
			numbers = *train.Numbers
		}
		return !c.checkCompactDates(train, blind, numbers.Min, numbers.Max) && hasSameForm(train, blind)
	case haveTimesAndDurations(train, blind):
		c.reportDurations(train.Name, blind, other)
		if ratio(texts.rows, c.blind.Rows) > maxUnparsable {
			c.reportTexts(train, blind, texts, "")
		}
	case !hasSameForm(train, blind) && !usesWords(train, blind):
		if texts, hasDates := textsAmongDates(train, blind, c.blind.Rows); hasDates {
			c.reportTexts(train, blind, texts, "")
		} else {
			c.reportChangedForm(train, blind)
		}
	case ratio(rows, c.blind.Rows) > maxUnparsable:
		c.reportOtherFormat(train, blind, other)
		c.reportTexts(train, blind, texts, "")
	default:
		c.reportOtherFormat(train, blind, other)
		return true
	}
	return false
}

// reportOtherFormat reports rows of the blind column with a number, date or time that cannot be parsed
// in the format of the training column. If there are no such rows or the training column is read
// wrongly, it reports nothing.
func (c *comparison) reportOtherFormat(train, blind *profile.ColumnProfile, rows rowCounter) {
	if rows.rows == 0 || slices.Contains(c.misreadTraining, train.Name) {
		return
	}
	noun, line := pluralNoun(train), c.blind.HeaderLine()
	if ratio(rows.rows, c.blind.Rows) <= maxUnparsable {
		line = rows.most.FirstLine() // a few cells may be corrected by hand
	}
	c.reportAt(line, SeverityWarning, csvfile.CodeChangedKind, train.Name, "%s in %s have another format than in training, most often %s; these %s are treated as missing",
		noun, formatRows(blind, rows.rows), csvfile.Excerpt(rows.most.Text), noun)
	if slices.Contains(c.otherSeparators, train.Name) {
		c.findings[len(c.findings)-1].hasOtherSeparators = true
	}
}

// reportTexts reports rows of the blind column with a text that the training column does not
// contain. If there are no such rows, it reports nothing. The parameter unless is the end of the
// message: "", or a clause such as ", unless the training file has it in several rows".
func (c *comparison) reportTexts(train, blind *profile.ColumnProfile, rows rowCounter, unless string) {
	if rows.rows == 0 {
		return
	}
	c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the column has %s in training, but text in %s here, most often %s; such text is treated as missing%s",
		pluralNoun(train), formatRows(blind, rows.rows), csvfile.Excerpt(rows.most.Text), unless)
}

func (c *comparison) reportChangedForm(train, blind *profile.ColumnProfile) {
	now := pluralNoun(blind)
	c.report(SeverityWarning, csvfile.CodeChangedKind, train.Name, "the column has %s in training, but %s here; the %s are treated as missing", pluralNoun(train), now, now)
}

// pluralNoun returns the plural noun for the values of a column, such as "numbers" or "Unix times".
func pluralNoun(c *profile.ColumnProfile) string {
	if c.Epoch != "" {
		return "Unix times"
	}
	return c.Form.PluralNoun()
}

// rowCounter counts the rows of some values, usually of values that cannot be parsed. The field
// most holds the most frequent of these values.
type rowCounter struct {
	rows int
	most columnstats.Value
}

// addRows adds the rows of a value.
func (u *rowCounter) addRows(one *columnstats.Value) {
	if u.rows += one.Rows; one.Rows > u.most.Rows {
		u.most = *one
	}
}

// unparsableRows counts the rows of a blind column whose value cannot be parsed in the format of
// the training column c. The result other counts the rows with a number, date or time that can be
// parsed in the format of the blind column. The result texts counts the rows with any other text.
// Numbers that mean a missing Unix time do not count. rows is the number of rows of the blind file.
//
// If the columns are alike, two kinds of texts do not count: those that mean a missing value, and
// those that the training column also contains. Columns are alike if hasSameForm,
// haveTimesAndDurations or usesWords returns true.
func unparsableRows(c, blind *profile.ColumnProfile, rows int) (other, texts rowCounter) {
	known, values := textSet(c), estimatedValues(blind, rows)
	isAlike := hasSameForm(c, blind) || haveTimesAndDurations(c, blind) || usesWords(c, blind)
	for i := range values {
		one := &values[i]
		switch {
		case c.CanParse(one.Text) || isMissingTime(c, one) || isAlike && (one.Kind == cells.Null || known[one.Text]):
		case blind.Form.IsOrdered() && blind.CanParse(one.Text):
			other.addRows(one)
		default:
			texts.addRows(one)
		}
	}
	return other, texts
}

// usesWords reports whether the training column has numbers and also a categorical feature, and the
// blind column is read as text. In this case, the levels of the feature may be words among the
// numbers, and the blind column may consist mostly of such words.
func usesWords(train, blind *profile.ColumnProfile) bool {
	return train.IsAlsoCategory() && !blind.Form.IsOrdered()
}

// textSet returns the counted texts of a column.
func textSet(c *profile.ColumnProfile) map[string]bool {
	values := c.Values()
	set := make(map[string]bool, len(values))
	for i := range values {
		set[values[i].Text] = true
	}
	return set
}

// checkCategories reports texts that are not in the training file. It ignores the case of booleans.
// Where new texts are usual, it compares parts of them: words in a column of FormText (see
// checkWords), and the items of lists or the first characters of codes (see checkParts).
func (c *comparison) checkCategories(train, blind *profile.ColumnProfile) {
	switch {
	case c.checkListSeparator(train, blind):
		return
	case train.HasItemsOrPrefixes():
		c.checkParts(train, blind)
		return
	case train.Form == inference.FormText:
		c.checkWords(train, blind)
		return
	case train.Estimate:
		return // some texts of the training file are not known
	}
	key := func(text string) string { return text }
	if cells.AreBooleans(columnstats.Texts(train.Values())) {
		key = cells.FoldCase
	}
	trained := train.Values()
	known := make(map[string]bool, len(trained))
	for i := range trained {
		known[key(trained[i].Text)] = true
	}
	texts, rows, most, first := 0, 0, columnstats.Value{}, math.MaxInt
	for _, one := range blind.Values() {
		if one.Kind == cells.Null && train.Missing > 0 && !known[one.Text] {
			continue // it is missing, like the empty cells of the training file
		}
		if !known[key(one.Text)] {
			texts, rows, first = texts+1, rows+one.Rows, min(first, one.FirstLine())
			if one.Rows > most.Rows {
				most = one
			}
		}
	}
	if texts == 0 {
		return
	}
	what := "a text that the training file does not have: " + csvfile.Excerpt(most.Text)
	if texts > 1 {
		what = fmt.Sprintf("one of %s texts that the training file does not have, most often %s", humanize.Comma(texts), csvfile.Excerpt(most.Text))
	}
	c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "%s (%s) %s %s",
		humanize.Count(rows, "row"), humanize.Percent(ratio(rows, c.blind.Rows)), humanize.HasOrHave(rows), what)
}

func ratio(part, all int) float64 { return float64(part) / float64(max(all, 1)) }
