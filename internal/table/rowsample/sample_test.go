package rowsample

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"foretell/internal/spill"
)

// TestSampleOfWideTable samples more rows than fit in memory, up to a thousand, and checks
// that the statistics are computed from all of them.
func TestSampleOfWideTable(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of cells, in one goroutine")
	}
	const fields = groupFields + 10 // a whole group and a part of a group
	disk := spill.New(t.TempDir())
	defer disk.Close()
	s := New(fields, 0, -1, false, disk)
	s.capacity = 20
	draw := rand.New(rand.NewPCG(1, 2))
	row, columns := make([][]byte, fields), make([][]string, fields)
	add := func(number int) {
		for i := range row {
			cell := fmt.Sprint(draw.IntN(400) - 200)
			switch {
			case draw.IntN(10) == 0:
				cell = ""
			case i%3 == 0:
				cell = "t" + cell
			}
			row[i], columns[i] = []byte(cell), append(columns[i], cell)
		}
		s.Add(row, number)
	}
	for number := range maxWideRows {
		add(number)
	}
	if !s.HasAllRows() || len(s.rowNumbers) > s.capacity {
		t.Fatalf("complete: %v, with %d rows in memory", s.HasAllRows(), len(s.rowNumbers))
	}
	figures, err := s.FieldStats(t.Context(), func(field int) bool { return field != 5 })
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < fields; i++ {
		want := naiveStats(columns[i])
		if i == 5 {
			want = FieldStats{}
		}
		got := figures[i]
		if got.Numbers == 0 {
			got.Median = 0 // instead of NaN
		}
		got.Percentiles = nil // tested in package preparation
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("field %d: %+v, want %+v", i, got, want)
		}
	}
	if add(maxWideRows); s.HasAllRows() {
		t.Error("a row more is kept")
	}
}

// naiveStats computes the statistics of the cells of a column by a simple implementation. The median
// is 0 if there are no numbers.
func naiveStats(cells []string) FieldStats {
	var numbers []float64
	distinct := map[string]bool{}
	for _, cell := range cells {
		distinct[cell] = true
		if value, err := strconv.ParseFloat(cell, 64); err == nil {
			numbers = append(numbers, value)
		}
	}
	delete(distinct, "")
	if len(numbers) == 0 {
		return FieldStats{Texts: len(distinct)}
	}
	slices.Sort(numbers)
	median := (numbers[(len(numbers)-1)/2] + numbers[len(numbers)/2]) / 2
	return FieldStats{Median: median, Numbers: len(distinct)}
}
