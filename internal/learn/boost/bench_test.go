package boost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// The benchmarks in this file fit whole models. These environment variables change them:
//
//	FORETELL_CSV      labelled CSV file to train on, generated numbers by default
//	FORETELL_ROUNDS   rounds of boosting, 100 by default
//	FORETELL_WORKERS  goroutines, 2 by default

func envInt(name string, otherwise int) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return cmp.Or(n, otherwise)
}

// speedFrame returns the frame on which the benchmarks train.
func speedFrame(tb testing.TB) *frame.Frame {
	tb.Helper()
	path := os.Getenv("FORETELL_CSV")
	if path == "" {
		return noiseFrame(100_000, 28)
	}
	read := func(do func(src *os.File) error) {
		src, err := os.Open(path)
		if err != nil {
			tb.Fatal(err)
		}
		defer src.Close()
		if err := do(src); err != nil {
			tb.Fatal(err)
		}
	}
	var prof *profile.Profile
	var f *frame.Frame
	read(func(src *os.File) (err error) {
		prof, err = profile.Scan(tb.Context(), src, profile.ScanOptions{})
		return err
	})
	read(func(src *os.File) (err error) {
		f, err = frame.Load(tb.Context(), src, prof.Schema, frame.LoadOptions{Labelled: true, Rows: prof.Rows})
		return err
	})
	return f
}

// noiseFrame returns a frame of numeric columns. Some of them determine the class.
func noiseFrame(rows, columns int) *frame.Frame {
	draw := rand.New(rand.NewPCG(uint64(rows), uint64(columns)))
	f := &frame.Frame{
		Schema: &frame.Schema{Columns: make([]frame.ColumnSchema, columns), Classes: make([]string, 2)},
		Rows:   rows, Columns: make([]frame.Column, columns), Labels: make([]int32, rows),
	}
	for i := range f.Columns {
		f.Columns[i].Floats = make([]float64, rows)
		for row := range rows {
			f.Columns[i].Floats[row] = draw.NormFloat64()
		}
	}
	for row := range rows {
		x := draw.NormFloat64()
		for i := range min(columns, 8) {
			x += math.Abs(f.Columns[i].Floats[row]) - 0.8
		}
		if x > 0 {
			f.Labels[row] = 1
		}
	}
	return f
}

// allRows returns a fold that trains on every row and validates on none.
func allRows(rows int) split.Fold {
	fold := split.Fold{Train: make([]int32, rows)}
	for row := range fold.Train {
		fold.Train[row] = int32(row)
	}
	return fold
}

// BenchmarkFit fits trees as XGBoost and LightGBM do with 255 bins, 31 leaves and a
// learning rate of 0.1: every row and feature in every tree. It reports the seconds with
// and without binning, and how many million cells (rows × features × trees) are processed
// in a second.
func BenchmarkFit(b *testing.B) {
	f := speedFrame(b)
	classes := len(f.Schema.Classes)
	rounds, workers := envInt("FORETELL_ROUNDS", 100), envInt("FORETELL_WORKERS", 2)
	for name, make := range constructors {
		b.Run(name, func(b *testing.B) {
			var binning, fitting time.Duration
			for b.Loop() {
				began := time.Now()
				bins, err := tree.NewBinnedMatrix(b.Context(), f, tree.MaxBins, workers)
				if err != nil {
					b.Fatal(err)
				}
				binning += time.Since(began)
				began = time.Now()
				fitter, err := make(b.Context(), f, allRows(f.Rows), Options{
					Classes: classes, Workers: workers, Bins: bins, Buckets: tree.MaxBins - 1,
					Leaves: 31, depth: 5, learningRate: 0.1, rowFraction: 1, featureFraction: 1, l2: 1, minRows: 1,
				})
				if err != nil {
					b.Fatal(err)
				}
				for fitter.Rounds() < rounds {
					if _, err := fitter.Step(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
				fitting += time.Since(began)
			}
			trees := float64(rounds * numOutputs(classes))
			n := float64(b.N)
			b.ReportMetric((binning+fitting).Seconds()/n, "fit-s")
			b.ReportMetric(fitting.Seconds()/n, "rounds-s")
			b.ReportMetric(n*float64(f.Rows*len(f.Columns))*trees/1e6/(binning+fitting).Seconds(), "Mcells/s")
		})
	}
}

// BenchmarkFold trains on four fifths of the rows with the default options and validates
// on the last fifth. It reports the lowest log loss of all rounds. For the round with this
// log loss, it also reports the number, the error rate and the seconds since the start.
// FORETELL_OPTIONS=depth=8,learningRate=0.2 changes the options; FORETELL_ROUNDS limits
// the rounds.
func BenchmarkFold(b *testing.B) {
	f := speedFrame(b)
	opts := Options{Classes: len(f.Schema.Classes), Workers: envInt("FORETELL_WORKERS", 2)}
	for _, change := range strings.Split(os.Getenv("FORETELL_OPTIONS"), ",") {
		name, value, _ := strings.Cut(change, "=")
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue
		}
		setOption(b, &opts, name, number)
	}
	for name, make := range constructors {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				foldRun(b, f, make, opts)
			}
		})
	}
}

