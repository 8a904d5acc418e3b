package frame

import (
	"strings"
	"testing"
)

func TestOrderedFeature(t *testing.T) {
	schema := &Schema{
		ID: "id", Label: "label",
		Fields: []string{"age", "city", "zip", "price", "born", "day", "note", "same", "hired", "left"},
		Columns: []ColumnSchema{
			{Name: "age"},
			DeriveFeature(ColumnSchema{Name: "age.text", Kind: Category, Levels: []string{"old", "unknown"}}, "age", ExtractText),
			{Name: "city", Kind: Category, Levels: []string{"1", "2"}},
			{Name: "zip"},
			DeriveFeature(ColumnSchema{Name: "zip.code", Kind: Category, Levels: []string{"00123", "1234"}}, "zip", ExtractText),
			{Name: "price", Feature: ExtractAmount, Unit: "$"},
			DeriveFeature(ColumnSchema{Name: "price.text", Kind: Category, Levels: []string{"free"}}, "price", ExtractText),
			DeriveFeature(ColumnSchema{Name: "born.time"}, "born", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "born.month"}, "born", ExtractMonth),
			DeriveFeature(ColumnSchema{Name: "day.time"}, "day", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "note.text", Kind: Text}, "note", ""),
			DeriveFeature(ColumnSchema{Name: "note.length"}, "note", ExtractLength),
			DeriveFeature(ColumnSchema{Name: "hired.time"}, "hired", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "left.time"}, "left", ExtractTime),
			DeriveFeature(ColumnSchema{Name: "left.since.hired", Since: "hired"}, "left", ExtractSince),
		},
	}
	for column, want := range map[string]int{"age": 0, "zip": 3, "price": 5, "day": 9} {
		if got, err := schema.OrderedFeature(column); err != nil || got != want {
			t.Errorf("%s: feature %d, %v, want %d", column, got, err, want)
		}
	}
	for column, want := range map[string]string{
		"id": "is the ID", "label": "is the label; name a column of numbers", "ages": `did you mean "age"?`, "same": "is ignored",
		"city": "is a category", "born": "is a date", "note": "is a text",
		"hired": "is a date whose difference from another date", "left": "is a date whose difference from another date",
	} {
		if at, err := schema.OrderedFeature(column); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: feature %d, error %v, want %q", column, at, err, want)
		}
	}
}

// TestWithoutCodes removes the category of a column of codes, but not that of words among numbers.
func TestWithoutCodes(t *testing.T) {
	f := &Frame{Rows: 2, Schema: &Schema{
		Columns: []ColumnSchema{
			{Name: "age"},
			DeriveFeature(ColumnSchema{Name: "age.text", Kind: Category, Levels: []string{"old"}}, "age", ExtractText),
			{Name: "zip"},
			DeriveFeature(ColumnSchema{Name: "zip.code", Kind: Category, Levels: []string{"00123", "1234"}}, "zip", ExtractText),
			{Name: "city", Kind: Category, Levels: []string{"1", "2"}},
		},
		Fields: []string{"age", "zip", "city"},
	}, Columns: make([]Column, 5)}
	for column, want := range map[string]string{
		"age": "age age.text zip zip.code city", "zip": "age age.text zip city", "city": "age age.text zip zip.code city", "none": "age age.text zip zip.code city",
	} {
		got := f.WithoutCodes(column)
		var names []string
		for _, c := range got.Schema.Columns {
			names = append(names, c.Name)
		}
		if strings.Join(names, " ") != want || len(got.Columns) != len(names) {
			t.Errorf("%s: features %q and %d columns, want %q", column, names, len(got.Columns), want)
		}
	}
	if len(f.Schema.Columns) != 5 {
		t.Errorf("the frame itself has %d features, want 5", len(f.Schema.Columns))
	}
}
