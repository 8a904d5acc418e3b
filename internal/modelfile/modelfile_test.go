package modelfile

import (
	"slices"
	"testing"

	"foretell/internal/table/frame"
)

// TestDatasetHasLevels expects the levels of columns that are only categories, and of no others.
func TestDatasetHasLevels(t *testing.T) {
	model, err := Read(goldenFolder + "blend.model")
	if err != nil {
		t.Fatal(err)
	}
	schema := model.Schema()
	found := 0
	for _, column := range Dataset(model).Columns {
		var features []frame.ColumnSchema
		for _, c := range schema.Columns {
			if c.SourceName() == column.Name {
				features = append(features, c)
			}
		}
		var want []string
		if len(features) == 1 && features[0].Kind == frame.Category && features[0].Feature == "" {
			want = features[0].Levels
			found++
		}
		if !slices.Equal(column.Levels, want) {
			t.Errorf("%s: %q, want %q", column.Name, column.Levels, want)
		}
	}
	if found == 0 {
		t.Error("the model has no category")
	}
}
