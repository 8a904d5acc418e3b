package columnstats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"foretell/internal/table/cells"
)

// TestChunkStats checks that statistics do not depend on the division into chunks.
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
	a, b := one.toNumericStats(), all.toNumericStats()
	a.Histogram, b.Histogram = nil, nil // their edges depend on the first values
	if d := cmp.Diff(a, b, cmpopts.EquateApprox(1e-12, 0)); d != "" || one.distinct.estimate() != all.distinct.estimate() {
		t.Error(d)
	}
}

// TestStaleSnapshots checks that statistics do not depend on the age of the snapshot.
func TestStaleSnapshots(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	late, early := newRunningStats(nil, 100), newRunningStats(nil, 100)
	known := []statsSnapshot{early.snapshot()}
	for i := range 200 {
		values := []float64{cells.NaN}
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
	if d := cmp.Diff(late, early, cmp.AllowUnexported(runningStats{}, distinctCounter{}, growingHistogram{})); d != "" {
		t.Error(d)
	}
	if late.distinct.isExact() || late.rows < 200 {
		t.Error("too few numbers for the test")
	}
}
