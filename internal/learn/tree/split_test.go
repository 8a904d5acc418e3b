package tree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exhaustiveSearch is the reference for splitFinder: it scores every allowed
// split in floating point.
type exhaustiveSearch struct {
	g, h []float64
	l2   float64
}

func (e *exhaustiveSearch) gain(left func(bin int) bool) float64 {
	var gl, hl, gr, hr float64
	for bin := range e.g {
		if left(bin) {
			gl, hl = gl+e.g[bin], hl+e.h[bin]
		} else {
			gr, hr = gr+e.g[bin], hr+e.h[bin]
		}
	}
	if hl < 1 || hr < 1 {
		return 0
	}
	g, h := gl+gr, hl+hr
	return gl*gl/(hl+e.l2) + gr*gr/(hr+e.l2) - g*g/(h+e.l2)
}

func (e *exhaustiveSearch) numeric() float64 {
	best, last := 0.0, len(e.g)-1
	for edge := range last {
		best = max(best,
			e.gain(func(bin int) bool { return bin <= edge }),
			e.gain(func(bin int) bool { return bin <= edge || bin == last }))
	}
	return best
}

func (e *exhaustiveSearch) subsets() float64 {
	best := 0.0
	for set := range 1 << len(e.g) {
		best = max(best, e.gain(func(bin int) bool { return set>>bin&1 != 0 }))
	}
	return best
}

// randomHistogram returns a histogram with some empty cells, the reference search for its
// best split, and the sum of its cells.
func randomHistogram(draw *rand.Rand, bins int, l2 float64) ([]int64, *exhaustiveSearch, int64) {
	h := make([]int64, bins)
	n := &exhaustiveSearch{g: make([]float64, bins), h: make([]float64, bins), l2: l2}
	var total int64
	for bin := range h {
		if draw.IntN(4) == 0 {
			continue
		}
		g, w := draw.IntN(2000)-1000, draw.IntN(300)+1
		h[bin] = int64(g)<<32 + int64(w)
		n.g[bin], n.h[bin] = float64(g), float64(w)
		total += h[bin]
	}
	return h, n, total
}

func TestSplitFinderAgreesWithExhaustiveSearch(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 5))
	for range 500 {
		h, exhaustive, total := randomHistogram(draw, 2+draw.IntN(9), draw.Float64()*50)
		s := splitFinder{total: total, l2: exhaustive.l2, minHessian: 1}
		close := func(got, want float64) bool { return math.Abs(got-want) <= 1e-6*max(1, want, s.leafScore()) }

		var best split
		s.findNumeric(h, &best)
		if want := exhaustive.numeric(); !close(best.gain, want) {
			t.Fatalf("numeric %v: gain %v, want %v", h, best.gain, want)
		}
		// Without penalty and smoothing, the order of the levels is optimal.
		exhaustive.l2, s.l2 = 0, 0
		used := 0
		for _, cell := range h {
			if cell != 0 {
				used++
			}
		}
		best = split{}
		s.findCategorical(h, &best)
		if want := exhaustive.subsets(); used > maxOneHot && !close(best.gain, want) {
			t.Fatalf("categorical %v: gain %v, want %v", h, best.gain, want)
		}
		if best.gain > 0 {
			var left int64
			for bin, cell := range h {
				if best.leftBins.Has(uint8(bin)) {
					left += cell
				}
			}
			if left != best.left {
				t.Fatalf("categorical %v: the set sums to %x, not %x", h, left, best.left)
			}
		}
	}
}

