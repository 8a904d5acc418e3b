package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"foretell/internal/learn/metric"
)

// opinions returns probabilities of two classes. probability returns that of the
// true class of row i.
func opinions(labels []int32, probability func(i int) float32) []float32 {
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
		return opinions(labels, func(int) float32 {
			return float32(1 / (1 + math.Exp(-1-scale*draw.NormFloat64())))
		})
	}
	e := newEvaluator(metric.NameAccuracy, 2, labels)
	newCandidate := func(name string, probabilities []float32) *candidate {
		return newSingleCandidate(&run{variant: variant{Name: name}, best: checkpoint{score: e.score(probabilities), step: 1, probabilities: probabilities}})
	}
	t.Run("independent_errors_cancel_out", func(t *testing.T) {
		a, b := newCandidate("a", noisy(1.5)), newCandidate("b", noisy(1.5))
		blend := e.newBlend([]*candidate{a, b})
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
		good, coin := newCandidate("good", noisy(1)), newCandidate("coin", opinions(labels, func(int) float32 { return 0.5 }))
		wrong := newCandidate("wrong", opinions(labels, func(int) float32 { return 0.02 }))
		for _, s := range e.newBlend([]*candidate{coin, wrong, good, newCandidate("twin", noisy(1))}).components {
			if s.Name == "wrong" {
				t.Errorf("%s has weight %.2f", s.Name, s.weight)
			}
		}
	})
	t.Run("few_rows_decide_where_most_are_certain", func(t *testing.T) {
		labels := make([]int32, 60_000)
		certain := func(rare float32) *candidate {
			probabilities := opinions(labels, func(i int) float32 {
				if i%5000 == 1 {
					return rare
				}
				return 1 - 1e-5
			})
			return newSingleCandidate(&run{best: checkpoint{probabilities: probabilities}})
		}
		shares := newEvaluator(metric.NameAccuracy, 2, labels).newBlend([]*candidate{certain(0.05), certain(0.9)}).components
		if w := shares[0].weight; w < 0.8 {
			t.Errorf("the better candidate has weight %.2f", w)
		}
	})
	t.Run("loses_only_to_significantly_lower_losses", func(t *testing.T) {
		if a := []float64{1, 2, 3, 4}; significantlyLower(a, []float64{1.1, 1.8, 3.3, 3.9}) || significantlyLower(a, a) || significantlyLower(nil, nil) {
			t.Error("a difference within the standard error is significant")
		}
		if a, b := []float64{1, 2, 3, 4}, []float64{1.2, 2.3, 3.2, 4.1}; !significantlyLower(a, b) || significantlyLower(b, a) {
			t.Error("losses that are lower in every row are not significantly lower")
		}
		if a, b := []float64{0, 0, 0, 1}, []float64{0, 0, 0, 1.1}; !significantlyLower(a, b) {
			t.Error("a large difference in one row is not significant")
		}
	})
	t.Run("one_candidate_has_no_blend", func(t *testing.T) {
		if e.newBlend([]*candidate{newCandidate("a", noisy(1))}) != nil {
			t.Error("got a blend")
		}
	})
	t.Run("weights_add_up", func(t *testing.T) {
		sum := 0.0
		for _, s := range e.newBlend([]*candidate{newCandidate("a", noisy(1)), newCandidate("b", noisy(2)), newCandidate("c", noisy(3))}).components {
			sum += s.weight
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("sum %v, want 1", sum)
		}
	})
}
