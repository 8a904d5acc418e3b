package split

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// groupedSample returns a sample of three classes whose rows have groups of one to
// maxSize rows.
func groupedSample(rows, maxSize int) Sample {
	s := sample(rows/2, rows/3, rows-rows/2-rows/3)
	s.Groups = make([]int32, rows)
	rng := rand.New(rand.NewPCG(3, 4))
	group, left := int32(-1), 0
	for row := range s.Groups {
		if left == 0 {
			group, left = group+1, 1+rng.IntN(maxSize)
		}
		s.Groups[row] = group
		left--
	}
	for i := 0; i < rows; i += 17 {
		s.Groups[i] = -1
	}
	return s
}

// checkGroups fails if a group is in both a and b.
func checkGroups(t *testing.T, s Sample, a, b []int32) {
	t.Helper()
	in := map[int32]bool{}
	for _, row := range a {
		in[s.Groups[row]] = s.Groups[row] >= 0
	}
	for _, row := range b {
		if in[s.Groups[row]] {
			t.Fatalf("group %d is divided", s.Groups[row])
		}
	}
}

func TestGroupsAreNotDivided(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for _, rows := range []int{30, 700, 5000, 50_000} {
		s := groupedSample(rows, 9)
		plan := newPlan(t, s, 3)
		checkDivision(t, s.sortedRows(), plan.Rest, plan.Test)
		checkGroups(t, s, plan.Rest, plan.Test)
		want := holdoutFraction(rows, enoughTestRows)
		if got := float64(len(plan.Test)) / float64(rows); math.Abs(got-want) > max(10/float64(rows), 0.002) {
			t.Errorf("%d rows: %.3f of them are test rows, want %.3f", rows, got, want)
		}
		validated := 0
		for _, fold := range plan.Folds {
			checkDivision(t, plan.Rest, fold.Train, fold.Validation)
			checkGroups(t, s, fold.Train, fold.Validation)
			validated += len(fold.Validation)
			size := len(plan.Rest) / len(plan.Folds)
			if n := len(fold.Validation); len(plan.Folds) > 1 && (n < size-9 || n > size+9) {
				t.Errorf("%d rows: %d validation rows in a fold, want about %d", rows, n, size)
			}
		}
		if len(plan.Folds) > 1 && validated != len(plan.Rest) {
			t.Errorf("%d rows: %d of %d are validated", rows, validated, len(plan.Rest))
		}
		for class, n := range s.count(plan.Test) {
			all := s.count(s.sortedRows())[class]
			if share := float64(n) / float64(all); rows >= 700 && math.Abs(share-want) > 0.05 {
				t.Errorf("%d rows: %.3f of class %d are test rows, want %.3f", rows, share, class, want)
			}
		}
		if again := newPlan(t, s, 3); !cmp.Equal(plan, again) {
			t.Errorf("%d rows: another plan from the same seed", rows)
		}
	}
}

func TestClassInOneGroupIsTrainedOn(t *testing.T) {
	s := sample(50, 40, 5)
	s.Groups = make([]int32, len(s.Labels))
	for row, label := range s.Labels {
		if s.Groups[row] = int32(row % 20); label == 2 {
			s.Groups[row] = 30
		}
	}
	for _, fold := range newPlan(t, s, 3).Folds {
		if n := s.count(fold.Train)[2]; n != 5 {
			t.Errorf("%d rows of the class are trained on", n)
		}
	}
	s.Groups = make([]int32, len(s.Labels))
	if plan := newPlan(t, s, 3); plan.Test != nil || len(plan.Folds) != 1 || plan.Folds[0].Validation != nil {
		t.Errorf("one group is divided: %+v", plan)
	}
}

