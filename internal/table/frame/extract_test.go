package frame

import (
	"strings"
	"testing"
	"time"
)

// A model file may contain the same feature twice.
func TestExtractorsFillEveryColumn(t *testing.T) {
	var columns []ColumnSchema
	for _, p := range []Extraction{ExtractLength, ExtractLength, ExtractWords, ExtractWords, ExtractWord, ExtractWord} {
		columns = append(columns, DeriveFeature(ColumnSchema{Name: "x"}, "x", p))
	}
	schema := &Schema{ID: "id", Fields: []string{"x"}, Columns: columns, Classes: []string{"a", "b"}}
	f, err := Load(t.Context(), strings.NewReader("id,x,y\n1,one two,a\n2,,b\n"), schema, LoadOptions{Labelled: true})
	if err != nil || !schema.Valid() {
		t.Fatal(schema.Valid(), err)
	}
	for i := range f.Columns {
		if n := len(f.Columns[i].Values(make([]float64, 2), 0, f.Rows)); n != 2 {
			t.Errorf("column %d has %d rows", i, n)
		}
	}
}

func TestDateFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine, which is slow under the race detector")
	}
	day := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := float64(day.Unix() / 86_400); day.Year() <= 2999; n++ {
		for feature, want := range map[Extraction]float64{
			ExtractTime: n + 0.25, ExtractHour: 6, ExtractWeekday: float64((day.Weekday() + 6) % 7),
			ExtractDay: float64(day.Day()), ExtractMonth: float64(day.Month()),
		} {
			if got := DateFeature(n+0.25, feature); got != want {
				t.Fatalf("%v: %s is %v, want %v", day, feature, got, want)
			}
		}
		day = day.AddDate(0, 0, 1)
	}
}
