package neural

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Fitter trains one network. It is not safe for concurrent use.
type Fitter struct {
	frame   *frame.Frame
	fold    split.Fold
	opts    Options
	encoder *encoder
	layout  *layout
	workers int

	params     []float32 // the weights being trained
	mean       []float32 // exponential moving average of params, used to predict
	checkpoint []float32 // mean at the last Checkpoint, or nil
	optimiser  *optimiser
	// workspace is the working memory. It includes a packed copy of weights: of params while the
	// fitter trains, and of mean while it predicts. workspace is nil between steps.
	workspace *fitterWorkspace

	schedule  schedule
	order     []int32 // the training rows, shuffled
	next      int     // order[next] is the first row of the next batch
	shuffle   *rand.Rand
	step      int // number of steps done
	batches   int // number of batches trained on
	samples   int // number of rows trained on, counted again in each epoch
	evaluated int // number of rows that PredictValidation has predicted
}

// New returns a fitter that trains on the rows fold.Train of f and predicts the
// rows fold.Validation. f must not change while the fitter is used.
func New(ctx context.Context, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	if len(fold.Train) == 0 {
		return nil, errors.New("neural: no training rows")
	}
	o, err := opts.withDefaults(len(fold.Train))
	if err != nil {
		return nil, err
	}
	e, err := fitEncoder(ctx, f, fold.Train, o.embedding, o.knots)
	if err != nil {
		return nil, err
	}
	l := newLayout(e, o)
	fitter := &Fitter{
		frame: f, fold: fold, opts: o, encoder: e, layout: l, workers: o.Workers,
		schedule: schedule{samples: o.samples, length: 1, steps: o.steps},
	}
	fitter.params = l.initialParams(e, rand.New(rand.NewPCG(o.Seed, weightStream)))
	fitter.mean = slices.Clone(fitter.params)
	fitter.optimiser = newOptimiser(l)
	fitter.order = slices.Clone(fold.Train)
	fitter.next = len(fitter.order)
	fitter.shuffle = rand.New(rand.NewPCG(o.Seed, rowStream))
	return fitter, nil
}

// Indices of the streams of random numbers derived from Options.Seed.
const (
	rowStream = iota + 1
	weightStream
)

// Step trains for one step of the learning-rate schedule. done reports whether the schedule is
// complete. If ctx is cancelled, Step returns an error, but can be called again. Step also returns
// an error if the training diverges.
func (f *Fitter) Step(ctx context.Context) (done bool, err error) {
	if f.step >= f.schedule.steps {
		return true, nil
	}
	defer f.acquireWorkspace()()
	until := f.schedule.samplesUntil(f.step + 1)
	for f.samples < until {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if err := f.trainBatch(f.nextBatch()); err != nil {
			return false, err
		}
	}
	f.step++
	return f.step >= f.schedule.steps, nil
}

// acquireWorkspace takes a workspace from the pool and sets f.workspace to it. release
// returns it to the pool and sets f.workspace to nil.
func (f *Fitter) acquireWorkspace() (release func()) {
	parts := max(1, f.opts.batch/minPartRows)
	f.workspace = f.opts.Workspaces.acquire(f.layout, f.encoder, workspaceSize{
		backprops: min(parts, f.workers), rows: (f.opts.batch + parts - 1) / parts, grads: parts,
	})
	return func() {
		f.opts.Workspaces.release(f.workspace)
		f.workspace = nil
	}
}

// nextBatch returns the rows of the next batch. In each epoch, the rows are shuffled and divided
// into batches. If the last rows do not fill a batch, they are not used in this epoch.
func (f *Fitter) nextBatch() []int32 {
	if f.next+f.opts.batch > len(f.order) {
		f.shuffle.Shuffle(len(f.order), func(i, j int) { f.order[i], f.order[j] = f.order[j], f.order[i] })
		f.next = 0
	}
	rows := f.order[f.next : f.next+f.opts.batch]
	f.next += f.opts.batch
	return rows
}

// Cost returns an estimate of the time spent so far, in nanoseconds of one core. The estimate is
// computed from the sizes of the network and of the data, so it is the same in every run. See
// nanosPerProduct for the times of single operations. Predicting a row is assumed to take a third
// of the time of training on it.
func (f *Fitter) Cost() float64 {
	batch, columns := f.opts.batch, len(f.encoder.inputs)
	row := f.layout.rowCost(columns)
	return float64(f.batches)*(float64(batch)*row+f.layout.paramCost()) + float64(f.evaluated)*row/3
}

// Progress returns the position in the schedule. It increases from 0 to 1 or, after calls of
// DoubleSchedule, to 2, 4 and so on.
func (f *Fitter) Progress() float64 { return f.schedule.position(f.step) }

// DoubleSchedule makes the schedule twice as long. It should be called in the middle of the
// schedule.
func (f *Fitter) DoubleSchedule() { f.schedule.double(f.step) }

// PredictValidation predicts the validation rows with the network after the last step. It
// writes the class probabilities to dst, which is row-major, len(fold.Validation) ×
// classes.
func (f *Fitter) PredictValidation(dst []float32) {
	rows := f.fold.Validation
	f.evaluated += len(rows)
	defer f.acquireWorkspace()()
	f.packParams(f.mean)
	backprops := f.workspace.backprops
	parts := len(f.workspace.grads)
	size := (f.opts.batch + parts - 1) / parts
	parallel.For(min(f.workers, len(backprops)), (len(rows)+size-1)/size, func(worker, i int) {
		lo, hi := i*size, min((i+1)*size, len(rows))
		p := &backprops[worker].forwardPass
		p.forward(&f.workspace.packed, f.frame, rows[lo:hi], nil)
		p.averageProbabilities(dst[lo*f.layout.classes:], hi-lo)
	})
}

// packParams packs params into the workspace, where forward and backward passes read
// them.
func (f *Fitter) packParams(params []float32) {
	p := &f.workspace.packed
	p.flat = params
	parallel.For(f.workers, p.numPieces(), func(_, i int) { p.packPiece(f.layout, f.encoder, i) })
}

// Checkpoint stores the current averaged weights. Until the next Checkpoint, Model
// returns the network with these weights.
func (f *Fitter) Checkpoint() { f.checkpoint = append(f.checkpoint[:0], f.mean...) }

// Model returns the network as of the last checkpoint, or the current network if there is no
// checkpoint.
func (f *Fitter) Model() *Model {
	params := f.checkpoint
	if params == nil {
		params = f.mean
	}
	return newModel(f.encoder, f.layout, slices.Clone(params))
}
