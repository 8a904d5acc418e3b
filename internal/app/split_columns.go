package app

import (
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// checkSplitColumns returns an error if a request for a race names a group column or a time column
// that the dataset does not have, or that is the ID or the label.
func checkSplitColumns(n api.NewTraining, d *store.Dataset) error {
	if n.GroupColumn == "" && n.TimeColumn == "" {
		return nil
	}
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return err
	}
	names := schema.FieldNames()
	for _, field := range []struct{ name, column string }{{"groupColumn", n.GroupColumn}, {"timeColumn", n.TimeColumn}} {
		switch {
		case field.column == "" || slices.Contains(names, field.column):
		case field.column == schema.ID || field.column == schema.Label:
			return api.NewFieldProblem(field.name, "%q is the ID or the label, but must be another column of the dataset", field.column)
		default:
			return api.NewFieldProblem(field.name, "%q is not a column of the dataset%s", field.column, csvfile.DidYouMean(field.column, names))
		}
	}
	return nil
}
