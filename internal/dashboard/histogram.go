package dashboard

import "foretell/internal/api"

// bar is one bar of a histogram, in a picture of 100 × 100.
type bar struct {
	X, Y, Width, Height float64
}

// distributionBars returns the bars of the distribution of a column; none if it is unknown.
func distributionBars(d *api.Distribution) []bar {
	if d == nil {
		return nil
	}
	var rows []int64
	if len(d.Bins) > 0 {
		rows = d.Bins
	} else {
		for _, value := range d.Top {
			rows = append(rows, value.Rows)
		}
	}
	most := int64(1)
	for _, n := range rows {
		most = max(most, n)
	}
	bars := make([]bar, len(rows))
	step := 100 / float64(max(1, len(rows)))
	for i, n := range rows {
		height := 96 * float64(n) / float64(most)
		if n > 0 {
			height = max(height, 3) // a rare value is still visible
		}
		bars[i] = bar{X: float64(i)*step + step*0.06, Y: 100 - height, Width: step * 0.88, Height: height}
	}
	return bars
}
