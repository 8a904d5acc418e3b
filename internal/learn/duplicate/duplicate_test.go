package duplicate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoinGroups(t *testing.T) {
	a := []int32{0, 0, 1, 1, -1, -1, 2, -1}
	b := []int32{-1, 0, 0, -1, 1, 1, -1, -1}
	got := JoinGroups(a, b)
	for i := range a {
		for j := range a {
			want := i == j || i < 4 && j < 4 || i >= 4 && i < 6 && j >= 4 && j < 6
			if together := i == j || got[i] >= 0 && got[i] == got[j]; together != want {
				t.Errorf("rows %d and %d: together = %v", i, j, together)
			}
		}
	}
}

func TestDistinctRows(t *testing.T) {
	groups := []int32{-1, 3, -1, 3, 0, 0, 3, -1}
	if diff := cmp.Diff([]int32{0, 1, 2, 4, 7}, DistinctRows(groups, 5)); diff != "" {
		t.Error(diff)
	}
	many := make([]int32, 100)
	for row := range many {
		many[row] = -1
	}
	many[3], many[70] = 0, 0
	if got := DistinctRows(many, 2); got != nil {
		t.Errorf("few copies: %v, want nil", got)
	}
	if got := DistinctRows(nil, 90); got != nil {
		t.Errorf("copies that are normal: %v, want nil", got)
	}
}
