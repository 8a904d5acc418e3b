package preflight

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/table/compare"
	"foretell/internal/table/inference"
	"foretell/internal/term"
)

// Print writes the report: the file, then its columns, classes and findings.
func (p *ReportPrinter) Print(r *Report) error {
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		r.Findings[i].Hint = p.Factory.RepeatFlagsInCommands(r.Findings[i].Hint)
	}
	if p.Output.JSON || len(p.Output.Fields) > 0 {
		return cli.PrintItem(p.Output, r)
	}
	if p.Output.Quiet {
		return nil
	}
	if c := p.Factory.Console; c.OutTerminal {
		out, text := c.Out, bytes.Buffer{}
		c.Out = &text
		err := p.printParts(r)
		if c.Out = out; err != nil {
			return err
		}
		return p.Output.WritePaged(&text)
	}
	return p.printParts(r)
}

// DefectError returns the error for the defects of files whose report was printed, or nil if there are
// none. If the report is on a terminal, the error has only the name of the first file with a defect
// and the number of its defects, because the report lists them.
func (p *ReportPrinter) DefectError(files *Preflight) error {
	err := files.DefectError()
	var e *exit.Error
	if !errors.As(err, &e) || p.Output.JSON || len(p.Output.Fields) > 0 || p.Output.Quiet || !p.Factory.Console.OutTerminal {
		return err
	}
	n := 0
	for _, f := range files.defects() {
		if f.File == e.File {
			n++
		}
	}
	e.Fact = fmt.Sprintf("%s: %s", e.File, humanize.Count(n, "defect"))
	return e.WithHint("correct the file as described above")
}

func (p *ReportPrinter) printParts(r *Report) error {
	out := p.Factory.Console.Out
	if err := p.printChanges(r.Changes); err != nil {
		return err
	}
	for i, f := range []*fileReport{&r.fileReport, r.Blind} {
		if f == nil {
			continue
		}
		if i > 0 || len(r.Changes) > 0 {
			fmt.Fprintln(out)
		}
		if err := p.printFile(f); err != nil {
			return err
		}
	}
	if len(r.Findings) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	if !p.Factory.Console.OutTerminal {
		return cli.PrintList(p.Output, r.Findings, "severity", "file", "line", "column", "name", "message", "hint")
	}
	return printFindings(p.Factory, r.Findings)
}

func (p *ReportPrinter) printFile(f *fileReport) error {
	out := p.Factory.Console.Out
	fields := []string{"file", "readAs", "rows", "bytes", "id", "label", "labelReason"}
	switch {
	case len(f.Columns) == 0 && f.Rows == 0: // the file could not be read, at least not to its end
		fields = fields[:2]
	case f.generatedID:
		fields = slices.Delete(fields, 4, 5)
	}
	if err := cli.PrintItem(p.Output, f, fields...); err != nil {
		return err
	}
	if len(f.Columns) > 0 {
		fmt.Fprintln(out)
		if err := p.printColumns(f.Columns); err != nil {
			return err
		}
	}
	if len(f.Classes) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	return p.printClasses(f.Classes)
}

// newTable returns a table with a row for each item. columns are the names of the JSON fields that
// are shown.
func newTable[T any](o *cli.Output, items []T, columns ...string) (*term.Table, error) {
	records, err := cli.ToRecords(items)
	if err != nil {
		return nil, err
	}
	return o.Tabulate(records, columns), nil
}

// printColumns writes one row per column. On a terminal it also draws a histogram.
func (p *ReportPrinter) printColumns(columns []columnReport) error {
	t, err := newTable(p.Output, columns, "name", "kind", "missing", "values")
	if err != nil {
		return err
	}
	const missing, values, picture = 2, 3, 3
	for i := range columns {
		t.Rows[i][missing].Display = humanize.Percent(float64(columns[i].Missing) / float64(max(columns[i].rows, 1)))
		if columns[i].Missing == 0 {
			t.Rows[i][missing].Display = "-"
		}
		if n := columns[i].Numbers; n != nil && p.Factory.Console.OutWidth() < wideTerminalColumns {
			form := inference.Form(columns[i].Kind)
			t.Rows[i][values].Display = fmt.Sprintf("%s · %s · %s", shortNumber(form, n.Min), shortNumber(form, n.Median), shortNumber(form, n.Max))
			if columns[i].alsoCategory {
				t.Rows[i][values].Display += alsoCategory
			}
			t.Header[values].Display = "lowest · median · highest"
		}
	}
	if c := p.Factory.Console; c.OutTerminal {
		width := 8
		if c.OutWidth() >= wideTerminalColumns {
			width = 16
		}
		t.Header = slices.Insert(t.Header, picture, term.Cell{})
		t.Right = slices.Insert(t.Right, picture, true) // right-aligned columns are not truncated
		for i := range columns {
			bars := c.Histogram(columns[i].histogramCounts(), width)
			bars += strings.Repeat(" ", width-len([]rune(bars)))
			t.Rows[i] = slices.Insert(t.Rows[i], picture, term.Cell{Text: bars, Style: c.OutStyle.Cyan})
		}
	}
	return p.Output.PrintTable(t)
}

