package learn

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"foretell/internal/learn/explain"
	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// textTable returns a training file, or a blind file if labelled is false. The label
// depends on the column size and on the words of the column note. Each word that
// indicates a label occurs in about a tenth of the texts.
func textTable(rows int, seed uint64, labelled bool) []byte {
	draw := rand.New(rand.NewPCG(seed, 7))
	fill := strings.Fields("the a it was room staff food price day with very place time stay hotel lift night view")
	topics := [][]string{
		strings.Fields("refund invoice charged billing payment receipt"), strings.Fields("crash freezes error stacktrace bug restart"),
		strings.Fields("parcel courier delivery shipped tracking arrived"),
	}
	var b bytes.Buffer
	b.WriteString("id,size,note,colour")
	if labelled {
		b.WriteString(",label")
	}
	for i := range rows {
		class := draw.IntN(3)
		var words []string
		for range 5 + draw.IntN(8) {
			words = append(words, fill[draw.IntN(len(fill))])
		}
		words = append(words, topics[class][draw.IntN(6)], topics[class][draw.IntN(6)])
		draw.Shuffle(len(words), func(i, k int) { words[i], words[k] = words[k], words[i] })
		if draw.IntN(8) == 0 {
			class = draw.IntN(3)
		}
		fmt.Fprintf(&b, "\nr%d,%.2f,%s.,%s", i, float64(class)+draw.NormFloat64()*2, strings.Join(words, " "), []string{"red", "blue"}[draw.IntN(2)])
		if labelled {
			fmt.Fprintf(&b, ",%s", []string{"ant", "bee", "cow"}[class])
		}
	}
	b.WriteString("\n")
	return b.Bytes()
}

// loadTextTable returns the frame of a training file of textTable.
func loadTextTable(tb testing.TB, rows int) *frame.Frame {
	tb.Helper()
	file := textTable(rows, 1, true)
	profile, err := profile.Scan(tb.Context(), bytes.NewReader(file), profile.ScanOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	f, err := frame.Load(tb.Context(), bytes.NewReader(file), profile.Schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		tb.Fatal(err)
	}
	if len(f.Schema.TextColumns()) != 1 {
		tb.Fatalf("columns %v, want one text", f.Schema.Columns)
	}
	return f
}

// TestRaceOfTexts checks that a race learns from words, that its model can be written and
// read, and that the model does not depend on the number of workers.
func TestRaceOfTexts(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("races several times")
	}
	f := loadTextTable(t, 500)
	race := func(workers int) (*Outcome, []byte) {
		t.Helper()
		o, err := Race(t.Context(), f, Params{Algorithms: []string{"MSEV02", "MSIX01"}, Threshold: new(0.8), Workers: workers, Seed: 3})
		if err != nil || o.Model == nil {
			t.Fatal(o, err)
		}
		return o, bytesOf(t, o.Model)
	}
	o, file := race(1)
	if o.Achieved < 0.8 || o.Test < 0.75 {
		t.Errorf("validation %v, test %v", o.Achieved, o.Test)
	}
	if i := o.Report.Importances; len(i) != 3 || i[0].Column != "note" || i[0].Importance < 0.2 {
		t.Errorf("importances %v", i)
	}
	if _, again := race(2); !bytes.Equal(file, again) {
		t.Error("two workers make a different model than one")
	}
	m, err := readModel(file)
	if err != nil {
		t.Fatal(err)
	}
	if fileVersion(file) != 4 || !bytes.Equal(bytesOf(t, m), file) {
		t.Errorf("version %d, or other bytes after reading and writing", fileVersion(file))
	}
	if !slices.Equal(probabilitiesOf(t, m, f), probabilitiesOf(t, o.Model, f)) {
		t.Error("the model predicts differently after reading")
	}
	t.Run("the_file_contains_the_texts_of_the_background", func(t *testing.T) { // docs/security.md says so
		found := 0
		for _, c := range f.Columns {
			for _, cell := range c.Texts {
				if bytes.Contains(file, []byte(cell)) {
					found++
				}
			}
		}
		if rows := explain.BackgroundRows(3); found < rows || found > rows+2 { // the rows of each class are rounded
			t.Errorf("%d texts are in the file, want those of %d background rows", found, rows)
		}
	})
	t.Run("explanations_add_up_and_name_the_text", func(t *testing.T) {
		list, err := m.Explain(t.Context(), f.Take([]int32{0, 1, 2, 3, 4, 5, 6, 7}), model.ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		note := slices.Index(m.Columns(), "note")
		largest := 0
		for _, x := range list {
			sum := x.Base
			for _, v := range x.Contributions {
				sum += v
			}
			if math.Abs(sum-x.Probability) > 1e-9 {
				t.Errorf("%v, want %v", sum, x.Probability)
			}
			if size := math.Abs(x.Contributions[note]); !slices.ContainsFunc(x.Contributions, func(v float64) bool { return math.Abs(v) > size }) {
				largest++
			}
		}
		if largest < len(list)/2 {
			t.Errorf("the text has the largest contribution to %d of %d predictions", largest, len(list))
		}
	})
}

// TestRemoteRunOfTexts checks that a run that another machine has trained has the same
// scores of texts.
func TestRemoteRunOfTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("races several times")
	}
	f := loadTextTable(t, 200)
	m := &machines{frame: f, params: Params{Algorithms: []string{"MSEV02", "MSIX01"}, Seed: 1}, algorithms: algorithms}
	one := m.race(t)
	m.remote = []string{"MSIX01"}
	wantSameOutcome(t, one, m.race(t))
}

// TestRecordingHasTexts checks that a recording contains the text models, so that the
// machine that reads it does not train them again.
func TestRecordingHasTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("it races")
	}
	f := loadTextTable(t, 120)
	p := Params{Algorithms: []string{"MSEV02"}, Seed: 1, Now: time.Now, Threshold: new(0.1)}
	var recording bytes.Buffer
	if err := TrainAndRecordRun(t.Context(), f, p, "MSEV02", &recording); err != nil {
		t.Fatal(err)
	}
	r, err := newRace(t.Context(), f, p, algorithms)
	if err != nil {
		t.Fatal(err)
	}
	run := r.runs[0]
	end, err := r.readRecording(run, &recording, int64(recording.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if r.data.foldFeatures != nil {
		t.Error("models are shared before the recording is known to be complete")
	}
	r.endAsRecorded(run, end)
	if known := r.data.textTimer.Durations(); known.Training <= 0 || known.Rows <= f.Rows || r.data.foldData != nil || len(r.data.foldFeatures) != len(run.folds) {
		t.Errorf("%+v, %d folds are trained again", known, len(r.data.foldData))
	}
	fold, err := r.data.dataOfFold(t.Context(), run.firstFoldIndex, run.folds[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	inner, recorded := model.UnwrapFeatures(run.models[0])
	if fold.features != recorded {
		t.Error("the models of a fold are in memory twice")
	}
	whole := &trainingData{Frame: f, params: r.data.params}
	again, err := whole.dataOfFold(t.Context(), run.firstFoldIndex, run.folds[0].Train)
	if err != nil {
		t.Fatal(err)
	}
	var want, got bytes.Buffer
	if err := errors.Join(model.WritePredictor(&want, model.WithFeatures(inner, again.features)), model.WritePredictor(&got, run.models[0])); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("the recorded text models differ from those that this machine trains")
	}
}
