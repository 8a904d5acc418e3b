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
	sizes             []bucket
}

// bucket counts the rows whose gradients are of about one size.
type bucket struct {
	rows int
	mass float64
}

// lottery says how many rows a tree is to be grown from, and how they are
// drawn.
type lottery struct {
	fraction float64
	salt     uint64
}

func newLot(rows int) *lot {
	return &lot{
		gradient: make([]float32, rows),
		hessian:  make([]float32, rows),
		packed:   make([]int64, rows),
		sizes:    make([]bucket, 1<<11),
	}
}

// draw finds the derivatives of output k and divides the rows into those to
// grow a tree from and the rest, both ascending but for the rows to evaluate,
// which come last. It returns the sum of the gradients' absolute values.
//
// If only a fraction of the rows is wanted, those with gradients of at least μ
// are kept, and a smaller one with probability |g|/μ and its derivatives
// multiplied by μ/|g|: sums stay unbiased and vary little (Ibragimov & Gusev,
// Minimal variance sampling in stochastic gradient boosting, NeurIPS 2019).
func (t *lot) draw(l *loss, k int, chance lottery) float64 {
	clear(t.sizes)
	target := l.target(k)
	p := l.probabilities[k]
	for _, row := range l.train {
		g := p[row]
		t.hessian[row] = g * (1 - g)
		if l.labels[row] == target {
			g--
		}
		t.gradient[row] = g
		b := &t.sizes[size(g)]
		b.rows++
		b.mass += math.Abs(float64(g))
	}
	total, least, full := t.limits(chance.fraction * float64(len(l.train)))
	mu := math.Float32frombits(uint32(full) << sizeBits)
	t.keep, t.rest = t.keep[:0], t.rest[:0]
	for _, row := range l.train {
		g := t.gradient[row]
		if s := size(g); s >= full {
			t.keep = append(t.keep, row)
		} else if weight := mu / max(g, -g); s >= least && weight*chance.uniform(row) < 1 {
			t.gradient[row] *= weight
			t.hessian[row] *= weight
			t.keep = append(t.keep, row)
		} else {
			t.rest = append(t.rest, row)
		}
	}
	t.rest = append(t.rest, l.eval...)
	return total
}

// limits returns the sum of the gradients, the size below which they are
// trimmed, and that from which all are kept so that about want rows are.
func (t *lot) limits(want float64) (total float64, least, full int) {
	rows := 0
	for _, b := range t.sizes {
		total += b.mass
		rows += b.rows
	}
	below := 0.0
	for below+t.sizes[least].mass <= trim*total && least < len(t.sizes)-1 {
		below += t.sizes[least].mass
		rows -= t.sizes[least].rows
		least++
	}
	below = 0
	for full = least; full < len(t.sizes)-1; full++ {
		mu := float64(math.Float32frombits(uint32(full) << sizeBits))
		if float64(rows)+below/mu <= want {
			break
		}
		below += t.sizes[full].mass
		rows -= t.sizes[full].rows
	}
	return total, least, full
}

// sizeBits are the low bits of a float32 that its size leaves away.
const sizeBits = 20

// size orders numbers by their absolute value, coarsely: exponent and three
// bits of the mantissa.
func size(x float32) int {
	return int(math.Float32bits(x) << 1 >> (sizeBits + 1))
}

// uniform returns a row's random number in [0, 1).
func (c lottery) uniform(row int32) float32 {
	return float32(scramble(uint64(row)^c.salt)>>40) / (1 << 24)
}

// scramble is the finaliser of splitmix64.
func scramble(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
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
