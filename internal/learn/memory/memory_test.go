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
		{Shape{20_000, 28, 2, 0, 0}, nil, 106},
		{Shape{200_000, 28, 2, 0, 0}, nil, 153},
		{Shape{50_000, 20, 100, 0, 0}, nil, 184},
		{Shape{50_000, 20, 500, 0, 0}, nil, 538},
		{Shape{50_000, 20, 500, 0, 0}, []string{"MSIX01"}, 258},
		{Shape{50_000, 20, 500, 0, 0}, []string{"MSEV02"}, 289},
		{Shape{200_000, 20, 30, 0, 0}, nil, 256},
		{Shape{400_000, 60, 2, 0, 0}, nil, 341},
		{Shape{5_000, 500, 5, 0, 0}, nil, 196},
		{Shape{20_000, 1500, 2, 0, 0}, nil, 1026},
		{Shape{20_000, 1500, 2, 0, 0}, []string{"BSEV01"}, 336},
		{Shape{20_000, 1500, 2, 0, 0}, []string{"BSIX01"}, 736},
		{Shape{20_000, 1500, 2, 0, 0}, []string{"BSEV02"}, 487},
		{Shape{20_000, 1500, 2, 0, 0}, []string{"BFIF01"}, 523},
		{Shape{15_000, 20, 100, 0, 0}, nil, 286},
		{Shape{15_000, 20, 100, 0, 0}, []string{"MSIX01"}, 115},
		{Shape{15_000, 20, 100, 0, 0}, []string{"MSEV02"}, 143},
		{Shape{50_000, 47, 2, 1, 99_800_000}, nil, 359},
		{Shape{50_000, 47, 2, 1, 99_800_000}, []string{"BSIX01"}, 337},
	} {
		names := tt.names
		if names == nil {
			names = []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"}
		}
		got := float64(Estimate(tt.shape, names)) / 1e6
		t.Logf("%+v %v: %.0f MB, measured %.0f, ratio %.2f", tt.shape, tt.names, got, tt.peak, got/tt.peak)
		least := 0.7
		if tt.shape.Texts > 0 {
			least = 0.9 // texts may need more memory than everything else, so their estimate must be closer
		}
		if got < least*tt.peak || got > 1.5*tt.peak {
			t.Errorf("%+v %v: %.0f MB, but the peak was %.0f MB", tt.shape, names, got, tt.peak)
		}
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
