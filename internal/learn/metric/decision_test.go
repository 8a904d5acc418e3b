package metric

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestClassWeightsEqualThoseOfRecountedRows compares the weights of FitClassWeights, bit for bit, with
// those that are found if the decisions of all rows are counted again for each trial.
func TestClassWeightsEqualThoseOfRecountedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	fitted := 0
	for trial := range 300 {
		p := randomPredictions(rng, 1+rng.IntN(400), 1+rng.IntN(12))
		if trial%20 == 0 {
			p = randomPredictions(rng, 300, maxRefineClasses+1)
		}
		for _, name := range []string{NameBalancedAccuracy, NameMacroF1} {
			want, got := recountedWeights(name, p), must(FitClassWeights(t.Context(), name, p))
			if !slices.Equal(got, want) || (got == nil) != (want == nil) {
				t.Errorf("trial %d, %s: %v, want %v", trial, name, got, want)
			}
			if want != nil {
				fitted++
			}
		}
	}
	if fitted < 200 {
		t.Errorf("only %d predictions need weights", fitted)
	}
}

// recountedWeights returns the result of FitClassWeights for balanced accuracy and macro F1.
func recountedWeights(name string, p Predictions) []float64 {
	p.Weights = nil
	score := func(weights []float64) float64 {
		weighted := p
		weighted.Weights = weights
		return must(Score(context.Background(), name, weighted))
	}
	best, weights, actual := score(nil), []float64(nil), newClassCounts(p).actual
	for step := 1; step <= numPowers; step++ {
		trial := make([]float64, p.Classes)
		for c, n := range actual {
			trial[c] = math.Pow(float64(max(n, 1))/float64(len(p.Labels)), -float64(step)/numPowers)
		}
		if s := score(trial); s > best {
			best, weights = s, trial
		}
	}
	if p.Classes > maxRefineClasses {
		return weights
	}
	if weights == nil {
		weights = slices.Repeat([]float64{1}, p.Classes)
	}
	for range maxRefinePasses {
		before := best
		for c, n := range actual {
			if n < minRefineRows {
				continue
			}
			kept := weights[c]
			for _, factor := range []float64{0.5, 0.7, 0.85, 1.2, 1.4, 2} {
				trial := slices.Clone(weights)
				trial[c] *= factor
				if s := score(trial); s > best {
					best, kept = s, trial[c]
				}
			}
			weights[c] = kept
		}
		if best == before {
			break
		}
	}
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 1 }) {
		return nil
	}
	return weights
}

func BenchmarkFitClassWeights(b *testing.B) {
	for _, size := range []struct{ rows, classes int }{{3600, 90}, {3750, 300}, {10000, 26}, {25000, 2}} {
		p := drawCalibrated(size.rows, size.classes, 1, 0)
		b.Run(fmt.Sprintf("%d_rows_%d_classes", size.rows, size.classes), func(b *testing.B) {
			for b.Loop() {
				must(FitClassWeights(b.Context(), NameMacroF1, p))
			}
		})
	}
}
