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
	"foretell/internal/table/cells"
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
	generatedIDs   bool     // whether the IDs in the copy of the training file were generated
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
func (r *Repairer) FixAndCheckTrain(ctx context.Context, copyPath string) (err error) {
	p := r.Preflight
	if copyPath == "" {
		if err := p.profileTrain(ctx, r.Progress); err != nil {
			return err
		}
		p.addProfileFindings(p.Train, p.TrainProfile)
		return p.DefectError()
	}
	in := p.Train
	c, err := r.writeCopy(ctx, in, copyPath, nil)
	if err != nil {
		return err
	}
	r.generatedIDs = c.result.GeneratedID
	p.Train = c.closeAndReplaceInput(in)
	if p.TrainProfile, err = p.Train.scanProfile(ctx, r.Progress, profile.ScanOptions{}); err != nil {
		return err
	}
	r.addCopyFindings(p.Train, p.TrainProfile)
	return c.requireNoDefects(in, p)
}

// FixAndCheckBlind is like FixAndCheckTrain for the blind file.
func (r *Repairer) FixAndCheckBlind(ctx context.Context, copyPath string) (err error) {
	p := r.Preflight
	in, c := p.Blind, (*correctedCopy)(nil)
	if copyPath != "" {
		if c, err = r.writeCopy(ctx, in, copyPath, p.TrainProfile); err != nil {
			return err
		}
		p.Blind = c.closeAndReplaceInput(in)
	}
	if p.BlindProfile, err = p.Blind.scanProfile(ctx, r.Progress, profile.ScanOptions{ID: p.TrainProfile.Schema.ID}); err != nil {
		return err
	}
	before := len(p.Findings)
	r.addCopyFindings(p.Blind, p.BlindProfile)
	if c == nil {
		return nil // the report shows the defects
	}
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
// final path of the copy. If the input is the blind file, train is the profile of the training file;
// otherwise it is nil.
func (r *Repairer) writeCopy(ctx context.Context, in *InputTable, path string, train *profile.Profile) (*correctedCopy, error) {
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
	layout, swaps := r.layoutFor(in), []string(nil)
	if layout.Blind {
		swaps = r.SwapSeparators
	}
	c.result, err = repair.File(ctx, open, part, repair.Options{
		Layout: layout, Train: train, SwapSeparators: swaps, TrainHasGeneratedID: r.generatedIDs || r.Copies[0] == c && r.roles.GeneratedID,
		ChooseRoles: func(names []string, rows [][][]byte) (repair.ColumnRoles, error) {
			return r.chooseRoles(ctx, &layout, names, rows)
		},
	})
	if err != nil {
		var defect *csvfile.Defect
		if ctx.Err() != nil || !errors.As(err, &defect) {
			return nil, err
		}
		f := &finding{File: in.Name, Line: defect.Line, Column: defect.Column, Name: defect.Name, Code: defect.Code, Message: defect.Message}
		if slices.Contains(swaps, defect.Name) {
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

// chooseRoles chooses the ID and the label from the columns of the corrected copy. It does not
// use the original, whose header may follow a title and whose rows may be defective.
func (r *Repairer) chooseRoles(ctx context.Context, layout *repair.Layout, names []string, rows [][][]byte) (repair.ColumnRoles, error) {
	chosen := repair.ColumnRoles{ID: -1, Label: -1}
	blind := r.blindColumns
	if r.Blind != nil && r.Blind.headerBelowTitle != nil {
		blind = roles.NewDescription(r.Blind.headerBelowTitle)
	}
	names, rows = cutEmptyEnd(names, rows)
	names, _ = roles.UniqueNames(names) // the names in the training file may be duplicates, but columns are found by name
	table, err := roles.DescribeRows(ctx, names, rows, blind.LacksOrHasEmpty)
	if err != nil {
		return chosen, err
	}
	if layout.Blind {
		if id := roles.ChooseBlindID(table, roles.TrainingFile{}, rolesFromFlags(layout)); !id.Generated {
			chosen.ID = table.ColumnIndex(id.ID)
		}
		return chosen, nil
	}
	known := rolesFromFlags(layout)
	known.WillRepairIDs = true
	found, question := roles.ChooseRoles(table, blind, known)
	if question != nil {
		if found.Label, err = r.askLabel(ctx, question); err != nil {
			return chosen, err
		}
	}
	if found, err = roles.ChooseIDOfLabelledRows(ctx, table, found, known); err != nil {
		return chosen, err
	}
	if !found.GeneratedID {
		chosen.ID = table.ColumnIndex(found.ID)
	}
	if found.Label != "" {
		chosen.Label, chosen.LabelReason = table.ColumnIndex(found.Label), found.LabelReason
	}
	return chosen, nil
}

// cutEmptyEnd returns names and rows without the empty columns at their end, which have neither a
// name nor a value. Spreadsheets often write such columns. Rows with more or fewer fields than
// names are left out.
func cutEmptyEnd(names []string, rows [][][]byte) ([]string, [][][]byte) {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row [][]byte) bool { return len(row) != len(names) })
	kept := len(names)
	for kept > 0 && names[kept-1] == "" && !slices.ContainsFunc(rows, func(row [][]byte) bool { return !cells.IsBlank(row[kept-1]) }) {
		kept--
	}
	for i := range rows {
		rows[i] = rows[i][:kept]
	}
	return names[:kept], rows
}

// layoutFor returns the layout with which the corrected copy of an input is written. It has the
// options from the flags and, for a training file, the inferred ID and label.
func (r *Repairer) layoutFor(in *InputTable) repair.Layout {
	layout := in.flagLayout
	if layout.NoHeader && in == r.Blind {
		layout.Names = in.layout.Names
	}
	if in != r.Train || layout.Blind || !r.hasSample || r.hasWrongHeader() {
		return layout
	}
	layout.GenerateID = r.roles.GeneratedID
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

// closeAndReplaceInput closes the original input, and returns the copy as the input that
// replaces it.
func (c *correctedCopy) closeAndReplaceInput(original *InputTable) *InputTable {
	_ = original.Close() // at worst, temporary files remain
	return NormalizedInput(c.Path, c.temp.Name(), original.layout.Blind)
}

// requireNoDefects returns an error if p has found a defect in the copy. Such a defect is one of the
// original file that cannot be corrected, so the error names the original file.
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
		hint = "write the labels into the column, or set another label with --label"
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
