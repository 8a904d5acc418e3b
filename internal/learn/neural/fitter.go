package neural

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
)

// Fitter learns one network. It is for one goroutine, and starts others.
type Fitter struct {
	f    *frame.Frame
	part split.Part
	opts Options
	e    *encoder
	l    *layout
	team team

	params  []float32 // what the gradient is taken at
	mean    []float32 // its running average: what is scored and kept
	kept    []float32 // mean as of the last Keep, or nil
	learner *optimiser
	// desk is where the network runs: with params in learning, with mean in
	// scoring. It is nil in between.
	desk *desk

	order   []int32 // the training rows, shuffled
	next    int     // place in order
	shuffle *rand.Rand
	step    int
	batches int
	samples int
	scored  int // rows
}

// New prepares a fitter that learns f's rows part.Train and scores part.Eval.
// The frame is read as long as the fitter is used.
func New(ctx context.Context, f *frame.Frame, part split.Part, opts Options) (*Fitter, error) {
	if len(part.Train) == 0 {
		return nil, errors.New("neural: no rows to learn from")
	}
	o, err := opts.withDefaults(len(part.Train))
	if err != nil {
		return nil, err
	}
	e, err := fitEncoder(ctx, f, part.Train, o.Embedding, o.Knots)
	if err != nil {
		return nil, err
	}
	l := newLayout(e, o)
	t := &Fitter{f: f, part: part, opts: o, e: e, l: l, team: team(o.Workers)}
	t.params = l.initialise(e, rand.New(rand.NewPCG(o.Seed, streamWeights)))
	t.mean = slices.Clone(t.params)
	t.learner = newOptimiser(l)
	t.order = slices.Clone(part.Train)
	t.next = len(t.order)
	t.shuffle = rand.New(rand.NewPCG(o.Seed, streamRows))
	return t, nil
}

// Streams of random numbers that come from one seed.
const (
	streamRows = iota + 1
	streamWeights
)

// Step learns the next part of the schedule. done tells
// that the schedule is over. After an error, which is ctx's, the fitter may go
// on with the same step.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	if t.step >= t.opts.Steps {
		return true, nil
	}
	defer t.sit()()
	until := int(math.Round(float64(t.step+1) / float64(t.opts.Steps) * float64(t.opts.Samples)))
	for t.samples < until {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		t.update(t.draw())
	}
	t.step++
	return t.step >= t.opts.Steps, nil
}

// sit takes a desk, rise gives it back.
func (t *Fitter) sit() (rise func()) {
	shares := max(1, t.opts.Batch/share)
	t.desk = t.opts.Room.take(t.l, t.e, places{
		lanes: min(shares, int(t.team)), rows: (t.opts.Batch + shares - 1) / shares, grads: shares,
	})
	return func() {
		t.opts.Room.give(t.desk)
		t.desk = nil
	}
}

// draw returns the rows to learn from next. All of them come up once before
// any does twice, but for the few left over at the end of a pass.
func (t *Fitter) draw() []int32 {
	if t.next+t.opts.Batch > len(t.order) {
		t.shuffle.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
		t.next = 0
	}
	rows := t.order[t.next : t.next+t.opts.Batch]
	t.next += t.opts.Batch
	return rows
}

// Cost estimates the work done so far in nanoseconds of one core, from the
// sizes alone. See perProduct and its neighbours for how it was calibrated. To
// score a row takes a third of what it takes to learn from it.
func (t *Fitter) Cost() float64 {
	batch, columns := t.opts.Batch, len(t.e.inputs)
	row := t.l.rowWork(columns)
	return float64(t.batches)*(float64(batch)*row+t.l.paramWork()) + float64(t.scored)*row/3
}

// EvalProbabilities writes the class probabilities of the Eval rows after the last
// step to dst: len(Eval) × classes, row major.
func (t *Fitter) EvalProbabilities(dst []float32) {
	rows := t.part.Eval
	t.scored += len(rows)
	defer t.sit()()
	t.pack(t.mean)
	lanes := t.desk.lanes
	shares := len(t.desk.grads)
	block := (t.opts.Batch + shares - 1) / shares
	min(t.team, team(len(lanes))).each((len(rows)+block-1)/block, func(worker, i int) {
		lo, hi := i*block, min((i+1)*block, len(rows))
		p := &lanes[worker].pass
		p.forward(&t.desk.packed, t.f, rows[lo:hi], nil)
		p.probabilities(dst[lo*t.l.classes:], hi-lo)
	})
}

// pack makes the given parameters those the network runs with.
func (t *Fitter) pack(params []float32) {
	p := &t.desk.packed
	p.flat = params
	t.team.each(p.tasks(), func(_, i int) { p.pack(t.l, t.e, i) })
}

// Checkpoint remembers the averaged weights as the ones Model returns.
func (t *Fitter) Checkpoint() { t.kept = append(t.kept[:0], t.mean...) }

// Model returns the network as last kept, the present one if it never was.
func (t *Fitter) Model() *Model {
	params := t.kept
	if params == nil {
		params = t.mean
	}
	return newModel(t.e, t.l, slices.Clone(params))
}
