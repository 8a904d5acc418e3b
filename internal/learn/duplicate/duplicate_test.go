package duplicate

import "testing"

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
