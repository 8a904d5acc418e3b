package learn

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/model"
	"foretell/internal/table/frame"
	"foretell/internal/table/profile"
)

// TestImportancesOfRareClass checks that the importances are measured on enough rows of a class that has
// a thousandth of the rows.
func TestImportancesOfRareClass(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains a model")
	}
	var b strings.Builder
	b.WriteString("id,noise,amount,y\n")
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 12_000 {
		label, shift := "ok", 0.0
		if i%800 == 400 {
			label, shift = "fraud", 6
		}
		fmt.Fprintf(&b, "r%d,%.3f,%.3f,%s\n", i, random.NormFloat64(), random.NormFloat64()+shift, label)
	}
	file := []byte(b.String())
	p, err := profile.Scan(t.Context(), bytes.NewReader(file), profile.ScanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := frame.Load(t.Context(), bytes.NewReader(file), p.Schema, frame.LoadOptions{Labelled: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"rocAuc", "f1[fraud]", "accuracy"} {
		params := Params{Metric: metric, Seed: 2, Algorithms: []string{"BSIX01"}, Effort: EffortFast}
		if metric == "accuracy" { // plain accuracy rises if amount is shuffled
			params.ClassWeights = map[string]float64{"fraud": 1500, "ok": 1}
		}
		o, err := Race(t.Context(), f, params)
		if err != nil {
			t.Fatal(err)
		}
		i := o.Report.Importances
		if len(i) != 2 || i[0].Column != "amount" || !(i[0].Interval.Low > 0.1) || i[0].Interval.High > 0.9 {
			t.Errorf("%s: importances %v", metric, i)
		}
		if weighted := metric == "accuracy"; o.Report.WeightedImportances != weighted {
			t.Errorf("%s: importances of the weighted accuracy: %v", metric, !weighted)
		}
	}
}

// TestScoreOfSampledRows checks that the F1 of a class is unknown, and not 0, on rows that lack the
// class, even if the model predicts it and other validation rows have it.
func TestScoreOfSampledRows(t *testing.T) {
	schema := &frame.Schema{Classes: []string{"no", "yes"}}
	e := evaluation.New("f1[yes]", 2, []int32{0, 1}, nil)
	e.Names = schema.Classes
	r := &race{data: &trainingData{Frame: &frame.Frame{Schema: schema}, params: Params{}}, evaluator: e}
	score := r.newValidation(model.New(model.Parts{Schema: schema}), nil).Score
	for label, want := range []float64{math.NaN(), 1} {
		if got, err := score(t.Context(), []float32{0, 1}, []int32{int32(label)}); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("label %d: score %v, error %v", label, got, err)
		}
	}
}
