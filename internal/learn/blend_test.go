package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/model"
)

// twoClassProbabilities returns the probabilities of both classes for each row. The
// function probability must return the probability of the true class of row i.
func twoClassProbabilities(labels []int32, probability func(i int) float32) []float32 {
	probabilities := make([]float32, 2*len(labels))
	for i, label := range labels {
		q := probability(i)
		probabilities[2*i+int(label)], probabilities[2*i+1-int(label)] = q, 1-q
	}
	return probabilities
}

func TestBlend(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	labels := make([]int32, 4000)
	for i := range labels {
		labels[i] = int32(i % 2)
	}
	noisy := func(scale float64) []float32 {
		return twoClassProbabilities(labels, func(int) float32 {
			return float32(1 / (1 + math.Exp(-1-scale*draw.NormFloat64())))
		})
	}
	e := evaluation.New(metric.NameAccuracy, 2, labels, nil)
	newCandidate := func(name string, probabilities []float32) *candidate {
		return newSingleCandidate(&run{variant: variant{Name: name}, best: savedStep{score: must(newScore(t.Context(), e, probabilities)), step: 1, probabilities: probabilities}})
	}
	t.Run("independent_errors_cancel_out", func(t *testing.T) {
		a, b := newCandidate("a", noisy(1.5)), newCandidate("b", noisy(1.5))
		blend := must(newBlend(t.Context(), e, []*candidate{a, b}))
		if blend == nil {
			t.Fatal("no blend")
		}
		if worst := max(blend.logLoss/a.logLoss, blend.logLoss/b.logLoss); worst > 0.9 {
			t.Errorf("log loss %.4f of %.4f and %.4f", blend.logLoss, a.logLoss, b.logLoss)
		}
		if blend.performance <= max(a.performance, b.performance) {
			t.Errorf("performance %.4f of %.4f and %.4f", blend.performance, a.performance, b.performance)
		}
		if w := blend.components[0].weight; w > 0.6 {
			t.Errorf("equal candidates have weights %.2f and %.2f", w, 1-w)
		}
	})
	t.Run("useless_candidates_have_no_weight", func(t *testing.T) {
		good, coin := newCandidate("good", noisy(1)), newCandidate("coin", twoClassProbabilities(labels, func(int) float32 { return 0.5 }))
		wrong := newCandidate("wrong", twoClassProbabilities(labels, func(int) float32 { return 0.02 }))
		for _, s := range must(newBlend(t.Context(), e, []*candidate{coin, wrong, good, newCandidate("twin", noisy(1))})).components {
			if s.Name == "wrong" {
				t.Errorf("%s has weight %.2f", s.Name, s.weight)
			}
		}
	})
	t.Run("few_rows_decide_where_most_are_certain", func(t *testing.T) {
		labels := make([]int32, 60_000)
		certain := func(rare float32) *candidate {
			probabilities := twoClassProbabilities(labels, func(i int) float32 {
				if i%5000 == 1 {
					return rare
				}
				return 1 - 1e-5
			})
			return newSingleCandidate(&run{best: savedStep{probabilities: probabilities}})
		}
		shares := must(newBlend(t.Context(), evaluation.New(metric.NameAccuracy, 2, labels, nil), []*candidate{certain(0.5), certain(0.9)})).components
		if w := shares[0].weight; w < 0.8 {
			t.Errorf("the better candidate has weight %.2f", w)
		}
	})
	t.Run("one_candidate_has_no_blend", func(t *testing.T) {
		if must(newBlend(t.Context(), e, []*candidate{newCandidate("a", noisy(1))})) != nil {
			t.Error("got a blend")
		}
	})
	t.Run("weights_add_up", func(t *testing.T) {
		sum := 0.0
		for _, s := range must(newBlend(t.Context(), e, []*candidate{newCandidate("a", noisy(1)), newCandidate("b", noisy(2)), newCandidate("c", noisy(3))})).components {
			sum += s.weight
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("sum %v, want 1", sum)
		}
	})
}

