package cmd

import (
	"cmp"
	"context"
	"fmt"

	"foretell/internal/frame"
	"foretell/internal/term"
)

// finding is a defect or a warning, where it is, and what to do about it.
type finding struct {
	Severity frame.Severity `json:"severity"`
	Code     string         `json:"code"`
	File     string         `json:"file"`
	Line     int            `json:"line,omitempty"`
	Column   int            `json:"column,omitempty"`
	Name     string         `json:"name,omitempty"`
	Message  string         `json:"message"`
	Hint     string         `json:"hint,omitempty"`
}

// place is file:line:column, as compilers write it and editors jump to.
func (f *finding) place() string {
	text := f.File
	if f.Line > 0 {
		text += fmt.Sprintf(":%d", f.Line)
		if f.Column > 0 {
			text += fmt.Sprintf(":%d", f.Column)
		}
	}
	if f.Name != "" {
		text += " (" + f.Name + ")"
	}
	return text
}

func (f *finding) String() string { return f.place() + ": " + f.Message }

// preflight reads a training file and perhaps a blind file before a byte of
// them leaves the machine.
type preflight struct {
	train, blind  *input
	trained, rows *frame.Profile // of train and blind
	findings      []finding
	textMemory    int // see frame.ScanOptions
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
	if p.trained, err = p.train.profile(ctx, progress, frame.ScanOptions{ID: p.train.shape.ID, TextMemory: p.textMemory}); err != nil {
		return err
	}
	p.collect(p.train, p.trained)
	if p.blind == nil {
		return nil
	}
	if p.rows, err = p.blind.profile(ctx, progress, frame.ScanOptions{ID: p.trained.Schema.ID, TextMemory: p.textMemory}); err != nil {
		return err
	}
	p.collect(p.blind, p.rows)
	p.compare()
	return nil
}

// compare holds the blind file against the training file, if enough is known of
// both.
func (p *preflight) compare() {
	if p.trained.Partial || p.rows.Partial {
		return
	}
	for _, f := range frame.Check(p.trained, p.rows) {
		p.add(p.blind, f.Severity, frame.Defect{Code: f.Code, Message: f.Message, Line: f.Line, Column: f.Column, Name: f.Name}, f.Likely)
	}
}

func (p *preflight) collect(in *input, profile *frame.Profile) {
	for _, d := range profile.Defects {
		p.add(in, frame.SeverityDefect, d, profile.LikelyLabel)
	}
	for _, w := range profile.Warnings {
		p.add(in, frame.SeverityWarning, frame.Defect(w), "")
	}
}

// add keeps what was found in a file. likely names the column that is rather
// meant; empty if none is.
func (p *preflight) add(in *input, severity frame.Severity, d frame.Defect, likely string) {
	f := finding{
		Severity: severity, Code: d.Code, File: in.name, Line: d.Line, Column: d.Column, Name: d.Name, Message: d.Message,
	}
	f.Hint = p.hint(in, &f, likely)
	p.findings = append(p.findings, f)
}

// hint says what to do about a finding.
func (p *preflight) hint(in *input, f *finding, likely string) string {
	file := argument(in.name)
	fix := fmt.Sprintf("mend a copy with `foretell check %s --fix %s`", file, quote(in.stem()+".fixed.csv"))
	switch {
	case in != p.blind && in.shape.Blind:
		fix = fmt.Sprintf("mend a copy with `foretell check %s --no-label --fix %s`", file, quote(in.stem()+".fixed.csv"))
	case in == p.blind:
		fix = fmt.Sprintf("mend a copy with `foretell check %s --fix-blind %s`", p.arguments(), quote(in.stem()+".fixed.csv"))
	}
	command := "`foretell check " + file
	name := quote(f.Name)
	switch f.Code {
	case frame.CodeRaggedRow, frame.CodeStrayQuote, frame.CodeUnclosedQuote, frame.CodeEmptyLabel, frame.CodeDuplicateColumn,
		frame.CodeUnnamedColumn, frame.CodeNoHeader, frame.CodeHeaderAgain, frame.CodeUnnamedID:
		return fix
	case frame.CodeDuplicateID, frame.CodeEmptyID:
		return fix + ", name another column with --id, or let --id - make one"
	case frame.CodeBinary:
		if f.Line > 1 || f.Column > 1 {
			return fix
		}
		return "name a CSV file"
	case frame.CodeInvalidUTF8:
		return fix + ", or if it is not UTF-8 name what it is, such as " + command + " --encoding latin-1`"
	case frame.CodeInvalidEncoding:
		return "name another --encoding, or none"
	case frame.CodeTooFewColumns:
		return fix + ", or name what parts the fields with --delimiter"
	case frame.CodeOneClass, frame.CodeTooManyClasses, frame.CodeManyClasses, frame.CodeMissingColumn:
		return p.columnHint(in, f, likely, fix)
	case frame.CodeSmallClass:
		return "add rows of that class, or make one class of several"
	case frame.CodeSimilarClasses:
		return "spell them alike if they are one class"
	case frame.CodeLeakingColumn:
		return "if not, look again without it: " + command + " --drop " + name + "`"
	case frame.CodeIDLikeColumn:
		return "if it is the ID, say so: --id " + name
	case frame.CodeEmptyColumn, frame.CodeConstantColumn, frame.CodeTwinColumn:
		return "nothing need be done; --drop " + name + " leaves it out of the upload"
	case frame.CodeJunkInNumbers:
		return "empty these cells if they say no more than that there is no value"
	}
	return p.driftHint(f)
}

// columnHint says what to do about a column that is not where it should be.
func (p *preflight) columnHint(in *input, f *finding, likely, fix string) string {
	switch {
	case in == p.blind && likely != "":
		return fix + " if that is the one: it is renamed where only case and signs differ, else rename it"
	case in == p.blind && f.Code == frame.CodeMissingColumn:
		return fmt.Sprintf("give the blind file that column, or learn without it: `foretell check %s --drop %s`", p.arguments(), quote(f.Name))
	case in.shape.Blind && f.Code == frame.CodeMissingColumn:
		return "give the blind file the columns of the training file"
	case likely != "":
		return "if that is the one, say so: --label " + quote(likely)
	case f.Code == frame.CodeMissingColumn:
		return "name a column of the header with --label, --id or --drop"
	}
	return "name the label with --label"
}

// driftHint says what to do about a blind file that is not like the training
// file.
func (p *preflight) driftHint(f *finding) string {
	switch f.Code {
	case frame.CodeUnseenCategory, frame.CodeMovedRange:
		return "train on rows such as these too, or trust predictions of these rows less"
	case frame.CodeMoreMissing:
		return "find out why the values are missing, or learn without the column: --drop " + quote(f.Name)
	case frame.CodeChangedKind:
		return "write the cells as in the training file"
	case frame.CodeExtraColumn:
		return "nothing need be done"
	case frame.CodeOtherIDName:
		return "name the ID with --id if it is another column"
	}
	return ""
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
	return f.advise("%s", cmp.Or(first.Hint, fmt.Sprintf("mend the file; `foretell check %s` names each defect", argument(first.File))))
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
			o.note("warning: %s: and more like it, see `foretell check %s`", f.File, p.arguments())
		}
	}
}

// arguments are the files as they are typed.
func (p *preflight) arguments() string {
	text := argument(p.train.name)
	if p.blind != nil {
		text += " " + argument(p.blind.name)
	}
	return text
}
