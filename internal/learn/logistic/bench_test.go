package logistic

import (
	"math/rand/v2"
	"testing"

	"foretell/internal/table/frame"
)

// BenchmarkNew fits a table of 2,400 rows, 36 numbers and 10 classes.
func BenchmarkNew(b *testing.B) {
	const rows, classes = 2400, 10
	rng := rand.New(rand.NewPCG(1, 2))
	f := &frame.Frame{Rows: rows, Schema: &frame.Schema{}, Columns: make([]frame.Column, 36)}
	for i := range f.Columns {
		f.Schema.Columns = append(f.Schema.Columns, frame.ColumnSchema{Name: string(rune('a' + i))})
		for range rows {
			f.Columns[i].Floats = append(f.Columns[i].Floats, rng.NormFloat64())
		}
	}
	for range rows {
		f.Labels = append(f.Labels, rng.Int32N(classes))
	}
	for b.Loop() {
		if _, err := New(b.Context(), f, fold(rows, rows), Options{Classes: classes, Width: 1, Centers: 512, Penalties: []float64{0.5, 0.1, 0.02, 0.004, 0.001}}); err != nil {
			b.Fatal(err)
		}
	}
}
