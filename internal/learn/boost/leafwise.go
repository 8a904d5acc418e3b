package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// leafwise adds one tree an output each round.
type leafwise struct {
	opts   Options
	loss   *loss
	bins   *tree.BinnedMatrix
	params tree.Params
	// leafwiseDesk is nil between rounds.
	*leafwiseDesk
	done tree.Cost
	// tape holds the binary form of the rounds so far, ends where each ends.
	tape    *scratch.Tape
	ends    []int64
	packing []byte
	cuts    []tree.BinMapper
	routed  int64
}

// member is a tree of an ensemble with the value of each leaf; nil where an
// output had nothing left to learn.
type member struct {
	tree   *tree.Tree
	values []float32
}

// negligible is the mean absolute gradient at which an output has nothing
// left to learn.
const negligible = 1e-6

// newLeafwise prepares for the first round.
func newLeafwise(l *loss, bins *tree.BinnedMatrix, opts Options) *leafwise {
	return &leafwise{opts: opts, loss: l, bins: bins, cuts: bins.Mappers(), tape: opts.Disk.NewTape(), params: tree.Params{
		MaxLeaves:  opts.Leaves,
		MinRows:    opts.MinRows,
		MinHessian: minHessian,
		MinGain:    1e-7,
		L2:         opts.L2,
		CatL2:      catL2,
		CatSmooth:  catSmooth,
	}}
}

// side returns the number of trees that are grown side by side.
func (t *leafwise) side() int { return min(t.opts.Workers, len(t.loss.base)) }

// sit takes a desk, rise gives it back.
func (t *leafwise) sit() (rise func()) {
	d := t.opts.Room.leafwise.take()
	d.fit(t.bins, t.params, t.side(), t.inner())
	for _, lot := range d.lots {
		lot.fit(t.bins.Rows, len(t.loss.train))
	}
	if t.loss.classes > 2 {
		d.tops, d.scales = sized(d.tops, t.loss.twins.n), sized(d.scales, t.loss.twins.n)
	}
	t.loss.tops, t.loss.scales = d.tops, d.scales
	t.leafwiseDesk = d
	before := d.work()
	return func() {
		t.done = t.done.Plus(d.work(), 1).Plus(before, -1)
		t.leafwiseDesk = nil
		t.loss.tops, t.loss.scales = nil, nil
		t.opts.Room.leafwise.give(d)
	}
}

// inner returns the number of workers for each of the trees that are grown side
// by side.
func (t *leafwise) inner() int {
	return (t.opts.Workers + t.side() - 1) / t.side()
}

// round adds a tree to each output. done tells that no output could be
// improved.
func (t *leafwise) round(ctx context.Context) (done bool, err error) {
	defer t.sit()()
	if err := t.loss.update(ctx, t.opts.Workers); err != nil {
		return false, err
	}
	outputs := len(t.loss.base)
	grown := make([]*member, outputs)
	routed := make([]int64, outputs)
	failed := make([]error, outputs)
	err = tree.Parallel(ctx, len(t.lots), outputs, func(worker, k int) {
		grown[k], routed[k], failed[k] = t.grow(ctx, worker, k)
	})
	for k := range grown {
		if err == nil {
			err = failed[k]
		}
		t.routed += routed[k]
	}
	if err != nil {
		return false, err
	}
	done = true
	t.packing = t.packing[:0]
	for _, m := range grown {
		done = done && m == nil
		t.packing = m.appendBinary(t.packing, t.cuts)
	}
	t.tape.Write(t.packing)
	t.ends = append(t.ends, t.tape.Len())
	return done, nil
}

// grow makes the tree of output k and adds it to the scores of all rows.
func (t *leafwise) grow(ctx context.Context, worker, k int) (*member, int64, error) {
	lot, grower := t.lots[worker], t.growers[worker]
	draw := rand.New(rand.NewPCG(t.opts.Seed, uint64(t.grown()+k)))
	mass, err := lot.draw(ctx, t.inner(), t.loss, k, lottery{t.opts.RowFraction, draw.Uint64()})
	if err != nil || mass < negligible*float64(len(t.loss.train)) || len(lot.keep) == 0 {
		return nil, 0, err
	}
	sample := tree.Sample{
		Rows:      lot.keep,
		Gradients: lot.gradients,
		Features:  some(len(t.bins.Features), t.opts.FeatureFraction, draw),
	}
	sample.Scale, err = tree.Quantise(ctx, t.inner(), lot.gradients, lot.keep)
	if err != nil {
		return nil, 0, err
	}
	grown, err := grower.Grow(ctx, sample)
	if err != nil || grown.Leaves < 2 {
		return nil, 0, err
	}
	m := &member{tree: grown, values: make([]float32, grown.Leaves)}
	for leaf := range m.values {
		g, h := grower.LeafSum(leaf)
		m.values[leaf] = newton(g, h, t.loss.classes, &t.opts)
	}
	err = lot.route(ctx, t.inner(), &t.loss.twins, t.bins, grown, grower, func(leaf int, rows []int32) {
		t.loss.add(k, rows, m.values[leaf])
	})
	return m, int64(len(lot.rest)), err
}

func (t *leafwise) rounds() int { return len(t.ends) }

// grown returns the number of trees so far, those that add nothing included.
func (t *leafwise) grown() int { return len(t.ends) * len(t.loss.base) }

func (t *leafwise) work() float64 {
	rows := float64(t.rounds()) * float64(len(t.loss.base)) * float64(len(t.loss.train))
	return treeTime(t.done, t.grown(), 2.5) + 10*float64(t.routed) + 14*rows
}

func (t *leafwise) evaluate(dst []float32) { t.loss.evaluate(dst) }

func (t *leafwise) ensemble(n int) ensemble {
	outputs, cuts := len(t.loss.base), t.cuts
	return newRecorded(recorded{
		form: kindLeafwise, tape: t.tape, size: sizeOf(t.ends, n),
		head: func(b []byte) ([]byte, error) { return appendCuts(b, cuts, n*outputs) },
	}, func(r *reader) ensemble { return readTrees(r, outputs) })
}
