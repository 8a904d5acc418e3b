package design_test

import (
	"slices"
	"testing"

	"foretell/internal/design"
)

// TestFormatNumber writes large numbers without an exponent.
func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3277.29123: "3277.29", -0.5: "-0.5", 1e6: "1000000", 18_424_123.4: "18424123", -2.5e9: "-2500000000", 1e18: "1e+18"} {
		if got := design.FormatNumber(v); got != want {
			t.Errorf("%g is %s instead of %s", v, got, want)
		}
	}
}

// TestTicks checks that the labels of the ticks of a short axis are their exact values.
func TestTicks(t *testing.T) {
	plot := design.NewPlot(design.Axes{MinX: 1, MaxX: 11, MinY: 0, MaxY: 1}, nil)
	if want := []string{"1", "3.5", "6", "8.5", "11"}; !slices.Equal(plot.XTicks, want) {
		t.Errorf("the ticks are %v instead of %v", plot.XTicks, want)
	}
}