func TestMeasuredRowsAreLater(t *testing.T) {
	for _, rows := range []int{2, 30, 700, 50_000} {
		for _, grouped := range []bool{false, true} {
			s := groupedSample(rows, 9)
			if !grouped {
				s.Groups = nil
			}
			rng := rand.New(rand.NewPCG(5, 6))
			s.Times = make([]float64, rows)
			for row := range s.Times {
				// The rows of a group are close together in time, like the visits of a
				// customer.
				s.Times[row] = float64(row) + 20*rng.Float64()
				if row%50 == 7 {
					s.Times[row] = math.NaN()
				}
			}
			plan := newPlan(t, s, 3)
			checkOrder(t, s, plan.Rest, plan.Test)
			for _, fold := range plan.Folds {
				checkOrder(t, s, fold.Train, fold.Validation)
				checkOrder(t, s, slices.Concat(fold.Train, fold.Validation), plan.Test)
				if grouped {
					checkGroups(t, s, fold.Train, fold.Validation)
					checkGroups(t, s, fold.Train, plan.Test)
				}
			}
			if want := min(rows/10, 4000); rows > 2 && (len(plan.Test) < want || len(plan.Folds[0].Train) < rows/8) {
				t.Errorf("%d rows: %d test rows, %d training rows in the first fold", rows, len(plan.Test), len(plan.Folds[0].Train))
			}
		}
	}
	one := sample(20, 20)
	one.Times = make([]float64, 40)
	if plan := newPlan(t, one, 3); plan.Test != nil || len(plan.Folds) != 1 || plan.Folds[0].Validation != nil {
		t.Errorf("rows of equal time are divided: %+v", plan)
	}
}

// TestRecurringGroups divides tables by time. In these tables, all groups, or half of them,
// have rows at every time.
func TestRecurringGroups(t *testing.T) {
	const groups, times = 50, 12
	s := Sample{Classes: 2}
	for row := range groups * times {
		s.Labels = append(s.Labels, int32(row%2))
		s.Groups = append(s.Groups, int32(row%groups))
		s.Times = append(s.Times, float64(row/groups))
	}
	plan := newPlan(t, s, 1)
	if plan.Folds != nil || len(plan.Rest) > 0 || plan.Dropped != groups*times-len(plan.Test) {
		t.Errorf("%d folds, %d other rows, %d dropped rows, %d test rows", len(plan.Folds), len(plan.Rest), plan.Dropped, len(plan.Test))
	}
	for row := range s.Groups {
		if row%groups >= groups/2 {
			s.Groups[row] = int32(row) // a group of one row
		}
	}
	plan = newPlan(t, s, 1)
	if plan.Folds == nil || plan.Dropped != len(s.Labels)-len(plan.Test)-len(plan.Rest) || plan.Dropped == 0 {
		t.Errorf("%d folds, %d other rows, %d dropped rows, %d test rows", len(plan.Folds), len(plan.Rest), plan.Dropped, len(plan.Test))
	}
}

