package mixture

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMaximisePosterior checks that the iterations end when the weights no longer
// change.
func TestMaximisePosterior(t *testing.T) {
	const size = 4000
	draw := rand.New(rand.NewPCG(1, 2))
	byCandidate, all := make([][]float64, 3), make([]int32, size)
	for row := range size {
		all[row] = int32(row)
		for i, scale := range []float64{1, 1.5, 2} {
			byCandidate[i] = append(byCandidate[i], 1/(1+math.Exp(-1-scale*draw.NormFloat64())))
		}
	}
	weights, iterations := maximisePosterior(byCandidate, all)
	if iterations >= maxIterations {
		t.Errorf("%d iterations", iterations)
	}
	// Another iteration of expectation maximisation, computed naively, must not change
	// the weights.
	for i, truth := range byCandidate {
		ratio := 0.0
		for row := range truth {
			mixed := 0.0
			for j := range weights {
				mixed += weights[j] * byCandidate[j][row]
			}
			ratio += truth[row] / mixed / float64(len(truth))
		}
		rows := float64(len(truth))
		if next := (weights[i]*ratio*rows + priorRows) / (rows + 3*priorRows); math.Abs(next-weights[i]) > 2*minWeightChange {
			t.Errorf("candidate %d of weight %.5f would have %.5f after another iteration", i, weights[i], next)
		}
	}
}

// TestFitWeights checks that weights add up to 1, and that a candidate that is always
// worse has the weight 0.
func TestFitWeights(t *testing.T) {
	good, bad, all := make([]float64, 500), make([]float64, 500), make([]int32, 500)
	for i := range all {
		good[i], bad[i], all[i] = 0.6+0.2*float64(i%2), 0.02, int32(i)
	}
	other := []float64{0.8, 0.6}
	mixed := make([]float64, len(all))
	for i := range mixed {
		mixed[i] = other[i%2]
	}
	w := FitWeights([][]float64{good, bad, mixed}, all)
	if w[1] != 0 || math.Abs(w[0]+w[2]-1) > 1e-9 || math.Abs(w[0]-w[2]) > 1e-3 {
		t.Errorf("weights %v, want 0.5, 0 and 0.5", w)
	}
}
