package learn

import (
	"slices"
	"testing"

	"foretell/internal/learn/split"
)

// TestFitterWorkers checks that the fitters that are trained at the same time together have all
// workers, also the last ones of a step.
func TestFitterWorkers(t *testing.T) {
	for _, tt := range []struct {
		folds, workers int
		want           []int
	}{
		{1, 1, []int{1}},
		{1, 4, []int{4}},
		{5, 1, []int{1, 1, 1, 1, 1}},
		{5, 2, []int{1, 1, 1, 1, 2}},
		{5, 4, []int{1, 1, 1, 1, 4}},
		{5, 8, []int{2, 2, 2, 2, 2}},
		{10, 4, []int{1, 1, 1, 1, 1, 1, 1, 1, 2, 2}},
	} {
		r := &run{folds: make([]split.Fold, tt.folds), workers: tt.workers}
		got := make([]int, tt.folds)
		for i := range got {
			got[i] = r.fitterWorkers(i)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d folds, %d workers: %v, want %v", tt.folds, tt.workers, got, tt.want)
		}
	}
}
