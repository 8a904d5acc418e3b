package metric

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// drawPredictions returns predictions with ties. Class 0 is rare.
func drawPredictions(rows, classes int) Predictions {
	draw := rand.New(rand.NewPCG(7, uint64(classes)))
	p := Predictions{Classes: classes, Names: []string{"rare", "b[1]", "c"}[:classes]}
	for range rows {
		label := 0
		if draw.IntN(8) > 0 {
			label = 1 + draw.IntN(classes-1)
		}
		row, sum := make([]float32, classes), float32(0)
		for c := range row {
			row[c] = float32(1 + draw.IntN(12))
			if c == label {
				row[c] += float32(draw.IntN(8))
			}
			sum += row[c]
		}
		for c := range row {
			row[c] /= sum
		}
		p.Labels, p.Probabilities = append(p.Labels, int32(label)), append(p.Probabilities, row...)
	}
	return p
}

func mustScore(t *testing.T, name string, p Predictions) float64 {
	t.Helper()
	score, err := Score(t.Context(), name, p)
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestMetricsOfOneClass(t *testing.T) {
	for _, classes := range []int{2, 3} {
		p := drawPredictions(400, classes)
		for c, label := range p.Names {
			area, interval := ClassROCAUC(c, p)
			one := PerClass(p)[c]
			for name, want := range map[string]struct {
				score    float64
				interval Interval
			}{
				"f1[" + label + "]":     {one.F1, one.F1Interval},
				"rocAuc[" + label + "]": {area, interval},
				"prAuc[" + label + "]":  {AveragePrecision(c, p), must(AveragePrecisionInterval(t.Context(), c, p))},
			} {
				if got := mustScore(t, name, p); got != want.score {
					t.Errorf("%s = %v, want %v", name, got, want.score)
				}
				if got := must(PerformanceInterval(t.Context(), name, p)); got != want.interval || !(got.Low < want.score && want.score < got.High) {
					t.Errorf("%s: %v around %v, want %v", name, got, want.score, want.interval)
				}
			}
		}
	}
}

func TestPRAUC(t *testing.T) {
	p := drawPredictions(400, 2)
	if got, want := mustScore(t, NamePRAUC, p), AveragePrecision(0, p); got != want {
		t.Errorf("two classes: %v, want that of the rarer class %v", got, want)
	}
	p.ClassRows = []int{5, 5}
	if got, want := mustScore(t, NamePRAUC, p), AveragePrecision(1, p); got != want {
		t.Errorf("equally many rows: %v, want that of the second class %v", got, want)
	}
	p = drawPredictions(400, 3)
	want := (AveragePrecision(0, p) + AveragePrecision(1, p) + AveragePrecision(2, p)) / 3
	if got := mustScore(t, NamePRAUC, p); math.Abs(got-want) > 1e-12 {
		t.Errorf("three classes: %v, want the mean %v", got, want)
	}
	if i := must(ScoreInterval(t.Context(), NamePRAUC, p)); !(i.Low < want && want < i.High && i.High-i.Low < 0.2) {
		t.Errorf("interval %v of %v", i, want)
	}
	for c := range 3 {
		keys, clusterOf := make([]uint64, len(p.Labels)), make([]int32, len(p.Labels))
		p.setRankKeys(keys, c)
		if got := averagePrecision(keys, clusterOf, []float64{2}); math.Abs(got-AveragePrecision(c, p)) > 1e-12 {
			t.Errorf("class %d: %v if all rows count twice, %v if they count once", c, got, AveragePrecision(c, p))
		}
	}
}

func TestLikelihood(t *testing.T) {
	p := drawPredictions(400, 2)
	loss, interval := LogLoss(p), must(ScoreInterval(t.Context(), NameLogLoss, p))
	if got := mustScore(t, NameLogLoss, p); got != math.Exp(-loss) {
		t.Errorf("%v for log loss %v", got, loss)
	}
	if got := must(PerformanceInterval(t.Context(), NameLogLoss, p)); got != (Interval{math.Exp(-interval.High), math.Exp(-interval.Low)}) {
		t.Errorf("%v for %v", got, interval)
	}
}

func TestCheckName(t *testing.T) {
	for name, want := range map[string]string{
		"accuracy": "", "logLoss": "", "f1[yes]": "", "prAuc[no]": "", "rocAuc[no]": "",
		"f1[maybe]":     `unknown class "maybe"; known classes: no, yes`,
		"f1":            "must be one of accuracy",
		"accuracy[yes]": "must be one of accuracy",
		"gini":          "must be one of accuracy",
	} {
		err := CheckName(name, []string{"no", "yes"})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckName("f1[maybe]", nil); err != nil {
		t.Error(err)
	}
	if _, err := Score(t.Context(), "f1[maybe]", Predictions{}); err == nil {
		t.Error("no error for an unknown class")
	}
}

func TestF1WeightChangesOneClass(t *testing.T) {
	p := drawPredictions(2000, 3)
	before := mustScore(t, "f1[rare]", p)
	p.Weights = must(FitClassWeights(t.Context(), "f1[rare]", p))
	if len(p.Weights) != 3 || p.Weights[1] != 1 || p.Weights[2] != 1 || p.Weights[0] == 1 {
		t.Fatalf("weights %v", p.Weights)
	}
	if after := mustScore(t, "f1[rare]", p); after <= before {
		t.Errorf("F1 %v with the weight, %v without", after, before)
	}
	if w := must(FitClassWeights(t.Context(), "rocAuc[rare]", p)); w != nil {
		t.Errorf("weights %v for a metric of probabilities", w)
	}
	for row := range p.Labels {
		p.Labels[row] = 1
	}
	p.Weights = nil
	if w := must(FitClassWeights(t.Context(), "f1[rare]", p)); w != nil {
		t.Errorf("weights %v for the F1 of a class without rows", w)
	}
}

// TestMetricsOfReports computes each metric of a report. All of them are known, and so are their
// intervals, with and without groups.
func TestMetricsOfReports(t *testing.T) {
	t.Parallel()
	for _, name := range ReportNames() {
		for _, sample := range []Predictions{groupedSample(50, 4, 1), drawPredictions(200, 3)} {
			if i := must(ScoreInterval(t.Context(), name, sample)); !i.Known() || i.Low >= i.High {
				t.Errorf("the interval of %s is %v, groups %t", name, i, sample.Groups != nil)
			}
		}
	}
	for _, name := range RaceNames() {
		if score := mustScore(t, name, drawPredictions(200, 3)); !(score > 0 && score < 1) || CheckName(name, nil) != nil {
			t.Errorf("%s is %v, CheckName: %v", name, score, CheckName(name, nil))
		}
	}
}
