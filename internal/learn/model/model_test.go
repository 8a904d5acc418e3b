package model

import (
	"slices"
	"testing"

	"foretell/internal/table/frame"
)

// TestBackgroundHasUsedColumns checks that the background of a model has the cells of the
// columns that a member uses, and the dates of a difference that it uses, but no others.
func TestBackgroundHasUsedColumns(t *testing.T) {
	f := &frame.Frame{Rows: 2, Labels: []int32{0, 1}, Columns: slices.Repeat([]frame.Column{{Floats: []float64{1, 2}}}, 5), Schema: &frame.Schema{
		ID: "id", Label: "label", Classes: []string{"a", "b"}, Columns: []frame.ColumnSchema{
			{Name: "opened", Feature: frame.ExtractTime},
			{Name: "closed", Feature: frame.ExtractTime},
			{Name: "size"},
			{Name: "weight"},
			{Name: "closed.since.opened", Source: "closed", Feature: frame.ExtractSince, Since: "opened"},
		},
	}}
	member := func(columns ...int32) Member {
		return Member{fakeAlgorithm, 0.5, WithFeatures(constant{0.5, 0.5}, NewFeatures(columns, nil, nil))}
	}
	for _, c := range []struct {
		name    string
		members []Member
		want    []bool
	}{
		{"some_columns", []Member{member(2), member(4)}, []bool{true, true, true, false, true}},
		{"all_columns", []Member{member(2), {fakeAlgorithm, 0.5, constant{0.5, 0.5}}}, []bool{true, true, true, true, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := New(Parts{Schema: f.Schema, Members: c.members, Temperature: 1, Background: f})
			var got []bool
			for i := range m.background.Columns {
				got = append(got, m.background.Columns[i].Floats != nil)
			}
			if !slices.Equal(got, c.want) || m.background.Labels != nil || f.Columns[3].Floats == nil {
				t.Errorf("columns with cells: %v, want %v; labels %v", got, c.want, m.background.Labels)
			}
		})
	}
}
