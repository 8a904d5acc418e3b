package explain

import (
	"testing"
	"time"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// TestFormatNumber checks that each second of days before and after 1970 is formatted as
// it is in a file.
func TestFormatNumber(t *testing.T) {
	for _, day := range []string{"1969-12-31", "2024-02-29"} {
		begin, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for second := range 24 * 60 * 60 {
			want := begin.Add(time.Duration(second) * time.Second).Format(time.DateTime)
			m, ok := cells.ParseDateTime([]byte(want), false)
			if second == 0 {
				want = day
			}
			if got := formatNumber(m.EpochDays(), true); !ok || got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
	}
	if got := formatNumber(0.1, false); got != "0.1" {
		t.Errorf("got %s", got)
	}
}

// TestPointsOfCodesAndLists checks that the points of a column of codes or short lists are its levels, even if
// it also has features of prefixes or items.
func TestPointsOfCodesAndLists(t *testing.T) {
	codes := frame.Column{Codes: []int32{1, 0, 1}}
	f := &frame.Frame{Rows: 3, Columns: []frame.Column{codes, codes, {Floats: []float64{1, 0, 1}}, {Texts: []string{"a", "b", "a"}}}, Schema: &frame.Schema{Columns: []frame.ColumnSchema{
		{Name: "x", Kind: frame.Category, Levels: []string{"A1", "B1"}},
		{Name: "x.prefix1", Kind: frame.Category, Feature: frame.ExtractPrefix, Levels: []string{"A", "B"}},
		{Name: "x:B1", Feature: frame.ExtractItem},
		{Name: "x.text", Kind: frame.Text},
	}}}
	for want, features := range map[string][]int{"B1": {0, 1, 2}, "B": {1}, "": {0, 3}} {
		points, _ := newDependencePoints(f, features)
		got := ""
		if len(points) > 0 {
			got = points[0].Value
		}
		if got != want {
			t.Errorf("features %v: first point %q, want %q", features, got, want)
		}
	}
}
