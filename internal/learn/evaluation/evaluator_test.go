package evaluation

import (
	"slices"
	"testing"

	"foretell/internal/learn/metric"
)

// TestPartsOfValidationRows checks the parts for cross-fitting: every row is in one part and outside
// all others, each class has about as many rows in each part, and groups are not divided.
func TestPartsOfValidationRows(t *testing.T) {
	for rows, want := range map[int]int{3: 5, 2500: 5, 2501: 2} {
		labels := make([]int32, rows)
		for i := range labels {
			labels[i] = int32(i % 2)
		}
		e := New(metric.NameAccuracy, 2, labels, nil)
		if len(e.parts) != want {
			t.Errorf("%d rows have %d parts, want %d", rows, len(e.parts), want)
		}
		for _, p := range e.parts {
			both := slices.Sorted(slices.Values(slices.Concat(p.rows, p.others)))
			if len(both) != rows || len(slices.Compact(both)) != rows {
				t.Errorf("%d rows: a part has %d rows, and %d are outside", rows, len(p.rows), len(p.others))
			}
			if rows >= 100 && (len(p.rows) < rows/want-1 || len(p.rows) > rows/want+2) {
				t.Errorf("%d rows: a part has %d rows", rows, len(p.rows))
			}
		}
	}
	labels, groups := make([]int32, 100), make([]int32, 100)
	for i := range groups {
		groups[i] = int32(i / 10)
	}
	for _, p := range New(metric.NameAccuracy, 2, labels, groups).parts {
		for _, row := range p.rows {
			if slices.ContainsFunc(p.others, func(other int32) bool { return groups[other] == groups[row] }) {
				t.Fatalf("the group %d is divided", groups[row])
			}
		}
	}
}
