package model_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"foretell/internal/learn/boost"
	"foretell/internal/learn/model"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// BenchmarkExplainTrees explains 1,000 rows of 28 numbers with a model of 300 trees of 31
// leaves, and reports the time for one row. docs/bench/explain.sh does the same with
// LightGBM, and docs/bench/explain.py with XGBoost. If FORETELL_BENCH_TABLE is set, the
// training table is written to this file.
func BenchmarkExplainTrees(b *testing.B) {
	const rows, columns, trees, explained = 20_000, 28, 300, 1000
	f := numberFrame(rows, columns)
	if path := os.Getenv("FORETELL_BENCH_TABLE"); path != "" {
		writeNumbers(b, path, f)
	}
	fit := trainTrees(b, f, rowNumbers(rows), trees)
	m := model.New(model.Parts{
		Schema: f.Schema, Algorithm: "BSIX01", Members: []model.Member{{Algorithm: model.SIX01, Weight: 1, Predictor: fit.Model()}}, Temperature: 1, Background: f.Take(rowNumbers(backgroundRows)),
	})
	benchmarkExplain(b, m, f.Take(rowNumbers(explained)))
}

// trainTrees returns a fitter that has trained rounds of boosting with trees of 31 leaves on the given
// rows of f.
func trainTrees(b *testing.B, f *frame.Frame, rows []int32, rounds int) *boost.Fitter {
	b.Helper()
	bins, err := tree.NewBinnedMatrix(b.Context(), f, tree.MaxBins, 2)
	if err != nil {
		b.Fatal(err)
	}
	fit, err := boost.NewLeafwise(f, split.Fold{Train: rows}, boost.Options{Classes: len(f.Schema.Classes), Bins: bins, Leaves: 31, Workers: 2})
	if err != nil {
		b.Fatal(err)
	}
	for fit.Rounds() < rounds {
		if _, err := fit.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	return fit
}

// writeNumbers writes a table with the label first and no header, as docs/bench/explain.sh
// reads it.
func writeNumbers(b *testing.B, path string, f *frame.Frame) {
	b.Helper()
	var text []byte
	for row := range f.Rows {
		text = strconv.AppendInt(text, int64(f.Labels[row]), 10)
		for i := range f.Columns {
			text = strconv.AppendFloat(append(text, ','), f.Columns[i].Floats[row], 'g', -1, 64)
		}
		text = append(text, '\n')
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkExplainBlend explains rows of 20 columns with a blend of four algorithms,
// which are trained until they no longer improve.
func BenchmarkExplainBlend(b *testing.B) {
	f := numberFrame(1000, 20)
	parts := trainedParts(b, f, 1)[model.Blend]
	parts.Temperature = 1
	benchmarkExplain(b, model.New(parts), f.Take(rowNumbers(64)))
}

func benchmarkExplain(b *testing.B, m *model.Model, f *frame.Frame) {
	b.Helper()
	for b.Loop() {
		if _, err := m.Explain(b.Context(), f, model.ExplainOptions{Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N*f.Rows), "ms/row")
}

// numberFrame returns rows of random numbers and a class that depends on them.
func numberFrame(rows, columns int) *frame.Frame {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{ID: "id", Label: "y", Classes: []string{"no", "yes"}}, Labels: make([]int32, rows)}
	score := make([]float64, rows)
	for i := range columns {
		values := make([]float64, rows)
		for row := range values {
			values[row] = rng.NormFloat64()
			score[row] += values[row] * float64(columns-i) / float64(columns)
			if i > 0 {
				score[row] += values[row] * f.Columns[i-1].Floats[row] / 2
			}
		}
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: string(rune('a' + i))})
		f.Columns = append(f.Columns, frame.Column{Floats: values})
	}
	for row := range score {
		if score[row]+rng.NormFloat64() > 0 {
			f.Labels[row] = 1
		}
	}
	return f
}
