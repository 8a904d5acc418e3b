package split

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/testenv"
)

// sample draws labels with the given number of rows per class, shuffled.
func sample(counts ...int) Sample {
	var labels []int32
	for class, n := range counts {
		for range n {
			labels = append(labels, int32(class))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	return Sample{Labels: labels, Classes: len(counts)}
}

func (s Sample) count(rows []int32) []int {
	n := make([]int, s.Classes)
	for _, row := range rows {
		n[s.Labels[row]]++
	}
	return n
}

// checkDivision fails unless a and b are ascending and together contain exactly the rows
// in want.
func checkDivision(t *testing.T, want, a, b []int32) {
	t.Helper()
	if !slices.IsSorted(a) || !slices.IsSorted(b) {
		t.Error("rows are not in ascending order")
	}
	both := slices.Concat(a, b)
	slices.Sort(both)
	if !slices.Equal(want, both) {
		t.Errorf("%d and %d rows are not a division of the sample of %d", len(a), len(b), len(want))
	}
}

func TestHoldout(t *testing.T) {
	cases := []struct {
		name     string
		counts   []int
		fraction float64
		want     []int // number of held rows of each class; if nil, only the total is checked
		sum      int
	}{
		{"keeps_the_class_mix", []int{700, 200, 100}, 0.1, []int{70, 20, 10}, 100},
		{"largest_remainder_gets_the_odd_row", []int{14, 11, 5}, 0.2, []int{3, 2, 1}, 6},
		{"single_row_class_is_never_held", []int{50, 1}, 0.5, []int{26, 0}, 26},
		{"every_class_keeps_a_row", []int{3, 2, 1}, 1, []int{2, 1, 0}, 3},
		{"equal_tiny_classes_still_sum_up", []int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 0.2, nil, 4},
		{"class_without_rows", []int{5, 0, 5}, 0.4, []int{2, 0, 2}, 4},
		{"fraction_zero", []int{5, 5}, 0, []int{0, 0}, 0},
		{"no_rows", []int{0, 0}, 0.5, []int{0, 0}, 0},
		{"fraction_above_one", []int{4, 4}, 7, []int{3, 3}, 6},
		{"fraction_not_a_number", []int{4, 4}, math.NaN(), []int{0, 0}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := sample(c.counts...)
			rest, held := Holdout(s, c.fraction, 7)
			checkDivision(t, s.sortedRows(), rest, held)
			if c.want != nil && !slices.Equal(s.count(held), c.want) {
				t.Errorf("held %v rows per class, want %v", s.count(held), c.want)
			}
			if len(held) != c.sum {
				t.Errorf("held %d rows, want %d", len(held), c.sum)
			}
		})
	}
}

func TestFolds(t *testing.T) {
	cases := []struct {
		name   string
		counts []int
		k      int
		folds  int
	}{
		{"two_classes", []int{103, 52}, 5, 5},
		{"classes_smaller_than_the_folds", []int{100, 3, 2, 4, 2}, 5, 5},
		{"single_row_classes", []int{20, 1, 1, 20}, 4, 4},
		{"fewer_rows_than_folds", []int{2, 2}, 10, 4},
		{"nothing_to_validate", []int{1, 1, 1}, 5, 1},
		{"one_fold", []int{10, 10}, 1, 1},
		{"no_rows", []int{0}, 5, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := sample(c.counts...)
			folds := Folds(s, c.k, 7)
			if len(folds) != c.folds {
				t.Fatalf("%d folds, want %d", len(folds), c.folds)
			}
			checkFolds(t, s, folds)
		})
	}
}

// checkFolds checks what the comment on Folds promises.
func checkFolds(t *testing.T, s Sample, folds []Fold) {
	t.Helper()
	validated := make([]int, len(s.Labels))
	low, high := s.count(folds[0].Validation), s.count(folds[0].Validation)
	for _, p := range folds {
		checkDivision(t, s.sortedRows(), p.Train, p.Validation)
		if d := len(p.Validation) - len(folds[0].Validation); d < -1 || d > 1 {
			t.Errorf("folds of %d and %d rows", len(p.Validation), len(folds[0].Validation))
		}
		for class, n := range s.count(p.Validation) {
			low[class], high[class] = min(low[class], n), max(high[class], n)
		}
		for _, row := range p.Validation {
			validated[row]++
		}
	}
	all := s.count(s.sortedRows())
	for class := range low {
		if high[class]-low[class] > 1 {
			t.Errorf("class %d has %d to %d rows in a fold", class, low[class], high[class])
		}
	}
	for row, n := range validated {
		want := 1
		if all[s.Labels[row]] == 1 || len(folds) == 1 {
			want = 0
		}
		if n != want {
			t.Errorf("row %d of class %d is validated %d times, want %d", row, s.Labels[row], n, want)
		}
	}
}

