package tree

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// testData returns a table of numeric columns, some with missing values, and
// categorical ones. The target depends on both kinds.
func testData(rows, features int, seed uint64) (*frame.Frame, []float32) {
	draw := rand.New(rand.NewPCG(seed, 0))
	f := &frame.Frame{Schema: &frame.Schema{}, Rows: rows}
	target := make([]float32, rows)
	for i := range features {
		var column frame.Column
		if i%4 == 3 {
			levels := 3 + 5*i
			column.Codes = make([]int32, rows)
			for row := range rows {
				code := int32(draw.IntN(levels+2)) - 1
				column.Codes[row] = code
				target[row] += float32(code%3) / float32(i)
			}
			f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Kind: frame.Category, Levels: make([]string, levels)})
		} else {
			column.Floats = make([]float64, rows)
			for row := range rows {
				x := draw.NormFloat64()
				column.Floats[row] = x
				target[row] += float32(x*x) / float32(i+1)
				if i%4 == 1 && draw.IntN(5) == 0 {
					column.Floats[row] = cells.NaN
				}
			}
			f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{})
		}
		f.Columns = append(f.Columns, column)
	}
	return f, target
}

// regression returns a sample whose trees fit target by least squares.
func regression(bins *BinnedMatrix, target []float32) Sample {
	rows := make([]int32, bins.Rows)
	s := Sample{Rows: rows, Gradients: make([]int64, bins.Rows)}
	for i := range rows {
		rows[i] = int32(i)
		s.Gradients[i] = PackGradHess(-target[i], 1)
	}
	var err error
	if s.Scale, err = Quantise(context.Background(), 2, s.Gradients, rows); err != nil {
		panic(err) // the context cannot be cancelled
	}
	return s
}

func mustBins(tb testing.TB, f *frame.Frame) *BinnedMatrix {
	tb.Helper()
	bins, err := NewBinnedMatrix(tb.Context(), f, 0, 2)
	if err != nil {
		tb.Fatal(err)
	}
	return bins
}

