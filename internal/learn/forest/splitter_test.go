package forest

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
)

// testLeaf returns a leaf of rows with random bins of one feature; the last bin
// is that of missing values.
func testLeaf(rng *rand.Rand, rows, width, classes int, categorical bool) (*splitter, []sampleRow) {
	f := tree.Feature{Data: make([]uint8, rows)}
	f.NumBins, f.MissingBin, f.Categorical = width, uint8(width-1), categorical
	for bin := range width - 2 {
		f.Thresholds = append(f.Thresholds, float64(bin))
	}
	bins := &tree.BinnedMatrix{Rows: rows, Features: []tree.Feature{f}}
	sample := make([]sampleRow, rows)
	for i := range sample {
		f.Data[i] = uint8(rng.IntN(width))
		sample[i] = newSampleRow(int32(i), int32(rng.IntN(classes)))
	}
	return newSplitter(bins, classes, rows), sample
}

// splitScore returns the score of a split, computed according to the definition in
// nodeSplit, and whether both sides have at least minLeaf rows.
func splitScore(s *splitter, left func(bin uint8) bool) (float64, bool) {
	var counts [2][]float64
	var rows [2]float64
	for side := range counts {
		counts[side] = make([]float64, s.classes)
	}
	for _, e := range s.leafRows {
		side := 0
		if left(s.bins.Features[0].Data[e.row()]) {
			side = 1
		}
		counts[side][e.class()]++
		rows[side]++
	}
	least := float64(s.minLeaf)
	if rows[0] < least || rows[1] < least {
		return 0, false
	}
	sum := 0.0
	for side := range counts {
		for _, n := range counts[side] {
			sum += n * n / rows[side]
		}
	}
	return sum, true
}

func TestBestSplitEqualsExhaustiveSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		categorical := rng.IntN(2) == 0
		classes := 2
		if !categorical {
			classes = 2 + rng.IntN(3)
		}
		s, entries := testLeaf(rng, 2+rng.IntN(60), 3+rng.IntN(6), classes, categorical)
		s.minLeaf, s.sortsLevelsByClass = int64(1+rng.IntN(3)), true
		s.setLeaf(entries)
		got, _ := s.bestSplit(0, rng)

		width := s.bins.Features[0].NumBins
		want := 0.0
		for set := range uint(1) << width {
			if !categorical {
				// Bins up to a threshold, with or without the bin of missing values.
				values := set &^ (1 << (width - 1))
				if values&(values+1) != 0 {
					continue
				}
			}
			if w, ok := splitScore(s, func(bin uint8) bool { return set>>bin&1 != 0 }); ok {
				want = max(want, w)
			}
		}
		if math.Abs(got.score-want) > 1e-9 {
			t.Fatalf("categorical %v, %d classes: score %v, want %v", categorical, classes, got.score, want)
		}
		if got.feature < 0 {
			continue
		}
		if w, ok := splitScore(s, got.leftBins.contains); !ok || math.Abs(w-want) > 1e-9 {
			t.Fatalf("the score of its leaves is %v, not %v", w, want)
		}
		if got.numeric {
			for bin := range uint8(width) {
				if got.leftBins.contains(bin) != (bin <= got.threshold || bin == got.missingBin) {
					t.Fatalf("bin %d goes to different sides by leftBins and by threshold", bin)
				}
			}
		}
	}
}

func TestDenseHistogramEqualsSorted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, entries := testLeaf(rng, 500, 20, 7, false)
	data := s.bins.Features[0].Data
	a, b := newClassHistogram(500, 7), newClassHistogram(500, 7)
	a.buildDense(entries, data, 20, 7)
	b.buildSorted(entries, data)
	if !slices.Equal(a.bins, b.bins) {
		t.Fatalf("bins %v and %v", a.bins, b.bins)
	}
	for _, bin := range a.bins {
		var counted, ordered [7]int64
		for _, it := range a.countsInBin(bin) {
			counted[it.class()] += it.rows()
		}
		for _, it := range b.countsInBin(bin) {
			ordered[it.class()] += it.rows()
		}
		if counted != ordered {
			t.Errorf("bin %d: %v and %v", bin, counted, ordered)
		}
	}
}

func TestRandomSplitScore(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		s, entries := testLeaf(rng, 2+rng.IntN(40), 3+rng.IntN(6), 3, rng.IntN(2) == 0)
		s.minLeaf = 1
		s.setLeaf(entries)
		got, varies := s.randomSplit(0, rng)
		if got.feature < 0 {
			if varies && !s.bins.Features[0].Categorical {
				t.Fatal("no split of a numeric feature that varies")
			}
			continue
		}
		if w, ok := splitScore(s, got.leftBins.contains); !ok || math.Abs(w-got.score) > 1e-9 {
			t.Fatalf("the score of its leaves is %v, not %v", w, got.score)
		}
	}
}

func TestGrownTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	rows, classes := 400, 3
	s, entries := testLeaf(rng, rows, 30, classes, false)
	g := newGrower(s.bins, classes, rows)
	m, _ := g.grow(t.Context(), slices.Clone(entries), growthParams{maxLeaves: rows, minLeaf: 4, maxFeatures: 1}, rng)

	t.Run("leaves_hold_the_rows_that_reach_them", func(t *testing.T) {
		counts := make([][]int64, m.Leaves)
		for i := range counts {
			counts[i] = make([]int64, classes)
		}
		for _, e := range entries {
			counts[m.Leaf(s.bins.Features[0].Data[e.row():])][e.class()]++
		}
		for leaf, n := range counts {
			total := n[0] + n[1] + n[2]
			if total < 4 {
				t.Errorf("leaf %d has %d rows, want at least 4", leaf, total)
			}
		}
		for _, e := range entries {
			row := s.bins.Features[0].Data[e.row():]
			n := counts[m.Leaf(row)]
			if want := newDistribution(n, n[0]+n[1]+n[2]); !slices.Equal(m.leafDistribution(row), want) {
				t.Fatalf("vote %v, want %v", m.leafDistribution(row), want)
			}
		}
	})
	t.Run("weights_add_up_to_one", func(t *testing.T) {
		for _, n := range [][]int64{{1}, {1, 1, 1}, {0, 5, 0, 2}, {1 << 40, 1}, slices.Repeat([]int64{1}, 1<<16-1)} {
			total, sum := int64(0), 0
			for _, k := range n {
				total += k
			}
			for _, s := range newDistribution(n, total) {
				sum += int(s.weight)
			}
			if sum != unitWeight {
				t.Errorf("%d classes: weights of %d, want %d", len(n), sum, unitWeight)
			}
		}
	})
}

func TestSampleDrawsEachRowAtMostOnce(t *testing.T) {
	labels := make([]int32, 100)
	rows := []int32{90, 3, 5, 70, 8, 11, 12, 13, 14, 15}
	seen := make([]bool, len(rows))
	got := drawSample(nil, seen, rows, labels, rand.New(rand.NewPCG(1, 1)))
	var set [2]uint64
	for _, e := range got {
		if !seen[slices.Index(rows, int32(e.row()))] {
			t.Errorf("row %d is drawn, but not in inBag", e.row())
		}
		set[e.row()>>6] |= 1 << (e.row() & 63)
	}
	if n := bits.OnesCount64(set[0]) + bits.OnesCount64(set[1]); n != 7 || len(got) != 7 {
		t.Errorf("%d rows, %d of them distinct, want 7 of 10", len(got), n)
	}
}

// TestDrawThreshold counts how often the splits of a leaf with the bins 1 to 5 are drawn. The
// thresholds that divide these bins are 1, 2, 5 and 9.
func TestDrawThreshold(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	thresholds := []float64{-100, 1, 2, 5, 9, 100}
	const draws = 80_000
	var counts [7]int
	for range draws {
		counts[drawThreshold(thresholds, 1, 5, rng)]++
	}
	// Each threshold is chosen for the numbers that are nearer to it than to the others.
	for bin, width := range map[int]float64{1: 0.5, 2: 2, 3: 3.5, 4: 2} {
		if got := 8 * float64(counts[bin]) / draws; math.Abs(got-width) > 0.05 {
			t.Errorf("the split after bin %d was drawn as often as from a range of %.2f, want %.1f", bin, got, width)
		}
	}
	if counts[0]+counts[5]+counts[6] > 0 {
		t.Errorf("splits outside the leaf: %v", counts)
	}
	wider := []float64{-1.7e308, -1e308, 1.7e308} // their range exceeds the largest float64
	clear(counts[:])
	for range draws {
		counts[drawThreshold(wider, 0, 3, rng)]++
	}
	for bin, width := range []float64{0.35, 1.7, 1.35} {
		if got := 3.4 * float64(counts[bin]) / draws; math.Abs(got-width) > 0.05 {
			t.Errorf("of the thresholds %v, number %d was drawn as often as from a range of %.2fe308, want %.2fe308", wider, bin, got, width)
		}
	}
	for _, wide := range [][]float64{{3}, {-1.7e308, 1.7e308}} {
		if bin := drawThreshold(wide, 0, uint8(len(wide)), rng); int(bin) >= len(wide) {
			t.Errorf("bin %d for the thresholds %v", bin, wide)
		}
	}
}