// TestFewLargeGroupsAndTimes divides tables of few groups or times, most of them with many rows.
func TestFewLargeGroupsAndTimes(t *testing.T) {
	type plan struct {
		Test       int
		Validation []int // by fold
	}
	for _, c := range []struct {
		name           string
		sizes          []int // numbers of rows of the groups, or of the times from the earliest to the latest
		groups, inTime plan
	}{
		{"2_of_500", []int{500, 500}, plan{0, []int{500, 500}}, plan{0, []int{500}}},
		{"3_of_300", []int{300, 300, 300}, plan{300, []int{300, 300}}, plan{300, []int{300}}},
		{"2_of_12500", []int{12500, 12500}, plan{0, []int{12500, 12500}}, plan{0, []int{12500}}},
		{"3_of_8333", []int{8333, 8333, 8333}, plan{8333, []int{8333, 8333}}, plan{8333, []int{8333}}},
		{"4_of_6250", []int{6250, 6250, 6250, 6250}, plan{6250, []int{6250, 6250, 6250}}, plan{6250, []int{6250, 6250}}},
		{"5_of_5000", []int{5000, 5000, 5000, 5000, 5000}, plan{5000, []int{5000}}, plan{5000, []int{5000}}},
		{"2_of_22500", []int{22500, 22500}, plan{0, []int{22500, 22500}}, plan{0, []int{22500}}},
		{"3_of_15000", []int{15000, 15000, 15000}, plan{15000, []int{15000, 15000}}, plan{15000, []int{15000}}},
		{"4_of_11250", []int{11250, 11250, 11250, 11250}, plan{11250, []int{11250, 11250, 11250}}, plan{11250, []int{11250}}},
		{"5_of_9000", []int{9000, 9000, 9000, 9000, 9000}, plan{9000, []int{9000, 9000, 9000, 9000}}, plan{9000, []int{9000}}},
		{"4_of_11250_and_a_tiny_one", []int{11250, 11250, 11250, 11250, 6}, plan{11256, []int{11250, 11250, 11250}}, plan{11256, []int{11250}}},
		{"2_of_22500_and_a_tiny_one", []int{22500, 22500, 6}, plan{0, []int{22500, 22500, 6}}, plan{0, []int{22506}}},
		{"2_of_22000_and_a_small_one", []int{22000, 22000, 1000}, plan{1000, []int{22000, 22000}}, plan{1000, []int{22000}}},
		{"a_large_one_between_small_ones", []int{500, 44000, 500}, plan{0, []int{1000}}, plan{0, []int{500}}},
		{"a_small_one_before_a_large_one", []int{1000, 44000}, plan{0, []int{1000}}, plan{0, []int{44000}}},
		{"a_third_and_two_thirds", []int{15000, 30000}, plan{0, []int{30000, 15000}}, plan{0, []int{30000}}},
		{"a_quarter_and_three_quarters", []int{11250, 33750}, plan{0, []int{11250}}, plan{0, []int{33750}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows := 0
			for _, size := range c.sizes {
				rows += size
			}
			grouped := sample(rows/2, rows-rows/2)
			grouped.Groups = make([]int32, 0, rows)
			ordered := Sample{Labels: grouped.Labels, Classes: 2}
			for i, size := range c.sizes {
				grouped.Groups = append(grouped.Groups, slices.Repeat([]int32{int32(i)}, size)...)
				ordered.Times = append(ordered.Times, slices.Repeat([]float64{float64(i)}, size)...)
			}
			for _, s := range []Sample{grouped, ordered} {
				p := newPlan(t, s, 3)
				checkDivision(t, s.sortedRows(), p.Rest, p.Test)
				got, want := plan{Test: len(p.Test)}, c.groups
				for _, fold := range p.Folds {
					got.Validation = append(got.Validation, len(fold.Validation))
					if s.Times != nil {
						checkOrder(t, s, fold.Train, fold.Validation)
						continue
					}
					checkGroups(t, s, fold.Train, fold.Validation)
				}
				if s.Times != nil {
					want = c.inTime
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("times %v: %s", s.Times != nil, diff)
				}
			}
		})
	}
}

// TestOneGroupBesidesThatOfAClass checks that a group is validated if the only other group is always
// a training group, because a class has no other rows.
func TestOneGroupBesidesThatOfAClass(t *testing.T) {
	for _, rows := range []int{300, 30_000} {
		s := sample(rows-10, 10)
		s.Groups = make([]int32, rows)
		for row, label := range s.Labels {
			if label == 0 && row%3 == 0 {
				s.Groups[row] = 1
			}
		}
		p := newPlan(t, s, 3)
		if len(p.Test) > 0 || len(p.Folds) != 1 || len(p.Folds[0].Validation) < rows/4 || len(p.Folds[0].Train) < rows/2 {
			t.Errorf("%d rows: %d test rows, %d folds, %d validation rows", rows, len(p.Test), len(p.Folds), len(p.Folds[0].Validation))
		}
		checkGroups(t, s, p.Folds[0].Train, p.Folds[0].Validation)
	}
}

// checkOrder fails unless every row of later is later than every row of earlier.
func checkOrder(t *testing.T, s Sample, earlier, later []int32) {
	t.Helper()
	if !slices.IsSorted(later) {
		t.Error("rows are not ascending")
	}
	end := math.Inf(-1)
	for _, row := range earlier {
		end = max(end, s.Times[row])
		if math.IsNaN(s.Times[row]) {
			t.Error("a row without a time is trained on")
		}
	}
	for _, row := range later {
		if !(s.Times[row] > end) {
			t.Fatalf("row %d at %v is measured, but a row at %v is trained on", row, s.Times[row], end)
		}
	}
}