func TestSubtractingEqualsCounting(t *testing.T) {
	f, target := testData(4000, 75, 4)
	bins := mustBins(t, f)
	sample := regression(bins, target)
	offsets := featureOffsets(bins)
	count := func(rows []int32, packed bool) []int64 {
		h := make([]int64, offsets[len(bins.Features)]+histWidth)
		ordered := gatherGradients(make([]int64, len(rows)), sample.Gradients, rows)
		for _, group := range activeGroups(bins, nil) {
			buildGroup(bins, offsets, &group, packed, new(histBuffer), h, rows, ordered)
		}
		return h
	}
	parent := count(sample.Rows, true)
	subtractCells(parent, count(sample.Rows[:700], false))
	if diff := cmp.Diff(count(sample.Rows[700:], true), parent); diff != "" {
		t.Error(diff)
	}
	t.Run("row_wise_equals_column_wise", func(t *testing.T) {
		g := NewGrower(bins, Params{}, 1)
		var err error
		if g.rowBlocks, err = bins.rowMajorBlocks(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		g.sample = sample
		draw := rand.New(rand.NewPCG(5, 5))
		for _, part := range []int{1, 2, 3, 7, 20, 100, 400} {
			var rows, features []int32
			for row := range sample.Rows {
				if draw.IntN(part) == 0 {
					rows = append(rows, int32(row))
				}
			}
			for i := range bins.Features {
				if draw.IntN(3) > 0 {
					features = append(features, int32(i))
				}
			}
			want, got := count(rows, true), make([]int64, offsets[len(bins.Features)]+histWidth)
			for i := range got {
				got[i] = draw.Int64() // previous contents must not matter
			}
			g.gatherBuffer(0).buildHistograms(g, activeGroups(bins, features), got, rows)
			for _, i := range features {
				if diff := cmp.Diff(want[offsets[i]:offsets[i+1]], got[offsets[i]:offsets[i+1]]); diff != "" {
					t.Errorf("feature %d, %d rows: %s", i, len(rows), diff)
				}
			}
		}
	})
	t.Run("one_feature_equals_eight_at_once", func(t *testing.T) {
		all := count(sample.Rows, true)
		for i := range bins.Features {
			h := new([histWidth]int64)
			ordered := gatherGradients(make([]int64, len(sample.Rows)), sample.Gradients, sample.Rows)
			build1(h, bins.Features[i].Data, sample.Rows, ordered)
			if diff := cmp.Diff(all[offsets[i]:offsets[i+1]], h[:bins.Features[i].NumBins]); diff != "" {
				t.Errorf("feature %d: %s", i, diff)
			}
		}
	})
}

func TestPartition(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 1))
	data := make([]uint8, 3*chunkRows+17)
	rows := make([]int32, len(data))
	for i := range data {
		data[i], rows[i] = uint8(draw.IntN(200)), int32(i)
	}
	var table [histWidth]uint8
	for bin := range 77 {
		table[bin] = 1
	}
	var want []int32
	for _, side := range []uint8{1, 0} {
		for _, row := range rows {
			if table[data[row]] == side {
				want = append(want, row)
			}
		}
	}
	for _, workers := range []int{1, 2, 8} {
		got := slices.Clone(rows)
		n, err := partitionParallel(t.Context(), workers, data, &table, got, make([]int32, len(rows)))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || n == 0 || table[data[got[n-1]]] != 1 || table[data[got[n]]] != 0 {
			t.Errorf("%d workers: rows are not partitioned", workers)
		}
	}
}

func TestQuantise(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 8))
	const rows = 10_000
	g, h, all := make([]float32, rows), make([]float32, rows), make([]int32, rows)
	var sumG, sumH float64
	for i := range all {
		all[i] = int32(i)
		g[i] = float32(draw.NormFloat64() * math.Exp(4*draw.NormFloat64()))
		h[i] = float32(draw.ExpFloat64())
		sumG += float64(g[i])
		sumH += float64(h[i])
	}
	packed := make([]int64, rows)
	for i := range packed {
		packed[i] = PackGradHess(g[i], h[i])
	}
	scale, err := Quantise(t.Context(), 2, packed, all)
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	for _, p := range packed {
		total += p
	}
	gotG, gotH := unpack(total)
	if math.Abs(gotG*scale.Gradient-sumG) > rows*scale.Gradient || math.Abs(gotH*scale.Hessian-sumH) > rows*scale.Hessian {
		t.Errorf("sums %v %v, want %v %v", gotG*scale.Gradient, gotH*scale.Hessian, sumG, sumH)
	}
}
