package frame

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
)

var petSchema = &Schema{
	ID: "id", Label: "kind",
	Columns: []ColumnSchema{
		{Name: "weight", Kind: Numeric},
		{Name: "colour", Kind: Category, Levels: []string{"black", "red"}},
	},
	Classes: []string{"cat", "dog"},
}

// blockCollector collects copies of committed blocks.
type blockCollector struct{ all *[]*Block }

func (blockCollector) Process(context.Context, *Block) error { return nil }

func (g blockCollector) Commit(b *Block) error {
	one := &Block{Frame: &Frame{Rows: b.Frame.Rows, Labels: b.Frame.Labels}}
	for _, c := range b.Frame.Columns {
		one.Frame.Columns = append(one.Frame.Columns, Column{Floats: slices.Clone(c.Floats), Codes: slices.Clone(c.Codes)})
	}
	for _, raw := range b.Raw {
		one.Raw = append(one.Raw, bytes.Clone(raw))
	}
	*g.all = append(*g.all, one)
	return nil
}

// readBlocks returns all blocks of a blind file, of approximately the given size in bytes.
func readBlocks(t *testing.T, file string, schema *Schema, size int) ([]*Block, error) {
	t.Helper()
	blocks, err := NewBlockReader(strings.NewReader(file), schema)
	if err != nil {
		return nil, err
	}
	blocks.size = size
	var all []*Block
	err = blocks.Run(t.Context(), []BlockWorker{blockCollector{&all}, blockCollector{&all}})
	return all, err
}

func TestBlocks(t *testing.T) {
	file := "\uFEFFkind,colour,note,id,weight\r\n" +
		"dog,red,\"a, \"\"b\"\"\nc\",1,3.5\r\n" +
		",,x,2,\r\n\r\n" +
		",green,y,3,NA"

	t.Run("long_names_are_refused_unless_the_schema_has_them", func(t *testing.T) {
		name := strings.Repeat("n", 1001)
		_, err := readBlocks(t, "id,weight,colour,"+name+"\n1,2,red,3\n", petSchema, 30)
		var defect *csvfile.Defect
		if !errors.As(err, &defect) || defect.Code != csvfile.CodeLongName || defect.Column != 4 {
			t.Errorf("the error is %v", err)
		}
		trained := &Schema{ID: "id", Label: "kind", Columns: []ColumnSchema{{Name: name, Kind: Numeric}}, Classes: petSchema.Classes}
		if all, err := readBlocks(t, "id,"+name+"\n1,2\n", trained, 30); err != nil || len(all) != 1 {
			t.Errorf("%d blocks, %v", len(all), err)
		}
	})
	t.Run("features_are_found_by_name_and_rows_stay_as_they_are", func(t *testing.T) {
		all, err := readBlocks(t, file, petSchema, 30)
		if err != nil {
			t.Fatal(err)
		}
		var raw []string
		var codes []int32
		var missing []bool
		for _, b := range all {
			for i := range b.Raw {
				raw = append(raw, string(b.Raw[i]))
			}
			codes = append(codes, b.Frame.Columns[1].Codes...)
			for _, v := range floats(b.Frame, 0) {
				missing = append(missing, v != v)
			}
		}
		want := []string{"dog,red,\"a, \"\"b\"\"\nc\",1,3.5", ",,x,2,", ",green,y,3,NA"}
		if d := cmp.Diff(want, raw); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]int32{1, Missing, 2}, codes); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff([]bool{false, true, true}, missing); d != "" {
			t.Error(d)
		}
		if len(all) != 2 || all[0].Frame.Labels != nil {
			t.Errorf("%d blocks", len(all))
		}
	})

	for _, c := range []struct{ name, file, want string }{
		{"missing_column", "id,weight\n1,2\n", `line 1: the column "colour" of the training file is missing`},
		{"missing_columns", "id,x\n1,2\n", `line 1: the columns "weight" and "colour" of the training file are missing`},
		{"missing_id", "weight,colour\n1,red\n", `line 1: the ID column "id" is missing, and the first column is a feature, not an ID`},
		{"other_id_name", "key,weight,colour\na,1,red\na,1,red\n", "line 3, column 1 (key): line 2 has the same ID: IDs must be unique"},
		{"duplicate_id", "id,weight,colour\n1,1,\n2,1,\n3,1,\n2,1,\n", "line 5, column 1 (id): line 3 has the same ID: IDs must be unique"},
		{"empty_id", "weight,id,colour\n1,,red\n", "line 2, column 2 (id): the row has no ID"},
		{"ragged", "id,weight,colour\n1,1\n", "line 2, column 3 (colour): expected 3 fields, got 2"},
		{"no_rows", "id,weight,colour\n", "line 1: no data row follows the header"},
		{"empty", "", "line 1, column 1: the file is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readBlocks(t, c.file, petSchema, 10)
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}
