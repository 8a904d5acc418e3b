package cmd

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/frame"
	"foretell/internal/humanize"
	"foretell/internal/term"
)

// checkReport is the output of check.
type checkReport struct {
	fileReport
	Blind    *fileReport `json:"blind,omitempty"`
	Findings []finding   `json:"findings"`
	// Understood has the roles of the columns; nil if the file cannot be read.
	Understood *columnRoles `json:"understood,omitempty"`
	// Changes are the corrections of --fix and --fix-blind. The rest of the report then
	// describes the copies.
	Changes []change `json:"changes,omitempty"`
}

// fileReport describes the contents of one file.
type fileReport struct {
	File        string         `json:"file"`
	ReadAs      string         `json:"readAs,omitempty"`
	Rows        int            `json:"rows"`
	Bytes       int64          `json:"bytes"`
	ID          string         `json:"id"`
	Label       string         `json:"label,omitempty"`
	LabelReason string         `json:"labelReason,omitempty"`
	Columns     []columnReport `json:"columns"`
	Classes     []classReport  `json:"classes,omitempty"`
}

type columnReport struct {
	api.Column
	// Values is the range of numbers, or the most frequent texts.
	Values string `json:"values"`
	// Alone is the accuracy of predicting the label from this column alone.
	Alone    float64             `json:"alone,omitempty"`
	Features int                 `json:"features"`
	Numbers  *frame.NumericStats `json:"numbers,omitempty"`
	Top      []frame.ValueCount  `json:"top,omitempty"`

	rows int // of the file
}

type classReport struct {
	api.Class
	Share float64 `json:"share"`
	// Note says that the class has fewer rows than recommended.
	Note string `json:"note,omitempty"`
}

func (p *preflight) report() *checkReport {
	r := &checkReport{fileReport: newFileReport(p.train, p.trainProfile), Findings: p.findings, Understood: p.columnRoles()}
	if r.Understood != nil {
		r.LabelReason = r.Understood.LabelReason
	}
	if r.Findings == nil {
		r.Findings = []finding{}
	}
	if p.blindProfile != nil {
		blind := newFileReport(p.blind, p.blindProfile)
		r.Blind = &blind
	}
	return r
}

func newFileReport(in *input, p *frame.Profile) fileReport {
	r := fileReport{File: in.name, ReadAs: in.table.Description(), Rows: p.Rows, Bytes: p.Bytes, ID: p.Schema.ID, Label: p.Schema.Label, Columns: []columnReport{}}
	for i := range p.Columns {
		c := &p.Columns[i]
		r.Columns = append(r.Columns, columnReport{
			Column: api.Column{
				Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct), DistinctEstimate: c.Estimate,
			},
			Values: valueSummary(c, p.Rows), Alone: c.LabelAccuracy, Features: c.Features, Numbers: c.Numbers, Top: c.Top, rows: p.Rows,
		})
	}
	for _, c := range p.Classes {
		one := classReport{Class: api.Class{Label: c.Text, Rows: int64(c.Rows)}, Share: math.Round(1e6*float64(c.Rows)/float64(max(p.Rows, 1))) / 1e6}
		if c.Rows < frame.AdvisedClassRows {
			one.Note = fmt.Sprintf("fewer than the recommended %d rows", frame.AdvisedClassRows)
		}
		r.Classes = append(r.Classes, one)
	}
	return r
}

// valueSummary summarises a column: the range and median of numbers, or the most frequent
// texts.
func valueSummary(c *frame.ColumnProfile, rows int) string {
	if n := c.Numbers; n != nil {
		median := c.Form.Format(n.Median)
		if n.MedianEstimate {
			median = "about " + median
		}
		return fmt.Sprintf("%s to %s, median %s", c.Form.Format(n.Min), c.Form.Format(n.Max), median)
	}
	different := humanize.Count(c.Distinct, "value")
	if c.Estimate {
		different = "about " + different
	}
	switch {
	case c.Words > 0:
		return fmt.Sprintf("%s, split into %s", different, humanize.Count(c.Words, "word"))
	case len(c.Top) == 0:
		return different
	}
	var texts []string
	for _, l := range c.Top[:min(3, len(c.Top))] {
		texts = append(texts, fmt.Sprintf("%s %s", l.Text, humanize.Percent(float64(l.Rows)/float64(max(rows, 1)))))
	}
	text := strings.Join(texts, ", ")
	if c.Distinct > len(texts) {
		text = different + ": " + text + ", …"
	}
	return text
}

// print writes the report: the file, then its columns, classes and findings.
func (o *checkOptions) print(r *checkReport) error {
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		r.Findings[i].Hint = o.host.keepFlags(r.Findings[i].Hint)
	}
	if o.output.json || len(o.output.fields) > 0 {
		return printItem(&o.output, r)
	}
	if o.output.quiet {
		return nil
	}
	if c := o.host.console; c.OutTerminal {
		out, text := c.Out, bytes.Buffer{}
		c.Out = &text
		err := o.printParts(r)
		if c.Out = out; err != nil {
			return err
		}
		return o.output.writePaged(&text)
	}
	return o.printParts(r)
}

