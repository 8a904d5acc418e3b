package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"foretell/internal/api"
	"foretell/internal/store"
	"foretell/internal/table/frame"
)

// validateAndEncodeMonotone checks the monotone columns of a request, and returns them in their
// stored form. It is an error if the model cannot be monotone in one of them.
func validateAndEncodeMonotone(n api.NewTraining, d *store.Dataset) (stored string, err error) {
	if len(n.Monotone) == 0 {
		return "", nil
	}
	if _, err := n.Monotone.Signs(); err != nil {
		return "", api.NewFieldProblem("monotone", "%s", err)
	}
	if classes := len(d.Classes); classes != 2 {
		return "", api.NewFieldProblem("monotone", "the label has %d classes, but must have 2", classes)
	}
	schema, err := frame.DecodeStored(d.Schema)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(n.Monotone)) {
		if name == n.GroupColumn {
			return "", api.NewFieldProblem("monotone", "%q is the groupColumn, which is not a feature: name another column", name)
		}
		if _, err := schema.OrderedFeature(name); err != nil {
			return "", api.NewFieldProblem("monotone", "%s", err)
		}
	}
	encoded, err := json.Marshal(n.Monotone)
	return string(encoded), err
}

// decodeMonotone is the inverse of validateAndEncodeMonotone.
func decodeMonotone(stored string) (m api.Monotone) {
	if stored != "" && json.Unmarshal([]byte(stored), &m) != nil {
		return nil
	}
	return m
}

// monotoneSigns returns the directions of the monotone columns of a race for package learn. It
// returns an error if the stored value is invalid, because a model that ignores the directions
// would be wrong.
func monotoneSigns(race *store.Training) (map[string]int, error) {
	if race.Monotone == "" {
		return nil, nil
	}
	var m api.Monotone
	if err := json.Unmarshal([]byte(race.Monotone), &m); err != nil {
		return nil, fmt.Errorf("reading the monotone columns of race %s: %w", race.Key, err)
	}
	return m.Signs()
}
