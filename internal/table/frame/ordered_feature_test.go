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
	for column, want := range map[string]int{"age": 0, "price": 5, "day": 9} {
		if got, err := schema.OrderedFeature(column); err != nil || got != want {
			t.Errorf("%s: feature %d, %v, want %d", column, got, err, want)
		}
	}
	for column, want := range map[string]string{
		"id": "is the ID", "label": "is the ID or the label", "ages": `did you mean "age"?`, "same": "is ignored",
		"city": "is a category", "zip": "begin with 0", "born": "is a date", "note": "is a text",
		"hired": "is a date whose difference from another date", "left": "is a date whose difference from another date",
	} {
		if at, err := schema.OrderedFeature(column); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: feature %d, error %v, want %q", column, at, err, want)
		}
	}
}
