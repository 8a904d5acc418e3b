package profile

import (
	"math"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// KnownColumn describes a column of a training file whose profile is not known.
type KnownColumn struct {
	Name      string
	Form      Form      // "" if it is not known
	DateOrder DateOrder // "" if it is not known
	// NumberFormat is the format of the numbers of a FormNumeric column; nil if it is not known.
	NumberFormat *cells.NumberFormat
	// HasRange reports whether Min and Max are known: the smallest and the largest number, as in
	// NumericStats.
	HasRange bool
	Min, Max float64
	// Distinct is the number of distinct values that are not missing, and Texts are the most
	// frequent texts of a column that is not ordered.
	Distinct int
	Texts    []string
}

// CompareKnown is like Compare if only some properties of the columns of the training file are
// known. It reports columns of numbers, dates or times that have another form, dates in another
// order, and numbers in another format or out of the range of the training file. If Texts are all
// texts of a column, it also reports texts that the training file does not have.
func CompareKnown(columns []KnownColumn, blind *Profile) []Finding {
	c := &comparison{train: &Profile{Schema: &frame.Schema{}}, blind: blind}
	for _, known := range columns {
		at := blind.ColumnIndex(known.Name)
		if at < 0 {
			continue
		}
		train, column := &ColumnProfile{Name: known.Name, Form: known.Form, DateOrder: known.DateOrder}, &blind.Columns[at]
		if !known.Form.IsOrdered() {
			if known.hasAllTexts() {
				for _, text := range known.Texts {
					train.values = append(train.values, distinctValue{text: text})
				}
				c.checkCategories(train, column)
			}
			continue
		}
		if !c.checkDateOrder(train, column) || !c.checkNumberFormat(known.NumberFormat, train, column) {
			continue
		}
		switch {
		case column.Form == known.Form && known.HasRange && column.Numbers != nil:
			// The standard deviation is not known, so means are not compared.
			c.checkNumbers(known.Name, known.Form, &NumericStats{Min: known.Min, Max: known.Max, StdDev: math.Inf(1)}, column.Numbers)
		case !column.Form.IsOrdered() && blind.Rows >= MinComparedRows && ratio(column.textRows(), blind.Rows) > 1-maxUnparsable:
			c.reportChangedForm(train, column)
		}
	}
	c.groupFindings()
	return c.findings
}

// checkNumberFormat reports numbers of the blind column that cannot be parsed in the format of
// the training column, or that may be parsed wrongly. It ignores texts, because it is not known
// which of them the training file has. It returns true if it reports nothing but a missing unit.
func (c *comparison) checkNumberFormat(format *cells.NumberFormat, train, blind *ColumnProfile) bool {
	if format == nil || blind.Form != FormNumeric {
		return true
	}
	if *format != (cells.NumberFormat{}) {
		train.format = format
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
