package tree

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"foretell/internal/frame"
)

func TestDuplicateRows(t *testing.T) {
	for _, columns := range []int{3, 70} { // one row block, and two
		draw := rand.New(rand.NewPCG(1, uint64(columns)))
		const rows = 2000
		f := &frame.Frame{Rows: rows, Columns: make([]frame.Column, columns)}
		for i := range f.Columns {
			f.Columns[i].Floats = make([]float64, rows)
		}
		for row := range rows {
			f.Columns[0].Floats[row] = float64(draw.IntN(10))
			f.Columns[columns-1].Floats[row] = float64(draw.IntN(10))
		}
		bins := mustBins(t, f)
		numbers, n, err := bins.DuplicateRows(t.Context(), 2)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]int32{}
		for row, number := range numbers {
			key := ""
			for _, feature := range bins.Features {
				key += fmt.Sprint(feature.Data[row], " ")
			}
			want, seen := known[key]
			if !seen {
				want = int32(len(known))
				known[key] = want
			}
			if number != want {
				t.Fatalf("%d columns: row %d has number %d, want %d", columns, row, number, want)
			}
		}
		if n != len(known) || len(numbers) != rows {
			t.Errorf("%d columns: %d numbers of %d rows, want %d of %d", columns, n, len(numbers), len(known), rows)
		}
	}
	t.Run("no_numbers_if_rows_are_mostly_unique", func(t *testing.T) {
		f := &frame.Frame{Rows: 200, Columns: make([]frame.Column, 1)}
		for row := range f.Rows {
			f.Columns[0].Floats = append(f.Columns[0].Floats, float64(max(row, 3)))
		}
		if numbers, _, err := mustBins(t, f).DuplicateRows(t.Context(), 1); numbers != nil || err != nil {
			t.Errorf("got numbers, %v", err)
		}
	})
}
