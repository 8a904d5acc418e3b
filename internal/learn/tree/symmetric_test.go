package tree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func symmetricSample(bins *BinnedMatrix, targets ...[]float32) SymmetricSample {
	s := SymmetricSample{Bins: bins}
	for _, target := range targets {
		one := regression(bins, target)
		s.Rows = one.Rows
		s.Gradients = append(s.Gradients, one.Gradients)
		s.Scales = append(s.Scales, one.Scale)
	}
	return s
}

func TestSymmetricGrow(t *testing.T) {
	f, target := testData(3000, 9, 1)
	other := make([]float32, len(target))
	for row := range other {
		if f.Columns[3].Codes[row] == 1 {
			other[row] = 2
		}
	}
	bins := mustBins(t, f)
	sample := symmetricSample(bins, target, other)
	g := NewSymmetricGrower(bins, 5, 1, 1)
	splits, err := g.Grow(t.Context(), sample)
	if err != nil || len(splits) != 5 {
		t.Fatalf("%d splits, want 5, error %v", len(splits), err)
	}

	t.Run("leaf_numbers_follow_the_splits", func(t *testing.T) {
		n := 0
		for leaf := range 1 << len(splits) {
			n += len(g.LeafRows(leaf))
			for _, row := range g.LeafRows(leaf) {
				for level, split := range splits {
					if split.Passes(bins.Features[split.Feature].Data[row]) != (leaf>>level&1 == 1) {
						t.Fatalf("row %d in leaf %d: wrong side of split %d", row, leaf, level)
					}
				}
			}
		}
		if n != bins.Rows {
			t.Errorf("leaves hold %d rows of %d", n, bins.Rows)
		}
	})
	t.Run("leaf_sums_are_those_of_the_rows", func(t *testing.T) {
		for leaf := range 1 << len(splits) {
			for o, scale := range sample.Scales {
				want := int64(0)
				for _, row := range g.LeafRows(leaf) {
					want += sample.Gradients[o][row]
				}
				wantG, wantH := unpack(want)
				if gradient, hessian := g.LeafSum(leaf, o); gradient != wantG*scale.Gradient || hessian != wantH*scale.Hessian {
					t.Errorf("leaf %d output %d: sums %v and %v", leaf, o, gradient, hessian)
				}
			}
		}
	})
	t.Run("apply_agrees_with_growing", func(t *testing.T) {
		rows := append([]int32(nil), sample.Rows...)
		PartitionSymmetric(splits, bins, rows, make([]int32, len(rows)), func(leaf int, rows []int32) {
			if diff := cmp.Diff(g.LeafRows(leaf), rows); diff != "" {
				t.Errorf("leaf %d: %s", leaf, diff)
			}
		})
	})
	t.Run("fewer_levels_if_memory_is_short", func(t *testing.T) {
		poor := NewSymmetricGrower(bins, 5, 1, 1)
		poor.maxCells = 4 * 2 * poor.fullStride
		got, err := poor.Grow(t.Context(), sample)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(splits[:3], got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("same_splits_for_any_number_of_workers", func(t *testing.T) {
		for _, workers := range []int{2, 8} {
			again, err := NewSymmetricGrower(bins, 5, 1, workers).Grow(t.Context(), sample)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(splits, again); diff != "" {
				t.Errorf("%d workers: %s", workers, diff)
			}
		}
	})
	t.Run("histograms_equal_sums_over_rows", func(t *testing.T) {
		// The histograms were built for the leaves that the last split has divided.
		half := len(g.rowRanges) / 2
		seen := map[bool]int{}
		for leaf := range half {
			seen[g.slots[leaf] >= 0]++
			rows := append(append([]int32(nil), g.LeafRows(leaf)...), g.LeafRows(leaf+half)...)
			if few := len(rows) < g.sparseRows; few != (g.slots[leaf] < 0) {
				t.Errorf("leaf %d of %d rows has slot %d", leaf, len(rows), g.slots[leaf])
			}
			if g.slots[leaf] < 0 {
				continue
			}
			for o := range sample.Gradients {
				want := new([histWidth]int64)
				ordered := gatherGradients(make([]int64, len(rows)), sample.Gradients[o], rows)
				build1(want, bins.Features[2].Data, rows, ordered)
				got := g.histogram(g.slots[leaf], o)[g.offsets[2]:g.offsets[3]]
				if diff := cmp.Diff(want[:len(got)], got); diff != "" {
					t.Fatalf("leaf %d output %d: %s", leaf, o, diff)
				}
			}
		}
		if seen[true] == 0 || seen[false] == 0 {
			t.Errorf("%d leaves with a histogram, %d without: want both", seen[true], seen[false])
		}
	})
}

func TestSymmetricGrowStopsWithoutGain(t *testing.T) {
	f, _ := testData(500, 5, 2)
	target := make([]float32, f.Rows)
	for row := range target {
		if f.Columns[0].Floats[row] > 0.3 {
			target[row] = 1
		}
	}
	bins := mustBins(t, f)
	splits, err := NewSymmetricGrower(bins, 6, 0, 2).Grow(t.Context(), symmetricSample(bins, target))
	if err != nil || len(splits) != 1 || splits[0].Feature != 0 {
		t.Errorf("got %v, %v", splits, err)
	}
}
