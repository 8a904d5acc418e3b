package profile

import (
	"math"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// KnownColumn describes a column of a training file whose profile is not known.
type KnownColumn struct {
	Name      string
	Form      Form      // "" if it is not known
	DateOrder DateOrder // "" if it is not known
	// NumberFormat is the format of the numbers of a FormNumeric column; nil if it is not known.
	NumberFormat *cells.NumberFormat
	TimeZones    []string // as in ColumnProfile; nil if they are not known
	// HasRange reports whether Min and Max are known: the smallest and the largest number, as in
	// NumericStats.
	HasRange bool
	Min, Max float64
	// Rows is the number of rows of the training file, or 0 if it is not known. Missing is the
	// number of its rows without a value.
	Rows, Missing int
	// Distinct is the number of distinct values that are not missing. DistinctEstimate is set if it
	// is an estimate. Texts are the most frequent texts of a column that is not ordered, and
	// TextRows is the number of rows that have one of them.
	Distinct         int
	DistinctEstimate bool
	Texts            []string
	TextRows         int
}

// CompareKnown is like Compare if only some properties of the columns of the training file are
// known. It reports:
//
//   - columns with far more missing values
//   - columns of numbers, dates or times that have another form
//   - dates in another order, and times in another time zone
//   - numbers in another format, or out of the range of the training file
//   - texts that the training file does not have; if Texts are not all texts of a column, only
//     texts that are certainly or very likely new
func CompareKnown(columns []KnownColumn, blind *Profile) []Finding {
	c := &comparison{train: &Profile{Schema: &frame.Schema{}}, blind: blind, compared: len(columns)}
	for i := range columns {
		known := &columns[i]
		at := blind.ColumnIndex(known.Name)
		if at < 0 {
			continue
		}
		column := &blind.Columns[at]
		if known.Rows > 0 {
			c.checkMissing(known.Name, ratio(known.Missing, known.Rows), ratio(known.missingRows(column), blind.Rows))
		}
		if known.Form.IsOrdered() {
			c.checkKnownOrdered(known, column)
		} else {
			c.checkKnownCategories(known, column)
		}
	}
	c.setOtherSeparators()
	c.groupFindings()
	return c.findings
}

// missingRows returns the number of rows of a blind column without a value. If the column is
// ordered in training, texts that mean a missing value, such as n/a, also count as missing, even if
// the blind column has no other texts.
func (k *KnownColumn) missingRows(blind *ColumnProfile) int {
	rows := blind.Missing
	if k.Form.IsOrdered() && !blind.Form.IsOrdered() {
		for i := range blind.values {
			if blind.values[i].kind == cells.Null {
				rows += blind.values[i].rows
			}
		}
	}
	return rows
}

// checkKnownOrdered compares a column of numbers, dates or times.
func (c *comparison) checkKnownOrdered(known *KnownColumn, blind *ColumnProfile) {
	train := &ColumnProfile{Name: known.Name, Form: known.Form, DateOrder: known.DateOrder, dayFirst: known.DateOrder == DayFirst, TimeZones: known.TimeZones}
	if known.NumberFormat != nil && *known.NumberFormat != (cells.NumberFormat{}) {
		train.format = known.NumberFormat
	}
	c.checkTimeZones(train, blind)
	if !c.checkDateOrder(train, blind) || known.NumberFormat != nil && !c.checkNumberFormat(train, blind) {
		return
	}
	switch {
	case blind.Form == known.Form:
		if known.HasRange && blind.Numbers != nil {
			// The standard deviation is not known, so means are not compared.
			c.checkNumbers(known.Name, known.Form, &NumericStats{Min: known.Min, Max: known.Max, StdDev: math.Inf(1)}, blind.Numbers, max(known.Rows-known.Missing, 0), c.blind.Rows-blind.Missing)
		}
	case blind.Form.IsOrdered():
		if rows, _ := train.unparsableRows(blind, c.blind.Rows); ratio(rows, c.blind.Rows) > maxUnparsable {
			c.reportChangedForm(train, blind)
		}
	case c.blind.Rows >= MinComparedRows && ratio(blind.textRows(), c.blind.Rows) > 1-maxUnparsable:
		c.reportChangedForm(train, blind)
	}
}

// checkKnownCategories reports texts that the training file does not have.
func (c *comparison) checkKnownCategories(known *KnownColumn, blind *ColumnProfile) {
	if !known.hasAllTexts() {
		c.checkFrequentTexts(known, blind)
		return
	}
	train := &ColumnProfile{Name: known.Name, Form: known.Form}
	for _, text := range known.Texts {
		train.values = append(train.values, distinctValue{text: text})
	}
	c.checkCategories(train, blind)
}

// minExpectedRows is a limit for reporting that no row has a frequent text: at least this number of
// rows must be expected to have one. The probability that none has one by chance is then at most
// exp(-7), which is less than 0.1 %.
const minExpectedRows = 7

// checkFrequentTexts reports new texts of a column of categories if only its most frequent texts in
// training are known. Any other text may still be in the training file. Some texts are certainly
// new if there are more than the training file has besides its most frequent texts. Texts are
// probably new if there are many, but none of the most frequent texts.
func (c *comparison) checkFrequentTexts(known *KnownColumn, blind *ColumnProfile) {
	if known.Form != FormCategory || known.Distinct == 0 || len(known.Texts) == 0 || blind.Estimate {
		return
	}
	frequent := make(map[string]bool, len(known.Texts))
	for _, text := range known.Texts {
		frequent[text] = true
	}
	frequentRows, others, otherRows, most, first := 0, 0, 0, distinctValue{}, math.MaxInt
	for _, one := range blind.values {
		switch {
		case frequent[one.text]:
			frequentRows += one.rows
		case one.kind != cells.Null:
			others, otherRows, first = others+1, otherRows+one.rows, min(first, one.firstLine())
			if one.rows > most.rows {
				most = one
			}
		}
	}
	share := ratio(known.TextRows, known.Rows-known.Missing)
	switch unseen := others - (known.Distinct - len(known.Texts)); {
	case unseen > 0 && !known.DistinctEstimate:
		c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "the training file does not have at least %s of the texts; %s (%s) %s a text that is not one of its %d most frequent texts, most often %s",
			humanize.Comma(unseen), humanize.Count(otherRows, "row"), humanize.Percent(ratio(otherRows, c.blind.Rows)), verbHave(otherRows), len(known.Texts), csvfile.Excerpt(most.text))
	case known.Rows > 0 && frequentRows == 0 && others > len(known.Texts) && share*float64(otherRows) >= minExpectedRows:
		c.reportAt(first, SeverityWarning, csvfile.CodeUnseenCategory, blind.Name, "no row has one of the %d most frequent texts of the training file, such as %s, so the training file may not have the texts of this column, most often %s",
			len(known.Texts), csvfile.Excerpt(known.Texts[0]), csvfile.Excerpt(most.text))
	}
}

// checkNumberFormat reports numbers of the blind column that cannot be parsed in the format of the
// training column, or that may be parsed wrongly. It ignores texts, because it is not known which
// of them the training file has. It returns true if it reports nothing, or only a missing unit.
func (c *comparison) checkNumberFormat(train, blind *ColumnProfile) bool {
	if blind.Form != FormNumeric {
		return true
	}
	c.checkUnit(train, blind)
	matches := c.checkSeparators(train, blind)
	rows, most := 0, distinctValue{}
	values := blind.estimatedValues(c.blind.Rows)
	for i := range values {
		one := &values[i]
		if train.CanParse(one.text) || !blind.CanParse(one.text) {
			continue
		}
		if rows += one.rows; one.rows > most.rows {
			most = *one
		}
	}
	if ratio(rows, c.blind.Rows) <= maxUnparsable {
		return matches
	}
	c.reportOtherFormat(train, blind, rows, most)
	return false
}

// hasAllTexts reports whether Texts are all texts of a column of categories.
func (k *KnownColumn) hasAllTexts() bool {
	return (k.Form == FormCategory || k.Form == FormBoolean) && k.Distinct > 0 && len(k.Texts) == k.Distinct
}
