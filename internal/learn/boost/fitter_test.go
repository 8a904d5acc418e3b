package boost

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// constructors are the constructors of both kinds of fitters. They set Options.Bins and
// Options.Buckets, unless these are set.
var constructors = map[string]func(context.Context, *frame.Frame, split.Fold, Options) (*Fitter, error){
	"leafwise": func(ctx context.Context, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
		if err := setBins(ctx, f, tree.MaxBins, &opts); err != nil {
			return nil, err
		}
		return NewLeafwise(f, fold, opts)
	},
	"symmetric": func(ctx context.Context, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
		opts.Buckets = cmp.Or(opts.Buckets, 64)
		if err := setBins(ctx, f, opts.Buckets+1, &opts); err != nil {
			return nil, err
		}
		return NewSymmetric(ctx, f, fold, opts)
	},
}

// setBins sets opts.Bins to the bins of f, unless it is set.
func setBins(ctx context.Context, f *frame.Frame, maxBins int, opts *Options) (err error) {
	if opts.Bins == nil {
		opts.Bins, err = tree.NewBinnedMatrix(ctx, f, maxBins, 1)
	}
	return err
}

// testFrame returns a frame of five columns. The class depends on two numeric
// columns, one of them with missing values, and on a categorical column. The
// other two columns are noise.
func testFrame(rows, classes int) *frame.Frame {
	const levels = 40
	draw := rand.New(rand.NewPCG(uint64(rows), uint64(classes)))
	f := &frame.Frame{Rows: rows, Columns: make([]frame.Column, 5), Labels: make([]int32, rows)}
	f.Schema = &frame.Schema{Columns: make([]frame.ColumnSchema, 5), Classes: make([]string, classes)}
	for _, i := range []int{2, 4} {
		f.Schema.Columns[i] = frame.ColumnSchema{Kind: frame.Category, Levels: make([]string, levels)}
	}
	for row := range rows {
		x, y := draw.NormFloat64(), draw.NormFloat64()
		a, b := int32(draw.IntN(levels+2)-1), int32(draw.IntN(levels))
		class := int(math.Abs(x+y)*float64(classes)/3) + int((a+1)%3)
		f.Labels[row] = int32(class % classes)
		if draw.IntN(4) == 0 {
			y = cells.NaN
		}
		f.Columns[0].Floats = append(f.Columns[0].Floats, x)
		f.Columns[1].Floats = append(f.Columns[1].Floats, y)
		f.Columns[2].Codes = append(f.Columns[2].Codes, a)
		f.Columns[3].Floats = append(f.Columns[3].Floats, draw.Float64())
		f.Columns[4].Codes = append(f.Columns[4].Codes, b)
	}
	return f
}

// everyThirdRow returns a fold that validates on every third row.
func everyThirdRow(rows int) split.Fold {
	var fold split.Fold
	for row := range int32(rows) {
		if row%3 == 2 {
			fold.Validation = append(fold.Validation, row)
		} else {
			fold.Train = append(fold.Train, row)
		}
	}
	return fold
}

// fitSteps returns a fitter that has done three steps.
func fitSteps(tb testing.TB, name string, f *frame.Frame, fold split.Fold, opts Options) *Fitter {
	tb.Helper()
	t, err := constructors[name](tb.Context(), f, fold, opts)
	if err != nil {
		tb.Fatal(err)
	}
	for range 3 {
		done, err := t.Step(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		if done {
			break
		}
	}
	return t
}

// variants are both kinds of fitters, each with two classes and with seven.
func variants() map[string]variant {
	all := make(map[string]variant)
	for name := range constructors {
		all[name+"/two_classes"] = variant{name, 2}
		all[name+"/seven_classes"] = variant{name, 7}
	}
	return all
}

type variant struct {
	name    string
	classes int
}

func TestLearning(t *testing.T) {
	for title, way := range variants() {
		t.Run(title, func(t *testing.T) {
			name, classes := way.name, way.classes
			f := testFrame(6000, classes)
			fold := everyThirdRow(f.Rows)
			fitter := fitSteps(t, name, f, fold, Options{Classes: classes, learningRate: 0.2, Workers: 2})
			p := make([]float32, len(fold.Validation)*classes)
			fitter.PredictValidation(p)
			loss := 0.0
			for i, row := range fold.Validation {
				one := p[i*classes : (i+1)*classes]
				loss -= math.Log(float64(one[f.Labels[row]])) / float64(len(fold.Validation))
				sum := float32(0)
				for _, x := range one {
					sum += x
				}
				if math.Abs(float64(sum)-1) > 1e-5 {
					t.Fatalf("probabilities %v sum to %v", one, sum)
				}
			}
			if limit := 0.95 * math.Log(float64(classes)); loss > limit {
				t.Errorf("log loss %.3f, want below %.3f", loss, limit)
			}
			if w := fitter.Cost(); w <= 0 {
				t.Errorf("cost %v, want a positive number", w)
			}
			t.Run("the_model_agrees_with_the_fitter", func(t *testing.T) {
				predicted := make([]float32, f.Rows*classes)
				fitter.Model().Predict(predicted, f, 0, f.Rows)
				for i, row := range fold.Validation {
					for k := range classes {
						got, want := predicted[int(row)*classes+k], p[i*classes+k]
						if math.Abs(float64(got-want)) > 1e-5 {
							t.Fatalf("row %d class %d: model %v, fitter %v", row, k, got, want)
						}
					}
				}
			})
		})
	}
}

func TestModelBytes(t *testing.T) {
	for title, way := range variants() {
		t.Run(title, func(t *testing.T) {
			name, classes := way.name, way.classes
			f := testFrame(900, classes)
			var want []byte
			for _, workers := range []int{1, 1, 2, 8} {
				fitter := fitSteps(t, name, f, everyThirdRow(f.Rows), Options{Classes: classes, Workers: workers, rowFraction: 0.6})
				got, err := fitter.Model().AppendBinary(nil)
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%d workers: model bytes differ", workers)
				}
			}
			var read Model
			used := bytes.Clone(want)
			if err := read.UnmarshalBinary(used); err != nil {
				t.Fatal(err)
			}
			clear(used) // the caller may overwrite the slice afterwards
			if again, err := read.AppendBinary(nil); err != nil || !bytes.Equal(again, want) {
				t.Errorf("bytes differ after reading and writing: %v", err)
			}
			for n := 0; n < len(want); n += 1 + len(want)/300 {
				if err := new(Model).UnmarshalBinary(want[:n]); err == nil {
					t.Fatalf("no error for the first %d of %d bytes", n, len(want))
				}
			}
		})
	}
}