// printClasses prints the classes of the label, on a terminal at most maxClasses.
func (p *ReportPrinter) printClasses(classes []classReport) error {
	if more := len(classes) - maxClasses; more > 1 && p.Factory.Console.OutTerminal {
		defer func() { fmt.Fprintf(p.Factory.Console.Out, "and %d more classes; see --json\n", more) }()
		classes = classes[:maxClasses]
	}
	t, err := newTable(p.Output, classes, "label", "rows", "share", "note")
	if err != nil {
		return err
	}
	const share, note = 2, 3
	noted := false
	for i := range classes {
		t.Rows[i][share].Display = humanize.Percent(classes[i].Share)
		t.Rows[i][note].Style = p.Factory.Console.OutStyle.Yellow
		noted = noted || classes[i].Note != ""
	}
	if !noted && p.Factory.Console.OutTerminal {
		t.Header[note].Display = " "
	}
	return p.Output.PrintTable(t)
}

func (p *ReportPrinter) printChanges(changes []change) error {
	c := p.Factory.Console
	if !c.OutTerminal {
		if len(changes) == 0 {
			return nil
		}
		return cli.PrintList(p.Output, changes, "file", "copy", "code", "count", "line", "column", "name", "message")
	}
	var b strings.Builder
	last := ""
	for _, one := range changes {
		if one.Copy != last {
			fmt.Fprintf(&b, "wrote %s with these corrections:\n", c.OutStyle.Bold(term.Escape(one.Copy)))
			last = one.Copy
		}
		text := one.Message
		switch {
		case one.Line > 0 && one.Count > 1:
			text += fmt.Sprintf(" (first in line %d)", one.Line)
		case one.Line > 0:
			text += fmt.Sprintf(" (line %d)", one.Line)
		}
		for i, line := range term.Wrap(term.Escape(text), max(c.OutWidth(), 30)-4) {
			mark := "  "
			if i == 0 {
				mark = c.OutStyle.Green("+ ")
			}
			fmt.Fprintf(&b, "  %s%s\n", mark, line)
		}
	}
	_, err := fmt.Fprint(c.Out, b.String())
	return err
}

// ReportPrinter prints a report of a check.
type ReportPrinter struct {
	Factory *cli.Factory
	Output  *cli.Output
}

// wideTerminalColumns is the minimum width of a terminal, in characters, for printing numbers in full.
const wideTerminalColumns = 80

// shortNumber formats a number with three significant digits or, if its integer part has
// more digits, as an integer.
func shortNumber(form inference.Form, value float64) string {
	switch {
	case form != inference.FormNumeric:
		return form.Format(value)
	case math.Abs(value) >= 1000:
		return form.Format(math.Round(value))
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// maxClasses is the maximum number of classes printed on a terminal.
const maxClasses = 20

// shortenPath returns the finding with the base name of its file if standard error is a
// terminal. Otherwise, as in a log, it keeps the path.
func shortenPath(f *cli.Factory, one *finding) *finding {
	if !f.Console.ErrTerminal {
		return one
	}
	short := *one
	short.File = filepath.Base(one.File)
	return &short
}

// printFindings prints the findings for people, wrapped to the terminal, each followed by
// its hint.
func printFindings(f *cli.Factory, findings []finding) error {
	c := f.Console
	width := max(c.OutWidth(), 30)
	var b strings.Builder
	for i := range findings {
		one := &findings[i]
		severity := c.OutStyle.Yellow(string(one.Severity))
		if one.Severity == compare.SeverityDefect {
			severity = c.OutStyle.Red(string(one.Severity))
		}
		fmt.Fprintf(&b, "%s %s\n", severity, c.OutStyle.Bold(term.Escape(one.location())))
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
