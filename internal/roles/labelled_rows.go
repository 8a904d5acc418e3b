package roles

import "context"

// ChooseIDOfLabelledRows chooses the ID for a corrected copy, which has no rows without a label.
// Such rows are often not records but, for example, totals. chosen is the result of ChooseRoles for
// train and given. If it has generated IDs, the ID is chosen again from the rows with a label.
// Otherwise, chosen is returned unchanged.
func ChooseIDOfLabelledRows(ctx context.Context, train *Description, chosen Roles, given Options) (Roles, error) {
	if !chosen.GeneratedID || given.GenerateID || chosen.Label == "" {
		return chosen, nil
	}
	labelled, err := train.describeRowsWithValue(ctx, chosen.Label)
	if err != nil || labelled == nil {
		return chosen, err
	}
	given.Label = chosen.Label
	chosen.ID, chosen.GeneratedID, chosen.IDReason = chooseID(labelled, given)
	return chosen, nil
}

// describeRowsWithValue describes the rows that have a value in the named column. It returns nil if
// all rows or no rows have one, or if the cells of the column are not in t.
func (t *Description) describeRowsWithValue(ctx context.Context, name string) (*Description, error) {
	for i, at := range t.sampled {
		if t.Columns[at].Name != name {
			continue
		}
		var rows []int
		for row, cell := range t.cells[i] {
			if cell != "" {
				rows = append(rows, row)
			}
		}
		if len(rows) == 0 || len(rows) == len(t.cells[i]) {
			return nil, nil //nolint:nilnil // the description already describes all rows
		}
		return t.describeRows(ctx, rows)
	}
	return nil, nil //nolint:nilnil // as above
}

// describeRows describes the file by only some of the rows read. rows holds their positions.
func (t *Description) describeRows(ctx context.Context, rows []int) (*Description, error) {
	some := &Description{Columns: make([]ColumnDescription, len(t.Columns)), Rows: len(rows)}
	for i := range t.Columns {
		some.Columns[i].Name, some.Columns[i].Unnamed = t.Columns[i].Name, t.Columns[i].Unnamed
	}
	cells := make([][]string, len(t.cells))
	for i := range cells {
		for _, row := range rows {
			cells[i] = append(cells[i], t.cells[i][row])
		}
	}
	return some, some.describeColumns(ctx, t.sampled, cells)
}
