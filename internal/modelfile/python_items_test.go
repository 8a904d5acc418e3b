package modelfile

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
	"foretell/internal/testenv"
)

// TestPythonFindsItems compares the features of lists and the prefixes of codes with those of the engine.
func TestPythonFindsItems(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	list := append([]string{
		"C++;SQL; C# ", "Drama|Comedy", "a, b,, c,", `["a", "b, c"]`, "['it''s', \"it's\"]", "{a,b}", "[a],[b]", "[a, [[b, c]]", "'70s, 'n roll",
		`"a" or b;c`, `" a " ; ""`, "[]", "[", " ; ", "", " ", "NA", "\u00a0a\u00a0,b", "é;É", "a;a", "E11.9", "E1", "e11", "PC 17599", "PC ", "n/a", "\u65e5\u672c\u8a9e\u8a9e", "1234.5",
	}, hostileCells...)
	rng := rand.New(rand.NewPCG(5, 6))
	pieces := strings.Split(`a|b|C++|;|;|,|,|"|'|[|]|{|}| | |é|日|E|11|.|x y`, "|")
	pieces = append(pieces, "|", "\t", "\u00a0", "\x1c")
	for range 5_000 {
		text := ""
		for range 1 + rng.IntN(9) {
			text += pieces[rng.IntN(len(pieces))]
		}
		list = append(list, text)
	}
	var columns []frame.ColumnSchema
	for _, separator := range []string{";", "|", ","} {
		for _, item := range []string{"a", "b, c", "C++", "it's", "x y"} {
			columns = append(columns, frame.ColumnSchema{Feature: frame.ExtractItem, Word: item})
		}
		columns = append(columns, frame.ColumnSchema{Feature: frame.ExtractItems})
		for i := range 6 {
			columns[len(columns)-1-i].Separator = separator
		}
	}
	for _, length := range []int{1, 2, 3, 10} {
		columns = append(columns, frame.ColumnSchema{Kind: frame.Category, Feature: frame.ExtractPrefix, Length: length, Levels: []string{"1", "C+", "E", "E11", "PC", "a", "e", "\u65e5\u672c\u8a9e"}})
	}
	for i := range columns {
		columns[i].Name = "x"
	}
	got := pythonFeatures(t, list, columns)
	for i, want := range engineFeatures(t, list, columns) {
		for row, x := range want {
			if y := got[i][row]; x != y && !(x != x && y != y) {
				t.Errorf("%+v of %q: %v, want %v", columns[i], list[row], y, x)
			}
		}
	}
}

// engineFeatures returns the numbers or codes of a column of cells, by feature.
func engineFeatures(t *testing.T, list []string, columns []frame.ColumnSchema) (features [][]float64) {
	t.Helper()
	var table strings.Builder
	w := csvfile.NewWriter(&table)
	for _, text := range append([]string{"x"}, list...) {
		for _, cell := range []string{"1", text, "a"} {
			w.WriteField([]byte(cell))
		}
		w.EndRecord()
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		schema := &frame.Schema{ID: "1", Label: "a", Columns: columns[i : i+1], Classes: []string{"a"}}
		f, err := frame.Load(t.Context(), strings.NewReader(table.String()), schema, frame.LoadOptions{})
		if err != nil || !schema.Valid() {
			t.Fatal(schema.Valid(), err)
		}
		values := make([]float64, f.Rows)
		if columns[i].Kind == frame.Category {
			for row, code := range f.Columns[0].Codes {
				values[row] = float64(code)
			}
		} else {
			values = f.Columns[0].Values(values, 0, f.Rows)
		}
		features = append(features, values)
	}
	return features
}

// pythonFeatures is like engineFeatures with the Python program.
func pythonFeatures(t *testing.T, list []string, columns []frame.ColumnSchema) (features [][]float64) {
	t.Helper()
	program := writePython(t, goldenFolder+"blend.model")
	const script = `
import json, math, sys
import model
given = json.load(sys.stdin)
values = model.extract_features({"columns": given["columns"]}, {"x": given["cells"]}, len(given["cells"]))
print(json.dumps([[None if math.isnan(x) else x for x in map(float, one)] for one in values]))
`
	input, err := json.Marshal(map[string]any{"cells": list, "columns": columns})
	if err != nil {
		t.Fatal(err)
	}
	var found [][]*float64
	if err := json.Unmarshal(runPython(t, program, input, "-c", script), &found); err != nil {
		t.Fatal(err)
	}
	for _, one := range found {
		values := make([]float64, len(one))
		for row, x := range one {
			if values[row] = math.NaN(); x != nil {
				values[row] = *x
			}
		}
		features = append(features, values)
	}
	return features
}
