package report

import (
	"maps"
	"slices"
	"strings"

	"foretell/internal/api"
)

// ExplainMonotone returns a sentence about the monotone columns of the race, or "" if there are no
// monotone columns.
func ExplainMonotone(r *api.ModelReport) string {
	if len(r.Monotone) == 0 || len(r.Classes) != 2 {
		return ""
	}
	columns := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(r.Monotone)) {
		direction := r.Monotone[name]
		columns[direction] = append(columns[direction], name)
	}
	var parts []string
	if names := columns[api.Increasing]; names != nil {
		parts = append(parts, "never falls as "+strings.Join(names, " or ")+" grows")
	}
	if names := columns[api.Decreasing]; names != nil {
		parts = append(parts, "never rises as "+strings.Join(names, " or ")+" grows")
	}
	return "If all other columns are equal, the probability of " + r.Classes[1].Label + " " + strings.Join(parts, ", and ") + "."
}
