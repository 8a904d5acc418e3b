package neural

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// testTable is converted to a frame by its method frame: numeric columns, then
// categorical columns with the given numbers of levels, and the classes "a", "b", ….
type testTable struct {
	floats [][]float64
	codes  [][]int32
	levels []int
	labels []int32
	class  int
}

func (t testTable) frame() *frame.Frame {
	f := &frame.Frame{Schema: &frame.Schema{ID: "id", Label: "label"}, Rows: len(t.labels), Labels: t.labels}
	for _, c := range t.floats {
		f.Columns = append(f.Columns, frame.Column{Floats: c})
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Kind: frame.Numeric})
	}
	for i, c := range t.codes {
		f.Columns = append(f.Columns, frame.Column{Codes: c})
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Kind: frame.Category, Levels: make([]string, t.levels[i])})
	}
	f.Schema.Classes = make([]string, t.class)
	return f
}

// mixedFrame returns a frame of every kind of column: numbers with and without
// missing values, few levels and many, a constant, a column without values.
func mixedFrame(rows, classes int) *frame.Frame {
	rng := rand.New(rand.NewPCG(5, 6))
	t := testTable{class: classes, levels: []int{3, 40, 1}, floats: make([][]float64, 4), codes: make([][]int32, 3)}
	for i := range rows {
		v := rng.NormFloat64()
		gap := rng.NormFloat64()
		if i%7 == 0 {
			gap = math.NaN()
		}
		few, many := int32(rng.IntN(5)-1), int32(rng.IntN(41))
		for c, v := range []float64{v, gap, 3, math.NaN()} {
			t.floats[c] = append(t.floats[c], v)
		}
		for c, v := range []int32{few, many, 0} {
			t.codes[c] = append(t.codes[c], v)
		}
		label := 0
		if v+float64(few) > 0 {
			label = 1 + int(many)%(classes-1)
		}
		t.labels = append(t.labels, int32(label))
	}
	return t.frame()
}

func rowRange(lo, hi int) []int32 {
	rows := make([]int32, 0, hi-lo)
	for i := lo; i < hi; i++ {
		rows = append(rows, int32(i))
	}
	return rows
}

// fitAll returns a fitter that has done all its steps.
func fitAll(t *testing.T, f *frame.Frame, fold split.Fold, o Options) *Fitter {
	t.Helper()
	n, err := New(t.Context(), f, fold, o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		done, err := n.Step(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if done {
			return n
		}
	}
}

// accuracy returns the fraction of validation rows whose most probable class is
// the label.
func accuracy(t *testing.T, n *Fitter, f *frame.Frame, fold split.Fold) float64 {
	t.Helper()
	p := make([]float32, len(fold.Validation)*n.opts.Classes)
	n.PredictValidation(p)
	right := 0
	for i, r := range fold.Validation {
		row := p[i*n.opts.Classes : (i+1)*n.opts.Classes]
		sum := float32(0)
		for _, v := range row {
			sum += v
		}
		if math.Abs(float64(sum)-1) > 1e-5 {
			t.Fatalf("probabilities of row %d sum to %v", r, sum)
		}
		if int32(slices.Index(row, slices.Max(row))) == f.Labels[r] {
			right++
		}
	}
	return float64(right) / float64(len(fold.Validation))
}

func TestAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	xor := testTable{class: 2, floats: make([][]float64, 2)}
	sum := testTable{class: 3, floats: make([][]float64, 3)}
	levels := testTable{class: 2, codes: make([][]int32, 2), levels: []int{30, 2}}
	for range 1200 {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		xor.floats[0], xor.floats[1] = append(xor.floats[0], a), append(xor.floats[1], 1000*b)
		xor.labels = append(xor.labels, map[bool]int32{true: 1}[(a > 0) != (b > 0)])
		for i, v := range []float64{a, b, c} {
			sum.floats[i] = append(sum.floats[i], v)
		}
		s := int32(0)
		if z := a - b + 2*c; z > 1 {
			s = 2
		} else if z > -1 {
			s = 1
		}
		sum.labels = append(sum.labels, s)
		x, y := int32(rng.IntN(30)), int32(rng.IntN(2))
		levels.codes[0], levels.codes[1] = append(levels.codes[0], x), append(levels.codes[1], y)
		levels.labels = append(levels.labels, (x/3+y)%2)
	}
	fold := split.Fold{Train: rowRange(0, 900), Validation: rowRange(900, 1200)}
	for name, tt := range map[string]struct {
		testTable
		want float64
	}{"exclusive_or": {xor, 0.97}, "linear_rule": {sum, 0.95}, "levels": {levels, 0.95}} {
		t.Run(name, func(t *testing.T) {
			f := tt.frame()
			n := fitAll(t, f, fold, Options{Classes: tt.class, Seed: 1, samples: 25_000, members: 2, width: 32, embedding: 4})
			if got := accuracy(t, n, f, fold); got < tt.want {
				t.Errorf("accuracy %.3f, want %.2f", got, tt.want)
			}
		})
	}
}

