package frame

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listSchema has features of lists, of their words, and prefixes.
func listSchema() *Schema {
	item := func(name, source, separator string) ColumnSchema {
		return ColumnSchema{Name: name, Source: source, Feature: ExtractItem, Word: name, Separator: separator}
	}
	return &Schema{
		ID: "id", Label: "y", Fields: []string{"tags", "code"}, Classes: []string{"a", "b"},
		Columns: []ColumnSchema{
			item("C", "tags", ";"), item("C++", "tags", ";"),
			{Name: "tags.items", Source: "tags", Feature: ExtractItems, Separator: ";"},
			DeriveFeature(ColumnSchema{Name: "tags.words"}, "tags", ExtractWords),
			{Name: "code", Kind: Category, Levels: []string{"E11.9", "I10"}},
			{Name: "code.prefix3", Source: "code", Kind: Category, Feature: ExtractPrefix, Length: 3, Levels: []string{"E11", "I10"}},
		},
	}
}

func TestListsAndPrefixes(t *testing.T) {
	schema := listSchema()
	file := "id,tags,code,y\n1,C++;SQL,E11.9,a\n2, [C],E11.2,b\n3,,NA,b\n4,C+,I,a\n5,C;C, I10 ,a\n"
	f, err := Load(t.Context(), strings.NewReader(file), schema, LoadOptions{Labelled: true})
	if err != nil || !schema.Valid() || schema.Version() != VersionItems {
		t.Fatal(schema.Valid(), schema.Version(), err)
	}
	got := ""
	for i := range f.Columns {
		if c := &f.Columns[i]; c.IsNumeric() {
			got += fmt.Sprintln(c.Values(make([]float64, f.Rows), 0, f.Rows))
		} else {
			got += fmt.Sprintln(c.Codes)
		}
	}
	want := "[0 1 0 0 1]\n[1 0 0 0 0]\n[2 1 NaN 1 2]\n[2 1 NaN 1 2]\n[0 2 -1 2 1]\n[0 0 -1 2 1]\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestInvalidListsAndPrefixes(t *testing.T) {
	for name, spoil := range map[string]func(s *Schema){
		"unknown_separator": func(s *Schema) { s.Columns[0].Separator = "/" },
		"no_separator":      func(s *Schema) { s.Columns[2].Separator = "" },
		"two_separators":    func(s *Schema) { s.Columns[0].Separator = "|" },
		"list_and_amount":   func(s *Schema) { s.Columns[3].Feature = ExtractAmount },
		"category_of_items": func(s *Schema) { s.Columns[0].Kind = Category },
		"no_length":         func(s *Schema) { s.Columns[5].Length = 0 },
		"long_prefix":       func(s *Schema) { s.Columns[5].Length = MaxPrefixLength + 1 },
		"numeric_prefix":    func(s *Schema) { s.Columns[5].Kind = Numeric },
		"text_prefix":       func(s *Schema) { s.Columns[5].Kind = Text },
	} {
		schema := listSchema()
		spoil(schema)
		if schema.Valid() {
			t.Error(name)
		}
	}
}

func TestListsHaveNoOrder(t *testing.T) {
	for column, want := range map[string]string{"tags": "is a list", "code": "is a category"} {
		if _, err := listSchema().OrderedFeature(column); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", column, err, want)
		}
	}
}
