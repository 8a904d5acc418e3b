package neural

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Fitter trains one network. It is not safe for concurrent use.
type Fitter struct {
	f       *frame.Frame
	fold    split.Fold
	opts    Options
	e       *encoder
	l       *layout
	workers int

	params     []float32 // the weights being trained
	mean       []float32 // running average of params, used to predict
	checkpoint []float32 // mean at the last Checkpoint, or nil
	optimiser  *optimiser
	// workspace runs the network with params in training and with mean in
	// prediction. It is nil between steps.
	workspace *fitterWorkspace

	order     []int32 // the training rows, shuffled
	next      int     // index in order
	shuffle   *rand.Rand
	step      int
	batches   int
	samples   int
	evaluated int // number of rows predicted for evaluation
}

// New returns a fitter that trains on the rows fold.Train of f and predicts the
// rows fold.Validation. The fitter reads f as long as it is used.
func New(ctx context.Context, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	if len(fold.Train) == 0 {
		return nil, errors.New("neural: no rows to learn from")
	}
	o, err := opts.withDefaults(len(fold.Train))
	if err != nil {
		return nil, err
	}
	e, err := fitEncoder(ctx, f, fold.Train, o.Embedding, o.Knots)
	if err != nil {
		return nil, err
	}
	l := newLayout(e, o)
	t := &Fitter{f: f, fold: fold, opts: o, e: e, l: l, workers: o.Workers}
	t.params = l.initialise(e, rand.New(rand.NewPCG(o.Seed, streamWeights)))
	t.mean = slices.Clone(t.params)
	t.optimiser = newOptimiser(l)
	t.order = slices.Clone(fold.Train)
	t.next = len(t.order)
	t.shuffle = rand.New(rand.NewPCG(o.Seed, streamRows))
	return t, nil
}

// Streams of random numbers of one seed.
const (
	streamRows = iota + 1
	streamWeights
)

// Step does the next part of the schedule. done reports whether the schedule is
// complete. The only error is ctx's, after which Step may be called again.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	if t.step >= t.opts.Steps {
		return true, nil
	}
	defer t.acquireWorkspace()()
	until := int(math.Round(float64(t.step+1) / float64(t.opts.Steps) * float64(t.opts.Samples)))
	for t.samples < until {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		t.trainBatch(t.nextBatch())
	}
	t.step++
	return t.step >= t.opts.Steps, nil
}

// acquireWorkspace sets t.workspace until release is called.
func (t *Fitter) acquireWorkspace() (release func()) {
	parts := max(1, t.opts.Batch/partRows)
	t.workspace = t.opts.Workspaces.acquire(t.l, t.e, workspaceSize{
		backprops: min(parts, t.workers), rows: (t.opts.Batch + parts - 1) / parts, grads: parts,
	})
	return func() {
		t.opts.Workspaces.release(t.workspace)
		t.workspace = nil
	}
}

// nextBatch returns the rows of the next batch. Each row is drawn once in an
// epoch, except for those left over at the end of the epoch.
func (t *Fitter) nextBatch() []int32 {
	if t.next+t.opts.Batch > len(t.order) {
		t.shuffle.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
		t.next = 0
	}
	rows := t.order[t.next : t.next+t.opts.Batch]
	t.next += t.opts.Batch
	return rows
}

// Cost returns an estimate of the time spent so far, in nanoseconds of one
// core. It depends only on sizes; see perProduct for the calibration.
// Predicting a row takes a third of the time of training on it.
func (t *Fitter) Cost() float64 {
	batch, columns := t.opts.Batch, len(t.e.inputs)
	row := t.l.rowCost(columns)
	return float64(t.batches)*(float64(batch)*row+t.l.paramCost()) + float64(t.evaluated)*row/3
}

// PredictValidation writes the class probabilities of the rows fold.Validation
// after the last step to dst: len(fold.Validation) × classes, row-major.
func (t *Fitter) PredictValidation(dst []float32) {
	rows := t.fold.Validation
	t.evaluated += len(rows)
	defer t.acquireWorkspace()()
	t.pack(t.mean)
	backprops := t.workspace.backprops
	parts := len(t.workspace.grads)
	size := (t.opts.Batch + parts - 1) / parts
	parallel.For(min(t.workers, len(backprops)), (len(rows)+size-1)/size, func(worker, i int) {
		lo, hi := i*size, min((i+1)*size, len(rows))
		p := &backprops[worker].forwardPass
		p.forward(&t.workspace.packed, t.f, rows[lo:hi], nil)
		p.probabilities(dst[lo*t.l.classes:], hi-lo)
	})
}

// pack packs params into the workspace, so that the network runs with them.
func (t *Fitter) pack(params []float32) {
	p := &t.workspace.packed
	p.flat = params
	parallel.For(t.workers, p.tasks(), func(_, i int) { p.pack(t.l, t.e, i) })
}

// Checkpoint makes Model return the current averaged weights.
func (t *Fitter) Checkpoint() { t.checkpoint = append(t.checkpoint[:0], t.mean...) }

// Model returns the network as of the last checkpoint, or the current one if
// there is no checkpoint.
func (t *Fitter) Model() *Model {
	params := t.checkpoint
	if params == nil {
		params = t.mean
	}
	return newModel(t.e, t.l, slices.Clone(params))
}
