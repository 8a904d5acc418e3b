package logistic

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"foretell/internal/learn/shapley"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// rings returns a table of two numeric columns, one of them with missing values, a
// categorical column and a constant column. The class of a row is the ring in which the
// two numbers lie.
func rings(rows, classes int, seed uint64) *frame.Frame {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{}, Columns: make([]frame.Column, 4)}
	f.Schema.Columns = []frame.ColumnSchema{{Name: "x"}, {Name: "y"}, {Name: "colour", Kind: frame.Category, Levels: []string{"red", "blue", "green"}}, {Name: "constant"}}
	for range classes {
		f.Schema.Classes = append(f.Schema.Classes, string(rune('a'+len(f.Schema.Classes))))
	}
	for range rows {
		x, y := rng.NormFloat64(), rng.NormFloat64()
		f.Labels = append(f.Labels, int32(min(int(math.Hypot(x, y)), classes-1)))
		if rng.IntN(20) == 0 {
			y = math.NaN()
		}
		f.Columns[0].Floats = append(f.Columns[0].Floats, 1e3*x)
		f.Columns[1].Floats = append(f.Columns[1].Floats, y)
		f.Columns[2].Codes = append(f.Columns[2].Codes, int32(rng.IntN(4)-1))
		f.Columns[3].Floats = append(f.Columns[3].Floats, 7)
	}
	return f
}

func fold(rows, train int) split.Fold {
	var f split.Fold
	for i := range rows {
		if i < train {
			f.Train = append(f.Train, int32(i))
		} else {
			f.Validation = append(f.Validation, int32(i))
		}
	}
	return f
}

func TestFitLearnsASmoothBorder(t *testing.T) {
	for _, classes := range []int{2, 3} {
		f := rings(700, classes, 1)
		fit, err := New(t.Context(), f, fold(700, 400), Options{Classes: classes, Width: 0.5, Centers: 512, Penalties: []float64{1, 0.01}})
		if err != nil {
			t.Fatal(err)
		}
		var losses [2]float64
		for penalty := range losses {
			dst := fit.Validation(penalty)
			for i := range 300 {
				sum := 0.0
				for _, q := range dst[i*classes : (i+1)*classes] {
					sum += float64(q)
				}
				if math.Abs(sum-1) > 1e-5 {
					t.Fatalf("probabilities of row %d add up to %v", i, sum)
				}
				losses[penalty] -= math.Log(float64(dst[i*classes+int(f.Labels[400+i])])) / 300
			}
		}
		t.Logf("%d classes: log losses %.3f", classes, losses)
		if losses[1] > 0.45 {
			t.Errorf("%d classes: log loss %.3f", classes, losses[1])
		}
	}
}

// TestLinear trains on rows whose class is a range of a weighted sum of 20 numbers. A linear
// regression with a small penalty finds the weights; kernels do not.
func TestLinear(t *testing.T) {
	const rows, train, columns, classes = 1000, 600, 20, 4
	rng := rand.New(rand.NewPCG(3, 4))
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{Classes: []string{"a", "b", "c", "d"}, Columns: make([]frame.ColumnSchema, columns)}, Columns: make([]frame.Column, columns)}
	for range rows {
		sum := 2.0
		for j := range columns {
			x := 2*rng.Float64() - 1
			f.Columns[j].Floats = append(f.Columns[j].Floats, 10*x)
			sum += x * float64(j%5) / 4
		}
		f.Labels = append(f.Labels, int32(max(0, min(classes-1, sum))))
	}
	best := map[float64]float64{}
	for _, width := range []float64{0.15, Linear} {
		fit, err := New(t.Context(), f, fold(rows, train), Options{Classes: classes, Width: width, Centers: 512, Penalties: []float64{1, 0.01, 0.001}})
		if err != nil {
			t.Fatal(err)
		}
		best[width] = math.Inf(1)
		for penalty := range 3 {
			loss := 0.0
			for i := range rows - train {
				loss -= math.Log(float64(fit.Validation(penalty)[i*classes+int(f.Labels[train+i])])) / (rows - train)
			}
			best[width] = min(best[width], loss)
		}
	}
	t.Logf("log losses by width: %.3f", best)
	if best[Linear] > 0.15 || best[Linear] > 0.6*best[0.15] {
		t.Errorf("log losses by width: %.3f", best)
	}
}

