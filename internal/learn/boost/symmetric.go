package boost

import (
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// symmetric adds one tree a round whose leaves hold a value for each output.
type symmetric struct {
	opts  Options
	board board
	input *input
	// symmetricDesk is nil between rounds.
	*symmetricDesk
	done tree.Cost
	// directions are those of a projection, nil without one. Its odds are found
	// twice where they would take too much room.
	directions []direction
	keepsOdds  bool
	// tape holds the binary form of the trees so far, ends where each ends.
	tape    *scratch.Tape
	ends    []int64
	packing []byte
	asked   asked
}

// mostOdds is the number of odds up to which they are kept.
const mostOdds = 1 << 22

func newSymmetric(p problem, in *input, opts Options) *symmetric {
	rows, outputs := in.bins[0].Rows, len(p.base)
	t := &symmetric{
		opts: opts, board: newBoard(p, rows), input: in, keepsOdds: rows*outputs <= mostOdds,
		tape: opts.Disk.NewTape(), asked: asked{places: make(map[int32]int32)},
	}
	if outputs > mostSketched {
		t.directions = make([]direction, outputs)
	}
	return t
}

// sit takes a desk, rise gives it back.
func (t *symmetric) sit() (rise func()) {
	rows, outputs := t.input.bins[0].Rows, len(t.board.base)
	d := t.opts.Room.symmetric.take()
	if d.grower == nil {
		d.grower = tree.NewSymmetricGrower(t.input.bins[0], t.opts.Depth, t.opts.L2, t.opts.Workers)
	}
	d.grower.SetBins(t.input.bins[0])
	d.gradients = sized(d.gradients, min(outputs, mostSketched))
	for o := range d.gradients {
		d.gradients[o] = sized(d.gradients[o], rows)
	}
	d.odds = d.odds[:0]
	if t.directions != nil {
		if t.keepsOdds {
			d.odds = sized(d.odds, rows*outputs)
		}
		d.scales = sized(d.scales, rows)
	}
	for len(d.sums) < t.opts.Workers {
		d.sums = append(d.sums, newSums(outputs))
	}
	d.values = sized(d.values, outputs<<tree.MaxSymmetricDepth)
	d.eval, d.scratch = sized(d.eval, len(t.board.eval)), sized(d.scratch, len(t.board.eval))
	t.symmetricDesk = d
	before := d.grower.Cost()
	return func() {
		t.done = t.done.Plus(d.grower.Cost(), 1).Plus(before, -1)
		t.symmetricDesk = nil
		t.opts.Room.symmetric.give(d)
	}
}

// round adds a tree. done tells that no split was worth its cost.
func (t *symmetric) round(ctx context.Context) (done bool, err error) {
	defer t.sit()()
	number := uint64(len(t.ends))
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
	tree.ApplySymmetric(tests, bins, t.eval, t.scratch, func(leaf int, rows []int32) {
		t.board.add(rows, t.leaf(leaf))
	})
	t.record(tests)
	return false, nil
}

// record puts the tree with the present values on the tape. There tests know a
// feature by its place among the inputs of the ensemble; those given are changed.
func (t *symmetric) record(tests []tree.LevelSplit) {
	outputs := len(t.board.base)
	for i := range tests {
		tests[i].Feature = t.asked.place(tests[i].Feature, t.rounds())
	}
	grown := newSymmetricTree(tests, t.values, outputs)
	t.packing = grown.appendBinary(t.packing[:0], outputs)
	t.tape.Write(t.packing)
	t.ends = append(t.ends, t.tape.Len())
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

func (t *symmetric) rounds() int { return len(t.ends) }

func (t *symmetric) work() float64 {
	sweeps := float64(t.rounds()) * float64(len(t.board.base)) * float64(len(t.board.train))
	return treeTime(t.done, len(t.ends), 1.5) + 10*sweeps
}

func (t *symmetric) evaluate(dst []float32) { t.board.evaluate(dst) }

func (t *symmetric) ensemble(n int) ensemble {
	outputs := len(t.board.base)
	var inputs []source
	for _, feature := range t.asked.before(n) {
		inputs = append(inputs, t.input.source(feature))
	}
	return newRecorded(recorded{
		form: kindSymmetric, tape: t.tape, size: sizeOf(t.ends, n),
		head: func(b []byte) ([]byte, error) { return appendSources(b, inputs, n) },
	}, func(r *reader) ensemble { return readOblivious(r, outputs) })
}
