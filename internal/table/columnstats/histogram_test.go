package columnstats

import (
	"math"
	"slices"
	"testing"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

func TestHistogramKeepsEveryRow(t *testing.T) {
	for name, values := range map[string][]float64{
		"constant": {5, 5, 5},
		"spread":   {0, 1, 2, 1e6, -1e6, 3},
		"extreme":  {-math.MaxFloat64, math.MaxFloat64, 0, math.SmallestNonzeroFloat64},
		"tiny":     {0, math.SmallestNonzeroFloat64, 2 * math.SmallestNonzeroFloat64},
		"far":      {1e300, 1e300 + 1e285, -4},
	} {
		t.Run(name, func(t *testing.T) {
			m := newRunningStats(nil, 100)
			for _, v := range values {
				m.add(v, 1)
			}
			var all chunkStats
			all.compute(append(slices.Clone(values), cells.NaN, csvfile.TextCell, 7), m.snapshot())
			m.addChunk(&all)
			n := m.toNumericStats()
			rows := 0
			for _, r := range n.Histogram.Rows {
				rows += r
			}
			if rows != 2*len(values) || n.Histogram.Rows[0] == 0 {
				t.Errorf("%+v", n.Histogram)
			}
			for _, v := range []float64{n.Min, n.Max, n.Mean, n.StdDev, n.Histogram.Low, n.Histogram.Width} {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%+v %+v", n, n.Histogram)
				}
			}
		})
	}
}