// TestFewCombinations fits rows with few different combinations of values. The constant is then
// nearly a combination of the features, and the Hessian nearly singular.
func TestFewCombinations(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	for _, c := range []struct{ rows, columns int }{{1500, 3}, {1500, 5}, {2200, 4}, {3000, 3}, {3000, 7}} {
		rng := rand.New(rand.NewPCG(uint64(c.rows), uint64(c.columns)))
		f := &frame.Frame{Rows: c.rows, Schema: &frame.Schema{Classes: []string{"a", "b"}}, Columns: make([]frame.Column, c.columns)}
		f.Schema.Columns = make([]frame.ColumnSchema, c.columns)
		for range c.rows {
			score := -1.0
			for j := range f.Columns {
				x := float64(rng.IntN(2))
				score += x * float64(2*(j%2)-1)
				f.Columns[j].Floats = append(f.Columns[j].Floats, x)
			}
			label := int32(0)
			if rng.Float64() < 1/(1+math.Exp(-score)) {
				label = 1
			}
			f.Labels = append(f.Labels, label)
		}
		all := fold(c.rows, c.rows)
		all.Validation = all.Train
		for _, width := range []float64{0.15, 0.5, 1.5} {
			penalties := []float64{0.5, 0.1, 0.02, 0.004, 0.001}
			fit, err := New(t.Context(), f, all, Options{Classes: 2, Width: width, Centers: 512, Penalties: penalties})
			if err != nil {
				t.Fatal(err)
			}
			for penalty := range penalties {
				if fit.Model(penalty) == nil {
					t.Errorf("%d rows × %d columns, width %v, penalty %v: the fit did not converge", c.rows, c.columns, width, penalties[penalty])
				}
				probabilities := fit.Validation(penalty)
				loss := 0.0
				for i, label := range f.Labels {
					loss -= math.Log(float64(probabilities[2*i+int(label)])) / float64(c.rows)
				}
				if !(loss < math.Ln2) {
					t.Errorf("%d rows × %d columns, width %v, penalty %v: log loss %v on the training rows", c.rows, c.columns, width, penalties[penalty], loss)
				}
			}
		}
	}
}

// TestGradientIsZero checks that the gradient of the penalised loss is zero at the
// solution.
func TestGradientIsZero(t *testing.T) {
	for _, tt := range []struct {
		classes int
		width   float64
	}{{2, 1}, {4, 1}, {2, Linear}, {4, Linear}} {
		classes, width := tt.classes, tt.width
		f := rings(300, classes, 2)
		rows := fold(300, 300)
		e := fitEncoder(f, rows.Train)
		x := make([]float64, 300*e.width)
		e.encode(x, f, rows.Train)
		k := inputFeatures(x, e.width)
		if width != Linear {
			k = incompleteCholesky(t.Context(), x, e.width, 512, 0.2)
		}
		p, err := newLogisticRegression(t.Context(), k, f.Labels, Options{Classes: classes, Width: width, Penalties: []float64{3, 0.3}})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.minimise(t.Context()); err != nil {
			t.Fatal(err)
		}
		copy(p.lookahead, p.params)
		p.computeGradient()
		norm := 0.0
		for j := range p.size {
			for i, penalty := range p.penalties {
				for k := range p.outputs {
					at := j*p.columns + i*p.outputs + k
					norm = max(norm, math.Abs(float64(p.gradient[at])+p.penaltyOf(j, penalty)*p.params[at]))
				}
			}
		}
		if norm > 0.05 {
			t.Errorf("%d classes, width %v: a gradient of 300 rows of %v", classes, width, norm)
		}
	}
}

