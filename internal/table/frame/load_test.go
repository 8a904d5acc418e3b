package frame

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
)

// loadIn is Load with chunks of about size bytes. If size is 0, it reads record by record.
func loadIn(t *testing.T, file []byte, schema *Schema, size int) (*Frame, error) {
	t.Helper()
	return loadAtMost(t, file, schema, size, csvfile.MaxRows)
}

// loadAtMost is loadIn with another limit of the number of rows.
func loadAtMost(t *testing.T, file []byte, schema *Schema, size, maxRows int) (*Frame, error) {
	t.Helper()
	table, err := csvfile.OpenTable(csvfile.NewReader(bytes.NewReader(file), ','))
	if err != nil {
		t.Fatal(err)
	}
	b, err := bindByPosition(table, schema)
	if err != nil {
		t.Fatal(err)
	}
	l := &loader{table: table, decoder: newRowDecoder(schema, b), builder: newFrameBuilder(schema, 0), maxRows: maxRows}
	if size > 0 {
		err = table.RunPipeline(t.Context(), 3, size, func() csvfile.ChunkWorker { return l.newWorker(t.Context()) })
	}
	if err == nil {
		err = l.readRows(t.Context())
	}
	return l.builder.build(schema, true), err
}

// TestTooManyRows loads files at the limit of the number of rows, and above it.
func TestTooManyRows(t *testing.T) {
	schema := &Schema{ID: "id", Label: "y", Fields: []string{"n"}, Classes: []string{"p", "q"}, Columns: []ColumnSchema{{Name: "n"}}}
	file := []byte("id,n,y\n" + strings.Repeat("a,1,p\nb,2,q\n", 5))
	for _, size := range []int{0, 12} {
		if f, err := loadAtMost(t, file, schema, size, 10); err != nil || f.Rows != 10 {
			t.Errorf("chunks of %d bytes: error %v at the limit", size, err)
		}
		var defect *csvfile.Defect
		if _, err := loadAtMost(t, file, schema, size, 9); !errors.As(err, &defect) || defect.Code != csvfile.CodeTooManyRows {
			t.Errorf("chunks of %d bytes: error %v above the limit", size, err)
		}
	}
}

// TestChunksAreLoadedAsRecords checks that chunks and records yield the same features.
func TestChunksAreLoadedAsRecords(t *testing.T) {
	schema := &Schema{ID: "id", Label: "y", Fields: []string{"n", "m", "c", "x"}, Classes: []string{"p", "q\""}, Columns: []ColumnSchema{
		{Name: "n"},
		DeriveFeature(ColumnSchema{Name: "n.text", Kind: Category, Levels: []string{"?", "1.50", "abc"}}, "n", ExtractText),
		{Name: "m", Feature: ExtractAmount, Unit: "%"},
		{Name: "c", Kind: Category, Levels: []string{"", "a, b", "é"}},
		DeriveFeature(ColumnSchema{Name: "time"}, "x", ExtractTime),
		DeriveFeature(ColumnSchema{Name: "hour"}, "x", ExtractHour),
	}}
	cells := []string{
		"1", "-1", "+1", "-0", "007", "1.50", ".5", "5.", "1e3", "1E-3", "1e999", "12345678", "123456789.123456789", "-9999999.99999999",
		"0.1", " 7 ", "\t7", `"1,234.5"`, `"7"`, `" 7"`, `""`, `"a, b"`, `"q"""`, "é", "?", "abc", "nan", "-inf", "1_000", "0x1F", "５",
		"5%", "(5%)", "50 %", "$5", "1:30", "2020-01-02", "20200102", "2020-01-02T03:04:05Z", "31/12/99", "\"two\nlines\"", "\"two\r\n\"\"lines\"\"\"", "",
	}
	rng := rand.New(rand.NewPCG(21, 22))
	for round := range 300 {
		file := []byte("id,n,m,c,x,y")
		for i := range 40 {
			file = append(file, []string{"\n", "\r\n", "\r", "\n\n"}[rng.IntN(4)]...)
			file = fmt.Append(file, i)
			for range 4 {
				file = append(append(file, ','), cells[rng.IntN(len(cells))]...)
			}
			file = append(append(file, ','), []string{"p", `"p"`, `"q"""`, "p"}[rng.IntN(4)]...)
		}
		if round%5 == 0 {
			file = append(file, "\n41,,,,,r\n"...) // a label that is unknown
		}
		want, wantErr := loadIn(t, file, schema, 0)
		got, gotErr := loadIn(t, file, schema, 1+rng.IntN(600))
		if fmt.Sprint(wantErr) != fmt.Sprint(gotErr) {
			t.Fatalf("%q: %v, want %v", file, gotErr, wantErr)
		}
		if wantErr != nil {
			continue
		}
		for i := range schema.Columns {
			a, b := numbersOf(want, i), numbersOf(got, i)
			for row := range a {
				if a[row] != b[row] && !(math.IsNaN(a[row]) && math.IsNaN(b[row])) {
					t.Fatalf("%q: row %d of %s is %v, want %v", file, row, schema.Columns[i].Name, b[row], a[row])
				}
			}
		}
		if fmt.Sprint(want.Rows, want.Labels) != fmt.Sprint(got.Rows, got.Labels) {
			t.Fatalf("%q: labels %v, want %v", file, got.Labels, want.Labels)
		}
	}
}

// numbersOf returns the numbers of a numeric column, or the codes of a category.
func numbersOf(f *Frame, column int) []float64 {
	c := &f.Columns[column]
	if c.IsNumeric() {
		return append([]float64(nil), c.Values(make([]float64, f.Rows), 0, f.Rows)...)
	}
	codes := make([]float64, f.Rows)
	for row, code := range c.Codes {
		codes[row] = float64(code)
	}
	return codes
}
