package design_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/design"
)

// TestTicks checks that the ticks are round numbers and that the range ends at the first and the
// last of them.
func TestTicks(t *testing.T) {
	for want, axes := range map[string]design.Axes{
		"0 2 4 6 8 10 12":             {MinX: 1, MaxX: 11},
		"0 10 20 30 40 50 60 70":      {MinX: 0, MaxX: 69},
		"0.0 0.5 1.0 1.5 2.0 2.5":     {MinX: 0, MaxX: 2.31},
		"0.0 0.2 0.4 0.6 0.8 1.0":     {MinX: 0, MaxX: 1},
		"0.84 0.86 0.88 0.90 0.92":    {MinX: 0.84, MaxX: 0.92},
		"0.9990 0.9995 1.0000":        {MinX: 0.999, MaxX: 1},
		"-20 -10 0 10 20":             {MinX: -17, MaxX: 20},
		"0 5000000 10000000 15000000": {MinX: 3, MaxX: 11_000_000},
	} {
		axes.MaxY = 1
		plot := design.NewPlot(axes, nil)
		if got := strings.Join(plot.XTicks, " "); got != want {
			t.Errorf("from %g to %g the ticks are %s instead of %s", axes.MinX, axes.MaxX, got, want)
		}
		if first, last := plot.XTicks[0], plot.XTicks[len(plot.XTicks)-1]; parse(t, first) != plot.MinX || parse(t, last) != plot.MaxX {
			t.Errorf("the axis from %g to %g has ticks from %s to %s", plot.MinX, plot.MaxX, first, last)
		}
	}
}

// TestLargeNumbers checks that the plot of a column with the largest numbers has valid coordinates, and
// that its ticks are short.
func TestLargeNumbers(t *testing.T) {
	for want, x := range map[string][2]float64{
		"-1.79769e+308 0 1.79769e+308": {-1.7e308, 1.7e308},
		"-4e+38 -2e+38 0 2e+38 4e+38":  {-math.MaxFloat32, math.MaxFloat32},
		"0 5e+299 1e+300":              {1, 1e300},
	} {
		plot := design.NewPlot(design.Axes{}, []design.Curve{{Name: "a", Points: []design.Point{{X: x[0]}, {X: x[1], Y: 1}}}})
		if got := strings.Join(plot.XTicks, " "); got != want || strings.Contains(plot.Lines[0].Path, "NaN") || strings.Contains(plot.Lines[0].Path, "Inf") {
			t.Errorf("from %g to %g the ticks are %s, and the curve is %s", x[0], x[1], got, plot.Lines[0].Path)
		}
	}
	design.NewPlot(design.Axes{}, []design.Curve{{Points: []design.Point{{X: 1e17}, {X: 1e17 + 16}}}}) // it ends
}

// TestDateAxis checks that the ticks of an axis of dates are dates, and that the table has dates, too.
func TestDateAxis(t *testing.T) {
	for _, test := range []struct {
		points []design.Point
		ticks  string
		first  string
	}{
		{[]design.Point{{X: 19723.4}, {X: 20085.4}}, "2024-01-01 2024-07-01 2024-12-30", "2024-01-01 09:36"},
		{[]design.Point{{X: 19723}, {X: 19724}}, "2024-01-01 2024-01-02 2024-01-03", "2024-01-01"},
		{[]design.Point{{X: -1}}, "1969-12-31 1970-01-01 1970-01-02", "1969-12-31"},
	} {
		plot := design.NewPlot(design.Axes{IsDateX: true}, []design.Curve{{Name: "a", Points: test.points}})
		if got := strings.Join(plot.XTicks, " "); got != test.ticks || plot.Rows[0][0] != test.first {
			t.Errorf("the axis of %v has the ticks %s, and the table begins with %s", test.points, got, plot.Rows[0][0])
		}
	}
}

func parse(t *testing.T, tick string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(tick, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
