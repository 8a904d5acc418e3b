package duplicate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJoinGroups(t *testing.T) {
	for _, c := range []struct {
		name                 string
		groups, copies, want []int32
	}{
		{"groups_with_equal_rows_stay_apart", []int32{0, 0, 1, 1}, []int32{-1, 0, 0, -1}, []int32{0, 0, 1, 1}},
		{"copies_without_a_group_are_a_group", []int32{0, -1, -1, -1, -1}, []int32{-1, 1, 1, 0, 0}, []int32{0, 1, 1, 2, 2}},
		{"a_copy_without_a_group_joins_the_first", []int32{-1, 2, 0, -1}, []int32{5, 5, 5, -1}, []int32{2, 2, 0, -1}},
		{"no_groups", nil, []int32{0, 0}, []int32{0, 0}},
		{"no_copies", []int32{0, 1}, nil, []int32{0, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, JoinGroups(c.groups, c.copies)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnyCopyInTrain(t *testing.T) {
	copies := []int32{-1, -1, 0, 0, 1, 1}
	if AnyCopyInTrain(copies, []int32{0, 2, 3}, []int32{1, 4, 5}) {
		t.Error("rows without a copy, and copies on one side, are divided")
	}
	if !AnyCopyInTrain(copies, []int32{0, 2}, []int32{1, 3}) {
		t.Error("a row to train on and its copy to score are not divided")
	}
}

func TestDistinctRows(t *testing.T) {
	groups := []int32{-1, 3, -1, 3, 0, 0, 3, -1}
	if diff := cmp.Diff([]int32{0, 1, 2, 4, 7}, (&Copies{Groups: groups, Rows: 5}).DistinctRows()); diff != "" {
		t.Error(diff)
	}
	many := make([]int32, 100)
	for row := range many {
		many[row] = -1
	}
	many[3], many[70] = 0, 0
	if got := (&Copies{Groups: many, Rows: 2}).DistinctRows(); got != nil {
		t.Errorf("few copies: %v, want nil", got)
	}
	if got := (&Copies{Rows: 90}).DistinctRows(); got != nil {
		t.Errorf("copies that are normal: %v, want nil", got)
	}
}

func TestCountUnpredictable(t *testing.T) {
	for _, c := range []struct {
		name           string
		labels, groups []int32
		want           int
	}{
		{"no_copies", []int32{0, 1}, []int32{-1, -1}, 0},
		{"equal_labels", []int32{0, 0, 1, 1}, []int32{0, 0, 1, 1}, 0},
		{"a_tie", []int32{0, 1}, []int32{0, 0}, 1},
		{"the_most_frequent_label_is_predicted", []int32{2, 1, 2, 0, 1, 0, 2}, []int32{1, 0, 1, 1, 0, -1, 0}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := countUnpredictable(c.labels, c.groups); got != c.want {
				t.Errorf("%d rows, want %d", got, c.want)
			}
		})
	}
}
