package boost

import (
	"math"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// trim is the part of the gradients' absolute sum that a tree may do without:
// the rows the model is surest of are left out as long as theirs is no more
// ("influence trimming", Friedman, Hastie & Tibshirani 2000, section 9). Late
// in the learning, and for rare classes from the start, that is most rows.
const trim = 0.005

// lot is what one tree is grown from, with room that is used again.
type lot struct {
	gradient, hessian []float32 // by row
	packed            []int64   // by row
	keep, rest        []int32
	scratch           []int32
}

func newLot(rows int) *lot {
	return &lot{gradient: make([]float32, rows), hessian: make([]float32, rows), packed: make([]int64, rows)}
}

// draw finds the derivatives of output k and divides the rows into those to
// grow a tree from and the rest, both ascending but for the rows to evaluate,
// which come last. inBag tells which rows may be used; nil is all. It returns
// the sum of the gradients' absolute values.
func (t *lot) draw(l *loss, k int, inBag []bool) float64 {
	var mass [1 << 11]float64 // by size of the gradient
	target := l.target(k)
	p := l.probabilities[k]
	for _, row := range l.train {
		g, h := p[row], p[row]*(1-p[row])
		if l.labels[row] == target {
			g--
		}
		t.gradient[row], t.hessian[row] = g, h
		if g < 0 {
			g = -g
		}
		if inBag == nil || inBag[row] {
			mass[size(g)] += float64(g)
		}
	}
	var total, below float64
	for _, m := range mass {
		total += m
	}
	least := 0
	for below+mass[least] <= trim*total && least < len(mass)-1 {
		below += mass[least]
		least++
	}
	t.keep, t.rest = t.keep[:0], t.rest[:0]
	for _, row := range l.train {
		if size(t.gradient[row]) >= least && (inBag == nil || inBag[row]) {
			t.keep = append(t.keep, row)
		} else {
			t.rest = append(t.rest, row)
		}
	}
	t.rest = append(t.rest, l.eval...)
	return total
}

// size orders numbers by their absolute value, coarsely: exponent and three
// bits of the mantissa.
func size(x float32) int {
	return int(math.Float32bits(x) << 1 >> 21)
}

// route gives each leaf of a tree grown from the lot all of its rows: first
// those it was grown from, then the rest.
func (t *lot) route(b *tree.Bins, grown *tree.Tree, g *tree.Grower, visit func(leaf int, rows []int32)) {
	for leaf := range grown.Leaves {
		visit(leaf, g.LeafRows(leaf))
	}
	if cap(t.scratch) < len(t.rest) {
		t.scratch = make([]int32, len(t.rest))
	}
	grown.Route(b, t.rest, t.scratch[:len(t.rest)], visit)
}

// bag draws which rows a round may use, or returns nil for all.
func bag(rows int, fraction float64, seed, round uint64) []bool {
	if fraction >= 1 {
		return nil
	}
	draw := rand.New(rand.NewPCG(seed, round<<1))
	in := make([]bool, rows)
	for i := range in {
		in[i] = draw.Float64() < fraction
	}
	return in
}

// some draws about a fraction of n features, at least one, ascending; nil is
// all.
func some(n int, fraction float64, draw *rand.Rand) []int32 {
	if fraction >= 1 {
		return nil
	}
	want := max(int(math.Round(fraction*float64(n))), 1)
	chosen := make([]int32, 0, want)
	for i := range n {
		if draw.IntN(n-i) < want-len(chosen) {
			chosen = append(chosen, int32(i))
		}
	}
	return chosen
}
