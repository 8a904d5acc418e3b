package forest

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// testFrame returns rows of three features: x and y numeric, x with missing
// values, and a category c. The class depends on all of them and a little noise.
func testFrame(rows, classes int, seed uint64) *frame.Frame {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &frame.Frame{
		Schema: &frame.Schema{Columns: []frame.ColumnSchema{{Name: "x"}, {Name: "y"}, {Name: "c", Kind: frame.Category, Levels: []string{"p", "q", "r", "s"}}}},
		Rows:   rows,
		Columns: []frame.Column{
			{Floats: make([]float64, rows)}, {Floats: make([]float64, rows)}, {Codes: make([]int32, rows)},
		},
		Labels: make([]int32, rows),
	}
	for i := range rows {
		x, y, c := rng.NormFloat64(), rng.NormFloat64(), rng.IntN(4)
		f.Columns[0].Floats[i], f.Columns[1].Floats[i], f.Columns[2].Codes[i] = x, y, int32(c)
		v := x + math.Abs(y) + float64(c%2)
		if rng.IntN(10) == 0 {
			f.Columns[0].Floats[i] = cells.NaN
			v = 3
		}
		if rng.IntN(20) == 0 {
			v = rng.NormFloat64()
		}
		f.Labels[i] = int32(min(max(int(v*float64(classes)/3), 0), classes-1))
	}
	return f
}

// trainOnFirst returns a fold that trains on the first train rows and validates on the
// others.
func trainOnFirst(rows, train int) split.Fold {
	var p split.Fold
	for i := range rows {
		if i < train {
			p.Train = append(p.Train, int32(i))
		} else {
			p.Validation = append(p.Validation, int32(i))
		}
	}
	return p
}

// newFitter calls New with the bins of f, unless opts has bins.
func newFitter(tb testing.TB, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	tb.Helper()
	if opts.Bins == nil {
		bins, err := tree.NewBinnedMatrix(tb.Context(), f, tree.MaxBins, 1)
		if err != nil {
			tb.Fatal(err)
		}
		opts.Bins = bins
	}
	return New(f, fold, opts)
}

// fitAll returns a fitter that has done all its steps.
func fitAll(t *testing.T, f *frame.Frame, fold split.Fold, opts Options) *Fitter {
	t.Helper()
	fitter, err := newFitter(t, f, fold, opts)
	if err != nil {
		t.Fatal(err)
	}
	for done := false; !done; {
		if done, err = fitter.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return fitter
}

func evalPredictions(fitter *Fitter, f *frame.Frame, fold split.Fold, classes int) metric.Predictions {
	p := metric.Predictions{Probabilities: make([]float32, len(fold.Validation)*classes), Classes: classes}
	fitter.PredictValidation(p.Probabilities)
	for _, row := range fold.Validation {
		p.Labels = append(p.Labels, f.Labels[row])
	}
	return p
}

func TestForestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models, which takes long under the race detector")
	}
	for _, c := range []struct {
		name           string
		classes        int
		accuracy, loss float64
	}{
		{"binary", 2, 0.93, 0.25},
		{"five_classes", 5, 0.85, 0.6},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := testFrame(3000, c.classes, 1)
			fold := trainOnFirst(3000, 2000)
			fitter := fitAll(t, f, fold, Options{Classes: c.classes, Workers: 2, trees: 100})
			p := evalPredictions(fitter, f, fold, c.classes)
			if got := metric.Accuracy(p); got < c.accuracy {
				t.Errorf("accuracy = %.4f, want at least %v", got, c.accuracy)
			}
			if got := metric.LogLoss(p); got > c.loss {
				t.Errorf("log loss = %.4f, want at most %v", got, c.loss)
			}
			oob := metric.Accuracy(outOfBag(fitter))
			if math.Abs(oob-metric.Accuracy(p)) > 0.03 {
				t.Errorf("out-of-bag accuracy = %.4f and %.4f on other rows", oob, metric.Accuracy(p))
			}
			checkSums(t, p.Probabilities, c.classes)
		})
	}
}

// outOfBag returns the calibrated out-of-bag predictions of f.
func outOfBag(f *Fitter) metric.Predictions {
	p := f.outOfBagPredictions(f.best, maxOOBValues)
	f.current.temperature.Apply(p.Probabilities, p.Classes)
	return p
}

func checkSums(t *testing.T, probabilities []float32, classes int) {
	t.Helper()
	for i := 0; i < len(probabilities); i += classes {
		sum := 0.0
		for _, q := range probabilities[i : i+classes] {
			sum += float64(q)
		}
		if !(math.Abs(sum-1) < 1e-5) {
			t.Fatalf("row %d sums to %v", i/classes, sum)
		}
	}
}

