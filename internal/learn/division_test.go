package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/learn/duplicate"
	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
)

// numericFrame returns an empty frame of numeric features and two classes.
func numericFrame(names ...string) *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label", Classes: []string{"a", "b"}}}
	for _, name := range names {
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: name})
		f.Columns = append(f.Columns, frame.Column{Floats: []float64{}})
	}
	return f
}

func addRow(f *frame.Frame, second bool, cells ...float64) {
	label := int32(0)
	if second {
		label = 1
	}
	f.Labels = append(f.Labels, label)
	for i, cell := range cells {
		f.Columns[i].Floats = append(f.Columns[i].Floats, cell)
	}
	f.Rows++
}

// customerFrame returns six rows for each customer. All rows of a customer have the same
// first two features, and the label depends on the customer. It hardly depends on the
// third feature.
func customerFrame(customers int, seed uint64) (f *frame.Frame, groups []int32) {
	f = numericFrame("height", "weight", "visits")
	draw := rand.New(rand.NewPCG(seed, 1))
	for customer := range customers {
		height, weight, bias := draw.NormFloat64(), draw.NormFloat64(), 4*draw.NormFloat64()
		for range 6 {
			visits := draw.NormFloat64()
			addRow(f, bias+visits+draw.NormFloat64() > 0, height, weight, visits)
			groups = append(groups, int32(customer))
		}
	}
	return f, groups
}

// driftFrame returns rows with times between from and to. The label depends on two
// features, and the dependence changes with time: the direction in which the label
// changes turns by 180° in one unit of time.
func driftFrame(rows int, from, to float64, seed uint64) (f *frame.Frame, times []float64) {
	f = numericFrame("x", "y")
	draw := rand.New(rand.NewPCG(seed, 2))
	for i := range rows {
		t := from + (to-from)*float64(i)/float64(rows)
		x, y := draw.NormFloat64(), draw.NormFloat64()
		sin, cos := math.Sincos(t * math.Pi)
		addRow(f, x*cos+y*sin+0.3*draw.NormFloat64() > 0, x, y)
		times = append(times, t)
	}
	return f, times
}

// accuracyOn returns the fraction of the rows of f that m predicts correctly.
func accuracyOn(t *testing.T, m *model.Model, f *frame.Frame) float64 {
	t.Helper()
	p := probabilitiesOf(t, m, f)
	right := 0
	for row, label := range f.Labels {
		if (p[2*row+1] > p[2*row]) == (label == 1) {
			right++
		}
	}
	return float64(right) / float64(f.Rows)
}

// TestTestFigureIsThatOfNewRows checks that the test accuracy of a race agrees with the
// accuracy on new rows, if Params.Groups or Params.Times is set. It also checks that the
// test accuracy is too high if they are not set, because rows are then divided at random.
func TestTestFigureIsThatOfNewRows(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	customers, groups := customerFrame(300, 1)
	newCustomers, _ := customerFrame(300, 2)
	drift, times := driftFrame(2000, 0, 1, 3)
	later, _ := driftFrame(1000, 1, 1.2, 4)
	for _, c := range []struct {
		name        string
		train, test *frame.Frame
		params      Params
	}{
		{"customers", customers, newCustomers, Params{Groups: groups}},
		{"drift", drift, later, Params{Times: times}},
	} {
		t.Run(c.name, func(t *testing.T) {
			race := func(p Params) (test, blind float64) {
				p.Algorithms = []string{"BSIX01"}
				o, err := Race(t.Context(), c.train, p)
				if err != nil {
					t.Fatal(err)
				}
				return o.Test, accuracyOn(t, o.Model, c.test)
			}
			test, blind := race(c.params)
			if math.Abs(test-blind) > 0.1 {
				t.Errorf("test %.3f, new rows %.3f", test, blind)
			}
			if test, blind := race(Params{}); test-blind < 0.1 {
				t.Errorf("with a random division: test %.3f, new rows %.3f", test, blind)
			}
		})
	}
}

