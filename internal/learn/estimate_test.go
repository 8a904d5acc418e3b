package learn

import "testing"

// TestEstimateMemory compares estimates with measured peaks of `foretell run`, in
// millions of bytes.
func TestEstimateMemory(t *testing.T) {
	for _, tt := range []struct {
		shape Shape
		names []string
		peak  float64
	}{
		{Shape{20_000, 28, 2, 0}, nil, 106},
		{Shape{200_000, 28, 2, 0}, nil, 153},
		{Shape{50_000, 20, 100, 0}, nil, 184},
		{Shape{50_000, 20, 500, 0}, nil, 538},
		{Shape{50_000, 20, 500, 0}, []string{"MSIX01"}, 258},
		{Shape{50_000, 20, 500, 0}, []string{"MSEV02"}, 289},
		{Shape{200_000, 20, 30, 0}, nil, 256},
		{Shape{400_000, 60, 2, 0}, nil, 341},
		{Shape{5_000, 500, 5, 0}, nil, 196},
		{Shape{20_000, 1500, 2, 0}, nil, 1026},
		{Shape{20_000, 1500, 2, 0}, []string{"BSEV01"}, 336},
		{Shape{20_000, 1500, 2, 0}, []string{"BSIX01"}, 736},
		{Shape{20_000, 1500, 2, 0}, []string{"BSEV02"}, 487},
		{Shape{20_000, 1500, 2, 0}, []string{"BFIF01"}, 523},
		{Shape{15_000, 20, 100, 0}, nil, 286},
		{Shape{15_000, 20, 100, 0}, []string{"MSIX01"}, 115},
		{Shape{15_000, 20, 100, 0}, []string{"MSEV02"}, 143},
	} {
		names := tt.names
		if names == nil {
			names = []string{"MSEV01", "MFIF01", "MSIX01", "MSEV02"}
		}
		got := float64(EstimateMemory(tt.shape, names)) / 1e6
		t.Logf("%+v %v: %.0f MB, measured %.0f, ratio %.2f", tt.shape, tt.names, got, tt.peak, got/tt.peak)
		if got < 0.7*tt.peak || got > 1.5*tt.peak {
			t.Errorf("%+v %v: %.0f MB, but the peak was %.0f MB", tt.shape, names, got, tt.peak)
		}
	}
}
