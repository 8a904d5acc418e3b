package preflight

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"foretell/internal/cli"
	"foretell/internal/exit"
	"foretell/internal/roles"
	"foretell/internal/symlink"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/repair"
	"foretell/internal/term"
)

// Repairer is a Preflight that writes corrected copies of the files.
type Repairer struct {
	*Preflight
	Progress       *term.Progress
	Copies         []*correctedCopy
	Changes        []change
	SwapSeparators []string // columns of the blind file; in their numbers, points and commas are exchanged
}

// correctedCopy is a corrected copy in a temporary file.
type correctedCopy struct {
	Path   string // final path
	temp   *os.File
	result *repair.Report
}

// change is a correction that is made in the repaired copy of an input file.
type change struct {
	File string `json:"file"`
	Copy string `json:"copy"`
	repair.Change
}

// FixAndCheckTrain checks the training file. If copyPath is not empty, it writes a corrected copy
// and checks this copy instead. Install later renames the copy to copyPath.
func (r *Repairer) FixAndCheckTrain(ctx context.Context, copyPath string) error {
	p := r.Preflight
	if err := p.profileTrain(ctx, r.Progress); err != nil { // all rows decide which column is the ID
		return err
	}
	if copyPath == "" {
		if len(p.TrainProfile.Defects) == 0 { // the copy of the blind file will be written
			defer r.Factory.ForceInCommands()()
		}
		p.addProfileFindings(p.Train, p.TrainProfile)
		return p.DefectError()
	}
	in := p.Train
	c, err := r.writeCopy(ctx, in, copyPath)
	if err != nil {
		return err
	}
	p.Findings, p.Train = nil, c.closeAndReplaceInput(in)
	if err := r.useRolesOfCopy(ctx, c); err != nil {
		return err
	}
	r.addCopyFindings(p.Train, p.TrainProfile)
	return c.requireNoDefects(in, p)
}

// useRolesOfCopy reads the copy of the training file, and sets the names and the roles of the columns
// to those of the copy. The blind file is then compared with them.
func (r *Repairer) useRolesOfCopy(ctx context.Context, c *correctedCopy) error {
	p := r.Preflight
	if p.Train.layout.Blind {
		p.setIDOfBlindCopy(p.Train, c)
		return p.scanTrain(ctx, r.Progress)
	}
	if err := p.scanTrain(ctx, r.Progress); err != nil {
		return err
	}
	schema := p.TrainProfile.Schema
	if p.roles.GeneratedID && !c.result.GeneratedID {
		p.roles.IDReason = ""
	}
	p.roles.ID, p.roles.GeneratedID, p.roles.Label = schema.ID, c.result.GeneratedID, schema.Label
	p.Train.layout.GeneratedIDName = schema.ID
	columns := slices.Concat(schema.FieldNames(), []string{schema.Label})
	if !p.roles.GeneratedID {
		columns = slices.Insert(columns, 0, schema.ID)
	}
	// A blind file without a header probably has the order of the original training file.
	if !slices.Equal(slices.Sorted(slices.Values(columns)), slices.Sorted(slices.Values(p.columns))) {
		p.columns = columns
	}
	return nil
}

// setIDOfBlindCopy sets the ID to the first column of c, the copy of a blind file.
func (p *Preflight) setIDOfBlindCopy(in *InputTable, c *correctedCopy) {
	if c.result.GeneratedID && !p.blindID.Generated { // a later row has an invalid ID
		p.blindID = roles.BlindID{Reason: roles.NoIDColumnReason}
	}
	p.blindID.ID, p.blindID.Generated = c.result.ID, c.result.GeneratedID
	in.layout.GeneratedIDName = c.result.ID
}

