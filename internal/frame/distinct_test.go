package frame

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 1_000, 4_000, 40_000, 1_000_000} {
		d := newDistinct(4_096)
		for range 2 {
			for i := range n {
				d.add(hashNumber(float64(i)))
			}
		}
		if d.exact() && d.count() != n {
			t.Errorf("%d: counted %d", n, d.count())
		}
		if n <= 4_000 && !d.exact() {
			t.Errorf("%d: an estimate", n)
		}
		if math.Abs(float64(d.count()-n)) > 0.06*float64(n) {
			t.Errorf("%d: estimated %d", n, d.count())
		}
		if len(d.slots) > 4*4_096 {
			t.Errorf("%d: %d slots", n, len(d.slots))
		}
	}
}

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
			all.compute(append(slices.Clone(values), emptyCell, textCell, 7), m.snapshot())
			m.addChunk(&all)
			n := m.stats()
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

// TestChunkStats holds that it does not matter in which pieces they come.
func TestChunkStats(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	one, all := newRunningStats(nil, 1_000), newRunningStats(nil, 1_000)
	var values []float64
	for range 5_000 {
		values = append(values, 1_000+rng.NormFloat64())
	}
	for _, v := range values {
		one.add(v, 1)
	}
	for len(values) > 0 {
		n := min(1+rng.IntN(500), len(values))
		var some chunkStats
		if some.compute(values[:n], all.snapshot()); some.numbers != n || some.blanks != 0 {
			t.Fatalf("%d numbers, %d blanks of %d", some.numbers, some.blanks, n)
		}
		all.addChunk(&some)
		values = values[n:]
	}
	a, b := one.stats(), all.stats()
	a.Histogram, b.Histogram = nil, nil // their edges depend on the first values
	if d := cmp.Diff(a, b, cmpopts.EquateApprox(1e-12, 0)); d != "" || one.distinct.count() != all.distinct.count() {
		t.Error(d)
	}
}

// TestStaleSnapshots holds that it does not matter how much of what came before was
// known when a run of numbers was summarised.
func TestStaleSnapshots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	late, early := newRunningStats(nil, 100), newRunningStats(nil, 100)
	known := []statsSnapshot{early.snapshot()}
	for i := range 200 {
		values := []float64{NaN}
		for range 1 + rng.IntN(50) {
			values = append(values, math.Round(rng.NormFloat64()*float64(10+i*i)))
		}
		var now, then chunkStats
		now.compute(values, late.snapshot())
		then.compute(values, known[rng.IntN(len(known))])
		late.addChunk(&now)
		early.addChunk(&then)
		known = append(known, early.snapshot())
	}
	if d := cmp.Diff(late, early, cmp.AllowUnexported(runningStats{}, distinct{}, growingHistogram{})); d != "" {
		t.Error(d)
	}
	if late.distinct.exact() || late.rows < 200 {
		t.Error("too few numbers to tell")
	}
}
