package frame

import (
	"fmt"
	"math"
	"slices"
)

// Severity tells whether a finding stops the prediction.
type Severity string

// The severities of a Finding.
const (
	SeverityDefect  Severity = "defect"  // the service would refuse the blind file
	SeverityWarning Severity = "warning" // the prediction may suffer
)

// Finding is a difference between a training file and a blind file.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`
	// Name is the column's; empty where the file as a whole is meant.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"`
}

// The differences from which a column counts as moved.
const (
	rangeSlack  = 0.1 // of the training range, beyond its ends
	meanShift   = 0.5 // of the training standard deviation
	missingRise = 0.2 // of the rows
	enoughRows  = 30  // rows below which shares and means say little
)

// Check compares the profile of a blind file with that of the training file,
// column by column in the order of the training file. Columns are told by
// name; that the IDs are others is as it should be.
func Check(train, blind *Profile) []Finding {
	c := &comparison{train: train, blind: blind}
	c.checkID()
	for i := range train.Columns {
		known := &train.Columns[i]
		at := slices.IndexFunc(blind.Columns, func(other ColumnProfile) bool { return other.Name == known.Name })
		if at < 0 {
			if known.Name != blind.Schema.ID {
				c.report(SeverityDefect, CodeMissingColumn, known.Name, "the column of the training file is missing")
			}
			continue
		}
		c.checkColumn(known, &blind.Columns[at], &train.Schema.Columns[i])
	}
	c.checkExtra()
	return c.findings
}

type comparison struct {
	train, blind *Profile
	findings     []Finding
}

func (c *comparison) report(severity Severity, code, name, format string, args ...any) {
	c.findings = append(c.findings, Finding{
		Severity: severity, Code: code, Name: name, Message: fmt.Sprintf(format, args...),
	})
}

func (c *comparison) checkID() {
	want, got := c.train.Schema.ID, c.blind.Schema.ID
	if want == got {
		return
	}
	if slices.ContainsFunc(c.train.Columns, func(one ColumnProfile) bool { return one.Name == got }) {
		c.report(SeverityDefect, CodeMissingColumn, want, "the ID column is missing, and the first column, %s, is a feature", excerpt(got))
		return
	}
	c.report(SeverityWarning, CodeOtherIDName, want, "no column has this name: the first, %s, is taken as the ID", excerpt(got))
}

func (c *comparison) checkExtra() {
	for i := range c.blind.Columns {
		name := c.blind.Columns[i].Name
		switch {
		case slices.ContainsFunc(c.train.Columns, func(one ColumnProfile) bool { return one.Name == name }):
		case name == c.train.Schema.Label:
			c.report(SeverityWarning, CodeExtraColumn, name, "the label is carried through and never used to predict")
		default:
			c.report(SeverityWarning, CodeExtraColumn, name, "not in the training file: carried through, not used to predict")
		}
	}
}

func (c *comparison) checkColumn(train, blind *ColumnProfile, schema *ColumnSchema) {
	before, now := share(train.Missing, c.train.Rows), share(blind.Missing, c.blind.Rows)
	if now > before+missingRise && c.blind.Rows >= enoughRows {
		c.report(SeverityWarning, CodeMoreMissing, train.Name, "%.0f %% of the rows have no value, %.0f %% in training", 100*now, 100*before)
	}
	switch {
	case train.Kind == Category:
		c.checkCategories(blind, schema)
	case blind.Kind == Category:
		c.report(SeverityWarning, CodeChangedKind, train.Name, "a column of numbers in training, of texts here: the texts are taken as missing")
	case train.Numbers != nil && blind.Numbers != nil:
		c.checkNumbers(train.Name, train.Numbers, blind.Numbers)
	}
}

func (c *comparison) checkCategories(blind *ColumnProfile, schema *ColumnSchema) {
	known := indexOf(schema.Levels)
	texts, rows, most := 0, 0, level{}
	for _, one := range blind.texts {
		if _, ok := known[one.text]; !ok {
			texts, rows = texts+1, rows+one.rows
			if one.rows > most.rows {
				most = one
			}
		}
	}
	switch {
	case texts == 1:
		c.report(SeverityWarning, CodeUnseenCategory, blind.Name, "in %s a text that training never had: %s",
			plural(rows, "row"), excerpt(most.text))
	case texts > 1:
		c.report(SeverityWarning, CodeUnseenCategory, blind.Name, "in %s texts that training never had: %d different ones, most often %s",
			plural(rows, "row"), texts, excerpt(most.text))
	}
}

func (c *comparison) checkNumbers(name string, train, blind *Numbers) {
	slack := (train.Max - train.Min) * rangeSlack
	moved := blind.Min < train.Min-slack || blind.Max > train.Max+slack
	if moved {
		c.report(SeverityWarning, CodeMovedRange, name, "from %.6g to %.6g, in training from %.6g to %.6g", blind.Min, blind.Max, train.Min, train.Max)
	}
	if shift := blind.Mean - train.Mean; !moved && c.blind.Rows >= enoughRows && math.Abs(shift) > meanShift*train.StdDev {
		c.report(SeverityWarning, CodeMovedRange, name, "%.6g on average, in training %.6g", blind.Mean, train.Mean)
	}
}

func share(part, all int) float64 { return float64(part) / float64(max(all, 1)) }
