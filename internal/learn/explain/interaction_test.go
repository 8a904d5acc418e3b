package explain

import (
	"math"
	"testing"
)

// TestInteractionVariances checks the share of an interaction in tables where it is known.
func TestInteractionVariances(t *testing.T) {
	g := &pairTable{axes: [2]*tableAxis{{weights: []float64{0.5, 0.25, 0.25}}, {weights: []float64{0.8, 0.2}}}}
	sum := [][]float64{{0.1, 0.4}, {0.2, 0.5}, {0.5, 0.8}}
	if joint, together := g.variances(sum); together > 1e-12 || joint < 0.01 {
		t.Errorf("a sum of two effects has the variances %v and %v", joint, together)
	}
	even := &pairTable{axes: [2]*tableAxis{{weights: []float64{0.5, 0.5}}, {weights: []float64{0.5, 0.5}}}}
	if joint, together := even.variances([][]float64{{0, 1}, {1, 0}}); math.Abs(joint-0.25) > 1e-12 || math.Abs(together-0.25) > 1e-12 {
		t.Errorf("an exclusive or has the variances %v and %v, want 0.25", joint, together)
	}
}