// FixAndCheckBlind is like FixAndCheckTrain for the blind file. It reads the file as [Preflight.Run]
// does.
func (r *Repairer) FixAndCheckBlind(ctx context.Context, copyPath string) error {
	p := r.Preflight
	p.removeFindings(p.Blind.Name)
	before := len(p.Findings)
	if copyPath == "" {
		if err := p.inferBlindAgain(ctx); err != nil {
			return err
		}
		if err := p.profileBlind(ctx, r.Progress); err != nil {
			return err
		}
		r.addCopyFindings(p.Blind, p.BlindProfile)
		return nil // the report shows the defects
	}
	in := p.Blind
	c, err := r.writeCopy(ctx, in, copyPath)
	if err != nil {
		return err
	}
	p.Blind = c.closeAndReplaceInput(in)
	p.setIDOfBlindCopy(p.Blind, c)
	if err := p.profileBlind(ctx, r.Progress); err != nil {
		return err
	}
	r.addCopyFindings(p.Blind, p.BlindProfile)
	return c.requireNoDefects(in, &Preflight{Factory: p.Factory, Train: p.Train, Blind: p.Blind, Findings: p.Findings[before:]})
}

// addCopyFindings adds the findings of a copy and, for a blind file, the differences between the files.
// The commands in their hints have --force, because the copies exist when the user runs them.
func (r *Repairer) addCopyFindings(in *InputTable, prof *profile.Profile) {
	defer r.Factory.ForceInCommands()()
	r.addProfileFindings(in, prof)
	if in == r.Blind {
		r.compareFiles()
	}
}

