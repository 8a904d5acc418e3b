package preflight

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/exit"
	"foretell/internal/humanize"
	"foretell/internal/receipt"
	"foretell/internal/roles"
	"foretell/internal/table/compare"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
	"foretell/internal/table/repair"
)

// InferRolesAndLayouts infers the ID and the label from the first rows, and sets the layouts of the
// files. It ignores a file that cannot be read, because the profile of the file reports the
// error.
func (p *Preflight) InferRolesAndLayouts(ctx context.Context) error {
	header, err := p.Train.readHeader(ctx)
	if header == nil || err != nil {
		return err
	}
	p.columns = header
	if err := p.findHeadersBelowTitles(ctx, header); err != nil {
		return err
	}
	p.joinDropped(header)
	if err := checkRoleFlags(&p.Train.flagLayout); err != nil {
		return err
	}
	if p.Train.layout.Blind {
		return p.inferBlindIDAndNames(ctx, p.Train, p.modelColumns)
	}
	if p.columns, err = p.makeNamesUniqueAndDropEmpty(ctx, p.Train, header, nil); err != nil {
		return err
	}
	p.Train.setTrainingID(p.columns)
	p.Train.dropOtherColumns(p.columns)
	var blind *roles.Description
	if p.Blind != nil {
		if blind, err = p.describeBlindColumns(ctx); err != nil {
			return err
		}
	}
	p.blindColumns = blind
	p.blindLacks = slices.DeleteFunc(slices.Clone(p.columns), func(name string) bool { return !blind.LacksColumn(name) })
	train, err := p.Train.describeColumns(ctx, p.columns, blind.LacksOrHasEmpty)
	if err != nil {
		return err
	}
	train.SetUnnamed(header)
	p.hasSample, p.noHeader = train.Rows > 0, train.LooksHeaderless
	layout := &p.Train.layout
	var question *roles.Question
	if p.roles, question = p.chooseRoles(train, blind); question != nil && p.hasSample && !p.noHeader {
		if p.roles.Label, err = p.askLabel(ctx, question); err != nil {
			return err
		}
		p.roles.LabelReason, p.askedLabel = answeredReason, true
	}
	if own, unclear := roles.ChooseRoles(train, nil, rolesFromFlags(layout)); unclear == nil {
		p.ownLabel = own.Label
	}
	if p.roles, err = roles.ChooseIDOfLabelledRows(ctx, train, p.roles, p.givenRoles()); err != nil {
		return err
	}
	if err := p.checkFilesSwapped(blind); err != nil {
		return err
	}
	p.setTrainLayout(header)
	if p.Blind == nil {
		return nil
	}
	return p.inferBlindIDAndNames(ctx, p.Blind, p.expectedBlindColumns())
}

// setTrainLayout sets the names of the training file's columns, and the layout with the chosen ID
// and label.
func (p *Preflight) setTrainLayout(header []string) {
	in := p.Train
	p.columns = p.nameFirstColumn(in, p.columns, p.roles.ID, p.roles.GeneratedID)
	p.setColumnNames(in, header, p.columns)
	in.layout.SetRoles(p.columns, p.roles.ID, p.roles.GeneratedID, p.roles.Label)
}

// joinDropped joins names that --drop has split at a comma, if together they are the name of a column
// in header.
func (p *Preflight) joinDropped(header []string) {
	for _, in := range []*InputTable{p.Train, p.Blind} {
		if in != nil && in.drop != nil {
			in.drop.joinNames(header)
			in.layout.Drop, in.flagLayout.Drop = in.drop.GetSlice(), in.drop.GetSlice()
		}
	}
}

// setTrainingID applies --training-id to a training file with these columns. If no column has the
// name in --training-id, IDs are generated.
func (in *InputTable) setTrainingID(columns []string) {
	if in.trainingID == "" {
		return
	}
	for _, layout := range []*repair.Layout{&in.layout, &in.flagLayout} {
		layout.ID, layout.GenerateID = in.trainingID, false
		if !slices.Contains(columns, in.trainingID) {
			layout.ID, layout.GenerateID = "", true
		}
	}
}

