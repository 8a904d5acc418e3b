package design

import "foretell/internal/api"

// Bar is one bar of a histogram for the template "bars". The picture is 100 × 100 units.
type Bar struct {
	X, Y, Width, Height float64
}

// Bars returns the bars of a histogram. rows holds the number of rows in each bin.
func Bars(rows []int64) []Bar {
	most := int64(1)
	for _, n := range rows {
		most = max(most, n)
	}
	bars := make([]Bar, len(rows))
	step := 100 / float64(max(1, len(rows)))
	for i, n := range rows {
		height := 96 * float64(n) / float64(most)
		if n > 0 {
			height = max(height, 3) // a rare value is still visible
		}
		bars[i] = Bar{X: float64(i)*step + step*0.06, Y: 100 - height, Width: step * 0.88, Height: height}
	}
	return bars
}

// DistributionBars returns the bars of the distribution of a column, or nil if d is nil.
func DistributionBars(d *api.Distribution) []Bar {
	switch {
	case d == nil:
		return nil
	case len(d.Bins) > 0:
		return Bars(d.Bins)
	}
	rows := make([]int64, len(d.Top))
	for i, value := range d.Top {
		rows[i] = value.Rows
	}
	return Bars(rows)
}

// IntervalBar is a picture of a value and its interval, for the template "range": a bar from the
// zero line to the value, and a thin line for the interval. The picture is 100 units wide.
type IntervalBar struct {
	Zero, Value, Low, High float64
	HasInterval            bool
}

// NewIntervalBar returns the picture of a value on a scale from low to high. The scale must include
// 0. interval may be nil.
func NewIntervalBar(value float64, interval *api.Interval, low, high float64) IntervalBar {
	at := func(v float64) float64 { return 100 * min(max((v-low)/(high-low), 0), 1) }
	r := IntervalBar{Zero: at(0), Value: at(value)}
	if interval != nil {
		r.HasInterval, r.Low, r.High = true, at(interval.Low), at(interval.High)
	}
	return r
}

// Left returns the left edge of the bar.
func (r IntervalBar) Left() float64 { return min(r.Zero, r.Value) }

// Width returns the width of the bar.
func (r IntervalBar) Width() float64 { return max(r.Zero, r.Value) - r.Left() }
