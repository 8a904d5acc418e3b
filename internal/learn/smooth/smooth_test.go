package smooth

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/logistic"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// newTask returns the task of a table with the numbers x and y. The label is the integer part of
// class(x, y) plus noise, limited to 0…2. If class is math.Hypot, the classes are rings around 0.
func newTask(rows, workers int, class func(x, y float64) float64) Task {
	f := &frame.Frame{Schema: &frame.Schema{Classes: []string{"a", "b", "c"}}, Rows: rows, Columns: make([]frame.Column, 2)}
	f.Schema.Columns = []frame.ColumnSchema{{Name: "x"}, {Name: "y"}}
	draw := rand.New(rand.NewPCG(5, 6))
	for range rows {
		x, y := draw.NormFloat64(), draw.NormFloat64()
		f.Columns[0].Floats = append(f.Columns[0].Floats, x)
		f.Columns[1].Floats = append(f.Columns[1].Floats, y)
		f.Labels = append(f.Labels, int32(max(0, min(2, class(x, y)+0.1*draw.NormFloat64()))))
	}
	t := Task{Classes: 3, Workers: workers, Folds: split.Folds(split.Sample{Labels: f.Labels, Classes: 3}, 4, 1)}
	for _, fold := range t.Folds {
		t.Frames = append(t.Frames, f)
		for _, row := range fold.Validation {
			t.Labels = append(t.Labels, f.Labels[row])
		}
	}
	return t
}

// TestSearch checks that smooth parts learn rings, and that they do not depend on the
// number of workers.
func TestSearch(t *testing.T) {
	task := newTask(240, 1, math.Hypot)
	fits, err := Search(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	loss := metric.LogLoss(metric.Predictions{Probabilities: fits.Probabilities, Labels: task.Labels, Classes: 3})
	if !fits.Converged() || !(loss < 0.4) || !(fits.Cost() > 0) || fits.Width == logistic.Linear || !slices.Contains(widths, fits.Width) || !slices.Contains(kernelPenalties[:], fits.Penalty) {
		t.Errorf("converged %v, log loss %v, cost %v, width %v, penalty %v", fits.Converged(), loss, fits.Cost(), fits.Width, fits.Penalty)
	}
	other, err := Search(t.Context(), newTask(240, 3, math.Hypot))
	if err != nil {
		t.Fatal(err)
	}
	if other.Width != fits.Width || other.Penalty != fits.Penalty || !slices.Equal(other.Probabilities, fits.Probabilities) {
		t.Error("three workers make other fits than one")
	}
	fold := task.Folds[0]
	again, err := Fit(t.Context(), task.Frames[0], fold.Train, 3, Params{Width: fits.Width, Penalty: fits.Penalty})
	if err != nil {
		t.Fatal(err)
	}
	got, want := make([]float32, 3*task.Frames[0].Rows), make([]float32, 3*task.Frames[0].Rows)
	again.Predict(got, task.Frames[0], 0, task.Frames[0].Rows)
	fits.Model(0).Predict(want, task.Frames[0], 0, task.Frames[0].Rows)
	for i := range got { // about equal: fits was fitted for several penalties at once
		if math.Abs(float64(got[i]-want[i])) > 0.01 {
			t.Fatalf("probability %d: %v, want %v", i, got[i], want[i])
		}
	}
}

// TestSearchLinear checks that the smooth part of a table is linear if the class depends on a
// sum of the columns.
func TestSearchLinear(t *testing.T) {
	task := newTask(240, 1, func(x, y float64) float64 { return 1.5 + 2*x - 3*y })
	fits, err := Search(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if fits.Width != logistic.Linear || !slices.Contains(linearPenalties[:], fits.Penalty) {
		t.Errorf("width %v, penalty %v", fits.Width, fits.Penalty)
	}
}

// TestModel checks that a model predicts the weighted mean of its parts.
func TestModel(t *testing.T) {
	task := newTask(120, 1, math.Hypot)
	one, err := Fit(t.Context(), task.Frames[0], task.Folds[0].Train, 3, Params{Width: 0.15, Penalty: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	two, err := Fit(t.Context(), task.Frames[0], task.Folds[1].Train, 3, Params{Width: 1.5, Penalty: 0.02})
	if err != nil {
		t.Fatal(err)
	}
	var a, b, mean [9]float32
	one.Predict(a[:], task.Frames[0], 5, 8)
	two.Predict(b[:], task.Frames[0], 5, 8)
	NewModel(one, two, 0.25).Predict(mean[:], task.Frames[0], 5, 8)
	for i := range mean {
		if want := 0.75*a[i] + 0.25*b[i]; math.Abs(float64(mean[i]-want)) > 1e-6 {
			t.Errorf("probability %d: %v, want %v", i, mean[i], want)
		}
	}
}

// TestEstimateMemory checks that a column of numbers counts as much as two levels, because it has
// two inputs if cells are missing.
func TestEstimateMemory(t *testing.T) {
	if numbers, levels := EstimateMemory(5000, 11, 0, 2), EstimateMemory(5000, 10, 2, 2); numbers < levels {
		t.Errorf("%v bytes with one more column of numbers, %v with two more levels", numbers, levels)
	}
}

// TestLimits checks that malformed models are errors, and that large tables have no smooth
// part.
func TestLimits(t *testing.T) {
	for _, b := range [][]byte{nil, {1}, {version}, {version, 0, 0, 0, 0, 0, 0, 0, 0, 0}} {
		if err := new(Model).UnmarshalBinary(b); err == nil {
			t.Errorf("%v: no error", b)
		}
	}
	if !IsSmall(MaxRows, 10) || IsSmall(MaxRows+1, 2) || IsSmall(MaxRows, 11) {
		t.Error("the limits of rows and classes are not kept")
	}
}