func TestGrow(t *testing.T) {
	f, target := testData(3000, 9, 1)
	bins := mustBins(t, f)
	sample := regression(bins, target)
	const leaves = 40
	params := Params{MinRows: 5, L2: 1}
	g := NewGrower(bins, params, 1)
	tree, err := g.Grow(t.Context(), sample, leaves)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Leaves != leaves {
		t.Fatalf("%d leaves, want %d", tree.Leaves, leaves)
	}

	t.Run("leaves_partition_the_rows", func(t *testing.T) {
		var all []int32
		for leaf := range tree.Leaves {
			rows := g.LeafRows(leaf)
			if !slices.IsSorted(rows) {
				t.Errorf("rows of leaf %d are not ascending", leaf)
			}
			all = append(all, rows...)
		}
		slices.Sort(all)
		if diff := cmp.Diff(sample.Rows, all); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("leaf_sums_are_those_of_the_rows", func(t *testing.T) {
		for leaf := range tree.Leaves {
			gradient, hessian := g.LeafSum(leaf)
			want := 0.0
			for _, row := range g.LeafRows(leaf) {
				want -= float64(target[row])
			}
			rows := float64(len(g.LeafRows(leaf)))
			if math.Abs(gradient-want) > 1e-3*rows || math.Abs(hessian-rows) > 1e-3*rows {
				t.Errorf("leaf %d: sums %v and %v, want %v and %v", leaf, gradient, hessian, want, rows)
			}
		}
	})
	t.Run("a_row_is_found_in_its_leaf", func(t *testing.T) {
		cell := make([]uint8, len(bins.Features))
		for leaf := range tree.Leaves {
			for _, row := range g.LeafRows(leaf) {
				for i := range cell {
					cell[i] = bins.Features[i].Data[row]
				}
				if got := tree.Leaf(cell); got != leaf {
					t.Fatalf("row %d is in leaf %d, found in %d", row, leaf, got)
				}
			}
		}
	})
	t.Run("apply_agrees_with_growing", func(t *testing.T) {
		rows := slices.Clone(sample.Rows)
		tree.PartitionByLeaf(bins, rows, make([]int32, len(rows)), func(leaf int, rows []int32) {
			if diff := cmp.Diff(g.LeafRows(leaf), rows); diff != "" {
				t.Errorf("leaf %d: %s", leaf, diff)
			}
		})
	})
	t.Run("same_tree_for_any_number_of_workers", func(t *testing.T) {
		for _, workers := range []int{2, 8} {
			other, err := NewGrower(bins, params, workers).Grow(t.Context(), sample, leaves)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tree, other); diff != "" {
				t.Errorf("%d workers: %s", workers, diff)
			}
		}
	})
	t.Run("same_tree_without_memory_for_histograms", func(t *testing.T) {
		poor := NewGrower(bins, params, 2)
		poor.histograms.limit = 1
		other, err := poor.Grow(t.Context(), sample, leaves)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree, other); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("order_of_rows_is_irrelevant", func(t *testing.T) {
		shuffled := sample
		shuffled.Rows = slices.Clone(sample.Rows)
		rand.New(rand.NewPCG(9, 9)).Shuffle(len(shuffled.Rows), func(i, j int) {
			shuffled.Rows[i], shuffled.Rows[j] = shuffled.Rows[j], shuffled.Rows[i]
		})
		other, err := NewGrower(bins, params, 2).Grow(t.Context(), shuffled, leaves)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree, other); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("stops_when_cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := g.Grow(ctx, sample, leaves); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestSharedRowsGrowTheSameTree(t *testing.T) {
	f, target := testData(3*chunkRows, 5, 1)
	bins := mustBins(t, f)
	sample := regression(bins, target)
	var want *Tree
	for _, workers := range []int{1, 2, 3} {
		g := NewGrower(bins, Params{MinRows: 5}, workers)
		got, err := g.Grow(t.Context(), sample, 12)
		if err != nil {
			t.Fatal(err)
		}
		if workers > 1 && len(g.partials) != workers-1 {
			t.Errorf("%d workers: %d partial histograms", workers, len(g.partials))
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d workers: %s", workers, diff)
		}
	}
}

func TestGrowRecoversAKnownTree(t *testing.T) {
	f, _ := testData(4000, 8, 3)
	target := make([]float32, f.Rows)
	for row := range target {
		x, code := f.Columns[0].Floats[row], f.Columns[3].Codes[row]
		switch {
		case x > 0.5 && code == 2:
			target[row] = 5
		case x > 0.5:
			target[row] = 1
		case f.Columns[1].Floats[row] != f.Columns[1].Floats[row]: // missing
			target[row] = -7
		}
	}
	bins := mustBins(t, f)
	g := NewGrower(bins, Params{MinGain: 1e-3}, 2)
	tree, err := g.Grow(t.Context(), regression(bins, target), 50)
	if err != nil {
		t.Fatal(err)
	}
	if tree.Leaves > 8 {
		t.Errorf("%d leaves, want 4", tree.Leaves)
	}
	for leaf := range tree.Leaves {
		for _, row := range g.LeafRows(leaf) {
			if target[row] != target[g.LeafRows(leaf)[0]] {
				t.Fatalf("leaf %d holds different targets", leaf)
			}
		}
	}
}

func TestGrowOnEmptySample(t *testing.T) {
	f, target := testData(100, 4, 1)
	bins := mustBins(t, f)
	for name, change := range map[string]func(*Sample){
		"no_rows":      func(s *Sample) { s.Rows = nil },
		"no_features":  func(s *Sample) { s.Features = []int32{} },
		"no_gradients": func(s *Sample) { clear(s.Gradients) },
	} {
		t.Run(name, func(t *testing.T) {
			sample := regression(bins, target)
			change(&sample)
			tree, err := NewGrower(bins, Params{}, 2).Grow(t.Context(), sample, 8)
			if err != nil || tree.Leaves != 1 {
				t.Errorf("got %v, %v", tree, err)
			}
		})
	}
}

func BenchmarkGrow(b *testing.B) {
	f, target := testData(500_000, 28, 1)
	bins := mustBins(b, f)
	sample := regression(bins, target)
	g := NewGrower(bins, Params{MinRows: 20}, 2)
	b.ResetTimer()
	for b.Loop() {
		if _, err := g.Grow(b.Context(), sample, 31); err != nil {
			b.Fatal(err)
		}
	}
	cells := float64(b.N) * float64(f.Rows) * float64(len(f.Columns))
	b.ReportMetric(cells/b.Elapsed().Seconds()/1e6, "Mcells·trees/s")
}

func BenchmarkNewBinnedMatrix(b *testing.B) {
	f, _ := testData(200_000, 28, 1)
	for b.Loop() {
		mustBins(b, f)
	}
	b.ReportMetric(float64(b.N)*float64(f.Rows)/b.Elapsed().Seconds(), "rows/s")
}

// TestDropRowMajor checks that a tree is the same after the row-major copy of the bins was freed.
func TestDropRowMajor(t *testing.T) {
	f, target := testData(4000, 20, 4)
	bins := mustBins(t, f)
	grow := func() *Tree {
		grown, err := NewGrower(bins, Params{MinRows: 5}, 2).Grow(t.Context(), regression(bins, target), 15)
		if err != nil {
			t.Fatal(err)
		}
		return grown
	}
	want := grow()
	if bins.rowBlocks == nil {
		t.Fatal("Grow has not built a row-major copy")
	}
	bins.DropRowMajor()
	if bins.rowBlocks != nil {
		t.Error("the row-major copy is not freed")
	}
	if diff := cmp.Diff(want, grow()); diff != "" {
		t.Error(diff)
	}
}
