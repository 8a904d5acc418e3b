package frame

import (
	"testing"

	"foretell/internal/table/csvfile"
)

// FuzzParseCell checks that any cell of a blind file is parsed without a panic for all
// kinds of features, and that each column gets its row.
func FuzzParseCell(f *testing.F) {
	for _, seed := range []string{"2026-11-21", "$1.5", "a few good words", "\xff\x00", "", "日本12ab", "['good', \"x"} {
		f.Add([]byte(seed))
	}
	schema := &Schema{Columns: []ColumnSchema{
		DeriveFeature(ColumnSchema{Name: "t"}, "a", ExtractTime),
		DeriveFeature(ColumnSchema{Name: "d"}, "a", ExtractDay),
		{Name: "b", Feature: ExtractAmount, DecimalComma: true},
		DeriveFeature(ColumnSchema{Name: "l"}, "c", ExtractLength),
		{Name: "w", Source: "c", Feature: ExtractWord, Word: "good"},
		{Name: "d", Kind: Category, Levels: []string{"x"}},
		{Name: "i", Source: "c", Feature: ExtractItem, Word: "good", Separator: ","},
		{Name: "p", Source: "d", Kind: Category, Feature: ExtractPrefix, Length: 2, Levels: []string{"x"}},
	}}
	f.Fuzz(func(t *testing.T, cell []byte) {
		c := newRowDecoder(schema, &binding{label: -1, features: []int{1, 1, 2, 3, 3, 4, 3, 4}})
		for range 2 {
			if d := c.decodeRecord(&csvfile.Record{Fields: [][]byte{[]byte("id"), cell, cell, cell, cell}}); d != nil {
				t.Fatal(d)
			}
		}
		for i, column := range c.frame().Columns {
			if len(column.Floats)+len(column.Codes) != 2 {
				t.Errorf("column %d has %d rows", i, len(column.Floats)+len(column.Codes))
			}
			for _, v := range column.Floats {
				if v > 1e308 || v < -1e308 {
					t.Errorf("column %d: %v", i, v)
				}
			}
		}
	})
}
