package learn

import (
	"fmt"
	"maps"
	"slices"

	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// monotoneDirections converts columns, which is Params.Monotone, to the direction of each column of
// schema. It returns nil if columns is empty. It returns an error if the label does not have two
// classes, or if a column or one of the algorithms in variants does not support directions.
func monotoneDirections(schema *frame.Schema, columns map[string]int, variants []variant) ([]tree.Direction, error) {
	if len(columns) == 0 {
		return nil, nil
	}
	if n := len(schema.Classes); n != 2 {
		return nil, fmt.Errorf("monotone: the label has %d classes, but must have 2", n)
	}
	for _, v := range variants {
		if !v.algorithm.monotone {
			return nil, fmt.Errorf("algorithm=%q: does not support monotone columns", v.Name)
		}
	}
	list := make([]tree.Direction, len(schema.Columns))
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		at, err := schema.OrderedFeature(name)
		if err != nil {
			return nil, fmt.Errorf("monotone: %w", err)
		}
		switch d := tree.Direction(columns[name]); d {
		case tree.Increasing, tree.Decreasing:
			list[at] = d
		default:
			return nil, fmt.Errorf("monotone: %d for %q: must be 1 or -1", columns[name], name)
		}
	}
	return list, nil
}
