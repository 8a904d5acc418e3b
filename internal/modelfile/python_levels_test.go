package modelfile

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/testenv"
)

// TestPythonFindsLevels compares the codes of cells with those of the engine. The case of a
// cell may differ from that of a boolean level.
func TestPythonFindsLevels(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	cells := []string{"TRUE", "true", " True ", "fAlse", "yes", "YES", "", " ", "t", "T", "no\u00a0", "\u2003No", "\u001cNo", "red", "Red", "NO", "0", "12", "12.0", "7", "7.0", "70",
		"007", "+12", "\u00a012\u00a0", "012.00", "1,234", "01234", "501", "00501", "NA", "null", "-", "N/A", "inf", "12345678901234567", "9e999"}
	columns := []frame.ColumnSchema{
		{Levels: []string{"False", "True"}},
		{Levels: []string{"FALSE", "TRUE", "True"}},
		{Levels: []string{"NO", "Yes"}},
		{Levels: []string{"F", "T"}},
		{Levels: []string{"Blue", "Red"}},
		{Levels: []string{"NA", "No", "Yes"}},
		{Levels: []string{"No", "Yes"}, Source: "x", Feature: frame.ExtractText},
		{Levels: []string{"no\u00a0", "yes"}},
		{Levels: []string{"12", "7.0", "x"}, Source: "x", Feature: frame.ExtractText},
		{Levels: []string{"12", "7.0", "x"}},
		{Levels: []string{"00501", "07", "7.00", "1234", "N/A", "012345678901234567"}, Source: "x", Feature: frame.ExtractText},
	}
	var table strings.Builder
	w := csvfile.NewWriter(&table)
	for _, text := range append([]string{"x"}, cells...) {
		for _, cell := range []string{"1", text, "a"} {
			w.WriteField([]byte(cell))
		}
		w.EndRecord()
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var want [][]int32
	for i := range columns {
		columns[i].Name, columns[i].Kind = "x", frame.Category
		schema := &frame.Schema{ID: "1", Label: "a", Columns: columns[i : i+1], Classes: []string{"a"}}
		f, err := frame.Load(t.Context(), strings.NewReader(table.String()), schema, frame.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, f.Columns[0].Codes)
	}
	program := writePython(t, goldenFolder+"blend.model")
	const script = `
import json, sys
import model
given = json.load(sys.stdin)
print(json.dumps([[model.LevelIndex(c["levels"], c.get("part", "")).code(cell) for cell in given["cells"]] for c in given["columns"]]))
`
	input, err := json.Marshal(map[string]any{"cells": cells, "columns": columns})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]int32
	if err := json.Unmarshal(runPython(t, program, input, "-c", script), &got); err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		if !slices.Equal(got[i], want[i]) {
			t.Errorf("%q: codes %v, want %v of %q", columns[i].Levels, got[i], want[i], cells)
		}
	}
}
