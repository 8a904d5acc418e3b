package frame

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// dateSchema is the schema of a table with two dates. The second has the day first.
func dateSchema() *Schema {
	return &Schema{
		ID: "id", Fields: []string{"from", "to"},
		Columns: []ColumnSchema{
			DeriveFeature(ColumnSchema{Name: "to.since.from", Since: "from"}, "to", ExtractSince),
			DeriveFeature(ColumnSchema{Name: "from.time"}, "from", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "to.time", DayFirst: true}, "to", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "to.hour", DayFirst: true}, "to", ExtractHour),
		},
	}
}

// TestDifferencesEqualDurations compares the differences of random dates with those of
// package time. Blocks of any size have the same differences.
func TestDifferencesEqualDurations(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	file, want := "id,from,to\n", []float64{}
	for row := range 2000 {
		from := time.Unix(rng.Int64N(4_000_000_000)-2_000_000_000, 0).UTC()
		to := from.Add(time.Duration(rng.Int64N(200_000_000)-100_000_000) * time.Second)
		cell := [2]string{from.Format("2006-01-02 15:04:05"), to.Format("02.01.2006 15:04:05")}
		days := to.Sub(from).Seconds() / 86400
		if rng.IntN(10) == 0 {
			cell[rng.IntN(2)], days = []string{"", "soon", "12:30"}[rng.IntN(3)], cells.NaN
		}
		file += fmt.Sprintf("%d,%s,%s\n", row, cell[0], cell[1])
		want = append(want, days)
	}
	sameDays := cmp.Comparer(func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	for _, size := range []int{100, csvfile.ChunkSize} {
		blocks, err := readBlocks(t, file, dateSchema(), size)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		for _, b := range blocks {
			got = append(got, b.Frame.Columns[0].Floats...)
		}
		if d := cmp.Diff(want, got, sameDays); d != "" {
			t.Errorf("blocks of %d bytes: %s", size, d)
		}
	}
	loaded, err := Load(t.Context(), strings.NewReader(file), dateSchema(), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := loaded.Columns[0].Values(make([]float64, loaded.Rows), 0, loaded.Rows)
	if d := cmp.Diff(want, got, sameDays); d != "" {
		t.Error(d)
	}
	updated := loaded.WithoutColumn("unknown")
	updated.Columns[0] = Column{}
	updated.Schema.Differences()[0].Recompute(updated)
	if d := cmp.Diff(want, updated.Columns[0].Floats, sameDays); d != "" {
		t.Error(d)
	}
}

func TestDifferencesBelongToTwoColumns(t *testing.T) {
	schema := dateSchema()
	f := &Frame{Schema: schema, Columns: make([]Column, len(schema.Columns))}
	for _, column := range []string{"from", "to"} {
		if rest := f.WithoutColumn(column).Schema; len(rest.Differences()) > 0 || len(rest.SourceColumns()) != 1 || !rest.Valid() {
			t.Errorf("without %q: %+v", column, rest.Columns)
		}
	}
	if d := cmp.Diff([]SourceColumn{{"from", []int{1}}, {"to", []int{2, 3}}}, schema.SourceColumns()); d != "" {
		t.Error(d)
	}
	used := []bool{true, false, false, false}
	schema.MarkDifferenceDates(used)
	if d := cmp.Diff([]bool{true, true, true, false}, used); d != "" {
		t.Error(d)
	}
}