// TestGradient compares the gradient of every parameter with the central difference of
// the loss, (loss(p+h) − loss(p−h)) / 2h.
func TestGradient(t *testing.T) {
	f := mixedFrame(40, 3)
	n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 40)}, Options{Classes: 3, Seed: 3, members: 2, width: 5, layers: 2, embedding: 2, knots: 6})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for i := range n.params {
		n.params[i] += float32(rng.NormFloat64()) * 0.3
	}
	rows := rowRange(0, 40)
	defer n.acquireWorkspace()()
	packed := &n.workspace.packed
	a := &backprop{}
	a.resize(n.layout, n.encoder, len(rows))
	a.grad = make([]float32, n.layout.params)
	quiet := &dropout{}
	pack := func() { n.packParams(n.params) }
	loss := func() float64 {
		pack()
		a.forward(packed, f, rows, quiet)
		sum := 0.0
		for m := range n.layout.members {
			for j, r := range rows {
				row := a.logits[(m*len(rows)+j)*3:][:3]
				total := 0.0
				for _, v := range row {
					total += math.Exp(float64(v))
				}
				sum += math.Log(total) - float64(row[f.Labels[r]])
			}
		}
		return sum / 40 / float64(n.layout.members)
	}
	pack()
	a.computeGradient(packed, batchPart{f, rows, 1.0 / 40}, quiet)
	grad := slices.Clone(a.grad)
	wrong := 0
	for i := range n.params {
		const h = 1e-3
		was := n.params[i]
		n.params[i] = was + h
		up := loss()
		n.params[i] = was - h
		down := loss()
		n.params[i] = was
		if want := (up - down) / (2 * h); math.Abs(want-float64(grad[i])) > 2e-3+0.02*math.Abs(want) {
			wrong++
			t.Logf("parameter %d of %d: gradient %v, central difference %v", i, n.layout.params, grad[i], want)
		}
	}
	// A few central differences are wrong: those for which the output of a ReLU is 0 at
	// one of p±h and positive at the other.
	if wrong > n.layout.params/100 {
		t.Errorf("%d of %d gradients differ from the central difference", wrong, n.layout.params)
	}
}

func TestSameBytes(t *testing.T) {
	f := mixedFrame(700, 4)
	fold := split.Fold{Train: rowRange(0, 600), Validation: rowRange(600, 700)}
	var first []byte
	for _, workers := range []int{1, 1, 2, 8} {
		n := fitAll(t, f, fold, Options{Classes: 4, Seed: 11, Workers: workers, samples: 2000, batch: 300, width: 24, members: 3, steps: 4})
		b, err := n.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Errorf("a different model with %d workers", workers)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	f := mixedFrame(300, 2)
	n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 300)}, Options{Classes: 2, Seed: 2, samples: 3000, width: 32, steps: 3})
	if err != nil {
		t.Fatal(err)
	}
	bytesOf := func() []byte {
		b, err := n.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	step := func() {
		if _, err := n.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	step()
	one := bytesOf()
	n.Checkpoint()
	step()
	if !bytes.Equal(bytesOf(), one) {
		t.Error("a step changed the model of the checkpoint")
	}
	n.Checkpoint()
	if bytes.Equal(bytesOf(), one) {
		t.Error("Checkpoint stored nothing")
	}
}

func TestDegenerateData(t *testing.T) {
	nan := math.NaN()
	for name, tt := range map[string]testTable{
		"one_row":             {class: 2, labels: []int32{1}, floats: [][]float64{{1}}},
		"classes_of_0_1_2":    {class: 4, labels: []int32{1, 2, 2, 3, 3, 3}, floats: [][]float64{{1, 2, 3, 4, 5, 6}}},
		"all_missing":         {class: 2, labels: []int32{0, 1, 0, 1}, floats: [][]float64{{nan, nan, nan, nan}}},
		"constant":            {class: 2, labels: []int32{0, 1, 0, 1}, codes: [][]int32{{0, 0, 0, 0}}, levels: []int{1}},
		"no_columns":          {class: 2, labels: []int32{0, 1, 0, 1}},
		"huge_and_tiny":       {class: 2, labels: []int32{0, 1, 0, 1}, floats: [][]float64{{1e308, -1e308, 5e-324, 0}, {5e-324, 0, 5e-324, 0}}},
		"a_thousand_classes":  {class: 1000, labels: []int32{0, 999, 500, 1}, floats: [][]float64{{0, 1, 2, 3}}},
		"missing_or_one_text": {class: 2, labels: []int32{0, 1, 0, 1}, codes: [][]int32{{-1, 0, -1, 0}}, levels: []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			f := tt.frame()
			fold := split.Fold{Train: rowRange(0, f.Rows), Validation: rowRange(0, f.Rows)}
			n := fitAll(t, f, fold, Options{Classes: tt.class, Seed: 4, samples: 200, width: 16, steps: 2})
			accuracy(t, n, f, fold)
			for _, v := range n.params {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatal("a weight is not finite")
				}
			}
		})
	}
}

