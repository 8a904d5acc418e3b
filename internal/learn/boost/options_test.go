package boost

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/frame"
)

func TestDefaultLeavesOfRounds(t *testing.T) {
	labels := func(rows, minority, classes int) []int32 {
		list := make([]int32, rows)
		for i := range minority {
			list[i] = int32(1 + i%(classes-1))
		}
		return list
	}
	const rows = 4000
	few := []int{10, 10, 10, 10, 10, 10, 10}
	for name, test := range map[string]struct {
		labels  []int32
		columns int
		classes int
		leaves  int // the option
		want    []int
	}{
		"many_minority_rows": {labels(rows, 2000, 2), 64, 2, 0, []int{4, 8, 16, 32, 64, 128, 4}},
		"three_classes":      {labels(rows, 2000, 3), 128, 3, 0, []int{4, 8, 16, 32, 64, 4, 8}},
		"many_features":      {labels(rows, 2000, 2), 65, 2, 0, []int{4, 8, 16, 32, 64, 4, 8}},
		"too_many_features":  {labels(rows, 2000, 2), 129, 2, 0, few},
		"few_minority_rows":  {labels(rows, 1999, 2), 5, 2, 0, few},
		"few_rows":           {labels(2500, 1200, 3), 5, 3, 0, few},
		"a_given_number":     {labels(rows, 2000, 2), 5, 2, 7, []int{7, 7, 7, 7, 7, 7, 7}},
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{Classes: test.classes, Leaves: test.leaves}
			opts.leafwiseDefaults(&frame.Frame{Rows: len(test.labels), Labels: test.labels, Columns: make([]frame.Column, test.columns)})
			var got []int
			for round := range test.want {
				got = append(got, opts.leavesOfRound(round))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