// TestFactor compares the product of the factor and its transpose with the kernel matrix.
func TestFactor(t *testing.T) {
	f := rings(100, 2, 3)
	rows := fold(100, 100)
	e := fitEncoder(f, rows.Train)
	x := make([]float64, 100*e.width)
	e.encode(x, f, rows.Train)
	k := incompleteCholesky(t.Context(), x, e.width, 512, 0.1)
	for i := range 100 {
		for j := range 100 {
			want := gaussian(x[i*e.width:(i+1)*e.width], x[j*e.width:(j+1)*e.width], 0.1)
			if got := dot32(k.features[i*k.stride:][:k.rank], k.features[j*k.stride:][:k.rank]); math.Abs(got-want) > minResidual {
				t.Fatalf("rows %d and %d: %v, not %v", i, j, got, want)
			}
		}
	}
	for i, center := range k.centers {
		for j := i + 1; j < k.rank; j++ {
			if v := k.features[center*k.stride+j]; v != 0 {
				t.Fatalf("centre %d has %v in column %d", i, v, j)
			}
		}
	}
}

func TestModel(t *testing.T) {
	t.Run("kernel", func(t *testing.T) { checkModel(t, 1) })
	t.Run("linear", func(t *testing.T) { checkModel(t, Linear) })
}

// checkModel trains a model with the given Width, predicts with it, and writes and reads it.
func checkModel(t *testing.T, width float64) {
	t.Helper()
	f := rings(250, 3, 4)
	fit, err := New(t.Context(), f, fold(250, 200), Options{Classes: 3, Width: width, Centers: 512, Penalties: []float64{0.1}})
	if err != nil {
		t.Fatal(err)
	}
	m := fit.Model(0)
	want := fit.Validation(0)
	t.Run("predicts_as_the_fit", func(t *testing.T) {
		got := make([]float32, 150)
		m.Predict(got, f, 200, 250)
		equal(t, got, want)
	})
	t.Run("read_back_is_equal", func(t *testing.T) {
		b, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		var again Model
		if err := again.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 150)
		again.Predict(got, f, 200, 250)
		equal(t, got, want)
		if c, err := again.AppendBinary(nil); err != nil || !bytes.Equal(b, c) {
			t.Errorf("other bytes: %v", err)
		}
		for n := range b {
			if new(Model).UnmarshalBinary(b[:n]) == nil {
				t.Fatalf("no error for %d of %d bytes", n, len(b))
			}
		}
	})
	t.Run("a_path_ends_at_its_rows", func(t *testing.T) {
		path := &shapley.Path{From: 200, To: 201, Steps: 3, Step: []int32{2, 1, 3, 0}}
		got := make([]float32, 12)
		m.Encode(f).PredictPath(got, path)
		equal(t, got[:3], want[:3])
		equal(t, got[9:], want[3:6])
	})
}

func equal(t *testing.T, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("probability %d is %v, not %v", i, got[i], want[i])
		}
	}
}

func TestTooWide(t *testing.T) {
	f := rings(10, 2, 5)
	f.Columns, f.Schema.Columns = f.Columns[3:], f.Schema.Columns[3:]
	if _, err := New(t.Context(), f, fold(10, 8), Options{Classes: 2, Width: 1, Centers: 512, Penalties: []float64{1}}); !errors.Is(err, ErrTooWide) {
		t.Errorf("no inputs: %v", err)
	}
	for inputs, want := range map[int]error{MaxInputs: nil, MaxInputs + 1: ErrTooWide} {
		f := &frame.Frame{Rows: inputs, Schema: &frame.Schema{Classes: []string{"a", "b"}, Columns: make([]frame.ColumnSchema, 1)}, Columns: make([]frame.Column, 1)}
		f.Schema.Columns[0].Kind = frame.Category
		for i := range inputs {
			f.Schema.Columns[0].Levels = append(f.Schema.Columns[0].Levels, strconv.Itoa(i))
			f.Columns[0].Codes = append(f.Columns[0].Codes, int32(i))
			f.Labels = append(f.Labels, int32(i%2))
		}
		if _, err := New(t.Context(), f, fold(inputs, inputs), Options{Classes: 2, Width: 1, Centers: 512, Penalties: []float64{1}}); !errors.Is(err, want) {
			t.Errorf("%d inputs: %v", inputs, err)
		}
	}
}
