package drift

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"foretell/internal/api"
)

// TestWarningOfOtherNumberFormat compares a file with decimal commas with a training file with decimal
// points. Its numbers are treated as missing, so the report must have a warning.
func TestWarningOfOtherNumberFormat(t *testing.T) {
	train := &api.Dataset{Rows: 2000, Columns: []api.Column{
		{Name: "length", Kind: "numeric", NumberFormat: &api.NumberFormat{}, Distinct: 500, Distribution: &api.Distribution{Min: 0, Max: 10, High: 10, Bins: []int64{1000, 1000}}},
		{Name: "unused", Kind: "numeric", NumberFormat: &api.NumberFormat{}, Unused: true},
	}}
	row := func(format string) func(i int, draw *rand.Rand) string {
		return func(_ int, draw *rand.Rand) string {
			cell := fmt.Sprintf(format, draw.IntN(10), draw.IntN(100))
			return cell + "," + cell
		}
	}
	r := Measure(train, "blind.csv", scan(t, 500, "length,unused", row(`"%d,%02d"`)), nil)
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], `the column "length": `) || !strings.Contains(r.Warnings[0], "another format") {
		t.Errorf("%q", r.Warnings)
	}
	r = Measure(train, "blind.csv", scan(t, 500, "length,unused", row("%d.%02d")), nil)
	if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "format") }) {
		t.Errorf("%q", r.Warnings)
	}
}