// dropOtherColumns applies --training-columns to a training file with these columns: it drops every
// column that the flag does not name, except the ID and the label.
func (in *InputTable) dropOtherColumns(columns []string) {
	if in.trainingColumns == nil {
		return
	}
	for _, name := range columns {
		if name == in.layout.Label || name == in.layout.ID || slices.Contains(in.trainingColumns, name) || slices.Contains(in.layout.Drop, name) {
			continue
		}
		in.layout.Drop = append(in.layout.Drop, name)
	}
}

// checkRoleFlags returns a usage error if two of --id, --label and --drop name the same column. The
// label of a blind file may be dropped.
func checkRoleFlags(l *repair.Layout) error {
	switch {
	case l.ID != "" && l.ID == l.Label:
		return exit.Usagef("--id and --label name the same column, %q", l.ID).WithHint("name another column with --id or --label, or use --id - to generate IDs")
	case l.ID != "" && slices.Contains(l.Drop, l.ID):
		return exit.Usagef("--id and --drop name the same column, %q", l.ID).WithHint("name another column with --id or --drop, or use --id - to generate IDs")
	case l.Label != "" && slices.Contains(l.Drop, l.Label) && !l.Blind:
		return exit.Usagef("--label and --drop name the same column, %q", l.Label).WithHint("name another column with --label or --drop")
	}
	return nil
}

// describeBlindColumns returns a description of the columns of the blind file. The column of the
// training file that the blind file lacks is probably the label. If the blind file has no header,
// its columns are matched with the columns of the training file by their contents.
func (p *Preflight) describeBlindColumns(ctx context.Context) (*roles.Description, error) {
	header, err := p.Blind.readHeader(ctx)
	if err != nil {
		return roles.NewDescription(header), err
	}
	if header == nil {
		return roles.NewDescription(nil), nil
	}
	if !p.Train.layout.NoHeader || len(header) != len(p.columns)-1 {
		// An empty column may be the label, even if another column is missing.
		names, _ := roles.UniqueNames(header)
		table, err := p.Blind.describeColumns(ctx, names, func(string) bool { return true })
		if err != nil || len(header) != len(p.columns)-1 || !table.HeaderLooksLikeData(p.columns) {
			return table, err
		}
	}
	train, err := p.Train.inFileOrder().Open(ctx)
	if err != nil {
		return roles.NewDescription(header), ignoreContentError(err)
	}
	defer train.Close()
	blind, err := p.Blind.inFileOrder().Open(ctx)
	if err != nil {
		return roles.NewDescription(header), ignoreContentError(err)
	}
	defer blind.Close()
	train.normalized.CollectDefects()
	blind.normalized.CollectDefects()
	at, err := roles.FindMissingColumn(ctx, train, blind)
	if err != nil || at < 0 {
		return roles.NewDescription(header), err
	}
	return roles.NewDescription(slices.Delete(slices.Clone(p.columns), at, at+1)), nil
}

// rolesFromFlags returns the roles set by flags.
func rolesFromFlags(layout *repair.Layout) roles.Options {
	return roles.Options{ID: layout.ID, GenerateID: layout.GenerateID, Label: layout.Label, Drop: layout.Drop}
}

// setColumnNames makes later reads of the file use the column names in the list names. It does
// nothing if this list equals header, the names in the file.
func (p *Preflight) setColumnNames(in *InputTable, header, names []string) {
	if !slices.Equal(header, names) {
		in.layout.Names = names
	}
}

// expectedBlindColumns returns the columns and roles of the training file. The features and the ID
// of the blind file are chosen to match them.
func (p *Preflight) expectedBlindColumns() roles.TrainingFile {
	k := roles.TrainingFile{Columns: p.columns, ID: p.roles.ID, GeneratedID: p.roles.GeneratedID, Label: p.roles.Label}
	if k.GeneratedID {
		k.ID = p.Train.layout.GeneratedIDName
	}
	for _, name := range p.columns {
		if name != k.Label && (k.GeneratedID || name != k.ID) && !slices.Contains(p.Train.layout.Drop, name) {
			k.Features = append(k.Features, name)
		}
	}
	return k
}

// makeNamesUniqueAndDropEmpty returns a unique name for each column of a file, and warns about
// names that differ from the header. It drops columns that have neither a name nor a value, except
// those in wanted.
func (p *Preflight) makeNamesUniqueAndDropEmpty(ctx context.Context, in *InputTable, header, wanted []string) ([]string, error) {
	names, changed := roles.UniqueNames(header)
	if err := p.ignoreEmptyColumns(ctx, in, header, names, wanted); err != nil {
		return nil, err
	}
	if p.reportTitleLine(in, header, names) {
		return names, nil
	}
	p.warnRenamed(in, in.withoutIgnored(changed), reasonOfUniqueName)
	return names, nil
}

