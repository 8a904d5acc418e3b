package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"foretell/internal/frame"
	"foretell/internal/roles"
	"foretell/internal/term"
)

// fix writes the corrected copies, checks them like any file, and then renames them.
func (o *checkOptions) fix(ctx context.Context, progress *term.Progress, p *preflight) error {
	if err := o.fixes.checkPaths(p); err != nil {
		return err
	}
	if err := p.inferRoles(ctx); err != nil {
		return err
	}
	p.findings = nil // what is told of the copies, or as a change
	r := &repairer{preflight: p, progress: progress}
	defer r.discard()
	if err := r.fixTrain(ctx, o.fixes.train); err != nil {
		return err
	}
	if p.blind != nil {
		if err := r.fixBlind(ctx, o.fixes.blind); err != nil {
			return err
		}
	}
	if err := r.install(); err != nil {
		return err
	}
	report := p.report()
	report.Changes = r.changes
	if o.output.quiet && !o.output.json {
		for _, c := range r.copies {
			fmt.Fprintln(o.host.console.Out, c.path)
		}
	} else if err := o.print(report); err != nil {
		return err
	}
	return p.defectError()
}

// repairer is a preflight that replaces files by corrected copies.
type repairer struct {
	*preflight
	progress     *term.Progress
	copies       []*fixedCopy
	changes      []change
	generatedIDs bool // the ID of the training file was made
}

// fixedCopy is a corrected copy that is not renamed yet.
type fixedCopy struct {
	path   string // where it will be
	temp   *os.File
	result *frame.Report
}

// change is a correction in a file.
type change struct {
	File string `json:"file"`
	Copy string `json:"copy"`
	frame.Change
}

// fixTrain checks the training file, or the corrected copy if one is requested.
func (r *repairer) fixTrain(ctx context.Context, path string) (err error) {
	p := r.preflight
	if path == "" {
		if err := p.readTrain(ctx, r.progress); err != nil {
			return err
		}
		p.collect(p.train, p.trainProfile)
		return p.defectError()
	}
	in := p.train
	c, err := r.writeCopy(ctx, in, path, nil)
	if err != nil {
		return err
	}
	r.generatedIDs = c.result.Numbered
	p.train = c.asInput(in)
	if p.trainProfile, err = p.train.profile(ctx, r.progress, frame.ScanOptions{}); err != nil {
		return err
	}
	p.collect(p.train, p.trainProfile)
	return c.verify(in, p)
}

// fixBlind does the same for the blind file.
func (r *repairer) fixBlind(ctx context.Context, path string) (err error) {
	p := r.preflight
	in, c := p.blind, (*fixedCopy)(nil)
	if path != "" {
		if c, err = r.writeCopy(ctx, in, path, p.trainProfile); err != nil {
			return err
		}
		p.blind = c.asInput(in)
	}
	if p.blindProfile, err = p.blind.profile(ctx, r.progress, frame.ScanOptions{ID: p.trainProfile.Schema.ID}); err != nil {
		return err
	}
	before := len(p.findings)
	p.collect(p.blind, p.blindProfile)
	p.compare()
	if c == nil {
		return nil // its defects are reported beside the copy of the training file
	}
	return c.verify(in, &preflight{host: p.host, train: p.train, blind: p.blind, findings: p.findings[before:]})
}

// writeCopy writes the corrected copy of an input to a temporary file beside its path.
func (r *repairer) writeCopy(ctx context.Context, in *input, path string, train *frame.Profile) (*fixedCopy, error) {
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		path = linked // the file that a link names is replaced, not the link
	}
	part, err := createTemp(filepath.Dir(path), filepath.Base(path))
	if err != nil {
		return nil, err
	}
	c := &fixedCopy{path: path, temp: part}
	r.copies = append(r.copies, c)
	phase, size, before := r.progress.Phase("correcting "+in.name), in.table.Size(), int64(0)
	defer phase.Done()
	open := func() (io.ReadCloser, error) {
		file, err := in.table.CSV(ctx)
		if err != nil {
			return nil, err
		}
		from := before
		before += size
		metered := readerFunc(func(p []byte) (int, error) {
			n, err := file.Read(p)
			phase.Share(from+file.Done(), 2*size)
			return n, err
		})
		return struct {
			io.Reader
			io.Closer
		}{metered, file}, nil
	}
	shape := r.layoutOf(in)
	c.result, err = frame.File(ctx, open, part, frame.Options{
		Layout: shape, Train: train, NumberedTrain: r.generatedIDs || r.copies[0] == c && r.roles.MadeID,
		Choose: func(names []string, rows [][][]byte) (frame.ColumnRoles, error) {
			return r.chooseRoles(ctx, &shape, names, rows)
		},
	})
	if err != nil {
		var defect *frame.Defect
		if ctx.Err() != nil || !errors.As(err, &defect) {
			return nil, err
		}
		return nil, c.unfixable(in, &finding{File: in.name, Line: defect.Line, Column: defect.Column, Name: defect.Name, Code: defect.Code, Message: defect.Message})
	}
	if err := part.Sync(); err != nil {
		return nil, err
	}
	for _, step := range in.table.Steps() {
		r.changes = append(r.changes, change{in.name, path, frame.Change{Code: step.Code, Message: step.Message(), Count: 1}})
	}
	for _, w := range in.table.Warnings() {
		r.changes = append(r.changes, change{w.File, path, frame.Change{Code: w.Code, Message: w.Message, Count: 1, Line: w.Line, Column: w.Column, Name: w.Name}})
	}
	for _, one := range c.result.Changes {
		file := in.name
		if one.Line > 0 {
			file, one.Line, one.Column = in.table.Locate(one.Line, one.Column)
		}
		r.changes = append(r.changes, change{file, path, one})
	}
	return c, nil
}

