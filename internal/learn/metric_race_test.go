package learn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/metric"
)

// TestRaceForMetric checks that the performance of a race is the value of its metric.
func TestRaceForMetric(t *testing.T) {
	if testing.Short() { // under the race detector it takes minutes
		t.Skip("trains several models")
	}
	f := loadTrainFile(t, "testdata/iris/train.csv")
	ofClass := "f1[" + f.Schema.Classes[1] + "]"
	for _, name := range []string{metric.NameLogLoss, metric.NamePRAUC, ofClass} {
		t.Run(name, func(t *testing.T) {
			o, err := Race(t.Context(), f, Params{Metric: name, Effort: EffortFast, Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			for rows, c := range map[string]struct {
				performance      float64
				scores, baseline Scores
			}{
				"validation": {o.Achieved, o.Report.Validation, o.Report.Baseline.Validation},
				"test":       {o.Test, o.Report.Test, o.Report.Baseline.Test},
			} {
				if want := c.scores.Performance(name); math.Abs(c.performance-want) > 1e-9 || !(c.performance > c.baseline.Performance(name)) {
					t.Errorf("%s: performance %v, the report has %v, and %v for the baseline", rows, c.performance, want, c.baseline.Performance(name))
				}
				interval, value := c.scores.Intervals[name], c.performance
				if name == metric.NameLogLoss {
					value = c.scores.LogLoss
				}
				if !(interval.Low <= value && value <= interval.High) {
					t.Errorf("%s: %v is outside %v", rows, value, interval)
				}
			}
			if got := len(o.Report.Test.OfClass) == 1; got != (name == ofClass) {
				t.Errorf("scores of the class: %v", o.Report.Test.OfClass)
			}
		})
	}
	_, err := Race(t.Context(), f, Params{Metric: "f1[rose]"})
	if err == nil || !strings.Contains(err.Error(), `unknown class "rose"; known classes: `+f.Schema.Classes[0]) {
		t.Errorf("error %v", err)
	}
}

// TestLogLossDecidesItsRace checks that a race for logLoss selects the step with the
// lowest log loss before calibration.
func TestLogLossDecidesItsRace(t *testing.T) {
	accurate, sharp := score{performance: math.Exp(-0.4), logLoss: 0.5}, score{performance: math.Exp(-0.41), logLoss: 0.45}
	r := run{metric: metric.NameLogLoss}
	if r.selectionLoss(sharp, 100) >= r.selectionLoss(accurate, 100) {
		t.Error("a lower log loss has a higher selection loss")
	}
	if !isFlawless(metric.NameLogLoss, score{0.999, 0.001}, 500) || isFlawless(metric.NameLogLoss, score{0.99, 0.01}, 500) {
		t.Error("a total log loss of half a nat must be flawless, one of five nats must not")
	}
}

// TestValidationRowsOfOneClass checks that no algorithm wins a race if all validation rows are of one
// class. The right class of every row is then no achievement, and prAuc cannot be computed.
func TestValidationRowsOfOneClass(t *testing.T) {
	f := fakeFrame(300, 2)
	times := make([]float64, f.Rows)
	for row := range times {
		times[row], f.Labels[row] = float64(row), 0
		if row >= 120 && row < 240 {
			f.Labels[row] = 1
		}
	}
	fitter := fakeFitter{skills: []float64{1}, work: 1e6}
	o := mustRace(t, f, Params{Metric: metric.NamePRAUC, Times: times, Threshold: new(0.99)}, fitter)
	expectNote(t, o, "prAuc cannot be computed on the validation rows, because all of them are of one class: the algorithms were compared by log loss")
	if _, interval := o.Report.Validation.Intervals[metric.NamePRAUC]; o.Status != NotCompleted || interval || !math.IsNaN(o.Report.Validation.PRAUC) {
		t.Errorf("%s with prAuc %v", o.Status, o.Report.Validation.PRAUC)
	}
	if o.Report.Importances != nil || !math.IsNaN(o.Report.Baseline.Validation.PRAUC) {
		t.Errorf("importances %v, prAuc of the baseline %v", o.Report.Importances, o.Report.Baseline.Validation.PRAUC)
	}
	r, err := newRace(t.Context(), f, Params{Times: times}, fakeAlgorithms(fitter))
	if err != nil {
		t.Fatal(err)
	}
	if r.runs[0].isFlawless(score{performance: 1}, 120) || r.winsWithoutThreshold(score{performance: 1}) {
		t.Error("a run is flawless")
	}
}

// TestFlawlessWithoutTheMetric checks when a run is flawless if the metric cannot be computed on the
// validation rows, because the class c has only test rows. The log loss then decides. Otherwise the
// run would train until its log loss is 0.
func TestFlawlessWithoutTheMetric(t *testing.T) {
	f := fakeFrame(300, 3)
	times := make([]float64, f.Rows)
	for row := range times {
		if times[row] = float64(row); row < 240 {
			f.Labels[row] = int32(row % 2)
		}
	}
	for _, name := range []string{"f1[c]", "f1[a]"} {
		r, err := newRace(t.Context(), f, Params{Times: times, Metric: name}, fakeAlgorithms(fakeFitter{}))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.untrainedClasses(); !slices.Equal(got, []string{"c"}) {
			t.Errorf("the scored models were trained on no row of the classes %q, want c", got)
		}
		unmeasurable, run := name == "f1[c]", r.runs[0]
		if got := run.isFlawless(score{performance: 0, logLoss: 0.9 / 120}, 120); got != unmeasurable {
			t.Errorf("%s, log losses of 0.9 nats: flawless is %v", name, got)
		}
		if run.isFlawless(score{performance: 0, logLoss: 1.1 / 120}, 120) {
			t.Errorf("%s, log losses of 1.1 nats: flawless", name)
		}
	}
}

// TestStepOfAnArea checks which step of a run is selected. In a race for an area under a curve, or
// with class weights, it is the step with the lowest log loss. In a race for accuracy, it is a step
// with higher accuracy.
func TestStepOfAnArea(t *testing.T) {
	sharp, accurate := score{performance: 0.80, logLoss: 0.40}, score{performance: 0.90, logLoss: 0.45}
	for _, c := range []struct {
		run       run
		wantSharp bool
	}{
		{run{metric: metric.NameROCAUC}, true},
		{run{metric: "prAuc[yes]"}, true},
		{run{metric: metric.NameAccuracy, weighted: true}, true},
		{run{metric: metric.NameAccuracy}, false},
		{run{metric: "f1[yes]"}, false},
	} {
		if got := c.run.selectionLoss(sharp, 100) < c.run.selectionLoss(accurate, 100); got != c.wantSharp {
			t.Errorf("%s, class weights %v: the step with the lowest log loss is selected: %v", c.run.metric, c.run.weighted, got)
		}
	}
}

// TestClassWeightsDecide checks that the class of the highest product of probability and weight
// is predicted, that the probabilities are those of unweighted rows, and that invalid weights are
// rejected.
func TestClassWeightsDecide(t *testing.T) {
	f := fakeFrame(300, 2)
	good := fakeFitter{skills: []float64{0.9}}
	equal := mustRace(t, f, Params{}, good)
	weighted := mustRace(t, f, Params{ClassWeights: map[string]float64{f.Schema.Classes[0]: 1e9, f.Schema.Classes[1]: 1}}, good)
	if equal.Report.Test.LogLoss != weighted.Report.Test.LogLoss {
		t.Errorf("log loss %v with equal weights, %v with others", equal.Report.Test.LogLoss, weighted.Report.Test.LogLoss)
	}
	if got := weighted.Report.Classes[0].Recall; got != 1 || weighted.Report.Classes[1].Recall == 1 {
		t.Errorf("recall %v of the class of the largest weight, %v of the other", got, weighted.Report.Classes[1].Recall)
	}
	for _, weights := range []map[string]float64{{}, {f.Schema.Classes[0]: 1}, {f.Schema.Classes[0]: -1, f.Schema.Classes[1]: 1}} {
		if _, err := Race(t.Context(), f, Params{ClassWeights: weights}); err == nil {
			t.Errorf("no error for the weights %v", weights)
		}
	}
}

// TestWeightsOfCalibratedProbabilities checks that a model predicts the same classes with
// its weights and calibrated probabilities as with the fitted weights and probabilities
// before calibration.
func TestWeightsOfCalibratedProbabilities(t *testing.T) {
	labels := []int32{0, 0, 0, 0, 0, 0, 1, 0, 0, 1}
	probabilities := []float32{0.9, 0.1, 0.95, 0.05, 0.88, 0.12, 0.7, 0.3, 0.8, 0.2, 0.85, 0.15, 0.75, 0.25, 0.92, 0.08, 0.91, 0.09, 0.6, 0.4}
	e := evaluation.New(metric.NameBalancedAccuracy, 2, labels, nil)
	fitted := must(e.FitClassWeights(t.Context(), probabilities, 1))
	if fitted == nil || metric.Decide(probabilities[12:14], fitted) != 1 {
		t.Fatalf("weights %v: a row of the rare class is not predicted", fitted)
	}
	for _, temperature := range []metric.Temperature{0.4, 0.8, 1.5, 3} {
		calibrated := slices.Clone(probabilities)
		temperature.Apply(calibrated, 2)
		weights := must(e.FitClassWeights(t.Context(), probabilities, temperature))
		for row := range labels {
			want, got := metric.Decide(probabilities[2*row:][:2], fitted), metric.Decide(calibrated[2*row:][:2], weights)
			if got != want {
				t.Errorf("temperature %v, row %d: class %d, want %d", temperature, row, got, want)
			}
		}
	}
}

// TestExtremeClassWeights checks that the evaluator predicts the same classes as the
// model, also with weights that float32 cannot represent.
func TestExtremeClassWeights(t *testing.T) {
	classes := []string{"a", "b", "c"}
	probabilities := []float32{0.2, 0.3, 0.5, 0, 0.4, 0.6, 0, 0, 1, 0.05, 0.9, 0.05, 0.5, 0.5, 0}
	for _, given := range [][]float64{{1, 1, 1}, {3, 2, 1}, {1e39, 1, 1e39}, {1e-46, 1e-46, 1e-47}, {1e200, 1, 1e-20}, {5e-324, 1e-320, 1e-323}} {
		weights, err := classWeights(map[string]float64{"a": given[0], "b": given[1], "c": given[2]}, classes)
		if err != nil {
			t.Fatal(err)
		}
		e := evaluation.New(metric.NameMacroF1, 3, make([]int32, 5), nil)
		e.Weights = weights
		p := must(e.ScoredPredictions(t.Context(), probabilities))
		fitted := must(e.FitClassWeights(t.Context(), probabilities, 1)) // the decision weights of the model
		for row := range 5 {
			q := p.Probabilities[3*row:][:3]
			scaled := []float64{0, 0, 0} // divided by the largest weight, so that the products do not overflow
			for c := range scaled {
				scaled[c] = float64(q[c]) * (given[c] / max(given[0], given[1], given[2]))
			}
			want := 0
			for c, v := range scaled {
				if v > scaled[want] || scaled[want] == 0 && q[c] > q[want] {
					want = c
				}
			}
			if got := metric.Decide(p.Probabilities[3*row:][:3], p.Weights); got != want {
				t.Errorf("weights %v: class %d of the validation row %v, want %d", given, got, q, want)
			}
			if got := metric.Decide(q, fitted); got != want {
				t.Errorf("weights %v: the model predicts class %d of %v, want %d", given, got, q, want)
			}
		}
	}
}
