package cmd

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"foretell/internal/frame"
	"foretell/internal/humanize"
	"foretell/internal/roles"
	"foretell/internal/term"
)

// finding is a defect or a warning with its position and remedy.
type finding struct {
	Severity frame.Severity `json:"severity"`
	Code     string         `json:"code"`
	File     string         `json:"file"`
	Line     int            `json:"line,omitempty"`
	Column   int            `json:"column,omitempty"`
	Name     string         `json:"name,omitempty"`
	Message  string         `json:"message"`
	// Count, AtLeast and Lines are as in frame.Defect; Lines refer to File.
	Count   int    `json:"count,omitempty"`
	AtLeast bool   `json:"atLeast,omitempty"`
	Lines   []int  `json:"lines,omitempty"`
	Hint    string `json:"hint,omitempty"`
}

// place returns file:line:column, as compilers do and editors understand.
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

// preflight checks a training file, and a blind file if there is one, before they are
// sent.
type preflight struct {
	host                       *factory
	train, blind               *input
	trainProfile, blindProfile *frame.Profile // of train and blind
	findings                   []finding
	blindTime                  time.Duration // that it took to check the blind file
	textMemory                 int           // see frame.ScanOptions

	modelColumns roles.TrainingFile // of the model that train is for, if that is a blind file
	columns      []string           // names of the training file's columns; nil if it cannot be read
	sampled      bool               // some rows of it were seen
	noHeader     bool               // its first row is rather data
	roles        roles.Roles        // of the training file's columns
	blindID      roles.BlindID      // where the row IDs of the blind file come from
}

// codeRenamedColumn is the code of a warning about a column that is read under another
// name.
const codeRenamedColumn = "renamed-column"

// Close closes the inputs.
func (p *preflight) Close() {
	for _, in := range []*input{p.train, p.blind} {
		if in != nil {
			_ = in.Close() // what is left lies in the folder for temporary files
		}
	}
}

// classLabels returns the classes of the training file.
func (p *preflight) classLabels() []string {
	labels := make([]string, len(p.trainProfile.Classes))
	for i, class := range p.trainProfile.Classes {
		labels[i] = class.Text
	}
	return labels
}

func (p *preflight) run(ctx context.Context, progress *term.Progress) error {
	if err := p.inferRoles(ctx); err != nil {
		return err
	}
	if err := p.readTrain(ctx, progress); err != nil {
		return err
	}
	if p.lacksHeader() {
		none, err := p.askHeader(ctx)
		if err != nil {
			return err
		}
		if !none {
			p.reportMissingHeader()
			return nil
		}
		p.readWithoutHeader()
		return p.run(ctx, progress)
	}
	p.collect(p.train, p.trainProfile)
	if p.blind == nil {
		return nil
	}
	began := p.host.now()
	if err := p.readBlind(ctx, progress); err != nil {
		return err
	}
	p.collect(p.blind, p.blindProfile)
	p.compare()
	p.blindTime = p.host.now().Sub(began)
	return nil
}

// readWithoutHeader makes the files be read again without a header.
func (p *preflight) readWithoutHeader() {
	p.findings, p.noHeader = nil, false
	for _, in := range []*input{p.train, p.blind} {
		if in != nil {
			in.flagShape.NoHeader = true
			in.shape = in.flagShape
		}
	}
}

// readTrain profiles the training file. If the inferred ID column turns out not to be
// one, the file is read again with generated IDs.
func (p *preflight) readTrain(ctx context.Context, progress *term.Progress) (err error) {
	for {
		if p.trainProfile, err = p.train.profile(ctx, progress, frame.ScanOptions{TextMemory: p.textMemory}); err != nil {
			return err
		}
		reason := idProblem(p.trainProfile)
		if reason == "" || p.train.flagShape.ID != "" || p.roles.MadeID || p.columns == nil {
			return nil
		}
		if p.train.shape.Blind {
			return p.rereadBlind(ctx, progress, p.train, reason, &p.trainProfile)
		}
		p.roles.ID, p.roles.MadeID, p.roles.IDReason = "", true, reason
		p.train.shape.SetRoles(p.columns, "", true, p.roles.Label)
		if p.blind != nil {
			p.blind.shape = p.blind.flagShape
			p.findings = slices.DeleteFunc(p.findings, func(f finding) bool { return f.File == p.blind.name })
			if err := p.inferBlindRoles(ctx, p.blind, p.expectedColumns()); err != nil {
				return err
			}
		}
	}
}

