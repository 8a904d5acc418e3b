package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// symmetric adds one tree a round whose leaves hold a value for each output.
type symmetric struct {
	opts  Options
	board board
	input *input
	// grower and the rest are room that each round uses again.
	grower *tree.SymmetricGrower
	// gradients hold raw gradients, then packed ones, by output of the sketch
	// and by row.
	gradients [][]int64
	// directions are those of a projection, nil without one. Its probabilities
	// are odds, row major, multiplied by scales, a number a row. The odds are
	// found twice where they would take too much room.
	directions   []direction
	odds, scales []float32
	sums         []sums // by worker
	values       []float32
	eval         []int32
	scratch      []int32
	trees        []symmetricTree
}

// mostOdds is the number of odds up to which they are kept.
const mostOdds = 1 << 22

func newSymmetric(p problem, in *input, opts Options) *symmetric {
	rows, outputs := in.bins[0].Rows, len(p.base)
	t := &symmetric{opts: opts, board: newBoard(p, rows), input: in}
	t.grower = tree.NewSymmetricGrower(in.bins[0], opts.Depth, opts.L2, opts.Workers)
	for range min(outputs, mostSketched) {
		t.gradients = append(t.gradients, make([]int64, rows))
	}
	if outputs > mostSketched {
		t.directions = make([]direction, outputs)
		if rows*outputs <= mostOdds {
			t.odds = make([]float32, rows*outputs)
		}
		t.scales = make([]float32, rows)
	}
	t.sums = make([]sums, opts.Workers)
	for i := range t.sums {
		t.sums[i] = newSums(outputs)
	}
	t.values = make([]float32, outputs<<tree.MaxSymmetricDepth)
	t.eval = make([]int32, len(p.eval))
	t.scratch = make([]int32, len(p.eval))
	return t
}

// round adds a tree. done tells that no split was worth its cost.
func (t *symmetric) round(ctx context.Context) (done bool, err error) {
	number := uint64(len(t.trees))
	draw := rand.New(rand.NewPCG(t.opts.Seed, number))
	if err := t.sketch(ctx, draw); err != nil {
		return false, err
	}
	bins := t.input.bins[int(number)%len(t.input.bins)]
	sample := tree.SymmetricSample{
		Bins:      bins,
		Rows:      t.board.train,
		Gradients: t.gradients,
		Scales:    make([]tree.Scale, len(t.gradients)),
		Features:  t.features(draw),
	}
	for o, gradients := range t.gradients {
		sample.Scales[o], err = tree.Quantise(ctx, t.opts.Workers, gradients, sample.Rows)
		if err != nil {
			return false, err
		}
	}
	tests, err := t.grower.Grow(ctx, sample)
	if err != nil {
		return false, err
	}
	if len(tests) == 0 {
		return true, nil
	}
	if err := t.settle(ctx, 1<<len(tests)); err != nil {
		return false, err
	}
	copy(t.eval, t.board.eval)
	tree.RouteSymmetric(tests, bins, t.eval, t.scratch, func(leaf int, rows []int32) {
		t.board.add(rows, t.leaf(leaf))
	})
	t.trees = append(t.trees, newSymmetricTree(tests, t.values, len(t.board.base)))
	return false, nil
}

// leaf returns the place of the values of a leaf.
func (t *symmetric) leaf(leaf int) []float32 {
	width := len(t.board.base)
	return t.values[leaf*width:][:width]
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

func (t *symmetric) rounds() int { return len(t.trees) }

func (t *symmetric) work() float64 {
	w := t.grower.Work()
	sweeps := float64(t.rounds()) * float64(len(t.board.base)) * float64(len(t.board.train))
	return treeTime(w, len(t.trees), 1.5) + 10*sweeps
}

func (t *symmetric) evaluate(dst []float32) { t.board.evaluate(dst) }

func (t *symmetric) ensemble(n int) ensemble {
	return t.input.model(t.trees[:n:n], len(t.board.base))
}
