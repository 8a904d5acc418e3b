package frame

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"foretell/internal/table/csvfile"
)

func TestFeatureKinds(t *testing.T) {
	schema := &Schema{
		ID: "id", Label: "y", Fields: []string{"when", "unused", "price", "note"}, Classes: []string{"a", "b"},
		Columns: []ColumnSchema{
			DeriveFeature(ColumnSchema{Name: "when.weekday"}, "when", ExtractWeekday),
			DeriveFeature(ColumnSchema{Name: "when.hour"}, "when", ExtractHour),
			{Name: "price", Feature: ExtractAmount, Unit: "$"},
			DeriveFeature(ColumnSchema{Name: "note.words"}, "note", ExtractWords),
			{Name: "note:good", Source: "note", Feature: ExtractWord, Word: "good"},
			DeriveFeature(ColumnSchema{Name: "when.time"}, "when", ExtractTime),
		},
	}
	file := "note,price,extra,id,when,unused\n" +
		"Good. GOOD! not bad,\"$1,000\",,1,2026-11-21T20:15,\n" +
		",,,2,,\n" +
		"\"\U0001F600\x01\",free,,3,the day before,x\n"
	blocks, err := readBlocks(t, file, schema, csvfile.ChunkSize)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, c := range blocks[0].Frame.Columns {
		got += fmt.Sprintln(c.Floats)
	}
	want := "[5 NaN NaN]\n[20.25 NaN NaN]\n[1000 NaN NaN]\n[4 NaN 0]\n[1 0 0]\n[20778.84375 NaN NaN]\n"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}

	t.Run("a_column_that_is_not_used_must_be_there_all_the_same", func(t *testing.T) {
		_, err := NewBlockReader(strings.NewReader("id,when,price,note\n1,,,\n"), schema)
		if err == nil || err.Error() != `line 1: the column "unused" of the training file is missing` {
			t.Error(err)
		}
	})

	t.Run("a_schema_survives_JSON", func(t *testing.T) {
		text, err := json.Marshal(schema)
		if err != nil {
			t.Fatal(err)
		}
		again := new(Schema)
		if err := json.Unmarshal(text, again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(schema, again); d != "" {
			t.Error(d)
		}
	})

	t.Run("a_schema_that_does_not_hold_together_is_not_valid", func(t *testing.T) {
		for name, spoil := range map[string]func(s *Schema){
			"unknown_field": func(s *Schema) { s.Columns[0].Source = "else" },
			"unknown_part":  func(s *Schema) { s.Columns[0].Feature = "century" },
			"mixed_parts":   func(s *Schema) { s.Columns[0].Source = "note" },
			"two_amounts":   func(s *Schema) { s.Columns[4] = s.Columns[2] },
			"no_second_date": func(s *Schema) {
				s.Columns[0] = ColumnSchema{Name: "when.since.note", Source: "when", Feature: ExtractSince, Since: "note"}
			},
			"no_first_date": func(s *Schema) {
				s.Columns[0] = ColumnSchema{Name: "price.since.when", Source: "price", Feature: ExtractSince, Since: "when"}
			},
			"unknown_kind": func(s *Schema) { s.Columns[0].Kind = 7 },
		} {
			spoilt := *schema
			spoilt.Columns = append([]ColumnSchema(nil), schema.Columns...)
			spoil(&spoilt)
			if spoilt.Valid() || !schema.Valid() {
				t.Error(name)
			}
		}
	})
}
