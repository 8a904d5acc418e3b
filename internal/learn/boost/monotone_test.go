package boost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"foretell/internal/learn/tree"
)

// TestMonotoneConstraints checks the chains of a tree with two splits by a feature.
func TestMonotoneConstraints(t *testing.T) {
	splits := []tree.LevelSplit{{Feature: 0, Low: 2, High: 9}, {Feature: 1, Low: 6, High: 9}, {Feature: 0, Low: 4, High: 8}}
	bins := &tree.BinnedMatrix{Features: []tree.Feature{{BinMapper: tree.BinMapper{MissingBin: 9}}, {BinMapper: tree.BinMapper{MissingBin: 9}}}}
	orders := monotoneConstraints(splits, bins, []tree.Direction{tree.Increasing, tree.AnyOrder})
	want := [][]int{{0, 1, 5}, {2, 3, 7}}
	if len(orders) != 1 || !slices.EqualFunc(orders[0].chains, want, slices.Equal) {
		t.Errorf("%v, want %v", orders, want)
	}
	// A split that separates only missing values makes no chain longer.
	splits[2] = tree.LevelSplit{Feature: 0, Low: 9, High: 9}
	orders = monotoneConstraints(splits, bins, []tree.Direction{tree.Decreasing})
	if want = [][]int{{0, 1}, {2, 3}}; !slices.EqualFunc(orders[0].chains, want, slices.Equal) {
		t.Errorf("%v, want %v", orders, want)
	}
}

// TestFitOrderedValues checks two things on random trees with one or two monotone
// features: that the values are in order, and that they are closer to the original values
// than random values that are in order.
func TestFitOrderedValues(t *testing.T) {
	bins := &tree.BinnedMatrix{Features: slices.Repeat([]tree.Feature{{BinMapper: tree.BinMapper{MissingBin: 20}}}, 3)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		monotone := []tree.Direction{tree.Increasing, tree.Direction(rng.IntN(3) - 1), tree.AnyOrder}
		var splits []tree.LevelSplit
		for range 1 + rng.IntN(5) {
			splits = append(splits, tree.LevelSplit{Feature: int32(rng.IntN(3)), Low: uint8(1 + rng.IntN(20)), High: 20 - uint8(rng.IntN(2))})
		}
		orders := monotoneConstraints(splits, bins, monotone)
		n := 1 << len(splits)
		original, weights := make([]float64, n), make([]float64, n)
		for i := range n {
			original[i], weights[i] = rng.NormFloat64(), rng.ExpFloat64()
		}
		fitted := slices.Clone(original)
		fitIsotonicInPlace(fitted, weights, orders)
		if !inOrder(fitted, orders) {
			t.Fatalf("%v: %v is not in order", splits, fitted)
		}
		best := distance(fitted, original, weights)
		for range 200 {
			other := slices.Clone(fitted)
			for i := range other {
				other[i] += 0.05 * rng.NormFloat64()
			}
			for _, order := range orders {
				order.raiseToMonotone(other)
			}
			if d := distance(other, original, weights); d < best*(1-0.01) {
				t.Fatalf("%v: the distance is %v, but other values have the distance %v", splits, best, d)
			}
		}
	}
}

// TestRaise checks that running maxima remove violations of two orders at once.
func TestRaise(t *testing.T) {
	orders := []monotoneConstraint{{tree.Increasing, [][]int{{0, 1}, {2, 3}}}, {tree.Decreasing, [][]int{{0, 2}, {1, 3}}}}
	values := []float64{0, -1, 5, 3}
	for _, order := range orders {
		order.raiseToMonotone(values)
	}
	if !inOrder(values, orders) {
		t.Errorf("%v is not in order", values)
	}
}

func inOrder(values []float64, orders []monotoneConstraint) bool {
	for _, order := range orders {
		for _, chain := range order.chains {
			for i := 1; i < len(chain); i++ {
				if float64(order.direction)*(values[chain[i]]-values[chain[i-1]]) < 0 {
					return false
				}
			}
		}
	}
	return true
}

// distance returns the weighted sum of squared differences.
func distance(a, b, weights []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += weights[i] * (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}
