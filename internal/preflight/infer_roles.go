package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/roles"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/repair"
)

// InferRoles infers from the first rows which columns are the ID and the label, and sets
// the layouts of the files. For a file that cannot be read it sets nothing; the file's
// profile has the error.
func (p *Preflight) InferRoles(ctx context.Context) error {
	header, err := p.Train.header(ctx)
	if header == nil || err != nil {
		return err
	}
	p.columns = header
	if p.Train.shape.Blind {
		return p.inferBlindRoles(ctx, p.Train, p.modelColumns)
	}
	p.columns = p.uniqueNames(p.Train, header)
	var blind *roles.Table
	if p.Blind != nil {
		if blind, err = p.blindNames(ctx); err != nil {
			return err
		}
	}
	train, err := p.Train.sample(ctx, p.columns, blind.Lacks)
	if err != nil {
		return err
	}
	p.sampled, p.noHeader = train.Rows > 0, train.Headless
	shape := &p.Train.shape
	var question *roles.Question
	if p.roles, question = roles.Train(train, blind, givenRoles(shape)); question != nil && p.sampled && !p.noHeader {
		if p.roles.Label, err = p.askLabel(ctx, question); err != nil {
			return err
		}
		p.roles.LabelReason = "as answered"
	}
	p.setNames(p.Train, header, p.columns)
	shape.SetRoles(p.columns, p.roles.ID, p.roles.MadeID, p.roles.Label)
	if p.Blind == nil {
		return nil
	}
	return p.inferBlindRoles(ctx, p.Blind, p.expectedColumns())
}

// blindNames returns the columns of the blind file, to find the column that it lacks.
// Without a header they are compared by content.
func (p *Preflight) blindNames(ctx context.Context) (*roles.Table, error) {
	header, err := p.Blind.header(ctx)
	if err != nil || len(header) != len(p.columns)-1 {
		return roles.NewTable(header), err
	}
	if !p.Train.shape.NoHeader {
		names, _ := roles.UniqueNames(header)
		if table, err := p.Blind.sample(ctx, names, nil); err != nil || !table.HasNoNames(p.columns) {
			return roles.NewTable(header), err
		}
	}
	train, err := p.Train.inFileOrder().Open(ctx)
	if err != nil {
		return roles.NewTable(header), ignoreContentError(err)
	}
	defer train.Close()
	blind, err := p.Blind.inFileOrder().Open(ctx)
	if err != nil {
		return roles.NewTable(header), ignoreContentError(err)
	}
	defer blind.Close()
	at, err := roles.MissingColumn(ctx, train, blind)
	return roles.NewTable(slices.Delete(slices.Clone(p.columns), at, at+1)), err
}

// givenRoles returns the roles set by flags.
func givenRoles(shape *repair.Layout) roles.Options {
	return roles.Options{ID: shape.ID, MakeID: shape.MakeID, Label: shape.Label, Drop: shape.Drop}
}

// setNames sets the column names of a file that differ from its header.
func (p *Preflight) setNames(in *Input, header, names []string) {
	if !slices.Equal(header, names) {
		in.shape.Names = names
	}
}

// expectedColumns returns the columns that a blind file must have for the training file.
func (p *Preflight) expectedColumns() roles.TrainingFile {
	k := roles.TrainingFile{Columns: p.columns, ID: p.roles.ID, MadeID: p.roles.MadeID, Label: p.roles.Label}
	if k.MadeID {
		k.ID = p.Train.shape.MadeID
	}
	for _, name := range p.columns {
		if name != k.Label && (k.MadeID || name != k.ID) && !slices.Contains(p.Train.shape.Drop, name) {
			k.Features = append(k.Features, name)
		}
	}
	return k
}

// uniqueNames returns a unique name for each column of a file, and warns about those that
// differ from the header.
func (p *Preflight) uniqueNames(in *Input, header []string) []string {
	names, changed := roles.UniqueNames(header)
	p.warnRenamed(in, changed, func(one roles.Rename) (code, reason string) {
		if one.From == "" {
			return csvfile.CodeUnnamedColumn, "the column has no name"
		}
		return csvfile.CodeDuplicateColumn, "an earlier column has the same name"
	})
	return names
}