// TestNoiseIsThatOfTheMetric compares two runs in a race for macro F1. One has a higher
// macro F1, but only because of one row of a rare class. The other has a much lower log
// loss and must be chosen.
func TestNoiseIsThatOfTheMetric(t *testing.T) {
	const rows, rare = 2000, 20
	f := fakeFrame(rows, 2)
	for i := range f.Labels {
		f.Labels[i] = 0
		if i%(rows/rare) == 0 {
			f.Labels[i] = 1
		}
	}
	r, err := newRace(t.Context(), f, Params{Metric: metric.NameMacroF1}, fakeAlgorithms(fakeFitter{}, fakeFitter{}))
	if err != nil {
		t.Fatal(err)
	}
	r.evaluator = evaluation.New(metric.NameMacroF1, 2, f.Labels, nil)
	// Both runs find some rows of the rare class. The lucky run finds one more, but is
	// unsure of every other row.
	for i, c := range []struct {
		found        int
		sure, unsure float32
	}{{13, 0.99, 0.99}, {14, 0.99, 0.6}} {
		found := 0
		p := twoClassProbabilities(f.Labels, func(row int) float32 {
			if f.Labels[row] == 0 && row%2 == 1 {
				return c.unsure
			}
			if f.Labels[row] == 0 {
				return c.sure
			}
			if found++; found <= c.found {
				return 0.9
			}
			return 1 - c.sure // as for rows of the frequent class, so that no decision weight separates this row from them
		})
		r.runs[i].best = savedStep{score: must(newScore(t.Context(), r.evaluator, p)), step: 1, probabilities: p}
	}
	if low, high := r.runs[0].best.performance, r.runs[1].best.performance; !(low < high-0.01) {
		t.Fatalf("macro F1 is %v and %v", low, high)
	}
	noise := must(r.evaluator.PerformanceStdErr(t.Context(), r.runs[1].best.probabilities))
	if resampled := resampledDeviation(t.Context(), r.evaluator, r.runs[1].best.probabilities); noise < resampled/1.3 || noise > resampled*1.3 {
		t.Errorf("noise %v, standard deviation of resampled rows %v", noise, resampled)
	}
	if c := must(r.chooseCandidate(t.Context(), r.newLossFunc(Completed))); c == nil || len(c.components) == 1 && c.components[0].index == 1 {
		t.Errorf("chose the lucky run of %v, the other has %v, noise %v", r.runs[1].best.score, r.runs[0].best.score, noise)
	}
}

// resampledDeviation returns the standard deviation of the metric over rows drawn
// with replacement (the bootstrap).
func resampledDeviation(ctx context.Context, e *evaluation.Evaluator, probabilities []float32) float64 {
	const samples = 400
	decided := must(e.ScoredPredictions(ctx, probabilities))
	draw := rand.New(rand.NewPCG(1, 3))
	sum, squares := 0.0, 0.0
	for range samples {
		p := metric.Predictions{Classes: e.Classes, Weights: decided.Weights}
		for range e.Labels {
			i := draw.IntN(len(e.Labels))
			p.Labels = append(p.Labels, e.Labels[i])
			p.Probabilities = append(p.Probabilities, decided.Probabilities[i*e.Classes:][:e.Classes]...)
		}
		score := must(metric.Score(ctx, e.Metric, p))
		sum += score
		squares += score * score
	}
	return math.Sqrt(squares/samples - sum/samples*sum/samples)
}

// TestBlendIsPreferred checks that a race chooses the blend even if a run has a lower log loss and a
// higher accuracy.
func TestBlendIsPreferred(t *testing.T) {
	f := fakeFrame(40, 2)
	r, err := newRace(t.Context(), f, Params{}, fakeAlgorithms(fakeFitter{}, fakeFitter{}))
	if err != nil {
		t.Fatal(err)
	}
	r.evaluator = evaluation.New(metric.NameAccuracy, 2, f.Labels, nil)
	for i, probability := range []func(row int) float32{
		func(row int) float32 { return 0.9 },
		func(row int) float32 { return []float32{0.99, 0.99, 0.99, 0.99, 0.01}[row/2%5] },
	} {
		p := twoClassProbabilities(f.Labels, probability)
		r.runs[i].best = savedStep{score: must(newScore(t.Context(), r.evaluator, p)), step: 1, probabilities: p}
	}
	c := must(r.chooseCandidate(t.Context(), r.newLossFunc(Completed)))
	if c.name() != model.Blend || c.logLoss <= r.runs[0].best.logLoss {
		t.Errorf("chose %s with log loss %v; the best run has %v", c.name(), c.logLoss, r.runs[0].best.logLoss)
	}
}
