package frame

import (
	"strings"
	"testing"
)

// A model file may name a part twice.
func TestExtractorsFillEveryColumn(t *testing.T) {
	var columns []ColumnSchema
	for _, p := range []FeatureKind{FeatureLength, FeatureLength, FeatureWords, FeatureWords, FeatureWord, FeatureWord} {
		columns = append(columns, derived(ColumnSchema{Name: "x"}, "x", p))
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
