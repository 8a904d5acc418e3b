package modelfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"foretell/internal/learn/model"
	"foretell/internal/onnx/onnxtest"
)

// writeONNX returns the ONNX model of a model file.
func writeONNX(t *testing.T, path string) *onnxtest.Model {
	t.Helper()
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if _, err := WriteONNX(out, path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same model has two ONNX files")
	}
	m, err := onnxtest.Decode(first.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// compareONNX predicts with the ONNX model of a model file. features are those of the
// rows of want, as the Python program writes them.
func compareONNX(t *testing.T, path string, want, features []byte) {
	t.Helper()
	m := writeONNX(t, path)
	rows, err := csv.NewReader(bytes.NewReader(features)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var described []model.ONNXFeature
	if err := json.Unmarshal([]byte(m.Metadata["foretell.features"]), &described); err != nil {
		t.Fatal(err)
	}
	for i, name := range rows[0][1:] {
		if described[i].Name != name {
			t.Errorf("feature %d is %q in the Python program, but %q in the ONNX model", i, name, described[i].Name)
		}
	}
	var numbers []float64
	for _, row := range rows[1:] {
		for _, cell := range row[1:] {
			numbers = append(numbers, parseFeature(t, cell))
		}
	}
	out, err := m.Run(onnxtest.Matrix(numbers, m.Columns))
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := csv.NewReader(bytes.NewReader(want)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	label, p := out["label"], out["probabilities"]
	at, classes := slices.Index(wanted[0], "prediction"), p.Dims[1]
	if p.Dims[0] != len(wanted)-1 {
		t.Fatalf("%d rows, want %d", p.Dims[0], len(wanted)-1)
	}
	for i, row := range wanted[1:] {
		if label.Texts[i] != row[at] {
			t.Errorf("ONNX, row %d: label %q, want %q", i+1, label.Texts[i], row[at])
		}
		for c, text := range row[at+2:][:classes] {
			if q, err := strconv.ParseFloat(text, 64); err != nil || !(math.Abs(q-p.Numbers[i*classes+c]) < 1e-6) {
				t.Errorf("ONNX, row %d, class %d: %v, want %v", i+1, c, p.Numbers[i*classes+c], text)
			}
		}
	}
}

func parseFeature(t *testing.T, cell string) float64 {
	t.Helper()
	if cell == "" {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestONNXOutside checks the description of the steps outside the graph.
func TestONNXOutside(t *testing.T) {
	for model, want := range map[string]string{
		"blend.model":     "numbers, codes of categories (",
		"version-4.model": "amounts (price), parts of dates (day), lengths and words of texts (note)",
		"texts.model":     "scores of texts (",
	} {
		features, err := WriteONNX(&bytes.Buffer{}, goldenFolder+model)
		outside := StepsOutsideONNX(features)
		if err != nil || !strings.Contains(outside, want) {
			t.Errorf("%s: %q, %v, want %q", model, outside, err, want)
		}
	}
	broken := []model.ONNXFeature{{Kind: model.ONNXCategory, Source: "a\nb"}}
	if got, want := StepsOutsideONNX(broken), `codes of categories (a\nb)`; got != want {
		t.Errorf("a line break in a name: %q, want %q", got, want)
	}
	_, err := WriteONNX(&bytes.Buffer{}, goldenFolder+"blind.csv")
	if err == nil || !strings.Contains(err.Error(), "not a model file") {
		t.Errorf("error %v", err)
	}
}
