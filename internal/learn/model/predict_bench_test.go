package model_test

import (
	"bufio"
	"bytes"
	"os"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// BenchmarkBulk measures the prediction of a blind CSV by boosted trees of 31 leaves,
// including the writing of the result:
//
//	FORETELL_CSV=train.csv FORETELL_BLIND=blind.csv go test -run '^$' -bench Bulk -benchtime 1x ./internal/learn/model
//
// The model is trained on only the first rows of the training file. This does not change
// the time of a prediction, which depends on the shape of the trees.
func BenchmarkBulk(b *testing.B) {
	train, blind := os.Getenv("FORETELL_CSV"), os.Getenv("FORETELL_BLIND")
	if train == "" || blind == "" {
		b.Skip("FORETELL_CSV and FORETELL_BLIND are not set")
	}
	const trees, enough = 300, 50_000
	f := loadTable(b, train)
	rows := make([]int32, min(f.Rows, enough))
	for i := range rows {
		rows[i] = int32(i)
	}
	f = f.Take(rows)
	fit := trainTrees(b, f, rows, trees)
	m := model.New(model.Parts{Schema: f.Schema, Algorithm: "BSIX01", Temperature: 1, Members: []model.Member{{Algorithm: model.SIX01, Weight: 1, Predictor: fit.Model()}}})
	predicted := 0
	for b.Loop() {
		predicted += predictToFile(b, m, blind)
	}
	b.ReportMetric(float64(predicted)/b.Elapsed().Seconds(), "rows/s")
}

// predictToFile predicts the file blind and writes the result to a temporary file.
func predictToFile(b *testing.B, m *model.Model, blind string) int {
	b.Helper()
	src, err := os.Open(blind)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	dst, err := os.Create(b.TempDir() + "/result.csv")
	if err != nil {
		b.Fatal(err)
	}
	defer dst.Close()
	w := bufio.NewWriterSize(dst, 1<<20)
	rows, err := m.Predict(b.Context(), src, w, model.PredictOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return int(rows)
}

// loadTable loads a training file.
func loadTable(b *testing.B, path string) *frame.Frame {
	b.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	profile, err := profile.Scan(b.Context(), bytes.NewReader(file), profile.ScanOptions{})
	if err != nil {
		b.Fatal(err)
	}
	f, err := frame.Load(b.Context(), bytes.NewReader(file), profile.Schema, frame.LoadOptions{Labelled: true, Rows: profile.Rows})
	if err != nil {
		b.Fatal(err)
	}
	return f
}
