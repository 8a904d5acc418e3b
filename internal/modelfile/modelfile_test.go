package modelfile

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/api"
	"foretell/internal/table/frame"
)

// TestDatasetHasLevels expects the levels of a column that is only a category, and none of numbers, of
// texts, and of a code that is also a number.
func TestDatasetHasLevels(t *testing.T) {
	for _, c := range []struct {
		model, column string
		want          []string
	}{
		{"blend.model", "colour", []string{"black", "blue", "green", "red"}},
		{"blend.model", "size", nil},
		{"texts.model", "note", nil},
		{"pairs.model", "shop", nil},
	} {
		model, err := Read(goldenFolder + c.model)
		if err != nil {
			t.Fatal(err)
		}
		columns := Dataset(model).Columns
		names := make([]string, len(columns))
		for i := range columns {
			names[i] = columns[i].Name
		}
		at := slices.Index(names, c.column)
		if at < 0 {
			t.Fatalf("%s has the columns %q", c.model, names)
		}
		if !slices.Equal(columns[at].Levels, c.want) {
			t.Errorf("%s: %q, want %q", c.column, columns[at].Levels, c.want)
		}
	}
}

// TestDatesOfModels describes the columns of dates of a schema.
func TestDatesOfModels(t *testing.T) {
	for _, test := range []struct {
		column frame.ColumnSchema
		want   api.Column
	}{
		{frame.ColumnSchema{}, api.Column{DateOrder: "month-first"}},
		{frame.ColumnSchema{DayFirst: true}, api.Column{DateOrder: "day-first"}},
		{frame.ColumnSchema{YearFirst: true}, api.Column{DateOrder: "year-first"}},
		{frame.ColumnSchema{Epoch: frame.EpochMilliseconds}, api.Column{Epoch: "ms"}},
	} {
		test.column.Name, test.want.Name, test.want.Kind = "when.time", "when", "date"
		schema := &frame.Schema{Columns: []frame.ColumnSchema{frame.DeriveFeature(test.column, "when", frame.ExtractTime)}}
		if diff := cmp.Diff(test.want, describeColumn(schema, "when")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestTimesOfModels describes a column of times of day, and one of dates with times.
func TestTimesOfModels(t *testing.T) {
	schema := &frame.Schema{}
	for _, one := range []struct {
		source  string
		feature frame.Extraction
	}{{"at", frame.ExtractHour}, {"when", frame.ExtractTime}, {"when", frame.ExtractHour}} {
		schema.Columns = append(schema.Columns, frame.DeriveFeature(frame.ColumnSchema{Name: one.source + "." + string(one.feature), Kind: frame.Numeric}, one.source, one.feature))
	}
	for name, want := range map[string]string{"at": "time", "when": "date"} {
		if c := describeColumn(schema, name); c.Kind != want || len(c.TimeZones) != 1 {
			t.Errorf("%s: %+v, want %q", name, c, want)
		}
	}
}

// TestLevelsOfCodesAndLists checks that new texts are unknown if the prefixes of a category are features,
// too, but usual in a column of lists, which has a separator. The levels of a column of numbers are its
// words.
func TestLevelsOfCodesAndLists(t *testing.T) {
	schema := &frame.Schema{Columns: []frame.ColumnSchema{
		{Name: "code", Kind: frame.Category, Levels: []string{"E11.9", "I10"}},
		{Name: "code.prefix1", Source: "code", Kind: frame.Category, Feature: frame.ExtractPrefix, Length: 1, Levels: []string{"E", "I"}},
		{Name: "part.prefix2", Source: "part", Kind: frame.Category, Feature: frame.ExtractPrefix, Length: 2, Levels: []string{"AB", "CD"}},
		{Name: "crp", Kind: frame.Numeric},
		{Name: "crp.code", Source: "crp", Kind: frame.Category, Feature: frame.ExtractText, Levels: []string{"1", "2"}},
		{Name: "crp.text", Source: "crp", Kind: frame.Category, Feature: frame.ExtractText, Levels: []string{"<0.5"}},
		{Name: "tags", Kind: frame.Category, Levels: []string{"a", "a;b"}},
		{Name: "tags:a", Source: "tags", Feature: frame.ExtractItem, Word: "a", Separator: ";"},
	}}
	for name, want := range map[string][]string{"code": {"E11.9", "I10"}, "part": nil, "tags": nil, "crp": {"<0.5"}} {
		c, separator := describeColumn(schema, name), map[string]string{"tags": ";"}[name]
		parts := map[string][]string{"code": {"E", "I"}, "part": {"AB", "CD"}, "tags": {"a"}}[name]
		if !slices.Equal(c.Levels, want) || c.ListSeparator != separator || !slices.Equal(c.Parts, parts) || c.Unused {
			t.Errorf("%s: %+v, want %q", name, c, want)
		}
	}
}

// TestDatasetHasSamples describes the training rows in a model file: the numbers, and the words of texts.
func TestDatasetHasSamples(t *testing.T) {
	m, err := Read(goldenFolder + "version-4.model")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Dataset(m).Columns {
		switch c.Name {
		case "weight":
			want := &api.NumberSample{Rows: 29, Missing: 3, Min: -1.8, Max: 2.1}
			if c.Sample == nil || len(c.Sample.Numbers) != want.Rows || slices.Max(c.Sample.Numbers) != want.Max {
				t.Fatalf("weight: %+v", c.Sample)
			}
			want.Numbers = c.Sample.Numbers
			if diff := cmp.Diff(want, c.Sample); diff != "" || c.Terms != nil {
				t.Errorf("weight (-want +got):\n%s, %+v", diff, c.Terms)
			}
		case "colour":
			if c.Sample == nil || c.Sample.Rows+c.Sample.Missing != 32 || c.Sample.Rows < 16 {
				t.Errorf("colour: %+v", c.Sample)
			}
		case "note":
			if c.Sample != nil || c.Terms == nil || len(c.Terms.Terms) == 0 || c.Terms.Rows != 32 || c.Terms.Without >= 16 {
				t.Errorf("note: %+v, %+v", c.Sample, c.Terms)
			}
		}
	}
}