func TestPlan(t *testing.T) {
	cases := []struct {
		name              string
		counts            []int
		test, folds, eval int
	}{
		{"iris", []int{38, 38, 38}, 23, 10, 10},
		{"thousands", []int{4000, 1283}, 1057, 5, 846},
		{"below_the_holdout", []int{12000, 8000}, 2000, 5, 3600},
		{"adult", []int{27870, 8763}, 3663, 1, 4000},
		{"kddcup99", []int{300000, 70000, 524}, 37052, 1, 33347},
		{"capped", []int{600000, 400000}, 50000, 1, 50000},
		{"two_rows", []int{1, 1}, 0, 1, 0},
		{"no_rows", []int{0, 0}, 0, 0, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && c.counts[0] > 100_000 {
				t.Skip("many rows, which takes seconds under the race detector, and nothing is concurrent")
			}
			s := sample(c.counts...)
			plan := newPlan(t, s, 3)
			checkDivision(t, s.sortedRows(), plan.Rest, plan.Test)
			if len(plan.Test) != c.test || len(plan.Folds) != c.folds {
				t.Fatalf("%d test rows and %d folds, want %d and %d", len(plan.Test), len(plan.Folds), c.test, c.folds)
			}
			for i, p := range plan.Folds {
				checkDivision(t, plan.Rest, p.Train, p.Validation)
				if i == 0 && len(p.Validation) != c.eval {
					t.Errorf("%d validation rows in the first fold, want %d", len(p.Validation), c.eval)
				}
			}
		})
	}
}