// repeatedRows returns row numbers: 0 … rows-1, the given number of times one after
// another.
func repeatedRows(rows, times int) []int32 {
	var list []int32
	for range times {
		for row := range rows {
			list = append(list, int32(row))
		}
	}
	return list
}

func TestCopiesStayTogether(t *testing.T) {
	original := noisyFrame(300)
	copied := original.Take(repeatedRows(300, 3))
	copied.Labels[0] = 1 - copied.Labels[0] // a copy may have another label
	r, err := newRace(t.Context(), copied, Params{Seed: 1}, fakeAlgorithms(fakeFitter{}))
	if err != nil {
		t.Fatal(err)
	}
	in := map[int32]bool{}
	for _, row := range r.plan.Test {
		in[row%300] = true
	}
	for _, row := range r.plan.Rest {
		if in[row%300] {
			t.Fatalf("row %d is a test row, but its copy is not", row%300)
		}
	}
	if copies, _ := duplicate.Find(t.Context(), copied, 1); copies.Rows != 900 || len(r.plan.Test) != 180 {
		t.Errorf("%d copies, %d test rows", copies.Rows, len(r.plan.Test))
	}

	if copies, _ := duplicate.Find(t.Context(), original, 1); copies.Groups != nil || copies.Rows != 0 {
		t.Errorf("%d copies in a table without copies", copies.Rows)
	}
}

// scoredFraction returns the fractions of the rows that are test rows and validation rows.
func (r *race) scoredFraction() (test, validation float64) {
	n := float64(r.data.Rows)
	return float64(len(r.plan.Test)) / n, float64(len(r.evaluator.Labels)) / n
}

// TestEqualRowsOfDifferentGroups checks that a few equal rows do not merge the groups of the user or
// remove rows of a division by time.
func TestEqualRowsOfDifferentGroups(t *testing.T) {
	f := numericFrame("a", "b")
	draw := rand.New(rand.NewPCG(1, 1))
	var customers []int32
	var times []float64
	for row := range 4000 {
		a, b := draw.NormFloat64(), draw.NormFloat64()
		if row%20 == 0 { // the first row of each customer
			a, b = 0, 0
		}
		addRow(f, a+b > 0, a, b)
		customers, times = append(customers, int32(row/20)), append(times, float64(row))
	}
	for _, c := range []struct {
		name             string
		params           Params
		test, validation float64
	}{
		{"groups", Params{Groups: customers}, 0.2, 0.8},
		{"times", Params{Times: times}, 0.2, 0.4},
		{"groups_and_times", Params{Groups: customers, Times: times}, 0.2, 0.4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := newRace(t.Context(), f, c.params, algorithms)
			if err != nil {
				t.Fatal(err)
			}
			if test, validation := r.scoredFraction(); math.Abs(test-c.test) > 0.01 || math.Abs(validation-c.validation) > 0.01 {
				t.Errorf("%.3f of the rows are test rows and %.3f validation rows, want %v and %v", test, validation, c.test, c.validation)
			}
			if r.plan.Dropped > 20 || !r.copiesDivided {
				t.Errorf("%d rows dropped, copies divided: %v", r.plan.Dropped, r.copiesDivided)
			}
			for _, row := range r.plan.Test {
				if c.params.Groups != nil && slices.ContainsFunc(r.plan.Rest, func(other int32) bool { return customers[other] == customers[row] }) {
					t.Fatalf("customer %d has test rows and others", customers[row])
				}
			}
		})
	}
}