// writeCopy writes the corrected copy of an input to a temporary file in the directory of path, the
// final path of the copy.
func (r *Repairer) writeCopy(ctx context.Context, in *InputTable, path string) (*correctedCopy, error) {
	path = symlink.Resolve(path) // write the target of a link, and keep the link
	part, err := cli.CreateTemp(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	c := &correctedCopy{Path: path, temp: part}
	r.Copies = append(r.Copies, c)
	phase, size, before := r.Progress.StartPhase("correcting "+in.Name), in.table.Size(), int64(0)
	defer phase.Done()
	open := func() (io.ReadCloser, error) {
		file, err := in.openCSV(ctx)
		if err != nil {
			return nil, err
		}
		from := before
		before += size
		metered := readerFunc(func(p []byte) (int, error) {
			n, err := file.Read(p)
			phase.TickBytes(from+file.BytesRead(), 2*size)
			return n, err
		})
		return struct {
			io.Reader
			io.Closer
		}{metered, file}, nil
	}
	opts := repair.Options{Layout: r.layoutFor(in)}
	opts.ChooseRoles = func(names []string, rows [][][]byte) (repair.ColumnRoles, error) {
		return r.chooseRoles(ctx, in, &opts.Layout, names, rows)
	}
	if opts.Layout.Blind {
		opts.SwapSeparators = r.SwapSeparators
	}
	if in == r.Blind {
		opts.Train = r.TrainProfile
	}
	c.result, err = repair.File(ctx, open, part, opts)
	if err != nil {
		var defect *csvfile.Defect
		if ctx.Err() != nil || !errors.As(err, &defect) {
			return nil, err
		}
		f := &finding{File: in.Name, Line: defect.Line, Column: defect.Column, Name: defect.Name, Code: defect.Code, Message: defect.Message}
		if slices.Contains(opts.SwapSeparators, defect.Name) {
			f.Hint = "name columns of the copy with --swap-separators"
		}
		return nil, c.unfixableError(in, f)
	}
	if err := part.Sync(); err != nil {
		return nil, err
	}
	for _, step := range in.table.Conversions() {
		r.Changes = append(r.Changes, change{in.Name, path, repair.Change{Code: step.Code, Message: step.Message(), Count: 1}})
	}
	for _, w := range in.table.Warnings() {
		r.Changes = append(r.Changes, change{w.File, path, repair.Change{Code: w.Code, Message: w.Message, Count: 1, Line: w.Line, Column: w.Column, Name: w.Name}})
	}
	for _, one := range c.result.Changes {
		file := in.Name
		if one.Code == csvfile.FixEncoding {
			one.Message += r.otherEncodingHint(in)
		}
		if one.Line > 0 {
			file, one.Line, one.Column = in.table.Locate(one.Line, one.Column)
		}
		r.Changes = append(r.Changes, change{file, path, one})
	}
	return c, nil
}

// layoutFor returns the layout with which the corrected copy of an input is written. It has the
// options from the flags and, for a training file, the inferred ID and label.
func (r *Repairer) layoutFor(in *InputTable) repair.Layout {
	layout := in.flagLayout
	if in != r.Train || layout.Blind || !r.hasSample || r.hasWrongHeader() {
		return layout
	}
	if r.roles.GeneratedID && !r.hasRejectedID && !r.hasSecondHeader() { // otherwise, the copy may lack the rows with an invalid ID
		layout.GenerateID = true
	}
	if in.layout.ID != "" {
		layout.ID = in.layout.ID
	}
	if in.layout.Label != "" {
		layout.Label = in.layout.Label
	} else if label := r.labelToRepeat(in); label != "" { // repair.File would choose another label
		layout.Label = label
	}
	return layout
}

// hasSecondHeader reports whether rows of the training file look like a second header. The copy lacks them.
func (p *Preflight) hasSecondHeader() bool {
	return slices.ContainsFunc(p.TrainProfile.Warnings, func(w csvfile.Warning) bool { return w.Code == csvfile.CodeSecondHeader })
}

// closeAndReplaceInput closes the original input, and returns the copy as the input that
// replaces it.
func (c *correctedCopy) closeAndReplaceInput(original *InputTable) *InputTable {
	_ = original.Close() // at worst, temporary files remain
	in := NormalizedInput(c.Path, c.temp.Name(), original.layout.Blind)
	in.flagLayout = original.flagLayout // for the hints
	return in
}

// requireNoDefects returns an error if p has found a defect in the copy. Such a defect was already
// in the original file and cannot be corrected, so the error names the original file.
func (c *correctedCopy) requireNoDefects(original *InputTable, p *Preflight) error {
	defects := p.defects()
	if len(defects) == 0 {
		return nil
	}
	f := defects[0]
	if f.otherSeparators != nil {
		f.File, f.Line, f.Column = original.Name, 0, 0
		e := exit.Errorf(exit.Rejected, "%s, so %s was not written", &f, c.Path).At(original.Name, 0, 0)
		e.Code = f.Code
		return e.WithHint("exchange the points and commas of these numbers: `%s`", p.Factory.CommandWithList("swap-separators", f.otherSeparators))
	}
	f.File = original.Name
	if f.Column > 0 && f.Column <= len(c.result.SourceColumns) {
		f.Column = c.result.SourceColumns[f.Column-1]
	}
	if f.Line == 1 {
		f.Line = c.result.HeaderLine
	} else if f.Line > 1 {
		f.Line = 0 // f.Line is a line of the copy, which will be removed
	}
	return c.unfixableError(original, &f)
}

func (c *correctedCopy) unfixableError(in *InputTable, f *finding) error {
	err := exit.Errorf(exit.Rejected, "%s; this cannot be corrected, so %s was not written", f, c.Path).At(in.Name, f.Line, f.Column)
	err.Code = f.Code
	hint := f.Hint
	switch {
	case f.Code == csvfile.CodeEmptyFile:
		hint = "name a file with a header and rows"
	case f.Code == csvfile.CodeEmptyLabel:
		hint = "fill in the labels in this column, or set another label with --label"
	case hint == "" || strings.Contains(hint, "--fix"):
		hint = "correct the file by hand, or set --label, --id, --delimiter or --encoding"
	}
	return err.WithHint("%s", hint)
}

// Install renames the copies to their final names. If force is not set and a file with such a name
// exists, Install renames none of them, and the error is that of [cli.InstallFile].
func (r *Repairer) Install(force bool) error {
	for _, c := range r.Copies {
		if err := c.temp.Close(); err != nil {
			return err // an incomplete copy must not replace a file
		}
		if err := cli.CheckInstall(c.Path, force); err != nil {
			return err
		}
	}
	for _, c := range r.Copies {
		if err := cli.InstallFile(c.temp.Name(), c.Path, force); err != nil {
			return err
		}
		c.temp = nil
	}
	return nil
}

// Discard removes the copies that were not renamed.
func (r *Repairer) Discard() {
	for _, c := range r.Copies {
		if c.temp != nil {
			_ = c.temp.Close() // the file is removed
			_ = os.Remove(c.temp.Name())
		}
	}
}
