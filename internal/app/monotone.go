package app

import (
	"maps"
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// checkMonotone returns an error if a model cannot be monotone in one of the monotone columns of a
// request.
func checkMonotone(n api.NewTraining, d *store.Dataset) error {
	if len(n.Monotone) == 0 {
		return nil
	}
	if _, err := n.Monotone.Signs(); err != nil {
		return api.NewFieldProblem("monotone", "%s", err)
	}
	if classes := len(d.Classes); classes != 2 {
		return api.NewFieldProblem("monotone", "the label has %d classes, but must have 2", classes)
	}
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return err
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