// warnRenamed warns about renamed columns: the first maxPerKind by name, the rest by
// number.
func (p *Preflight) warnRenamed(in *Input, changed []roles.Rename, reason func(roles.Rename) (code, reason string)) {
	for i, one := range changed {
		code, why := reason(one)
		message := fmt.Sprintf("%s: read as %s", why, strconv.Quote(one.To))
		if more := len(changed) - i - 1; i+1 == maxPerKind && more > 0 {
			message += fmt.Sprintf(", and so on for %s", humanize.Count(more, "more column"))
		}
		p.add(in, profile.SeverityWarning, csvfile.Defect{Code: code, Message: message, Line: 1, Column: one.Column + 1, Name: one.From}, "")
		if i+1 == maxPerKind {
			return
		}
	}
}

// inferBlindRoles infers the row IDs and the column names of a blind file.
func (p *Preflight) inferBlindRoles(ctx context.Context, in *Input, known roles.TrainingFile) error {
	header, err := in.header(ctx)
	if header == nil || err != nil {
		return err
	}
	wanted := slices.Clone(known.Features)
	if known.ID != "" && !known.MadeID {
		wanted = append(wanted, known.ID)
	}
	if header, err = p.blindHeader(ctx, in, header, &known); err != nil {
		return err
	}
	own := known.NamesOfColumns(len(header))
	if !in.shape.NoHeader || own == nil {
		own = p.uniqueNames(in, header)
	}
	names, changed := roles.MatchNames(own, wanted)
	p.warnRenamed(in, changed, func(roles.Rename) (code, reason string) {
		return codeRenamedColumn, "the name in the training file differs in case or punctuation"
	})
	table, err := in.sample(ctx, names, func(name string) bool { return name == known.ID })
	if err != nil {
		return err
	}
	p.blindID = roles.Blind(table, known, givenRoles(&in.shape))
	p.arrangeBlind(in, header, names)
	return nil
}

// blindHeader returns the header of a blind file, or generated names if its first row is
// data.
func (p *Preflight) blindHeader(ctx context.Context, in *Input, header []string, known *roles.TrainingFile) ([]string, error) {
	if in.shape.NoHeader {
		return header, nil
	}
	names, _ := roles.UniqueNames(header)
	table, err := in.sample(ctx, names, nil)
	if err != nil || !known.LacksHeader(table) {
		return header, err
	}
	p.add(in, profile.SeverityWarning, csvfile.Defect{
		Code: csvfile.CodeNoHeader, Line: 1,
		Message: "the first row, " + joinFirst(header) + ", is data: the columns are read as those of the training file, in its order",
	}, "")
	in.shape.NoHeader = true
	return in.header(ctx)
}

// joinFirst joins the first texts with commas.
func joinFirst(texts []string) string {
	const most = 6
	if len(texts) > most {
		texts = append(slices.Clone(texts[:most]), "…")
	}
	return strings.Join(texts, ", ")
}

// arrangeBlind moves the IDs of a blind file to the front and its label, if any, to the
// end.
func (p *Preflight) arrangeBlind(in *Input, header, names []string) {
	names = p.blindID.Displace(names)
	p.setNames(in, header, names)
	label := cmp.Or(in.flagShape.Label, p.roles.Label, p.modelColumns.Label)
	if !slices.Contains(names, label) || slices.Contains(in.shape.Drop, label) {
		label = ""
	}
	in.shape.MadeID = p.blindID.MadeName
	in.shape.SetRoles(names, p.blindID.ID, p.blindID.Made, label)
}

// idProblem says why the column inferred as the ID cannot be the ID, by all rows of the
// file; "" if it can.
func idProblem(profile *profile.Profile) string {
	for i := range profile.Defects {
		switch d := &profile.Defects[i]; d.Code {
		case csvfile.CodeDuplicateID:
			return fmt.Sprintf("%s repeats, first in line %d", strconv.Quote(d.Name), d.Line)
		case csvfile.CodeEmptyID:
			return fmt.Sprintf("%s has rows without a value, first in line %d", strconv.Quote(d.Name), d.Line)
		}
	}
	return ""
}

// ReadOptions returns how the blind file was read, for the receipt: the flags and the
// inferred roles.
func (p *Preflight) ReadOptions(s *LayoutFlags) *receipt.Options {
	in := p.Blind
	if in == nil {
		in = p.Train
	}
	o := &receipt.Options{
		Label: cmp.Or(s.Label, p.roles.Label, p.modelColumns.Label), ID: p.blindID.ID, Drop: s.drop,
		Delimiter: s.delimiter, Encoding: s.encoding, Sheet: s.sheet, Names: in.shape.Names, NoHeader: in.shape.NoHeader,
	}
	if p.blindID.Made {
		o.ID, o.MadeID = generateIDs, in.shape.MadeID
	}
	return o
}