func TestNonFiniteGradientIsAnError(t *testing.T) {
	f := mixedFrame(100, 2)
	n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 100)}, Options{Classes: 2, Seed: 4, width: 16})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n.params {
		n.params[i] = 1e30
	}
	params, mean := slices.Clone(n.params), slices.Clone(n.mean)
	if _, err := n.Step(t.Context()); !errors.Is(err, errDiverged) {
		t.Errorf("got %v, want %v", err, errDiverged)
	}
	if !slices.Equal(params, n.params) || !slices.Equal(mean, n.mean) {
		t.Error("an infinite gradient reached the model")
	}
}

func TestCancel(t *testing.T) {
	f := mixedFrame(5000, 3)
	n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 5000)}, Options{Classes: 3, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.Step(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestInvalidOptions(t *testing.T) {
	f := mixedFrame(10, 2)
	if _, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 10)}, Options{Classes: 1}); err == nil {
		t.Error("no error for one class")
	}
	if _, err := New(t.Context(), f, split.Fold{}, Options{Classes: 2}); err == nil {
		t.Error("no error without rows")
	}
}

// TestStepsAreFractionsOfTheSchedule checks that the schedule has equally many steps on
// the rows of a fold and on all rows.
func TestStepsAreFractionsOfTheSchedule(t *testing.T) {
	const rows = 50_000
	f := testTable{class: 2, floats: [][]float64{make([]float64, rows)}, labels: make([]int32, rows)}.frame()
	for i := range rows {
		f.Columns[0].Floats[i], f.Labels[i] = float64(i%97), int32(i%2)
	}
	steps := func(train int) int {
		n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, train)}, Options{Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		return n.schedule.steps
	}
	if fold, all := steps(rows*8/10), steps(rows); fold != all {
		t.Errorf("%d steps on a fold, %d on all rows", fold, all)
	}
}

// TestDoubleSchedule checks that a schedule that is doubled twice keeps the steps that are done, has
// four times as many samples, and trains the same network with any number of workers.
func TestDoubleSchedule(t *testing.T) {
	f := mixedFrame(400, 3)
	train := func(workers int) []byte {
		n, err := New(t.Context(), f, split.Fold{Train: rowRange(0, 400)}, Options{
			Classes: len(f.Schema.Classes), Seed: 3, Workers: workers, samples: 4000, steps: 10, width: 16, batch: 50,
		})
		if err != nil {
			t.Fatal(err)
		}
		last, steps := 0.0, 0
		for done := false; !done; steps++ {
			if steps == 5 || steps == 5+doubledSteps/3 {
				n.DoubleSchedule()
			}
			if done, err = n.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			if p := n.Progress(); p <= last || steps < 5 && math.Abs(p-float64(steps+1)/10) > 1e-12 {
				t.Errorf("after %d steps, the progress is %v; it was %v", steps+1, p, last)
			}
			last = n.Progress()
		}
		if steps != 5+doubledSteps/3+doubledSteps || last != 4 || n.samples != 16_000 || n.schedule.learningRateFactor(n.samples) > 1e-9 {
			t.Errorf("%d steps with %d samples, progress %v, learning rate %v", steps, n.samples, last, n.schedule.learningRateFactor(n.samples))
		}
		b, err := n.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !bytes.Equal(train(1), train(3)) {
		t.Error("the network depends on the number of workers")
	}
}
