package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// symmetric adds one tree a round whose leaves hold a value for each output.
type symmetric struct {
	opts  Options
	loss  *loss
	input *input
	// grower, sketches and leafOf are room that each round uses again.
	grower    *tree.SymmetricGrower
	gradients [][]float32 // by output of the sketch, then row
	hessians  [][]float32
	packed    [][]int64
	leafOf    []uint8
	eval      []int32
	scratch   []int32
	trees     []symmetricTree
}

// symmetricTree is a tree with its leaves' values, outputs to a leaf.
type symmetricTree struct {
	tests  []tree.Test
	values []float32
}

// mostSketched is the number of outputs whose derivatives decide the splits.
// More outputs are projected on so many random directions: the splits hardly
// suffer, the time falls by the ratio (Iosipoi & Vakhrushev 2022).
const mostSketched = 4

func newSymmetric(l *loss, in *input, opts Options) *symmetric {
	t := &symmetric{opts: opts, loss: l, input: in}
	t.grower = tree.NewSymmetricGrower(in.bins[0], opts.Depth, opts.L2, opts.Workers)
	rows := in.bins[0].Rows
	for range min(len(l.base), mostSketched) {
		t.gradients = append(t.gradients, make([]float32, rows))
		t.hessians = append(t.hessians, make([]float32, rows))
		t.packed = append(t.packed, make([]int64, rows))
	}
	t.leafOf = make([]uint8, rows)
	t.eval = make([]int32, len(l.eval))
	t.scratch = make([]int32, len(l.eval))
	return t
}

// round adds a tree. done tells that no split was worth its cost.
func (t *symmetric) round(ctx context.Context) (done bool, err error) {
	if err := t.loss.update(ctx, t.opts.Workers); err != nil {
		return false, err
	}
	number := uint64(len(t.trees))
	draw := rand.New(rand.NewPCG(t.opts.Seed, number))
	if err := t.sketch(ctx, draw); err != nil {
		return false, err
	}
	bins := t.input.bins[int(number)%len(t.input.bins)]
	sample := tree.SymmetricSample{
		Bins:      bins,
		Rows:      t.loss.train,
		Gradients: t.packed,
		Scales:    make([]tree.Scale, len(t.packed)),
		Features:  t.features(draw),
	}
	err = tree.Parallel(ctx, t.opts.Workers, len(t.packed), func(_, o int) {
		sample.Scales[o] = tree.Quantise(t.packed[o], sample.Rows, t.gradients[o], t.hessians[o])
	})
	if err != nil {
		return false, err
	}
	tests, err := t.grower.Grow(ctx, sample)
	if err != nil {
		return false, err
	}
	if len(tests) == 0 {
		return true, nil
	}
	t.place(tests, bins)
	grown := symmetricTree{tests: tests, values: make([]float32, len(t.loss.base)<<len(tests))}
	err = tree.Parallel(ctx, t.opts.Workers, len(t.loss.base), func(_, k int) { t.settle(&grown, k) })
	if err != nil {
		return false, err
	}
	t.trees = append(t.trees, grown)
	return false, nil
}

// features draws those a tree may use.
func (t *symmetric) features(draw *rand.Rand) []int32 {
	usable := t.input.usable
	drawn := some(len(usable), t.opts.FeatureFraction, draw)
	if drawn == nil {
		return usable
	}
	for i, at := range drawn {
		drawn[i] = usable[at]
	}
	return drawn
}

// sketch finds the derivatives that decide the splits: those of the outputs,
// or of random projections where the outputs are many.
func (t *symmetric) sketch(ctx context.Context, draw *rand.Rand) error {
	outputs, sketched := len(t.loss.base), len(t.packed)
	directions := make([]float32, outputs*sketched)
	for i := range directions {
		directions[i] = float32(draw.NormFloat64()) / float32(math.Sqrt(float64(sketched)))
	}
	tasks := (len(t.loss.train) + block - 1) / block
	return tree.Parallel(ctx, t.opts.Workers, tasks, func(_, i int) {
		rows := t.loss.train[i*block : min((i+1)*block, len(t.loss.train))]
		if outputs > sketched {
			t.project(rows, directions)
			return
		}
		for k := range outputs {
			t.exact(k, rows)
		}
	})
}

// exact writes the derivatives of output k.
func (t *symmetric) exact(k int, rows []int32) {
	p, target := t.loss.probabilities[k], t.loss.target(k)
	gradient, hessian := t.gradients[k], t.hessians[k]
	for _, row := range rows {
		g := p[row]
		hessian[row] = g * (1 - g)
		if t.loss.labels[row] == target {
			g--
		}
		gradient[row] = g
	}
}

// project writes the gradients of all outputs projected on the directions, and
// the sum of their hessians.
func (t *symmetric) project(rows []int32, directions []float32) {
	sketched := len(t.packed)
	for o := range sketched {
		for _, row := range rows {
			t.gradients[o][row], t.hessians[o][row] = 0, 0
		}
	}
	for k, p := range t.loss.probabilities {
		target := t.loss.target(k)
		direction := (*[mostSketched]float32)(directions[k*sketched:])
		for _, row := range rows {
			g := p[row]
			t.hessians[0][row] += g * (1 - g)
			if t.loss.labels[row] == target {
				g--
			}
			for o, d := range direction {
				t.gradients[o][row] += d * g
			}
		}
	}
	for _, row := range rows {
		for o := range t.hessians {
			t.hessians[o][row] = t.hessians[0][row]
		}
	}
}

// place finds each row's leaf.
func (t *symmetric) place(tests []tree.Test, bins *tree.Bins) {
	mark := func(leaf int, rows []int32) {
		for _, row := range rows {
			t.leafOf[row] = uint8(leaf)
		}
	}
	for leaf := range 1 << len(tests) {
		mark(leaf, t.grower.LeafRows(leaf))
	}
	copy(t.eval, t.loss.eval)
	tree.RouteSymmetric(tests, bins, t.eval, t.scratch, mark)
}

// settle finds the values of output k in each leaf and adds them to the scores
// of all rows.
func (t *symmetric) settle(grown *symmetricTree, k int) {
	var g, h [1 << tree.MaxSymmetricDepth]float64
	p, target := t.loss.probabilities[k], t.loss.target(k)
	for _, row := range t.loss.train {
		leaf, d := t.leafOf[row], p[row]
		h[leaf] += float64(d * (1 - d))
		if t.loss.labels[row] == target {
			d--
		}
		g[leaf] += float64(d)
	}
	outputs := len(t.loss.base)
	var values [1 << tree.MaxSymmetricDepth]float32
	for leaf := range 1 << len(grown.tests) {
		values[leaf] = newton(g[leaf], h[leaf], t.loss.classes, &t.opts)
		grown.values[leaf*outputs+k] = values[leaf]
	}
	scores := t.loss.scores[k]
	for _, row := range t.loss.rows {
		scores[row] += values[t.leafOf[row]]
	}
}

func (t *symmetric) rounds() int { return len(t.trees) }

func (t *symmetric) work() float64 {
	w := t.grower.Work()
	sweeps := float64(t.rounds()) * float64(len(t.loss.base)) * float64(len(t.loss.train))
	return treeTime(w, len(t.trees)) + 20*sweeps
}

func (t *symmetric) ensemble(n int) ensemble {
	return t.input.model(t.trees[:n:n], len(t.loss.base))
}
