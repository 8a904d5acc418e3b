package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The directions of a column in [Monotone].
const (
	Increasing = "increasing"
	Decreasing = "decreasing"
)

// Monotone maps the names of columns to Increasing or Decreasing. If the value of an increasing
// column rises, and all other columns stay equal, the probability of the second class does not
// fall. In a decreasing column, it does not rise.
type Monotone map[string]string

// String returns the columns and their directions, such as age=decreasing, income=increasing,
// in the order of the names.
func (m Monotone) String() string { return strings.Join(m.Pairs(), ", ") }

// Pairs returns the input of [ParseMonotone] for m, such as "income=increasing", in the order of
// the names.
func (m Monotone) Pairs() []string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, name+"="+m[name])
	}
	return pairs
}

// Flags returns m as flags of `foretell run`, such as "--monotone", "income=increasing".
func (m Monotone) Flags() []string {
	var flags []string
	for _, pair := range m.Pairs() {
		flags = append(flags, "--monotone", pair)
	}
	return flags
}

// ParseMonotone parses pairs of a column and its direction, such as income=increasing. The
// direction may also be 1 or -1, as in scikit-learn and LightGBM. A name may contain equals
// signs. ParseMonotone returns nil if there are no pairs.
func ParseMonotone(pairs []string) (Monotone, error) {
	var m Monotone
	for _, pair := range pairs {
		at := strings.LastIndexByte(pair, '=')
		name, direction := "", ""
		if at > 0 {
			name, direction = pair[:at], pair[at+1:]
		}
		switch direction {
		case "1", "+1":
			direction = Increasing
		case "-1":
			direction = Decreasing
		case Increasing, Decreasing:
		default:
			return nil, fmt.Errorf("%q: must be COLUMN=increasing or COLUMN=decreasing, such as income=increasing", pair)
		}
		if _, repeated := m[name]; repeated {
			return nil, fmt.Errorf("%q: column %q has two directions", pair, name)
		}
		if m == nil {
			m = make(Monotone)
		}
		m[name] = direction
	}
	return m, nil
}

// Signs returns a map from the name of each column to 1 for Increasing or -1 for Decreasing. It
// returns nil if there are no columns, and an error for any other direction.
func (m Monotone) Signs() (map[string]int, error) {
	var signs map[string]int
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if signs == nil {
			signs = make(map[string]int)
		}
		switch m[name] {
		case Increasing:
			signs[name] = 1
		case Decreasing:
			signs[name] = -1
		default:
			return nil, fmt.Errorf("%q is the direction of %q: must be %s or %s", m[name], name, Increasing, Decreasing)
		}
	}
	return signs, nil
}
