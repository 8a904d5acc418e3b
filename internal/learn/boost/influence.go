package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/tree"
)

// trim is the part of the gradients' absolute sum that a tree may do without:
// the rows the model is surest of are left out as long as theirs is no more
// ("influence trimming", Friedman, Hastie & Tibshirani 2000, section 9). Late
// in the learning, and for rare classes from the start, that is most rows.
const trim = 0.005

// lot is what one tree is grown from, with room that is used again.
type lot struct {
	gradients  []int64 // by row: raw ones, packed in the end
	keep, rest []int32
	sizes      sizes
	shares     []share
}

// sizes count rows by the size of their gradients.
type sizes [1 << 11]bucket

// bucket counts the rows whose gradients are of about one size.
type bucket struct {
	rows int
	mass float64
}

// share is what one task finds of the rows to learn from.
type share struct {
	sizes      sizes
	keep, rest int
}

// lotRows is the number of rows of a share.
const lotRows = 1 << 14

// lottery says how many rows a tree is to be grown from, and how they are
// drawn.
type lottery struct {
	fraction float64
	salt     uint64
}

// fit makes room for so many rows, of which train are learnt from.
func (t *lot) fit(rows, train int) {
	t.gradients = sized(t.gradients, rows)
	t.keep, t.rest = sized(t.keep, rows), sized(t.rest, rows)
	t.shares = sized(t.shares, (train+lotRows-1)/lotRows)
}

// draw finds the derivatives of output k and divides the rows into those to
// grow a tree from and the rest, both ascending but for the rows to evaluate,
// which come last. It returns the sum of the gradients' absolute values.
//
// If only a fraction of the rows is wanted, those with gradients of at least μ
// are kept, and a smaller one with probability |g|/μ and its derivatives
// multiplied by μ/|g|: sums stay unbiased and vary little (Ibragimov & Gusev,
// Minimal variance sampling in stochastic gradient boosting, NeurIPS 2019).
func (t *lot) draw(ctx context.Context, workers int, l *loss, k int, chance lottery) (float64, error) {
	err := tree.Parallel(ctx, workers, len(t.shares), func(_, i int) { t.measure(l, k, i) })
	if err != nil {
		return 0, err
	}
	clear(t.sizes[:])
	for i := range t.shares {
		for size, b := range &t.shares[i].sizes {
			t.sizes[size].rows += b.rows
			t.sizes[size].mass += b.mass
		}
	}
	total, least, full := t.limits(chance.fraction * float64(len(l.train)))
	err = tree.Parallel(ctx, workers, len(t.shares), func(_, i int) { t.choose(l, i, chance, least, full) })
	if err != nil {
		return 0, err
	}
	t.keep, t.rest = t.keep[:cap(t.keep)], t.rest[:cap(t.rest)]
	kept, left := 0, 0
	for i := range t.shares {
		kept += copy(t.keep[kept:], t.keep[i*lotRows:][:t.shares[i].keep])
		left += copy(t.rest[left:], t.rest[i*lotRows:][:t.shares[i].rest])
	}
	left += copy(t.rest[left:], l.eval)
	t.keep, t.rest = t.keep[:kept], t.rest[:left]
	return total, nil
}

// of returns the rows of share i.
func (t *lot) of(l *loss, i int) []int32 {
	return l.train[i*lotRows : min((i+1)*lotRows, len(l.train))]
}

// measure finds the derivatives of a share's rows and counts their sizes.
func (t *lot) measure(l *loss, k, i int) {
	s := &t.shares[i]
	clear(s.sizes[:])
	rows := t.of(l, i)
	if l.tops == nil {
		t.logistic(l, rows)
	} else {
		t.softmax(l, k, rows)
	}
	for _, row := range rows {
		g, _ := tree.UnpackGradHess(t.gradients[row])
		b := &s.sizes[size(g)]
		b.rows++
		b.mass += math.Abs(float64(g))
	}
}

// near is the number of rows whose derivatives are found together.
const near = 512

// logistic writes the derivatives of two classes. Those of a stretch of rows are found
// whether they are wanted or not: most are.
func (t *lot) logistic(l *loss, rows []int32) {
	var raw [near]uint64
	for len(rows) > 0 {
		lo := int(rows[0])
		hi := min(lo+near, len(l.scores[0]))
		kernel.Logistic(raw[:hi-lo], l.scores[0][lo:hi], l.labels[lo:hi], l.target(0))
		n := 0
		for ; n < len(rows); n++ {
			at := uint(int(rows[n]) - lo)
			if at >= uint(hi-lo) {
				break
			}
			t.gradients[rows[n]] = int64(raw[at])
		}
		rows = rows[n:]
	}
}

// softmax writes the derivatives of output k of many classes.
func (t *lot) softmax(l *loss, k int, rows []int32) {
	target := l.target(k)
	scores := l.scores[k]
	for _, row := range rows {
		at := l.twins.place(row)
		g := l.odds(scores, at) * l.scales[at]
		h := g * (1 - g)
		if l.labels[row] == target {
			g--
		}
		t.gradients[row] = tree.PackGradHess(g, h)
	}
}

// choose writes the rows of a share that are kept to its part of keep, the
// others to that of rest.
func (t *lot) choose(l *loss, i int, chance lottery, least, full int) {
	s := &t.shares[i]
	s.keep, s.rest = 0, 0
	rows := t.of(l, i)
	keep, rest := t.keep[:cap(t.keep)][i*lotRows:][:len(rows)], t.rest[:cap(t.rest)][i*lotRows:][:len(rows)]
	mu := math.Float32frombits(uint32(full) << sizeBits)
	for _, row := range rows {
		g, h := tree.UnpackGradHess(t.gradients[row])
		at := size(g)
		if at < full {
			weight := mu / max(g, -g)
			if at < least || !(weight*chance.uniform(row) < 1) {
				rest[s.rest] = row
				s.rest++
				continue
			}
			t.gradients[row] = tree.PackGradHess(g*weight, h*weight)
		}
		keep[s.keep] = row
		s.keep++
	}
}

// limits returns the sum of the gradients, the size below which they are
// trimmed, and that from which all are kept so that about want rows are.
func (t *lot) limits(want float64) (total float64, least, full int) {
	rows := 0
	for _, b := range &t.sizes {
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

// routed is the number of rows that one task routes.
const routed = 1 << 14

// route gives each leaf of a tree grown from the lot all of its rows: those it
// was grown from, and the rest; of twins, only the leaders. Calls of visit may be
// at the same time, never for the same rows. The rows that were kept are
// forgotten.
func (t *lot) route(ctx context.Context, workers int, w *twins, b *tree.BinnedMatrix, grown *tree.Tree, g *tree.Grower, visit func(leaf int, rows []int32)) error {
	known, rows := grown.Leaves, t.rest
	if w.places != nil {
		known, rows = 0, t.rest[:len(w.leaders)]
	}
	tasks := (len(rows) + routed - 1) / routed
	scratch := t.keep[:cap(t.keep)]
	return tree.Parallel(ctx, workers, known+tasks, func(_, i int) {
		if i < known {
			visit(i, g.LeafRows(i))
			return
		}
		lo := (i - known) * routed
		hi := min(lo+routed, len(rows))
		if w.places != nil {
			copy(rows[lo:hi], w.leaders[lo:hi])
		}
		grown.Apply(b, rows[lo:hi], scratch[lo:hi], visit)
	})
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
