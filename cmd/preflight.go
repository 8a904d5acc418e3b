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
	"foretell/internal/roles"
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
	// Count, AtLeast and Lines are those of frame.Defect; Lines are those in File.
	Count   int    `json:"count,omitempty"`
	AtLeast bool   `json:"atLeast,omitempty"`
	Lines   []int  `json:"lines,omitempty"`
	Hint    string `json:"hint,omitempty"`
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
	host          *host
	train, blind  *input
	trained, rows *frame.Profile // of train and blind
	findings      []finding
	blindTime     time.Duration // that it took to check the blind file
	textMemory    int           // see frame.ScanOptions

	model    roles.Known   // of the model that train is for, if that is a blind file
	columns  []string      // names of the training file's columns; nil if it cannot be read
	looked   bool          // some rows of it were seen
	headless bool          // its first row is rather data
	roles    roles.Roles   // of the training file's columns
	blindID  roles.BlindID // where the row IDs of the blind file come from
}

// codeRenamedColumn is that of a column which is read by another name.
const codeRenamedColumn = "renamed-column"

// Close frees the inputs.
func (p *preflight) Close() {
	for _, in := range []*input{p.train, p.blind} {
		if in != nil {
			_ = in.Close() // what is left lies in the folder for temporary files
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
	if err := p.understand(ctx); err != nil {
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
			p.refuseHeadless()
			return nil
		}
		p.nameColumns()
		return p.run(ctx, progress)
	}
	p.collect(p.train, p.trained)
	if p.blind == nil {
		return nil
	}
	began := p.host.now()
	if err := p.readBlind(ctx, progress); err != nil {
		return err
	}
	p.collect(p.blind, p.rows)
	p.compare()
	p.blindTime = p.host.now().Sub(began)
	return nil
}

// nameColumns makes the files be read anew, without a header.
func (p *preflight) nameColumns() {
	p.findings, p.headless = nil, false
	for _, in := range []*input{p.train, p.blind} {
		if in != nil {
			in.asked.NoHeader = true
			in.shape = in.asked
		}
	}
}

// readTrain profiles the training file. If the column that was taken for the ID by
// the beginning of the file proves not to be one, and the user did not name it, the
// file is read again with IDs that are made.
func (p *preflight) readTrain(ctx context.Context, progress *term.Progress) (err error) {
	for {
		if p.trained, err = p.train.profile(ctx, progress, frame.ScanOptions{TextMemory: p.textMemory}); err != nil {
			return err
		}
		reason := unfit(p.trained)
		if reason == "" || p.train.asked.ID != "" || p.roles.MadeID || p.columns == nil {
			return nil
		}
		if p.train.shape.Blind {
			return p.remakeBlind(ctx, progress, p.train, reason, &p.trained)
		}
		p.roles.ID, p.roles.MadeID, p.roles.IDReason = "", true, reason
		p.train.shape.SetRoles(p.columns, "", true, p.roles.Label)
		if p.blind != nil {
			p.blind.shape = p.blind.asked
			p.findings = slices.DeleteFunc(p.findings, func(f finding) bool { return f.File == p.blind.name })
			if err := p.understandBlind(ctx, p.blind, p.known()); err != nil {
				return err
			}
		}
	}
}

// readBlind does the same for the blind file.
func (p *preflight) readBlind(ctx context.Context, progress *term.Progress) (err error) {
	opts := frame.ScanOptions{ID: p.trained.Schema.ID, TextMemory: p.textMemory}
	if p.rows, err = p.blind.profile(ctx, progress, opts); err != nil {
		return err
	}
	if reason := unfit(p.rows); reason != "" && p.blind.asked.ID == "" {
		return p.remakeBlind(ctx, progress, p.blind, reason, &p.rows)
	}
	return nil
}

// remakeBlind reads a blind file again, with IDs that are made.
func (p *preflight) remakeBlind(ctx context.Context, progress *term.Progress, in *input, reason string, profile **frame.Profile) (err error) {
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
	p.blindID = p.blindID.Remake(names, reason)
	p.shapeBlind(in, header, names)
	*profile, err = in.profile(ctx, progress, frame.ScanOptions{ID: p.blindID.MadeName, TextMemory: p.textMemory})
	return err
}

// compare holds the blind file against the training file, if enough is known of
// both.
func (p *preflight) compare() {
	if p.trained.Partial || p.rows.Partial {
		return
	}
	for _, f := range frame.Compare(p.trained, p.rows) {
		if f.Code == frame.CodeOtherIDName && (p.roles.MadeID || p.blindID.Made) {
			continue // which is as it should be
		}
		p.add(p.blind, f.Severity, frame.Defect{Code: f.Code, Message: f.Message, Line: f.Line, Column: f.Column, Name: f.Name, Count: f.Count}, f.Suggestion)
	}
}

func (p *preflight) collect(in *input, profile *frame.Profile) {
	if in.broken != nil {
		f := *in.broken
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

// add keeps what was found in a file. likely names the column that is rather
// meant; empty if none is.
func (p *preflight) add(in *input, severity frame.Severity, d frame.Defect, likely string) {
	f := finding{
		Severity: severity, Code: d.Code, File: in.name, Name: d.Name, Message: d.Message,
		Count: d.Count, AtLeast: d.AtLeast,
	}
	if d.Line > 0 || d.Column > 0 {
		f.File, f.Line, f.Column = in.table.Place(d.Line, d.Column)
	}
	for _, line := range d.Lines {
		if file, line, _ := in.table.Place(line, 0); file == f.File {
			f.Lines = append(f.Lines, line)
		}
	}
	f.Hint = p.hint(in, &f, likely)
	p.findings = append(p.findings, f)
}

// confirm asks on a terminal whether a label of many numbers is meant to be one. It
// is not asked of a user who has named the label. Where nobody can be asked, such
// a label is refused unless more than its place in the file tells that it is one.
func (p *preflight) confirm(ctx context.Context) error {
	many := slices.IndexFunc(p.findings, func(f finding) bool { return f.Code == frame.CodeManyClasses })
	mute, err := p.host.mute(p.host.running)
	if err != nil || many < 0 || p.train.asked.Label != "" {
		return err
	}
	numbers := plural(len(p.trained.Classes), "number")
	if !mute {
		if yes, err := p.host.console.Confirm(ctx, "Go on with "+numbers+" as classes?"); err != nil || yes {
			return err
		}
		return usage("not done: the answer was no").advise("%s", p.findings[many].Hint)
	}
	if !p.roles.Assumed {
		return nil
	}
	hint := fmt.Sprintf("if each number is a class, say so: `%s`", p.host.again("label", p.roles.Label))
	if other := p.classColumn(); other != "" {
		hint += fmt.Sprintf("; or name a column of few values: `%s`", p.host.again("label", other))
	}
	return usage("%s: the last column, %s, has %s: it is not clear that it is the label", p.train.name, strconv.Quote(p.roles.Label), plural(len(p.trained.Classes), "different number")).advise("%s", hint)
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
	return f.advise("%s", cmp.Or(first.Hint, fmt.Sprintf("mend the file; `foretell check %s` names each defect", p.arguments())))
}

// maxAlike is how many warnings of one kind are told before a run.
const maxAlike = 3

// warn prints what may be wrong, unless the user wants quiet. Of many warnings
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
			o.note("warning: %s", p.host.named(f))
		case n == maxAlike+1:
			o.note("warning: %s: and more like it, see `foretell check %s`", p.host.named(f).File, p.arguments())
		}
	}
}

// named is the finding as a person is told it: on a terminal by the base name of
// its file, which is enough beside what was typed. Elsewhere the path stays, for
// whoever reads a log.
func (h *host) named(f *finding) *finding {
	if !h.console.ErrTerminal {
		return f
	}
	short := *f
	short.File = filepath.Base(f.File)
	return &short
}

// arguments are the files as they are typed.
func (p *preflight) arguments() string {
	text := p.train.arguments("")
	switch {
	case p.blind == nil:
	case len(p.blind.typed) > 1:
		text += " " + p.blind.arguments("--blind")
	default:
		text += " " + p.blind.arguments("")
	}
	return text
}