// readBlind does the same for the blind file.
func (p *preflight) readBlind(ctx context.Context, progress *term.Progress) (err error) {
	opts := frame.ScanOptions{ID: p.trainProfile.Schema.ID, TextMemory: p.textMemory}
	if p.blindProfile, err = p.blind.profile(ctx, progress, opts); err != nil {
		return err
	}
	if reason := idProblem(p.blindProfile); reason != "" && p.blind.flagShape.ID == "" {
		return p.rereadBlind(ctx, progress, p.blind, reason, &p.blindProfile)
	}
	return nil
}

// rereadBlind reads a blind file again with generated IDs.
func (p *preflight) rereadBlind(ctx context.Context, progress *term.Progress, in *input, reason string, profile **frame.Profile) (err error) {
	if p.blindID.Made {
		return nil
	}
	header, err := in.header(ctx)
	if header == nil || err != nil {
		return err
	}
	names := in.shape.Names
	if names == nil {
		names = header
	}
	p.blindID = p.blindID.Generate(names, reason)
	p.arrangeBlind(in, header, names)
	*profile, err = in.profile(ctx, progress, frame.ScanOptions{ID: p.blindID.MadeName, TextMemory: p.textMemory})
	return err
}

// compare compares the blind file with the training file if both could be read.
func (p *preflight) compare() {
	if p.trainProfile.Partial || p.blindProfile.Partial {
		return
	}
	for _, f := range frame.Compare(p.trainProfile, p.blindProfile) {
		if f.Code == frame.CodeOtherIDName && (p.roles.MadeID || p.blindID.Made) {
			continue // which is as it should be
		}
		p.add(p.blind, f.Severity, frame.Defect{Code: f.Code, Message: f.Message, Line: f.Line, Column: f.Column, Name: f.Name, Count: f.Count}, f.Suggestion)
	}
}

func (p *preflight) collect(in *input, profile *frame.Profile) {
	if in.readError != nil {
		f := *in.readError
		f.Severity = frame.SeverityDefect
		f.Hint = p.hint(in, &f, "")
		p.findings = append(p.findings, f)
	}
	for _, w := range in.table.Warnings() {
		f := finding{
			Severity: frame.SeverityWarning, Code: w.Code, File: w.File, Line: w.Line, Column: w.Column, Name: w.Name, Message: w.Message,
		}
		f.Hint = p.hint(in, &f, "")
		p.findings = append(p.findings, f)
	}
	for _, d := range profile.Defects {
		p.add(in, frame.SeverityDefect, d, "")
	}
	for _, w := range profile.Warnings {
		if w.Code == frame.CodeUnnamedID {
			continue // so tools write an index
		}
		p.add(in, frame.SeverityWarning, frame.Defect(w), "")
	}
}

// add adds a finding. likely is the column that was probably meant; "" if unknown.
func (p *preflight) add(in *input, severity frame.Severity, d frame.Defect, likely string) {
	f := finding{
		Severity: severity, Code: d.Code, File: in.name, Name: d.Name, Message: d.Message,
		Count: d.Count, AtLeast: d.AtLeast,
	}
	if d.Line > 0 || d.Column > 0 {
		f.File, f.Line, f.Column = in.table.Locate(d.Line, d.Column)
	}
	for _, line := range d.Lines {
		if file, line, _ := in.table.Locate(line, 0); file == f.File {
			f.Lines = append(f.Lines, line)
		}
	}
	f.Hint = p.hint(in, &f, likely)
	p.findings = append(p.findings, f)
}