func TestSameBytesForAnyNumberOfWorkers(t *testing.T) {
	f := testFrame(600, 3, 2)
	var want []byte
	for _, workers := range []int{1, 2, 8} {
		b, err := fitAll(t, f, trainOnFirst(600, 500), Options{Classes: 3, Seed: 7, Workers: workers, trees: 40}).Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = b
		}
		if !bytes.Equal(want, b) {
			t.Errorf("%d workers make a different model than 1", workers)
		}
	}
}

func TestStep(t *testing.T) {
	f := testFrame(400, 3, 3)
	fold := trainOnFirst(400, 300)
	opts := Options{Classes: 3, Workers: 2, trees: 200}

	t.Run("model_agrees_with_the_fitter", func(t *testing.T) {
		fitter := fitAll(t, f, fold, opts)
		p := evalPredictions(fitter, f, fold, 3)
		got := make([]float32, 100*3)
		fitter.Model().Predict(got, f, 300, 400)
		if !slices.Equal(p.Probabilities, got) {
			t.Error("PredictValidation and Predict differ")
		}
	})
	t.Run("model_returns_the_checkpoint", func(t *testing.T) {
		fitter, err := newFitter(t, f, fold, opts)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		fitter.Checkpoint()
		want, _ := fitter.Model().AppendBinary(nil)
		for done := false; !done; {
			if done, err = fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := fitter.Model().AppendBinary(nil); !bytes.Equal(want, got) {
			t.Error("the model of the checkpoint has changed")
		}
	})
	t.Run("before_the_first_step_predicts_frequencies", func(t *testing.T) {
		fitter, err := newFitter(t, f, fold, opts)
		if err != nil {
			t.Fatal(err)
		}
		p := evalPredictions(fitter, f, fold, 3)
		checkSums(t, p.Probabilities, 3)
		got := make([]float32, 100*3)
		fitter.Model().Predict(got, f, 300, 400)
		if !slices.Equal(p.Probabilities, got) {
			t.Error("PredictValidation and Predict differ")
		}
	})
	t.Run("cost_grows", func(t *testing.T) {
		fitter, _ := newFitter(t, f, fold, opts)
		for before := 0.0; ; before = fitter.Cost() {
			done, err := fitter.Step(t.Context())
			if err != nil || fitter.Cost() <= before {
				t.Fatalf("cost %v after %v, error %v", fitter.Cost(), before, err)
			}
			if done {
				break
			}
		}
	})
	t.Run("cancel_stops", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		fitter, _ := newFitter(t, f, fold, opts)
		if _, err := fitter.Step(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}

func TestEdgeCases(t *testing.T) {
	t.Run("refit_without_eval_rows", func(t *testing.T) {
		f := testFrame(200, 2, 4)
		fitter := fitAll(t, f, split.Fold{Train: trainOnFirst(200, 200).Train}, Options{Classes: 2, trees: 20})
		fitter.PredictValidation(nil)
	})
	t.Run("classes_with_zero_and_one_row", func(t *testing.T) {
		f := testFrame(200, 2, 5)
		f.Labels[0] = 2 // class 3 has no row
		fold := trainOnFirst(200, 150)
		p := evalPredictions(fitAll(t, f, fold, Options{Classes: 4, trees: 20}), f, fold, 4)
		checkSums(t, p.Probabilities, 4)
		if loss := metric.LogLoss(p); loss > 1 {
			t.Errorf("log loss %v", loss)
		}
	})
	t.Run("one_row", func(t *testing.T) {
		f := testFrame(20, 2, 6)
		fold := split.Fold{Train: []int32{3}, Validation: []int32{1, 2}}
		checkSums(t, evalPredictions(fitAll(t, f, fold, Options{Classes: 2, trees: 20}), f, fold, 2).Probabilities, 2)
	})
	t.Run("no_features", func(t *testing.T) {
		f := testFrame(50, 2, 7)
		f.Columns, f.Schema.Columns = nil, nil
		fold := trainOnFirst(50, 40)
		checkSums(t, evalPredictions(fitAll(t, f, fold, Options{Classes: 2, trees: 20}), f, fold, 2).Probabilities, 2)
	})
	t.Run("unseen_cells", func(t *testing.T) {
		f := testFrame(300, 3, 8)
		model := fitAll(t, f, trainOnFirst(300, 300), Options{Classes: 3, trees: 20}).Model()
		blind := &frame.Frame{Schema: f.Schema, Rows: 3, Columns: []frame.Column{
			{Floats: []float64{math.Inf(1), -1e300, cells.NaN}},
			{Floats: []float64{cells.NaN, cells.NaN, 1e300}},
			{Codes: []int32{4, frame.Missing, 99}},
		}}
		got := make([]float32, 9)
		model.Predict(got, blind, 0, 3)
		checkSums(t, got, 3)
	})
	t.Run("leaves_per_thousand_limits_leaves", func(t *testing.T) {
		f := testFrame(2000, 2, 9)
		fitter := fitAll(t, f, trainOnFirst(2000, 2000), Options{Classes: 2, trees: 20, LeavesPerThousand: 4})
		for _, m := range fitter.Model().trees() {
			if m.Leaves > 8 {
				t.Errorf("%d leaves, want at most 8", m.Leaves)
			}
		}
	})
	t.Run("invalid_arguments_are_errors", func(t *testing.T) {
		f := testFrame(20, 2, 10)
		for _, opts := range []Options{
			{Classes: 1},
			{Classes: 1 << 16},
			{Classes: 2, Groups: make([]int32, 19)},
			{Classes: 2, Bins: &tree.BinnedMatrix{Rows: 19}},
			{Classes: 2, Monotone: make([]tree.Direction, 1)},
		} {
			if _, err := newFitter(t, f, trainOnFirst(20, 10), opts); err == nil {
				t.Errorf("%+v: no error", opts)
			}
		}
		if _, err := newFitter(t, f, split.Fold{}, Options{Classes: 2}); err == nil {
			t.Error("no error without rows")
		}
		f.Labels[0] = 2
		if _, err := newFitter(t, f, trainOnFirst(20, 10), Options{Classes: 2}); err == nil {
			t.Error("no error for a label that is no class")
		}
	})
}

// TestTreesOfAFoldAndOfAllRows checks that a refit on all rows grows as many trees as the
// training on a fold, and that Progress rises to 1.
func TestTreesOfAFoldAndOfAllRows(t *testing.T) {
	f := testFrame(101_000, 2, 1)
	numTrees := func(train int) int {
		fitter, err := newFitter(t, f, trainOnFirst(f.Rows, train), Options{Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		return fitter.opts.trees
	}
	if fold, all := numTrees(90_000), numTrees(f.Rows); fold != all {
		t.Errorf("%d trees on a fold, %d on all rows", fold, all)
	}
	small := testFrame(300, 2, 1)
	fitter, err := newFitter(t, small, trainOnFirst(300, 200), Options{Classes: 2, trees: 100})
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for done := false; !done; {
		if done, err = fitter.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		if p := fitter.Progress(); !(p >= last && p > 0) {
			t.Errorf("progress fell from %v to %v", last, p)
		} else {
			last = p
		}
	}
	if last != 1 {
		t.Errorf("progress at the end is %v", last)
	}
}

// TestExtraTrees checks that a large table, in which rows near each other have the same class, gets
// trees with random splits that are trained on all rows. The probabilities of these trees must be
// calibrated.
func TestExtraTrees(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models, which takes long under the race detector")
	}
	const features, centres = 6, 40
	// newClusters returns rows that have the class of the nearest centre.
	newClusters := func(rows int) *frame.Frame {
		rng := rand.New(rand.NewPCG(7, 1))
		var centre [centres][features]float64
		for i := range centre {
			for j := range features {
				centre[i][j] = rng.NormFloat64()
			}
		}
		f := &frame.Frame{Schema: &frame.Schema{}, Rows: rows, Labels: make([]int32, rows)}
		for range features {
			f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: "x"})
			f.Columns = append(f.Columns, frame.Column{Floats: make([]float64, rows)})
		}
		for row := range rows {
			nearest := math.Inf(1)
			for j := range features {
				f.Columns[j].Floats[row] = rng.NormFloat64()
			}
			for i := range centre {
				distance := 0.0
				for j := range features {
					d := f.Columns[j].Floats[row] - centre[i][j]
					distance += d * d
				}
				if distance < nearest {
					nearest, f.Labels[row] = distance, int32(i&1)
				}
			}
		}
		return f
	}
	for _, c := range []struct {
		rows, trees int
		allRows     bool
	}{{minExtraTreesRows, 30, true}, {minExtraTreesRows - 1, 60, false}} {
		f := newClusters(c.rows)
		fitter := fitAll(t, f, trainOnFirst(c.rows, c.rows-200), Options{Classes: 2, Workers: 2, trees: 60})
		params := fitter.best.params
		if !params.randomSplits || params.allRows != c.allRows || fitter.best.trees != c.trees {
			t.Errorf("%d rows: %d trees with %+v, want %d with random splits, allRows %v", c.rows, fitter.best.trees, params, c.trees, c.allRows)
		}
		p := metric.Predictions{Probabilities: make([]float32, 2*200), Labels: f.Labels[c.rows-200:], Classes: 2}
		fitter.PredictValidation(p.Probabilities)
		temperature, err := metric.FitTemperature(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if c.allRows && (temperature < 0.8 || temperature > 1.25) {
			t.Errorf("%d rows: the probabilities need the temperature %v", c.rows, temperature)
		}
	}
}