func TestCheckpoint(t *testing.T) {
	for title, way := range variants() {
		t.Run(title, func(t *testing.T) {
			name, classes := way.name, way.classes
			f := testFrame(600, classes)
			fitter := fitSteps(t, name, f, everyThirdRow(f.Rows), Options{Classes: classes})
			fitter.Checkpoint()
			want, _ := fitter.Model().AppendBinary(nil)
			if _, err := fitter.Step(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, _ := fitter.Model().AppendBinary(nil); !bytes.Equal(got, want) {
				t.Error("a step after Checkpoint changed the model")
			}
		})
	}
}

// TestDegenerateData trains on degenerate data; predictions must stay finite
// and sum to 1.
func TestDegenerateData(t *testing.T) {
	faults := map[string]func(f *frame.Frame){
		"column_all_missing": func(f *frame.Frame) {
			for i := range f.Rows {
				f.Columns[0].Floats[i] = cells.NaN
				f.Columns[2].Codes[i] = frame.Missing
			}
		},
		"columns_constant": func(f *frame.Frame) {
			for i := range f.Rows {
				f.Columns[0].Floats[i] = 1
				f.Columns[1].Floats[i] = 1
				f.Columns[2].Codes[i] = 0
				f.Columns[3].Floats[i] = 1
				f.Columns[4].Codes[i] = 0
			}
		},
		"classes_of_0_1_and_2_rows": func(f *frame.Frame) {
			for i := range f.Labels {
				f.Labels[i] = 0
			}
			f.Labels[0], f.Labels[3], f.Labels[4] = 1, 2, 2
		},
		"no_columns": func(f *frame.Frame) { f.Columns = nil; f.Schema.Columns = nil },
		"huge_values": func(f *frame.Frame) {
			for i := range f.Rows {
				f.Columns[0].Floats[i] *= math.MaxFloat64 / 10
			}
		},
	}
	for name := range constructors {
		for fault, spoil := range faults {
			t.Run(name+"/"+fault, func(t *testing.T) {
				f := testFrame(300, 4)
				spoil(f)
				fitter := fitSteps(t, name, f, everyThirdRow(f.Rows), Options{Classes: 4, learningRate: 1})
				checkPredictions(t, fitter.Model(), f, 4)
			})
		}
		t.Run(name+"/one_row", func(t *testing.T) {
			f := testFrame(300, 4)
			fitter := fitSteps(t, name, f, split.Fold{Train: []int32{7}}, Options{Classes: 4})
			checkPredictions(t, fitter.Model(), f, 4)
		})
		t.Run(name+"/unseen_cells", func(t *testing.T) {
			f := testFrame(300, 4)
			m := fitSteps(t, name, f, everyThirdRow(f.Rows), Options{Classes: 4}).Model()
			blind := testFrame(300, 4)
			for i := range blind.Rows {
				blind.Columns[0].Floats[i] = []float64{cells.NaN, math.Inf(1), -1e300}[i%3]
				blind.Columns[2].Codes[i] = int32(30 + i)
				blind.Columns[3].Floats[i] = cells.NaN
			}
			checkPredictions(t, m, blind, 4)
		})
	}
}

func checkPredictions(t *testing.T, m *Model, f *frame.Frame, classes int) {
	t.Helper()
	p := make([]float32, f.Rows*classes)
	m.Predict(p, f, 0, f.Rows)
	for i := 0; i < len(p); i += classes {
		sum := 0.0
		for _, x := range p[i : i+classes] {
			sum += float64(x)
		}
		if math.IsNaN(sum) || math.Abs(sum-1) > 1e-5 {
			t.Fatalf("row %d: invalid probabilities %v", i/classes, p[i:i+classes])
		}
	}
}

func TestErrors(t *testing.T) {
	f := testFrame(30, 2)
	for name := range constructors {
		for fault, change := range map[string]func(*split.Fold, *Options){
			"no_rows":         func(p *split.Fold, _ *Options) { p.Train = nil },
			"one_class":       func(_ *split.Fold, o *Options) { o.Classes = 1 },
			"label_too_large": func(_ *split.Fold, o *Options) { f.Labels[0] = 9 },
			"other_bins":      func(_ *split.Fold, o *Options) { o.Bins = &tree.BinnedMatrix{Rows: 29} },
			"few_groups":      func(_ *split.Fold, o *Options) { o.Groups = make([]int32, 29) },
			"few_directions":  func(_ *split.Fold, o *Options) { o.Monotone = make([]tree.Direction, 4) },
		} {
			fold, opts := everyThirdRow(f.Rows), Options{Classes: 2}
			change(&fold, &opts)
			if _, err := constructors[name](t.Context(), f, fold, opts); err == nil {
				t.Errorf("%s %s: no error", name, fault)
			}
			f.Labels[0] = 0
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		fitter, err := constructors[name](t.Context(), f, everyThirdRow(f.Rows), Options{Classes: 2})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fitter.Step(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: cancelled step returns %v", name, err)
		}
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	data := testFrame(200, 4)
	for name := range constructors {
		b, err := fitSteps(f, name, data, everyThirdRow(data.Rows), Options{Classes: 4}).Model().AppendBinary(nil)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m Model
		if err := m.UnmarshalBinary(b); err != nil {
			return
		}
		m.Predict(make([]float32, 20*m.classes), data, 0, 20)
	})
}

func BenchmarkStep(b *testing.B) {
	for name := range constructors {
		for _, classes := range []int{2, 7} {
			b.Run(name+map[int]string{2: "/two_classes", 7: "/seven_classes"}[classes], func(b *testing.B) {
				f := testFrame(50_000, classes)
				fitter, err := constructors[name](b.Context(), f, everyThirdRow(f.Rows), Options{Classes: classes, Workers: 1})
				if err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := fitter.Step(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*float64(f.Rows)*2/3/b.Elapsed().Seconds(), "rows/s")
				b.ReportMetric(fitter.Cost()/float64(b.Elapsed().Nanoseconds()), "cost/time")
			})
		}
	}
}

// TestOddsComputedTwice checks that the model is the same whether the odds of all rows
// are kept in memory or computed twice.
func TestOddsComputedTwice(t *testing.T) {
	f := testFrame(900, 7)
	model := func(keep bool) string {
		fitter, err := constructors["symmetric"](t.Context(), f, everyThirdRow(f.Rows), Options{Classes: 7})
		if err != nil {
			t.Fatal(err)
		}
		if !keep {
			fitter.booster.(*symmetricBooster).keepsOdds = false
		}
		if _, err := fitter.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
		b, err := fitter.Model().AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if model(true) != model(false) {
		t.Error("models differ")
	}
}

// TestRareFlags trains on a table with one column that can be split and two that cannot.
// If a tree may use only the two, training must go on with the other column.
func TestRareFlags(t *testing.T) {
	const rows = 1000
	draw := rand.New(rand.NewPCG(1, 2))
	f := &frame.Frame{Rows: rows, Columns: make([]frame.Column, 3), Labels: make([]int32, rows)}
	f.Schema = &frame.Schema{Columns: make([]frame.ColumnSchema, 3), Classes: make([]string, 2)}
	for i := range f.Columns {
		f.Columns[i].Floats = make([]float64, rows)
	}
	for row := range rows {
		x := draw.NormFloat64()
		f.Columns[0].Floats[row] = x
		if x+0.3*draw.NormFloat64() > 0 {
			f.Labels[row] = 1
		}
	}
	f.Columns[1].Floats[500], f.Columns[2].Floats[600] = 1, 1
	for name, construct := range constructors {
		fitter, err := construct(t.Context(), f, everyThirdRow(rows), Options{Classes: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for fitter.Rounds() < 30 {
			if done, err := fitter.Step(t.Context()); done || err != nil {
				t.Fatalf("%s: training ended after %d rounds: %v", name, fitter.Rounds(), err)
			}
		}
	}
}
