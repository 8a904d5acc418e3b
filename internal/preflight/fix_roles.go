package preflight

import (
	"cmp"
	"context"
	"slices"

	"foretell/internal/roles"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/repair"
)

// chooseRoles chooses the roles of the columns of a corrected copy from its first rows. It does not use
// the original, whose header may follow a title and whose rows may be defective.
func (r *Repairer) chooseRoles(ctx context.Context, in *InputTable, layout *repair.Layout, names []string, rows [][][]byte) (repair.ColumnRoles, error) {
	if layout.Blind {
		return r.chooseBlindColumns(ctx, in, layout, names, rows)
	}
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
	if r.columns == nil { // the header of the original cannot be read
		r.roles = found
	}
	if !found.GeneratedID {
		chosen.ID, chosen.GenerateInvalid = table.ColumnIndex(found.ID), r.roles.GeneratedID
	}
	if found.Label != "" {
		chosen.Label, chosen.LabelReason = table.ColumnIndex(found.Label), found.LabelReason
	}
	return chosen, nil
}

// chooseBlindColumns chooses the header, the names and the ID of the copy of a blind file in the same way
// as inferBlindIDAndNames.
func (r *Repairer) chooseBlindColumns(ctx context.Context, in *InputTable, layout *repair.Layout, header []string, rows [][][]byte) (repair.ColumnRoles, error) {
	chosen, known := repair.ColumnRoles{ID: -1, Label: -1}, roles.TrainingFile{}
	names, _ := roles.UniqueNames(header)
	if in == r.Blind {
		known = r.expectedBlindColumns()
		table, err := roles.DescribeRows(ctx, header, rows, nil)
		if err != nil {
			return chosen, err
		}
		if chosen.NoHeader = layout.NoHeader || known.BlindLacksHeader(table); chosen.NoHeader {
			if names = known.BlindColumnNames(len(header)); names == nil {
				names = repair.NumberedNames(len(header))
			}
		}
	}
	if slices.Contains(known.Required(), roles.FirstColumnName) && !slices.Contains(names, roles.FirstColumnName) {
		names, _ = roles.NameFirstColumn(names, roles.FirstColumnName, false)
	}
	names, _ = roles.MatchTrainingNames(names, known.Required())
	table, err := roles.DescribeRows(ctx, names, rows, func(name string) bool { return name == known.ID })
	if err != nil {
		return chosen, err
	}
	r.blindID = roles.ChooseBlindID(table, known, rolesFromFlags(layout))
	if r.blindID.Generated {
		names, _ = roles.NameFirstColumn(names, "", true)
		_, names, _ = roles.NameGeneratedID(names, known.ID)
	} else {
		chosen.ID = slices.Index(names, r.blindID.ID)
		chosen.GenerateInvalid = !r.blindID.IsTrainingID && layout.ID == ""
		names, _ = roles.NameFirstColumn(names, r.blindID.ID, false)
	}
	if at := slices.Index(names, ""); at >= 0 { // the ID
		names = slices.Clone(names)
		names[at] = csvfile.UniqueName(cmp.Or(known.ID, "id"), func(one string) bool { return slices.Contains(names, one) })
	}
	if in == r.Blind {
		chosen.Names = names
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
