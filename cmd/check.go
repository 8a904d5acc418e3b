package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"foretell/internal/api"
	"foretell/internal/frame"
	"foretell/internal/term"
)

type checkOptions struct {
	host   *host
	output output
	shaper shaper
	waiter waiter

	blindOnly bool
}

func newCheckCmd(h *host) *cobra.Command {
	opts := &checkOptions{host: h}
	cmd := &cobra.Command{
		Use:   "check FILE [BLIND]",
		Short: "Profile a CSV and find what the service would reject, without network",
		Long: `Reads a training file, and a blind file if one is named, and tells what the
columns hold, each defect with its line and column, and how the two differ.
A defect is exit status 6; warnings are not.`,
		Args: takes("FILE", "[BLIND]"),
		RunE: func(cmd *cobra.Command, args []string) error { return opts.run(cmd.Context(), args) },
	}
	opts.output.bindItem(cmd, h, prints[checkReport]())
	opts.shaper.bind(cmd)
	opts.waiter.host, opts.waiter.cmd = h, cmd
	opts.waiter.bindProgress(cmd)
	cmd.Flags().BoolVar(&opts.blindOnly, "no-label", false, "FILE is a blind file: it has no label column")
	cmd.MarkFlagsMutuallyExclusive("no-label", "label")
	return cmd
}

