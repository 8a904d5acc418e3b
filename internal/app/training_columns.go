package app

import (
	"maps"
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// checkMonotone returns an error if the monotone columns of a request are invalid. The label must
// have two classes, and each monotone column must be a numeric feature.
func checkMonotone(n api.NewTraining, d *store.Dataset, schema *frame.Schema) error {
	if len(n.Monotone) == 0 {
		return nil
	}
	if _, err := n.Monotone.Signs(); err != nil {
		return api.NewFieldProblem("monotone", "%s", err)
	}
	if classes := len(d.Classes); classes != 2 {
		return api.NewFieldProblem("monotone", "the label has %d classes, but must have 2", classes)
	}
	for _, name := range slices.Sorted(maps.Keys(n.Monotone)) {
		if name == n.GroupColumn {
			return api.NewFieldProblem("monotone", "%q is the groupColumn, which is not a feature: name another column", name)
		}
		if _, err := schema.OrderedFeature(name); err != nil {
			return api.NewFieldProblem("monotone", "%s", err)
		}
	}
	return nil
}

// checkSplitColumns returns an error if the group column or the time column of a request for a race
// cannot be used. It must be a column of the dataset other than the ID and the label.
func checkSplitColumns(n api.NewTraining, schema *frame.Schema) error {
	if n.GroupColumn == "" && n.TimeColumn == "" {
		return nil
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