// confirmManyClasses asks whether a label with many numbers is meant, unless the user
// named the label. If prompting is disabled, the label is rejected unless more than its
// position suggests it.
func (p *preflight) confirmManyClasses(ctx context.Context) error {
	many := slices.IndexFunc(p.findings, func(f finding) bool { return f.Code == frame.CodeManyClasses })
	mute, err := p.host.promptDisabled(p.host.running)
	if err != nil || many < 0 || p.train.flagShape.Label != "" {
		return err
	}
	numbers := humanize.Count(len(p.trainProfile.Classes), "number")
	if !mute {
		if yes, err := p.host.console.Confirm(ctx, "Continue with "+numbers+" as classes?"); err != nil || yes {
			return err
		}
		return usageErrorf("cancelled: not confirmed").withHint("%s", p.findings[many].Hint)
	}
	if !p.roles.Assumed {
		return nil
	}
	hint := fmt.Sprintf("if each number is a class, confirm it: `%s`", p.host.commandWith("label", p.roles.Label))
	if other := p.classColumn(); other != "" {
		hint += fmt.Sprintf("; or name a column of few values: `%s`", p.host.commandWith("label", other))
	}
	return usageErrorf("%s: the last column, %s, has %s: it may not be the label", p.train.name, strconv.Quote(p.roles.Label), humanize.Count(len(p.trainProfile.Classes), "different number")).withHint("%s", hint)
}

// defects returns the findings that the service would reject.
func (p *preflight) defects() []finding {
	var defects []finding
	for _, f := range p.findings {
		if f.Severity == frame.SeverityDefect {
			defects = append(defects, f)
		}
	}
	return defects
}

// defectError returns an error with the first defect and the number of others; nil if
// there is none.
func (p *preflight) defectError() error {
	defects := p.defects()
	if len(defects) == 0 {
		return nil
	}
	first := defects[0]
	e := exitErrorf(ExitRejected, "%s", &first).at(first.File, first.Line, first.Column)
	e.code = first.Code
	if more := len(defects) - 1; more > 0 {
		e.fact += fmt.Sprintf(" (and %d more)", more)
	}
	return e.withHint("%s", cmp.Or(first.Hint, fmt.Sprintf("fix the file; `foretell check %s` lists each defect", p.shellArguments())))
}

// maxPerKind is the maximum number of printed warnings of one kind.
const maxPerKind = 3

// noteWarnings prints the warnings unless --quiet is set, at most maxPerKind of each
// kind; check prints all.
func (p *preflight) noteWarnings(o *output) {
	told := map[string]int{}
	for i := range p.findings {
		f := &p.findings[i]
		if f.Severity != frame.SeverityWarning {
			continue
		}
		told[f.File+f.Code]++
		switch n := told[f.File+f.Code]; {
		case n <= maxPerKind:
			o.note("warning: %s", p.host.shortenPath(f))
		case n == maxPerKind+1:
			o.note("warning: %s: more of the same kind, see `foretell check %s`", p.host.shortenPath(f).File, p.shellArguments())
		}
	}
}

// shortenPath returns the finding with the base name of its file on a terminal.
// Elsewhere, as in a log, the path is kept.
func (f *factory) shortenPath(one *finding) *finding {
	if !f.console.ErrTerminal {
		return one
	}
	short := *one
	short.File = filepath.Base(one.File)
	return &short
}

// shellArguments returns the arguments that name the files.
func (p *preflight) shellArguments() string {
	text := p.train.shellArguments("")
	switch {
	case p.blind == nil:
	case len(p.blind.args) > 1:
		text += " " + p.blind.shellArguments("--blind")
	default:
		text += " " + p.blind.shellArguments("")
	}
	return text
}
