package memory

import (
	"testing"

	"foretell/internal/table/frame"
)

// TestEstimate compares estimates with measured peaks of `foretell run`, in
// millions of bytes.
func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		shape Shape
		names []string
		peak  float64
	}{
		{Shape{750, 20, 54, 2, 0, 0, 6.66}, nil, 81},
		{Shape{3_000, 28, 0, 8, 0, 0, 7.28}, nil, 140},
		{Shape{5_000, 200, 0, 2, 0, 0, 7.45}, nil, 178},
		{Shape{10_000, 28, 0, 2, 0, 0, 7.28}, nil, 172},
		{Shape{10_000, 28, 0, 8, 0, 0, 7.28}, nil, 182},
		{Shape{10_000, 20, 240, 2, 0, 0, 3.24}, nil, 192},
		{Shape{20_000, 28, 0, 2, 0, 0, 7.28}, nil, 101},
		{Shape{200_000, 28, 0, 2, 0, 0, 3.45}, nil, 115},
		{Shape{2_000_000, 28, 0, 2, 0, 0, 3.48}, nil, 490},
		{Shape{5_000_000, 28, 0, 2, 0, 0, 3.49}, nil, 1143},
		{Shape{5_000_000, 28, 0, 2, 0, 0, 3.49}, []string{"BSIX01"}, 886},
		{Shape{5_000, 500, 0, 5, 0, 0, 7.49}, nil, 146},
		{Shape{20_000, 1500, 0, 2, 0, 0, 3.70}, nil, 516},
		{Shape{20_000, 1500, 0, 2, 0, 0, 3.70}, []string{"BFIF01"}, 258},
		{Shape{20_000, 1500, 0, 2, 0, 0, 3.70}, []string{"BSEV01"}, 204},
		{Shape{20_000, 1500, 0, 2, 0, 0, 3.70}, []string{"BSIX01"}, 325},
		{Shape{20_000, 1500, 0, 2, 0, 0, 3.70}, []string{"BSEV02"}, 224},
		{Shape{20_000, 1500, 0, 2, 0, 0, 7.50}, []string{"BSEV01"}, 363},
		{Shape{20_000, 1500, 0, 2, 0, 0, 7.50}, []string{"BSIX01"}, 531},
		{Shape{20_000, 1500, 0, 2, 0, 0, 7.50}, []string{"BSEV02"}, 364},
		{Shape{20_000, 5000, 0, 2, 0, 0, 3.99}, nil, 826},
		{Shape{20_000, 5000, 0, 2, 0, 0, 3.99}, []string{"BSIX01"}, 736},
		{Shape{15_000, 20, 0, 100, 0, 0, 7.24}, []string{"MSIX01"}, 122},
		{Shape{15_000, 20, 0, 100, 0, 0, 7.24}, []string{"MSEV02"}, 132},
		{Shape{50_000, 20, 0, 500, 0, 0, 7.30}, nil, 356},
		{Shape{50_000, 20, 0, 100, 0, 0, 7.26}, nil, 145},
		{Shape{200_000, 20, 0, 30, 0, 0, 7.28}, nil, 218},
		{Shape{200_000, 28, 0, 2, 0, 0, 7.31}, nil, 138},
		{Shape{400_000, 60, 0, 2, 0, 0, 7.42}, nil, 312},
		{Shape{50_000, 47, 0, 2, 1, 99_800_000, maxCellSize}, nil, 359},
		{Shape{50_000, 47, 0, 2, 1, 99_800_000, maxCellSize}, []string{"BSIX01"}, 337},
	} {
		names := tt.names
		if names == nil {
			names = []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"}
		}
		got := float64(Estimate(tt.shape, names)) / 1e6
		t.Logf("%+v %v: %.0f MB, measured %.0f, ratio %.2f", tt.shape, tt.names, got, tt.peak, got/tt.peak)
		most := 1.45
		if tt.shape.Classes >= 100 {
			most = 1.8 // the algorithms seldom need the memory for their classes at the same time
		}
		if got < tt.peak || got > most*tt.peak {
			t.Errorf("%+v %v: %.0f MB, but the peak was %.0f MB", tt.shape, names, got, tt.peak)
		}
	}
}

// TestShapeOfCategories counts the levels of a schema.
func TestShapeOfCategories(t *testing.T) {
	schema := &frame.Schema{Columns: []frame.ColumnSchema{
		{Name: "a"}, {Name: "b", Kind: frame.Category, Levels: []string{"x", "y"}}, {Name: "c", Kind: frame.Category, Levels: []string{"x", "y", "z"}},
	}, Classes: []string{"no", "yes"}}
	if got := NewShape(100, 1000, schema); got.Features != 3 || got.Levels != 5 {
		t.Errorf("%d features and %d levels, want 3 and 5", got.Features, got.Levels)
	}
}

// TestShapeOfTexts checks that the estimate of a table with texts grows at least as much
// as the size of its file, and that the estimate of a table without texts does not depend
// on this size.
func TestShapeOfTexts(t *testing.T) {
	estimate := func(kind frame.Kind, bytes int64) int64 {
		schema := &frame.Schema{Columns: []frame.ColumnSchema{{Name: "a"}, {Name: "b", Kind: kind}}, Classes: []string{"no", "yes"}}
		return Estimate(NewShape(50_000, bytes, schema), []string{"BSIX01"})
	}
	if more := estimate(frame.Text, 500e6) - estimate(frame.Text, 100e6); more < 400e6 {
		t.Errorf("400 MB more of texts take %d bytes more", more)
	}
	if more := estimate(frame.Numeric, 500e6) - estimate(frame.Numeric, 100e6); more != 0 {
		t.Errorf("without texts, a larger file takes %d bytes more", more)
	}
}