// chooseRoles chooses the ID and the label by the columns of the corrected copy: the
// header of the original may follow a title, and its rows may be broken.
func (r *repairer) chooseRoles(ctx context.Context, shape *frame.Layout, names []string, rows [][][]byte) (frame.ColumnRoles, error) {
	chosen := frame.ColumnRoles{ID: -1, Label: -1}
	table, err := roles.SniffRows(ctx, names, rows)
	if err != nil {
		return chosen, err
	}
	if shape.Blind {
		if id := roles.Blind(table, roles.TrainingFile{}, givenRoles(shape)); !id.Made {
			chosen.ID = table.Find(id.ID)
		}
		return chosen, nil
	}
	known := givenRoles(shape)
	known.Repaired = true
	found, question := roles.Train(table, nil, known)
	if question != nil {
		if found.Label, err = r.askLabel(ctx, question); err != nil {
			return chosen, err
		}
	}
	if !found.MadeID {
		chosen.ID = table.Find(found.ID)
	}
	if found.Label != "" {
		chosen.Label, chosen.Reason = table.Find(found.Label), found.LabelReason
	}
	return chosen, nil
}

// layoutOf returns the layout from the flags; for a training file also the inferred
// columns.
func (r *repairer) layoutOf(in *input) frame.Layout {
	shape := in.flagShape
	if in != r.train || shape.Blind || !r.sampled {
		return shape
	}
	shape.MakeID = r.roles.MadeID
	if in.shape.ID != "" {
		shape.ID = in.shape.ID
	}
	if in.shape.Label != "" {
		shape.Label = in.shape.Label
	}
	return shape
}

// asInput returns the copy as an input that replaces in, which it closes.
func (c *fixedCopy) asInput(in *input) *input {
	_ = in.Close() // what is left lies in the folder for temporary files
	return normalizedInput(c.path, c.temp.Name(), in.shape.Blind)
}

// verify returns an error if the service would reject the copy: the original has a defect
// that cannot be corrected.
func (c *fixedCopy) verify(in *input, p *preflight) error {
	defects := p.defects()
	if len(defects) == 0 {
		return nil
	}
	f := defects[0]
	f.File = in.name
	if f.Column > 0 && f.Column <= len(c.result.SourceColumns) {
		f.Column = c.result.SourceColumns[f.Column-1]
	}
	if f.Line == 1 {
		f.Line = c.result.Line
	} else if f.Line > 1 {
		f.Line = 0 // a line of the copy, which will be no more
	}
	return c.unfixable(in, &f)
}

func (c *fixedCopy) unfixable(in *input, f *finding) error {
	err := exitErrorf(ExitRejected, "%s; this cannot be corrected, and %s was not written", f, c.path).at(in.name, f.Line, f.Column)
	err.code = f.Code
	hint := f.Hint
	if hint == "" || strings.Contains(hint, "--fix") {
		hint = "fix it by hand, or set --label, --id, --delimiter or --encoding"
	}
	return err.withHint("%s", hint)
}

// install renames the copies to their final names.
func (r *repairer) install() error {
	for _, c := range r.copies {
		if err := c.temp.Close(); err != nil {
			return err // what is not whole replaces nothing
		}
		if err := os.Rename(c.temp.Name(), c.path); err != nil {
			return err
		}
		c.temp = nil
	}
	return nil
}

// discard removes the copies that were not renamed.
func (r *repairer) discard() {
	for _, c := range r.copies {
		if c.temp != nil {
			_ = c.temp.Close() // it is not kept
			_ = os.Remove(c.temp.Name())
		}
	}
}

// printChanges prints the corrections.
func (o *checkOptions) printChanges(changes []change) error {
	c := o.host.console
	if !c.OutTerminal {
		if len(changes) == 0 {
			return nil
		}
		return printList(&o.output, changes, "file", "copy", "code", "count", "line", "column", "name", "message")
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