func newPlan(t *testing.T, s Sample, seed uint64) ValidationPlan {
	t.Helper()
	plan, err := NewValidationPlan(t.Context(), s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// TestCancelledPlan cancels the computation of plans before each of its steps.
func TestCancelledPlan(t *testing.T) {
	ordered := sample(300, 200)
	ordered.Times = make([]float64, 500)
	for i := range ordered.Times {
		ordered.Times[i] = float64(i)
	}
	for name, c := range map[string]struct {
		sample Sample
		steps  int
	}{"no_times": {sample(300, 200), 2}, "times": {ordered, 1 + timeFolds}} {
		for left := range c.steps + 1 {
			plan, err := NewValidationPlan(&testenv.CountedContext{Context: t.Context(), Left: left}, c.sample, 1)
			switch {
			case left == c.steps && err != nil:
				t.Errorf("%s: %v, although nothing was cancelled", name, err)
			case left < c.steps && (!errors.Is(err, context.Canceled) || len(plan.Rest) > 0):
				t.Errorf("%s, cancelled before step %d: error %v, %d rows", name, left+1, err, len(plan.Rest))
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	s := sample(300, 200, 7, 1)
	reversed := s
	reversed.Rows = s.sortedRows()
	slices.Reverse(reversed.Rows)
	given := slices.Clone(reversed.Rows)

	t.Run("same_seed_same_rows_in_any_order", func(t *testing.T) {
		if diff := cmp.Diff(newPlan(t, s, 5), newPlan(t, reversed, 5)); diff != "" {
			t.Error(diff)
		}
		if !slices.Equal(given, reversed.Rows) {
			t.Error("the caller's rows were changed")
		}
	})
	t.Run("different_seed_different_rows", func(t *testing.T) {
		if cmp.Equal(newPlan(t, s, 5).Test, newPlan(t, s, 6).Test) {
			t.Error("seeds 5 and 6 give the same test rows")
		}
	})
	t.Run("a_subset_stays_a_subset", func(t *testing.T) {
		subset := Sample{Rows: []int32{9, 3, 5, 7, 100, 42, 77, 13, 14, 15}, Labels: s.Labels, Classes: s.Classes}
		rest, held := Holdout(subset, 0.3, 1)
		checkDivision(t, subset.sortedRows(), rest, held)
	})
}

// TestMergeFolds checks that merged folds validate the rows of the folds in the same order
// and train on all others.
func TestMergeFolds(t *testing.T) {
	labels := make([]int32, 97)
	for i := range labels {
		labels[i] = int32(i % 3)
	}
	folds := Folds(Sample{Labels: labels, Classes: 3}, 10, 1)
	order := func(folds []Fold) (rows []int32) {
		for _, fold := range folds {
			rows = append(rows, fold.Validation...)
		}
		return rows
	}
	for _, n := range []int{1, 3, 5, 10, 20} {
		merged := MergeFolds(folds, n)
		if want := min(n, 10); len(merged) != want {
			t.Fatalf("%d folds instead of %d", len(merged), want)
		}
		if diff := cmp.Diff(order(folds), order(merged)); diff != "" {
			t.Errorf("%d folds: %s", n, diff)
		}
		for i, fold := range folds {
			in := merged[MergedFoldIndex(i, len(folds), len(merged))]
			if len(in.Train)+len(in.Validation) != len(labels) || !slices.Contains(in.Validation, fold.Validation[0]) {
				t.Errorf("%d folds: fold %d is in one of %d and %d rows", n, i, len(in.Train), len(in.Validation))
			}
		}
	}
}

// rareSample returns a sample of a frequent class and, in random order, four classes of each size from
// 2 to 12. If groupRows is positive, a size is the number of groups of a class, and each group has up to
// groupRows rows of the class. If mixed is true, each group also has rows of the frequent class.
func rareSample(seed uint64, groupRows int, mixed bool) Sample {
	rng := rand.New(rand.NewPCG(seed, 8))
	var sizes []int
	for size := 2; size <= 12; size++ {
		sizes = append(sizes, size, size, size, size)
	}
	rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	s, group := Sample{Labels: make([]int32, 100), Classes: len(sizes) + 1}, int32(0)
	s.Groups = slices.Repeat([]int32{-1}, 100)
	for i, size := range sizes {
		for range size {
			rows := slices.Repeat([]int32{int32(i + 1)}, 1+rng.IntN(max(groupRows, 1)))
			if mixed {
				rows = append(rows, make([]int32, rng.IntN(4))...)
			}
			s.Labels, s.Groups = append(s.Labels, rows...), append(s.Groups, slices.Repeat([]int32{group}, len(rows))...)
			group++
		}
	}
	if groupRows == 0 {
		s.Groups = nil
	}
	return s
}

// TestMergedFoldsTrainOnEveryClass checks that each class of at least two rows or groups has rows
// in the Train of each merged fold. Without groups, the Validation of a merged fold must have a
// part of the rows of each class that is proportional to the number of merged folds in it.
func TestMergedFoldsTrainOnEveryClass(t *testing.T) {
	for _, c := range []struct {
		name      string
		groupRows int
		mixed     bool
	}{{"rows", 0, false}, {"groups_of_a_row", 1, false}, {"groups", 4, false}, {"groups_of_two_classes", 4, true}} {
		for k := 2; k <= 10; k++ {
			for seed := range uint64(5) {
				s := rareSample(seed, c.groupRows, c.mixed)
				total := s.count(s.sortedRows())
				folds := Folds(s, k, seed)
				for n := min(k, MinMergedFolds); n <= k; n++ {
					for i, fold := range MergeFolds(folds, n) {
						if class := slices.Index(s.count(fold.Train), 0); class >= 0 {
							t.Errorf("%s, %d folds merged into %d: no row of a class of %d is trained on in fold %d", c.name, k, n, total[class], i)
						}
						part := float64((i+1)*k/n-i*k/n) / float64(k) // of the folds
						for class, got := range s.count(fold.Validation) {
							if d := math.Abs(float64(got) - part*float64(total[class])); c.groupRows == 0 && d >= 1.5 {
								t.Errorf("%s, %d folds merged into %d: fold %d has %d of %d rows of a class", c.name, k, n, i, got, total[class])
							}
						}
					}
				}
			}
		}
	}
}