// setOption sets the option with the given name.
func setOption(b *testing.B, opts *Options, name string, value float64) {
	b.Helper()
	numbers := map[string]*float64{"learningRate": &opts.learningRate, "l2": &opts.l2, "featureFraction": &opts.featureFraction, "rowFraction": &opts.rowFraction}
	integers := map[string]*int{"leaves": &opts.Leaves, "buckets": &opts.Buckets, "depth": &opts.depth, "minRows": &opts.minRows}
	if field := numbers[name]; field != nil {
		*field = value
	} else if field := integers[name]; field != nil {
		*field = int(value)
	} else {
		b.Fatalf("FORETELL_OPTIONS: unknown option %q", name)
	}
}

func foldRun(b *testing.B, f *frame.Frame, open func(context.Context, *frame.Frame, split.Fold, Options) (*Fitter, error), opts Options) {
	b.Helper()
	var fold split.Fold
	for row, i := range rand.New(rand.NewPCG(1, 1)).Perm(f.Rows) {
		if i%5 == 0 {
			fold.Validation = append(fold.Validation, int32(row))
		} else {
			fold.Train = append(fold.Train, int32(row))
		}
	}
	began := time.Now()
	fitter, err := open(b.Context(), f, fold, opts)
	if err != nil {
		b.Fatal(err)
	}
	p := make([]float32, len(fold.Validation)*opts.Classes)
	best, at, missed, took, work := math.Inf(1), 0, 0.0, 0.0, 0.0
	for most := envInt("FORETELL_ROUNDS", 5000); fitter.Rounds() < most && fitter.Rounds() < at+max(100, at/4); {
		done, err := fitter.Step(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		fitter.PredictValidation(p)
		loss, wrong := 0.0, 0.0
		for i, row := range fold.Validation {
			one := p[i*opts.Classes : (i+1)*opts.Classes]
			right := one[f.Labels[row]]
			loss -= math.Log(max(float64(right), 1e-9)) / float64(len(fold.Validation))
			if slices.Max(one) > right {
				wrong += 1 / float64(len(fold.Validation))
			}
		}
		if loss < best*(1-1e-4) {
			best, at, missed, took, work = loss, fitter.Rounds(), wrong, time.Since(began).Seconds(), fitter.Cost()/1e9
		}
		if done {
			break
		}
	}
	b.ReportMetric(best, "logloss")
	b.ReportMetric(missed, "error")
	b.ReportMetric(float64(at), "rounds")
	b.ReportMetric(took, "s")
	b.ReportMetric(work, "work-s")
}

// BenchmarkPredict predicts with 300 trees of 31 leaves on 28 columns, in one goroutine.
func BenchmarkPredict(b *testing.B) {
	for name, make := range constructors {
		b.Run(name, func(b *testing.B) {
			f := noiseFrame(20_000, 28)
			fitter, err := make(b.Context(), f, allRows(f.Rows), Options{Classes: 2, Workers: 2, Leaves: 31})
			if err != nil {
				b.Fatal(err)
			}
			for fitter.Rounds() < 300 {
				if _, err := fitter.Step(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			m := fitter.Model()
			var dst [2 * 20_000]float32
			b.ResetTimer()
			for b.Loop() {
				m.Predict(dst[:], f, 0, f.Rows)
			}
			b.ReportMetric(float64(b.N)*float64(f.Rows)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
