package forest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// TestImportance checks that columns that are unrelated to the label have no positive importance on
// average, even with a category for each row, and that a related column has one.
func TestImportance(t *testing.T) {
	t.Parallel()
	const rows, noise = 1000, 20
	rng := rand.New(rand.NewPCG(4, 2))
	f := &frame.Frame{Schema: &frame.Schema{Classes: []string{"a", "b"}}, Rows: rows, Labels: make([]int32, rows)}
	add := func(schema frame.ColumnSchema, column frame.Column) {
		f.Schema.Columns, f.Columns = append(f.Schema.Columns, schema), append(f.Columns, column)
	}
	related := make([]float64, rows)
	for row := range rows {
		f.Labels[row] = rng.Int32N(2)
		related[row] = rng.NormFloat64() + float64(f.Labels[row])
	}
	add(frame.ColumnSchema{Name: "related"}, frame.Column{Floats: related})
	for range noise {
		values := make([]float64, rows)
		for row := range values {
			values[row] = rng.Float64()
		}
		add(frame.ColumnSchema{Name: "noise"}, frame.Column{Floats: values})
	}
	add(frame.ColumnSchema{Name: "constant"}, frame.Column{Floats: make([]float64, rows)})
	bins, err := tree.NewBinnedMatrix(t.Context(), f, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int32, rows)
	groups := make([]int32, rows)
	for row := range all {
		all[row], groups[row] = int32(row), int32(row/2)
	}
	for _, groups := range [][]int32{nil, groups} {
		importance := func(workers int) []float64 {
			x, err := Importance(t.Context(), f, all, Options{Classes: 2, Bins: bins, Workers: workers, Groups: groups})
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
		x := importance(1)
		if !slices.Equal(x, importance(3)) {
			t.Error("the importance depends on the number of workers")
		}
		sum := 0.0
		for _, value := range x[1 : 1+noise] {
			sum += value
		}
		if x[0] < 8 || slices.Max(x[1:1+noise]) > 3.5 || sum/noise > 0.5 || x[1+noise] != 0 {
			t.Errorf("groups %v: importance %.1f of a related column, %.1f of others", groups != nil, x[0], x[1:])
		}
	}
}
