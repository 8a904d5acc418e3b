package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// leafwise adds one tree an output each round.
type leafwise struct {
	opts Options
	loss *loss
	bins *tree.Bins
	// lots and growers belong to the workers that grow trees side by side.
	lots    []*lot
	growers []*tree.Grower
	// members are the trees so far; a round has one an output, nil where the
	// output has nothing left to learn.
	members []*member
	routed  int64
}

// member is a tree of an ensemble with the value of each leaf.
type member struct {
	tree   *tree.Tree
	values []float32
}

// negligible is the mean absolute gradient at which an output has nothing
// left to learn.
const negligible = 1e-6

// newLeafwise prepares for the first round.
func newLeafwise(l *loss, bins *tree.Bins, opts Options) *leafwise {
	t := &leafwise{opts: opts, loss: l, bins: bins}
	side := min(opts.Workers, len(l.base))
	params := tree.Params{
		MaxLeaves:  opts.Leaves,
		MinRows:    opts.MinRows,
		MinHessian: minHessian,
		MinGain:    1e-7,
		L2:         opts.L2,
		CatL2:      catL2,
		CatSmooth:  catSmooth,
	}
	for range side {
		t.lots = append(t.lots, newLot(bins.Rows))
		t.growers = append(t.growers, tree.NewGrower(bins, params, (opts.Workers+side-1)/side))
	}
	return t
}

// round adds a tree to each output. done tells that no output could be
// improved.
func (t *leafwise) round(ctx context.Context) (done bool, err error) {
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
	for _, m := range grown {
		done = done && m == nil
	}
	t.members = append(t.members, grown...)
	return done, nil
}

// grow makes the tree of output k and adds it to the scores of all rows.
func (t *leafwise) grow(ctx context.Context, worker, k int) (*member, int64, error) {
	lot, grower := t.lots[worker], t.growers[worker]
	draw := rand.New(rand.NewPCG(t.opts.Seed, uint64(len(t.members)+k)))
	mass := lot.draw(t.loss, k, lottery{t.opts.RowFraction, draw.Uint64()})
	if mass < negligible*float64(len(t.loss.train)) || len(lot.keep) == 0 {
		return nil, 0, nil
	}
	sample := tree.Sample{
		Rows:      lot.keep,
		Gradients: lot.packed,
		Scale:     tree.Quantise(lot.packed, lot.keep, lot.gradient, lot.hessian),
		Features:  some(len(t.bins.Features), t.opts.FeatureFraction, draw),
	}
	grown, err := grower.Grow(ctx, sample)
	if err != nil {
		return nil, 0, err
	}
	if grown.Leaves < 2 {
		return nil, 0, nil
	}
	m := &member{tree: grown, values: make([]float32, grown.Leaves)}
	for leaf := range m.values {
		m.values[leaf] = t.step(lot, grower.LeafRows(leaf))
	}
	scores := t.loss.scores[k]
	lot.route(t.bins, grown, grower, func(leaf int, rows []int32) {
		value := m.values[leaf]
		for _, row := range rows {
			scores[row] += value
		}
	})
	return m, int64(len(lot.rest)), nil
}

// step returns the step of a leaf's rows.
func (t *leafwise) step(lot *lot, rows []int32) float32 {
	var g, h float64
	for _, row := range rows {
		g += float64(lot.gradient[row])
		h += float64(lot.hessian[row])
	}
	return newton(g, h, t.loss.classes, &t.opts)
}

func (t *leafwise) rounds() int { return len(t.members) / len(t.loss.base) }

func (t *leafwise) work() float64 {
	var w tree.Work
	for _, g := range t.growers {
		one := g.Work()
		w.Counted += one.Counted
		w.Scanned += one.Scanned
		w.Moved += one.Moved
	}
	rows := float64(t.rounds()) * float64(len(t.loss.base)) * float64(len(t.loss.train))
	return treeTime(w, len(t.members)) + 10*float64(t.routed) + 14*rows
}

func (t *leafwise) ensemble(n int) ensemble {
	outputs := len(t.loss.base)
	return &trees{outputs: outputs, cuts: t.bins.Cuts(), members: t.members[: n*outputs : n*outputs]}
}