// TestTrainingRows checks that the training score is computed only from rows that the final
// model was trained on. A model of a single fold was not trained on the validation rows.
func TestTrainingRows(t *testing.T) {
	f := fakeFrame(300, 2)
	times := make([]float64, f.Rows)
	for row := range times {
		times[row] = float64(row)
	}
	failing := fakeFitter{skills: []float64{0.8}, work: 1e6, refitFault: errors.New("no luck")}
	training := func(p Params, limit refitLimit, algorithms []algorithm) (r *race, o *Outcome) {
		r, err := newRace(t.Context(), f, p, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		r.refitLimit = limit
		o, err = r.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r, o
	}
	blended := fakeAlgorithms(fakeFitter{}, fakeFitter{})
	for i := range blended {
		blended[i].newFitter = func(_ context.Context, task fitTask) (fitter, error) {
			return &independentFitter{fakeFitter{fitTask: task, skills: []float64{0.7}, work: 1e6}, uint64(i)}, nil
		}
	}
	for _, c := range []struct {
		name       string
		params     Params
		limit      refitLimit
		algorithms []algorithm
		foldRows   bool // whether only training rows of the last fold are wanted
	}{
		{"refitted", Params{Times: times}, refitLimit{minCost: 1e12}, fakeAlgorithms(fakeFitter{skills: []float64{0.8}, work: 1e6}), false},
		{"not_refitted", Params{Times: times}, refitLimit{minCost: 1e12}, fakeAlgorithms(failing), true},
		{"fold_models_of_a_cross_validation", Params{}, refitLimit{minCost: 1e12}, fakeAlgorithms(failing), false},
		{"one_component_refitted", Params{Times: times}, refitLimit{}, blended, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, o := training(c.params, c.limit, c.algorithms)
			if len(c.algorithms) > 1 && (o.Algorithm != model.Blend || !wasRefitted(o)) {
				t.Fatalf("%s, refit %v, want a blend", o.Algorithm, wasRefitted(o))
			}
			want := r.plan.Rest
			if c.foldRows {
				want = r.plan.Folds[len(r.plan.Folds)-1].Train
			}
			if o.Report.TrainingRows != len(want) || len(want) == 0 {
				t.Errorf("%d training rows, want %d of %d", o.Report.TrainingRows, len(want), len(r.plan.Rest))
			}
		})
	}
}

// TestBinsOfCopies checks that bins do not depend on copies that were made on purpose. If they
// did, the levels with a bin of their own would be those of the copied class.
func TestBinsOfCopies(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	var once, copied strings.Builder
	for row := range 800 {
		label, copies := "no", 1
		if row%5 == 0 {
			label, copies = "yes", 5
		}
		line := fmt.Sprintf("%.4f,town%d,%s\n", draw.NormFloat64(), row*7%300, label)
		fmt.Fprintf(&once, "o%d,%s", row, line)
		for i := range copies {
			fmt.Fprintf(&copied, "c%d-%d,%s", row, i, line)
		}
	}
	var thresholds [2][]float64
	var ownBins [2][]string // the towns with a bin of their own, sorted
	for i, rows := range []string{once.String(), copied.String()} {
		path := filepath.Join(t.TempDir(), "train.csv")
		if err := os.WriteFile(path, []byte("id,x,town,label\n"+rows), 0o600); err != nil {
			t.Fatal(err)
		}
		f := loadTrainFile(t, path)
		r, err := newRace(t.Context(), f, Params{Seed: 1, Workers: 2}, algorithms)
		if err != nil {
			t.Fatal(err)
		}
		bins, err := r.data.binnedMatrix(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		number, town := bins.Features[0].BinMapper, bins.Features[1].BinMapper
		thresholds[i] = number.Thresholds
		for code, name := range f.Schema.Columns[1].Levels {
			if int(town.CodeBins[code]) < town.NumBins-2 { // the last two bins hold other texts and missing values
				ownBins[i] = append(ownBins[i], name)
			}
		}
		slices.Sort(ownBins[i])
	}
	if diff := cmp.Diff(thresholds[0], thresholds[1]); diff != "" {
		t.Errorf("thresholds without and with copies: %s", diff)
	}
	if diff := cmp.Diff(ownBins[0], ownBins[1]); diff != "" {
		t.Errorf("towns with a bin of their own, without and with copies: %s", diff)
	}
}
