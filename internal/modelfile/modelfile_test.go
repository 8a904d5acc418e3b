package modelfile

import (
	"slices"
	"testing"
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