func (o *checkOptions) run(ctx context.Context, args []string) error {
	ctx, progress, cancel, err := o.waiter.start(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	if o.blindOnly && len(args) > 1 {
		return usage("--no-label is for a blind file alone")
	}
	if err := oneStdin(args...); err != nil {
		return err
	}
	p := &preflight{}
	defer p.Close()
	if p.train, err = o.shaper.input(o.host, args[0], o.blindOnly); err != nil {
		return err
	}
	if len(args) > 1 {
		if p.blind, err = o.shaper.input(o.host, args[1], true); err != nil {
			return err
		}
	}
	if err := p.run(ctx, progress); err != nil {
		return err
	}
	if err := o.print(p.report()); err != nil {
		return err
	}
	return p.verdict()
}

// print writes the report: the file, then its columns, classes and findings in
// tables.
func (o *checkOptions) print(r *checkReport) error {
	if o.output.json || len(o.output.fields) > 0 {
		return item(&o.output, r)
	}
	if o.output.quiet {
		return nil
	}
	out := o.host.console.Out
	for i, f := range []*fileReport{&r.fileReport, r.Blind} {
		if f == nil {
			continue
		}
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := item(&o.output, f, "file", "rows", "bytes", "id", "label"); err != nil {
			return err
		}
		if len(f.Columns) > 0 {
			fmt.Fprintln(out)
			if err := list(&o.output, f.Columns, "name", "kind", "missing", "distinct", "values"); err != nil {
				return err
			}
		}
		if len(f.Classes) > 0 {
			fmt.Fprintln(out)
			if err := list(&o.output, f.Classes, "label", "rows"); err != nil {
				return err
			}
		}
	}
	if len(r.Findings) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	return list(&o.output, r.Findings, "severity", "file", "line", "column", "name", "message")
}

// checkReport is what check prints.
type checkReport struct {
	fileReport
	Blind    *fileReport `json:"blind,omitempty"`
	Findings []finding   `json:"findings"`
}

// fileReport is what one file holds.
type fileReport struct {
	File    string         `json:"file"`
	Rows    int            `json:"rows"`
	Bytes   int64          `json:"bytes"`
	ID      string         `json:"id"`
	Label   string         `json:"label,omitempty"`
	Columns []columnReport `json:"columns"`
	Classes []api.Class    `json:"classes,omitempty"`
}

type columnReport struct {
	api.Column
	// Values is the range of numbers, or the most frequent texts.
	Values string `json:"values"`
}

// finding is a defect or a warning, and where it is.
type finding struct {
	Severity frame.Severity `json:"severity"`
	Code     string         `json:"code"`
	File     string         `json:"file"`
	Line     int            `json:"line,omitempty"`
	Column   int            `json:"column,omitempty"`
	Name     string         `json:"name,omitempty"`
	Message  string         `json:"message"`
}

func (f *finding) String() string {
	d := frame.Defect{Message: f.Message, Line: f.Line, Column: f.Column, Name: f.Name}
	return f.File + ": " + d.Error()
}

// preflight reads a training file and perhaps a blind file before a byte of
// them leaves the machine.
type preflight struct {
	train, blind  *input
	trained, rows *frame.Profile // of train and blind
	findings      []finding
}

// Close frees the inputs.
func (p *preflight) Close() {
	for _, in := range []*input{p.train, p.blind} {
		if in != nil {
			in.Close()
		}
	}
}

// labels are the classes of the training file.
func (p *preflight) labels() []string {
	labels := make([]string, len(p.trained.Classes))
	for i, class := range p.trained.Classes {
		labels[i] = class.Text
	}
	return labels
}

func (p *preflight) run(ctx context.Context, progress *term.Progress) error {
	var err error
	if p.trained, err = p.train.profile(ctx, progress, p.train.shape.ID); err != nil {
		return err
	}
	p.collect(p.train, p.trained)
	if p.blind == nil {
		return nil
	}
	if p.rows, err = p.blind.profile(ctx, progress, p.trained.Schema.ID); err != nil {
		return err
	}
	p.collect(p.blind, p.rows)
	if p.trained.Partial || p.rows.Partial {
		return nil // not enough is known of a file to compare it
	}
	for _, f := range frame.Check(p.trained, p.rows) {
		p.findings = append(p.findings, finding{
			Severity: f.Severity, Code: f.Code, File: p.blind.name, Name: f.Name, Message: f.Message,
		})
	}
	return nil
}

func (p *preflight) collect(in *input, profile *frame.Profile) {
	add := func(severity frame.Severity, d frame.Defect) {
		p.findings = append(p.findings, finding{severity, d.Code, in.name, d.Line, d.Column, d.Name, d.Message})
	}
	for _, d := range profile.Defects {
		add(frame.SeverityDefect, d)
	}
	for _, w := range profile.Warnings {
		add(frame.SeverityWarning, frame.Defect(w))
	}
}

func (p *preflight) report() *checkReport {
	r := &checkReport{fileReport: newFileReport(p.train, p.trained), Findings: p.findings}
	if r.Findings == nil {
		r.Findings = []finding{}
	}
	if p.rows != nil {
		blind := newFileReport(p.blind, p.rows)
		r.Blind = &blind
	}
	return r
}

// defects are the findings that the service would refuse.
func (p *preflight) defects() []finding {
	var defects []finding
	for _, f := range p.findings {
		if f.Severity == frame.SeverityDefect {
			defects = append(defects, f)
		}
	}
	return defects
}

// verdict is an error if the service would reject a file: the first defect, and
// how many there are.
func (p *preflight) verdict() error {
	defects := p.defects()
	if len(defects) == 0 {
		return nil
	}
	first := defects[0]
	f := fail(ExitRejected, "%s", &first).at(first.File, first.Line, first.Column)
	f.code = first.Code
	if more := len(defects) - 1; more > 0 {
		f.fact += fmt.Sprintf(" (and %d more)", more)
	}
	switch first.Code {
	case frame.CodeDuplicateID, frame.CodeEmptyID:
		f = f.advise("mend the file, name another column with --id, or let --id - make one")
	case frame.CodeMissingColumn:
		if p.train != nil && first.File == p.train.name && !p.train.shape.Blind {
			return f.advise("see its columns with `foretell check %s`", argument(first.File))
		}
		f = f.advise("give the blind file the columns of the training file")
	case frame.CodeInvalidEncoding, frame.CodeInvalidUTF8:
		f = f.advise("if it is not UTF-8, name what it is, such as --encoding latin-1")
	default:
		f = f.advise("mend the file; `foretell check %s` names each defect", argument(first.File))
	}
	return f
}

// maxAlike is how many warnings of one kind are told before a run.
const maxAlike = 3

// warn tells what may be wrong, unless the user wants quiet. Of many warnings
// of one kind only the first are told: check names all.
func (p *preflight) warn(o *output) {
	told := map[string]int{}
	for i := range p.findings {
		f := &p.findings[i]
		if f.Severity != frame.SeverityWarning {
			continue
		}
		told[f.File+f.Code]++
		switch n := told[f.File+f.Code]; {
		case n <= maxAlike:
			o.note("warning: %s", f)
		case n == maxAlike+1:
			o.note("warning: %s: and more like it, see `foretell check %s`", f.File, argument(f.File))
		}
	}
}

func newFileReport(in *input, p *frame.Profile) fileReport {
	r := fileReport{File: in.name, Rows: p.Rows, Bytes: p.Bytes, ID: p.Schema.ID, Label: p.Schema.Label, Columns: []columnReport{}}
	for i := range p.Columns {
		c := &p.Columns[i]
		r.Columns = append(r.Columns, columnReport{
			api.Column{Name: c.Name, Kind: string(c.Form), Missing: int64(c.Missing), Distinct: int64(c.Distinct)}, valuesOf(c),
		})
	}
	for _, c := range p.Classes {
		r.Classes = append(r.Classes, api.Class{Label: c.Text, Rows: int64(c.Rows)})
	}
	return r
}

// valuesOf is a glance at a column: the range of numbers, or the first texts.
func valuesOf(c *frame.ColumnProfile) string {
	if n := c.Numbers; n != nil {
		text := c.Form.Format(n.Min) + " to " + c.Form.Format(n.Max)
		if c.Form == frame.FormNumeric {
			text += ", mean " + c.Form.Format(n.Mean)
		}
		return text
	}
	switch {
	case c.Words == 1:
		return "texts, of which 1 word is looked for"
	case c.Words > 1:
		return fmt.Sprintf("texts, of which %d words are looked for", c.Words)
	}
	text := ""
	for i, l := range c.Top[:min(3, len(c.Top))] {
		if i > 0 {
			text += ", "
		}
		text += l.Text
	}
	if c.Distinct > 3 {
		text += ", …"
	}
	return text
}