// reasonOfUniqueName returns why roles.UniqueNames or roles.NameFirstColumn has renamed a column:
// it had no name, or the name of an earlier column. code is the code of the warning.
func reasonOfUniqueName(one roles.Rename) (code, reason string) {
	if one.From == "" {
		return csvfile.CodeUnnamedColumn, "the column has no name"
	}
	return csvfile.CodeDuplicateColumn, "an earlier column has the same name"
}

// nameFirstColumn is like [roles.NameFirstColumn], which names a first column without a name, but
// also warns about the new name. If the column without a name is ignored, it returns names
// unchanged.
func (p *Preflight) nameFirstColumn(in *InputTable, names []string, id string, generated bool) []string {
	if slices.Contains(in.ignored, "") {
		return names
	}
	names, changed := roles.NameFirstColumn(names, id, generated)
	p.warnRenamed(in, changed, reasonOfUniqueName)
	return names
}

// warnRenamed warns about renamed columns. It adds at most maxWarningsPerKind warnings, and the
// last one mentions how many more columns were renamed. reason returns the code of the warning, and
// the beginning of its message.
func (p *Preflight) warnRenamed(in *InputTable, changed []roles.Rename, reason func(roles.Rename) (code, reason string)) {
	for i, one := range changed {
		code, why := reason(one)
		message := fmt.Sprintf("%s, so it is read as %s", why, strconv.Quote(one.To))
		if more := len(changed) - i - 1; i+1 == maxWarningsPerKind && more > 0 {
			message += fmt.Sprintf(", and so on for %s", humanize.Count(more, "more column"))
		}
		p.addFinding(in, compare.SeverityWarning, csvfile.Defect{Code: code, Message: message, Line: 1, Column: one.Column + 1, Name: one.From}, one.To)
		if i+1 == maxWarningsPerKind {
			return
		}
	}
}

// inferBlindIDAndNames infers the row IDs and the column names of a blind file.
func (p *Preflight) inferBlindIDAndNames(ctx context.Context, in *InputTable, known roles.TrainingFile) error {
	header, err := in.readHeader(ctx)
	if header == nil || err != nil {
		return err
	}
	wanted := known.Required()
	if header, err = p.headerOrGeneratedNames(ctx, in, header, &known); err != nil {
		return err
	}
	own := known.BlindColumnNames(len(header))
	if !in.layout.NoHeader || own == nil {
		if own, err = p.makeNamesUniqueAndDropEmpty(ctx, in, header, wanted); err != nil {
			return err
		}
	}
	if slices.Contains(wanted, roles.FirstColumnName) && !slices.Contains(own, roles.FirstColumnName) { // the training file's first column has no name and is a feature
		own = p.nameFirstColumn(in, own, roles.FirstColumnName, false)
	}
	names, changed := roles.MatchTrainingNames(own, wanted)
	p.warnRenamed(in, changed, func(roles.Rename) (code, reason string) {
		return codeRenamedColumn, "the name has another case or punctuation in the training file"
	})
	table, err := in.describeColumns(ctx, names, func(name string) bool { return name == known.ID })
	if err != nil {
		return err
	}
	if p.Blind == nil {
		p.checkFlagColumns(in, names, known.Label)
	}
	p.blindID = roles.ChooseBlindID(table, known, rolesFromFlags(&in.layout))
	p.setBlindLayout(in, header, names, &known)
	p.addUnusedColumns(in, names, known.Unused)
	return nil
}

// inferBlindAgain infers the row IDs and the column names of the blind file again, because the roles or
// the names of the training file's columns have changed.
func (p *Preflight) inferBlindAgain(ctx context.Context) error {
	p.Blind.layout = p.Blind.flagLayout
	p.removeFindings(p.Blind.Name)
	return p.inferBlindIDAndNames(ctx, p.Blind, p.expectedBlindColumns())
}

