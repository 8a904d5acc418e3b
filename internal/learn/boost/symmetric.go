package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/frame"
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
	sweeps    int64
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

// input is the frame as symmetric trees see it.
type input struct {
	// bins hold the binned columns, then the statistics: in one order each.
	bins []*tree.Bins
	// usable are the features trees may use: a category of many levels is
	// seen through its statistics only.
	usable     []int32
	columns    int
	statistics []statistic
}

const (
	// orders is the number of random orders of the ordered statistics.
	orders = 4
	// wide is the number of levels beyond which a column gets statistics.
	// Trees tell fewer levels apart by name, and without noise.
	wide = 24
	// mostStatistics bounds the statistics of pairs of columns.
	mostStatistics = 48
)

// newInput makes the statistics of the categorical columns of f.
func newInput(ctx context.Context, f *frame.Frame, train []int32, bins *tree.Bins, opts *Options) (*input, error) {
	in := &input{columns: len(f.Columns)}
	var singles []category
	for i := range f.Columns {
		in.usable = append(in.usable, int32(i))
		if f.Columns[i].Codes == nil {
			continue
		}
		if key := newCategory(f, i, -1); key.levels[0]-2 > wide {
			singles = append(singles, key)
		}
	}
	if len(singles) == 0 {
		in.bins = []*tree.Bins{bins}
		return in, nil
	}
	e := newEncoder(f, train, opts, orders)
	most := max(mostStatistics/len(e.targets)-len(singles), 0)
	pairs, err := e.pairs(ctx, singles, most, opts.Workers)
	if err != nil {
		return nil, err
	}
	keys := append(singles, pairs...)
	in.statistics = make([]statistic, len(keys)*len(e.targets))
	err = tree.Parallel(ctx, opts.Workers, len(in.statistics), func(_, i int) {
		in.statistics[i] = e.statistic(keys[i/len(e.targets)], e.targets[i%len(e.targets)])
	})
	if err != nil {
		return nil, err
	}
	for i := range in.statistics {
		in.usable = append(in.usable, int32(in.columns+i))
	}
	for order := range e.orders {
		features := append([]tree.Feature(nil), bins.Features...)
		for i := range in.statistics {
			s := &in.statistics[i]
			features = append(features, tree.Feature{Cuts: s.cuts, Data: s.orders[order]})
		}
		ordered, err := tree.NewBinsOf(ctx, f.Rows, features, opts.Workers)
		if err != nil {
			return nil, err
		}
		in.bins = append(in.bins, ordered)
	}
	return in, nil
}