// printParts writes each part of the report.
func (o *checkOptions) printParts(r *checkReport) error {
	out := o.host.console.Out
	if err := o.printChanges(r.Changes); err != nil {
		return err
	}
	for i, f := range []*fileReport{&r.fileReport, r.Blind} {
		if f == nil {
			continue
		}
		if i > 0 || len(r.Changes) > 0 {
			fmt.Fprintln(out)
		}
		if err := o.printFile(f); err != nil {
			return err
		}
	}
	if len(r.Findings) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	if !o.host.console.OutTerminal {
		return printList(&o.output, r.Findings, "severity", "file", "line", "column", "name", "message", "hint")
	}
	return o.host.printFindings(r.Findings)
}

func (o *checkOptions) printFile(f *fileReport) error {
	out := o.host.console.Out
	if err := printItem(&o.output, f, "file", "readAs", "rows", "bytes", "id", "label", "labelReason"); err != nil {
		return err
	}
	if len(f.Columns) > 0 {
		fmt.Fprintln(out)
		if err := o.printColumns(f.Columns); err != nil {
			return err
		}
	}
	if len(f.Classes) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	return o.printClasses(f.Classes)
}

// newTable makes a table of items of one type.
func newTable[T any](o *output, items []T, columns ...string) (*term.Table, error) {
	records, err := toRecords(items)
	if err != nil {
		return nil, err
	}
	return o.tabulate(records, columns), nil
}

// printColumns writes one row per column. On a terminal it also draws a histogram.
func (o *checkOptions) printColumns(columns []columnReport) error {
	t, err := newTable(&o.output, columns, "name", "kind", "missing", "values")
	if err != nil {
		return err
	}
	const missing, values, picture = 2, 3, 3
	for i := range columns {
		t.Rows[i][missing].Display = humanize.Percent(float64(columns[i].Missing) / float64(max(columns[i].rows, 1)))
		if columns[i].Missing == 0 {
			t.Rows[i][missing].Display = "-"
		}
		if n := columns[i].Numbers; n != nil && o.host.console.OutWidth() < wideTerminal {
			form := frame.Form(columns[i].Kind)
			t.Rows[i][values].Display = fmt.Sprintf("%s · %s · %s", shortNumber(form, n.Min), shortNumber(form, n.Median), shortNumber(form, n.Max))
			t.Header[values].Display = "lowest · median · highest"
		}
	}
	if c := o.host.console; c.OutTerminal {
		width := 8
		if c.OutWidth() >= wideTerminal {
			width = 16
		}
		t.Header = slices.Insert(t.Header, picture, term.Cell{})
		t.Right = slices.Insert(t.Right, picture, true) // which keeps it whole
		for i := range columns {
			bars := c.Histogram(columns[i].counts(), width)
			bars += strings.Repeat(" ", width-len([]rune(bars)))
			t.Rows[i] = slices.Insert(t.Rows[i], picture, term.Cell{Text: bars, Style: c.OutStyle.Cyan})
		}
	}
	return o.output.printTable(t)
}

// wideTerminal is the width from which numbers are printed in full.
const wideTerminal = 80

// shortNumber formats a number with three digits, or without decimals.
func shortNumber(form frame.Form, value float64) string {
	switch {
	case form != frame.FormNumeric:
		return form.Format(value)
	case math.Abs(value) >= 1000:
		return form.Format(math.Round(value))
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// counts returns the bars of the column's histogram: rows per bin in ascending order, or
// rows per text by frequency.
func (c *columnReport) counts() []int {
	if c.Numbers != nil {
		return c.Numbers.Histogram.Rows
	}
	var rows []int
	for _, l := range c.Top {
		rows = append(rows, l.Rows)
	}
	return rows
}

// maxClasses is the maximum number of classes printed on a terminal.
const maxClasses = 20

// printClasses prints the classes of the label; on a terminal at most maxClasses.
func (o *checkOptions) printClasses(classes []classReport) error {
	if more := len(classes) - maxClasses; more > 1 && o.host.console.OutTerminal {
		defer func() { fmt.Fprintf(o.host.console.Out, "and %d more classes; see --json\n", more) }()
		classes = classes[:maxClasses]
	}
	t, err := newTable(&o.output, classes, "label", "rows", "share", "note")
	if err != nil {
		return err
	}
	const share, note = 2, 3
	noted := false
	for i := range classes {
		t.Rows[i][share].Display = humanize.Percent(classes[i].Share)
		t.Rows[i][note].Style = o.host.console.OutStyle.Yellow
		noted = noted || classes[i].Note != ""
	}
	if !noted && o.host.console.OutTerminal {
		t.Header[note].Display = " "
	}
	return o.output.printTable(t)
}

// printFindings prints the findings for people, wrapped to the terminal, each followed by
// its hint.
func (f *factory) printFindings(findings []finding) error {
	c := f.console
	width := max(c.OutWidth(), 30)
	var b strings.Builder
	for i := range findings {
		one := &findings[i]
		severity := c.OutStyle.Yellow(string(one.Severity))
		if one.Severity == frame.SeverityDefect {
			severity = c.OutStyle.Red(string(one.Severity))
		}
		fmt.Fprintf(&b, "%s %s\n", severity, c.OutStyle.Bold(term.Escape(one.place())))
		write := func(text string, paint func(string) string) {
			for _, line := range term.Wrap(term.Escape(text), width-2) {
				fmt.Fprintf(&b, "  %s\n", paint(line))
			}
		}
		write(one.Message, func(line string) string { return line })
		if one.Hint != "" && (i+1 == len(findings) || findings[i+1].Hint != one.Hint) {
			write(one.Hint, c.OutStyle.Dim)
		}
	}
	_, err := fmt.Fprint(c.Out, b.String())
	return err
}
