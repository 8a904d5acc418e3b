package modelfile

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/learn/text"
	"foretell/internal/testenv"
)

// TestPythonScoresTexts compares the scores of text models. For two classes the bits are equal.
// For more, the functions exp and log of the two languages may differ in the last bit.
func TestPythonScoresTexts(t *testing.T) {
	t.Parallel()
	testenv.Python(t)
	program := writePython(t, goldenFolder+"texts.model")
	const script = `
import base64, json, sys
import model
given = json.load(sys.stdin)
texts = model.TextModel(model.Reader(base64.b64decode(given["model"])))
json.dump([[float(x) for x in row] for row in texts.scores(given["texts"])], sys.stdout)
`
	for _, classes := range []int{2, 3, 70} {
		m, texts := trainTexts(t, classes)
		encoded, err := m.AppendBinary(nil)
		if err != nil {
			t.Fatal(err)
		}
		input, err := json.Marshal(map[string]any{"model": base64.StdEncoding.EncodeToString(encoded), "texts": texts})
		if err != nil {
			t.Fatal(err)
		}
		var got [][]float64
		if err := json.Unmarshal(runPython(t, program, input, "-c", script), &got); err != nil {
			t.Fatal(err)
		}
		tolerance := 0.0
		if classes > 2 {
			tolerance = 1e-5
		}
		s, want := m.NewScorer(), make([]float32, m.Features())
		for row, text := range texts {
			s.Score(want, text)
			if len(got[row]) != len(want) {
				t.Fatalf("%d classes: %d scores, want %d", classes, len(got[row]), len(want))
			}
			for i, x := range want {
				if !(math.Abs(got[row][i]-float64(x)) <= tolerance) {
					t.Errorf("%d classes, %q: score %v, want %v", classes, text, got[row][i], x)
				}
			}
		}
	}
}

// trainTexts returns a text model and texts. The model was trained on some of these texts.
func trainTexts(t *testing.T, classes int) (*text.Model, []string) {
	t.Helper()
	draw := rand.New(rand.NewPCG(uint64(classes), 3))
	var texts []string
	task := text.Task{Classes: classes, NumParts: 3, Seed: 1, Workers: 2}
	for row := range 300 {
		class := draw.IntN(classes)
		texts = append(texts, fmt.Sprintf("%s topic%d", randomSentence(draw), class))
		task.Labels = append(task.Labels, int32(class))
		task.Rows, task.Parts = append(task.Rows, int32(row)), append(task.Parts, row%3)
	}
	corpus, err := text.NewCorpus(t.Context(), texts, classes, 2)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := corpus.CrossFit(t.Context(), texts, task)
	if err != nil {
		t.Fatal(err)
	}
	return m, append(texts, hostileCells...)
}
