package learn

import (
	"bufio"
	"os"
	"testing"

	"foretell/internal/learn/boost"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
)

// BenchmarkBulk measures the prediction of a blind CSV by boosted trees of 31 leaves,
// including the writing of the result:
//
//	FORETELL_CSV=train.csv FORETELL_BLIND=blind.csv go test -run '^$' -bench Bulk -benchtime 1x ./internal/learn
//
// The model is trained on only the first rows of the training file. This does not change
// the time of a prediction, which depends on the shape of the trees.
func BenchmarkBulk(b *testing.B) {
	train, blind := os.Getenv("FORETELL_CSV"), os.Getenv("FORETELL_BLIND")
	if train == "" || blind == "" {
		b.Skip("FORETELL_CSV and FORETELL_BLIND are not set")
	}
	const trees, enough = 300, 50_000
	f := loadTrainFile(b, train)
	rows := make([]int32, min(f.Rows, enough))
	for i := range rows {
		rows[i] = int32(i)
	}
	f = f.Take(rows)
	fit, err := boost.NewLeafwise(b.Context(), f, split.Fold{Train: rows}, boost.Options{
		Classes: len(f.Schema.Classes), Leaves: 31, LearningRate: 0.1, Workers: 2,
	})
	if err != nil {
		b.Fatal(err)
	}
	for fit.Rounds() < trees {
		if _, err := fit.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	m := &Model{schema: f.Schema, algorithm: "BSIX01", temperature: metric.Temperature(1), members: []member{{3, 1, fit.Model()}}}
	predicted := 0
	for b.Loop() {
		predicted += predictToFile(b, m, blind)
	}
	b.ReportMetric(float64(predicted)/b.Elapsed().Seconds(), "rows/s")
}

// predictToFile predicts the file blind and writes the result to a temporary file.
func predictToFile(b *testing.B, m *Model, blind string) int {
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
	rows, err := m.Predict(b.Context(), src, w, PredictOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	return int(rows)
}
