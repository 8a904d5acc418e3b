package model

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"foretell/internal/learn/metric"
	"foretell/internal/onnx/onnxtest"
	"foretell/internal/table/frame"
)

// TestONNXPredictsLikeModel evaluates the ONNX models of the committed model files on random
// rows with missing cells, unknown categories and very large numbers.
func TestONNXPredictsLikeModel(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.model")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	rows := 200
	if testing.Short() { // a model and its ONNX form are evaluated in one goroutine, which is slow under the race detector
		rows = 40
	}
	used := map[string]bool{}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, err := Read(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				t.Fatal(err)
			}
			compareWithONNX(t, m, randomFrame(m, rows), used)
		})
	}
	for _, name := range onnxtest.OperatorNames() {
		if !used[name] {
			t.Errorf("no model has the operator %s", name)
		}
	}
}

// compareWithONNX compares the predictions of a model on f with those of its ONNX model.
// It also compares each member as a separate model. It adds the operators of the ONNX
// models to used.
func compareWithONNX(t *testing.T, m *Model, f *frame.Frame, used map[string]bool) {
	t.Helper()
	models := map[string]*Model{"all members": m}
	if len(m.members) > 1 {
		for _, one := range m.members {
			single := m.withMembers(one)
			one.Weight, single.temperature = 1, 1
			models[one.Algorithm.Name] = single
		}
	}
	for name, model := range models {
		var file bytes.Buffer
		if err := model.WriteONNX(&file); err != nil {
			t.Fatal(err)
		}
		exported, err := onnxtest.Decode(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range exported.Operators {
			used[name] = true
		}
		out, err := exported.Run(onnxtest.Matrix(onnxFeatures(model, f), exported.Columns))
		if err != nil {
			t.Fatal(err)
		}
		classes, worst := model.classes(), 0.0
		want := make([]float32, f.Rows*classes)
		model.predict(want, f, 0, f.Rows)
		for i := range f.Rows {
			row := want[i*classes:][:classes]
			for c, q := range row {
				worst = max(worst, math.Abs(out["probabilities"].Numbers[i*classes+c]-min(float64(q), 1)))
			}
			if label := m.schema.Classes[metric.Decide(row, m.weights)]; out["label"].Texts[i] != label {
				t.Errorf("%s: row %d: label %q, want %q", name, i, out["label"].Texts[i], label)
			}
		}
		if !(worst < 1e-6) {
			t.Errorf("%s: probabilities differ by %v", name, worst)
		}
	}
}

// onnxFeatures returns the input of the ONNX model for all rows of f.
func onnxFeatures(m *Model, f *frame.Frame) []float64 {
	scored := &frame.Frame{Rows: f.Rows}
	for i := range f.Columns {
		if m.schema.Columns[i].Kind != frame.Text {
			scored.Columns = append(scored.Columns, f.Columns[i])
		}
	}
	for _, texts := range m.textModels() {
		texts.appendScores(scored, f, 0)
	}
	var numbers []float64
	for row := range f.Rows {
		for i := range scored.Columns {
			c := &scored.Columns[i]
			switch {
			case c.Codes == nil:
				numbers = append(numbers, c.Floats[row])
			case c.Codes[row] < 0:
				numbers = append(numbers, math.NaN())
			default:
				numbers = append(numbers, float64(c.Codes[row]))
			}
		}
	}
	return numbers
}

// randomFrame returns random rows. Their cells are near those of the model's background,
// if the model has one.
func randomFrame(m *Model, rows int) *frame.Frame {
	rng := rand.New(rand.NewPCG(uint64(rows), 7))
	f := &frame.Frame{Schema: m.schema, Rows: rows, Columns: make([]frame.Column, len(m.schema.Columns))}
	for i := range f.Columns {
		c := &f.Columns[i]
		for range rows {
			switch schema := &m.schema.Columns[i]; schema.Kind {
			case frame.Numeric:
				c.Floats = append(c.Floats, randomNumber(m, i, rng))
			case frame.Category:
				c.Codes = append(c.Codes, int32(rng.IntN(len(schema.Levels)+2)-1))
			case frame.Text:
				words := strings.Fields("late box refund please thanks great don't blue size42 naïve 東京 again")
				c.Texts = append(c.Texts, fmt.Sprint(words[rng.IntN(len(words))], " ", words[rng.IntN(len(words))]))
			}
		}
	}
	return f
}

func randomNumber(m *Model, column int, rng *rand.Rand) float64 {
	switch rng.IntN(12) {
	case 0:
		return math.NaN()
	case 1:
		return []float64{1e308, -1e308, 0, math.Inf(1), math.Inf(-1), 1e-300}[rng.IntN(6)]
	}
	near := 10 * rng.NormFloat64()
	if m.background != nil {
		var one [1]float64
		at := rng.IntN(m.background.Rows)
		near = m.background.Columns[column].Values(one[:], at, at+1)[0]
	}
	if rng.IntN(2) == 0 {
		return near
	}
	return near * (1 + rng.NormFloat64()/10)
}

// TestNamesOfONNXFeatures checks that the names are unique, and that columns of the file keep theirs.
func TestNamesOfONNXFeatures(t *testing.T) {
	columns := []frame.ColumnSchema{
		{Name: "t.length", Source: "t", Feature: "length"},
		{Name: "t.length"},
		{Name: "t.length_2"},
		{Name: "d.month", Source: "d", Feature: "month"},
		{Name: "d.month", Source: "d.month"},
		{Name: "d.month", Source: "d", Feature: "date"},
	}
	var names []string
	for _, f := range New(Parts{Schema: &frame.Schema{Columns: columns}}).ONNXFeatures() {
		names = append(names, f.Name)
	}
	if got := strings.Join(names, " "); got != "t.length_3 t.length t.length_2 d.month_2 d.month d.month_3" {
		t.Errorf("the names are %s", got)
	}
	if columns[0].Name != "t.length" {
		t.Error("the schema has another name")
	}
}
