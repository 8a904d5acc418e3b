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
