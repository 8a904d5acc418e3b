package explain

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// TestReplacedDatesChangeTheirDifference replaces one date, both dates and another column.
func TestReplacedDatesChangeTheirDifference(t *testing.T) {
	f := &frame.Frame{
		Rows: 3,
		Schema: &frame.Schema{Columns: []frame.ColumnSchema{
			frame.DeriveFeature(frame.ColumnSchema{Name: "a.time"}, "a", frame.ExtractTime),
			frame.DeriveFeature(frame.ColumnSchema{Name: "b.time"}, "b", frame.ExtractTime),
			{Name: "c"},
			frame.DeriveFeature(frame.ColumnSchema{Name: "b.since.a", Since: "a"}, "b", frame.ExtractSince),
		}},
		Columns: []frame.Column{{Floats: []float64{1, 2, 3}}, {Floats: []float64{10, 20, 30}}, {Floats: []float64{7, 8, 9}}, {Floats: []float64{9, 18, 27}}},
	}
	s := &sample{Sample: Sample{Frame: f}}
	replace := func(feature int) replacedColumn {
		return replacedColumn{features: []int{feature}, donors: f, rows: []int32{2, 0, 1}}
	}
	for _, tt := range []struct {
		name    string
		columns []replacedColumn
		want    []float64
	}{
		{"first_date", []replacedColumn{replace(0)}, []float64{7, 19, 28}},
		{"second_date", []replacedColumn{replace(1)}, []float64{29, 8, 17}},
		{"both_dates", []replacedColumn{replace(0), replace(1)}, []float64{27, 9, 18}},
		{"number", []replacedColumn{replace(2)}, []float64{9, 18, 27}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed := substitution{rows: split.Range(0, 3), columns: tt.columns}
			used, differences := []bool{true, true, true, true}, f.Schema.Differences()
			got := s.newFrame(used, differences, substitutionPart{substitution: &changed, hi: 3})
			if d := cmp.Diff(tt.want, got.Columns[3].Floats); d != "" {
				t.Error(d)
			}
			number := substitution{rows: split.Range(0, 3), columns: []replacedColumn{replace(2)}}
			got = s.newFrame(used, differences, substitutionPart{substitution: &number, lo: 1, hi: 3}, substitutionPart{substitution: &changed, lo: 1, hi: 2}, substitutionPart{substitution: &number, hi: 1})
			if d := cmp.Diff([]float64{18, 27, tt.want[1], 9}, got.Columns[3].Floats); d != "" {
				t.Errorf("with other parts: %s", d)
			}
		})
	}
}