// headerOrGeneratedNames returns the header of a blind file. If the first row of the file is data,
// it adds a warning and returns the generated names of a file without a header. With --skip-rows,
// it returns an error instead, because --skip-rows has probably skipped the header.
func (p *Preflight) headerOrGeneratedNames(ctx context.Context, in *InputTable, header []string, known *roles.TrainingFile) ([]string, error) {
	if in.layout.NoHeader {
		return header, nil
	}
	names, _ := roles.UniqueNames(header)
	table, err := in.describeColumns(ctx, names, nil)
	if err != nil || !known.BlindLacksHeader(table) {
		return header, err
	}
	if in.skipRows > 0 {
		return nil, exit.Errorf(exit.Rejected, "%s: --skip-rows ignores %s at the beginning, so the next row must be the header, but it has data (%s)", in.Name, humanize.Count(in.skipRows, "row"), joinFirstNames(header)).
			WithHint("use a smaller number with --skip-rows; the number applies to all files, so all files must have the same number of rows above the header")
	}
	p.addFinding(in, compare.SeverityWarning, csvfile.Defect{
		Code: csvfile.CodeNoHeader, Line: 1,
		Message: "the first row, " + joinFirstNames(header) + ", is data, so the columns are those of the training file, in its order",
	}, "")
	in.layout.NoHeader = true
	return in.readHeader(ctx)
}

// joinFirstNames joins the first six texts with commas. If there are more, the result ends in "…".
func joinFirstNames(texts []string) string {
	const most = 6
	if len(texts) > most {
		texts = append(slices.Clone(texts[:most]), "…")
	}
	return strings.Join(texts, ", ")
}

// setBlindLayout sets the layout of a blind file, with the IDs first and the label, if there
// is one, last.
func (p *Preflight) setBlindLayout(in *InputTable, header, names []string, known *roles.TrainingFile) {
	names = p.nameFirstColumn(in, names, p.blindID.ID, p.blindID.Generated)
	in.layout.GeneratedIDName, in.layout.CopyID = "", p.blindID.CopyOf
	if p.blindID.Generated {
		var changed []roles.Rename
		trainingID := known.ID
		if slices.Contains(in.layout.Drop, trainingID) {
			trainingID = ""
		}
		in.layout.GeneratedIDName, names, changed = roles.NameGeneratedID(names, trainingID)
		p.warnRenamed(in, changed, func(roles.Rename) (code, reason string) {
			return codeRenamedColumn, "the generated IDs have this name, because it is the name of the ID in the training file"
		})
	}
	p.setColumnNames(in, header, names)
	label := cmp.Or(in.flagLayout.Label, p.roles.Label, p.modelColumns.Label)
	if !slices.Contains(names, label) || slices.Contains(in.layout.Drop, label) {
		label = ""
	}
	in.layout.SetRoles(names, p.blindID.ID, p.blindID.Generated, label)
}

// invalidIDReason returns the reason why the inferred ID column cannot be the ID, according to
// all rows of the file, or "" if it can.
func invalidIDReason(profile *profile.Profile) string {
	for i := range profile.Defects {
		switch d := &profile.Defects[i]; d.Code {
		case csvfile.CodeDuplicateID:
			return fmt.Sprintf("%s has repeated values, first in line %d", strconv.Quote(d.Name), d.Line)
		case csvfile.CodeEmptyID:
			return fmt.Sprintf("%s has rows without a value, first in line %d", strconv.Quote(d.Name), d.Line)
		}
	}
	return ""
}

// ReceiptOptions returns the options for the receipt: the flags, and the inferred ID and
// label with which the blind file was read. The files must have been read.
func (p *Preflight) ReceiptOptions(flags *LayoutFlags) *receipt.Options {
	in, trainingID := p.Train, p.modelColumns.ID
	if p.Blind != nil {
		in, trainingID = p.Blind, p.TrainProfile.Schema.ID
	}
	o := &receipt.Options{
		Label: cmp.Or(flags.Label, p.roles.Label, p.modelColumns.Label), ID: p.blindID.ID, GivenID: flags.id, TrainingID: trainingID, Drop: flags.drop.GetSlice(),
		Delimiter: flags.delimiter, Encoding: flags.encoding, Sheet: flags.sheet, SkipRows: flags.skipRows, Names: in.layout.Names, NoHeader: in.layout.NoHeader, Ignored: in.ignored, Added: in.layout.Add,
	}
	if p.blindID.Generated {
		o.ID, o.MadeID = cmp.Or(p.blindID.CopyOf, generateIDs), in.layout.GeneratedIDName
	}
	return o
}
