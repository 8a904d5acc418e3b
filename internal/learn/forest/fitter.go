package forest

import (
	"context"
	"errors"
	"fmt"
	"math"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// Fitter grows a forest step by step. It is not safe for concurrent use and
// must not be used after an error.
type Fitter struct {
	opts  Options
	frame *frame.Frame
	fold  split.Fold
	prior []float32 // class frequencies in fold.Train

	bins     *tree.BinnedMatrix // nil before the first step
	mappers  []tree.BinMapper
	growers  []*grower // by worker
	oobIndex []int32   // the rows of the out-of-bag votes, as indices in fold.Train

	best            *candidate // the best candidate so far
	moves           []move     // changes to try on the parameters of best
	calibratedTrees int        // number of trees when the temperature was last fitted
	current         state
	checkpoint      *state
	cost            cost
}

// state is what Checkpoint stores.
type state struct {
	trees       spilledTrees
	temperature metric.Temperature
}

// New returns a fitter that trains on the rows fold.Train of f and predicts the
// rows fold.Validation.
func New(f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	switch {
	case opts.Classes < 2 || opts.Classes > math.MaxUint16:
		return nil, fmt.Errorf("forest: Classes=%d: must be 2 to %d", opts.Classes, math.MaxUint16)
	case len(fold.Train) == 0:
		return nil, errors.New("forest: no rows to learn from")
	case len(f.Labels) != f.Rows:
		return nil, fmt.Errorf("forest: %d labels for %d rows", len(f.Labels), f.Rows)
	}
	opts.setDefaults(len(fold.Train))
	return &Fitter{
		opts:    opts,
		frame:   f,
		fold:    fold,
		prior:   frequencies(f.Labels, fold.Train, opts.Classes),
		current: state{temperature: 1},
	}, nil
}

// Step grows some trees. The first steps double the forest until its out-of-bag
// error can be estimated. The next steps try other growth parameters on pilot
// forests. A step whose pilot is not better, and each later step, adds trees to
// the forest. done reports whether the forest has all its trees.
func (t *Fitter) Step(ctx context.Context) (done bool, err error) {
	if err := t.prepare(ctx); err != nil {
		return false, err
	}
	switch p, ok := t.nextParams(); {
	case t.best.trees == 0:
		err = t.addTrees(ctx, t.best, min(2, t.opts.pilotHalf))
	case t.best.trees < 2*t.opts.pilotHalf:
		err = t.double(ctx, t.best)
	case ok:
		err = t.tryParams(ctx, p)
	default:
		err = t.growBatch(ctx)
	}
	if err != nil {
		return false, err
	}
	t.current.trees = spilledTrees{t.best.stream, t.best.stream.Len(), t.best.trees}
	done = len(t.moves) == 0 && t.best.trees >= t.opts.Trees
	if done || float64(t.best.trees) >= refitGrowth*float64(t.calibratedTrees) {
		t.calibratedTrees = t.best.trees
		t.current.temperature = t.fitTemperature(t.best)
	}
	return done, nil
}

// growBatch adds a batch of trees to the forest, up to Options.Trees.
func (t *Fitter) growBatch(ctx context.Context) error {
	return t.addTrees(ctx, t.best, min(t.opts.batchTrees, max(t.opts.Trees-t.best.trees, 0)))
}

// tryParams grows a pilot forest with the parameters p. If it is better, it
// replaces the best candidate; otherwise trees are added to the best candidate.
func (t *Fitter) tryParams(ctx context.Context, p growthParams) error {
	challenger := t.newCandidate(p)
	if err := t.pilot(ctx, challenger); err != nil {
		return err
	}
	if challenger.oobError.brier < t.best.oobError.brier*(1-t.margin(p)) && !(challenger.oobError.loss > t.best.oobError.loss) {
		t.best, t.calibratedTrees = challenger, 0
		return nil
	}
	t.moves = t.moves[1:]
	return t.growBatch(ctx)
}

// margin is the relative decrease of the Brier score that p must achieve to
// replace the best parameters. A smaller decrease may be noise, and there is
// more noise with fewer rows. Larger leaves make smaller trees, an advantage in
// itself, so from some thousand rows on they need not be better, only not
// worse.
func (t *Fitter) margin(p growthParams) float64 {
	noise := 1 / math.Sqrt(float64(len(t.fold.Train)))
	if p.minLeaf > t.best.params.minLeaf {
		return max(0, noise/2-0.01)
	}
	return max(0.01, noise)
}

// nextParams returns the next parameters to try, or false if there are none.
func (t *Fitter) nextParams() (growthParams, bool) {
	space := t.searchSpace()
	for t.best.trees >= 2*t.opts.pilotHalf && len(t.moves) > 0 {
		p := t.best.params
		if t.moves[0](&p, space) {
			return p, true
		}
		t.moves = t.moves[1:]
	}
	return growthParams{}, false
}

// Limits on the out-of-bag rows that are evaluated.
const (
	oobRows     = 20_000
	oobValues   = 400_000 // rows × classes
	fitValues   = 100_000 // the part of oobValues used to fit the temperature
	refitGrowth = 1.25    // growth of the forest before the temperature is fitted again
)

// prepare does the expensive part of New. The first step calls it.
func (t *Fitter) prepare(ctx context.Context) error {
	if t.best != nil {
		return nil
	}
	t.bins = t.opts.Bins
	if t.bins == nil {
		var err error
		if t.bins, err = tree.NewBinnedMatrix(ctx, t.frame, 0, t.opts.Workers); err != nil {
			return err
		}
	}
	t.mappers = t.bins.Mappers()
	n := len(t.fold.Train)
	oobCount := min(n, oobRows, max(oobValues/t.opts.Classes, 1))
	rows := make([]int32, oobCount)
	t.oobIndex = make([]int32, oobCount)
	for i := range oobCount {
		t.oobIndex[i] = int32(i * n / oobCount)
		rows[i] = t.fold.Train[t.oobIndex[i]]
	}
	t.growers = make([]*grower, t.opts.Workers)
	t.best = &candidate{
		stream: t.opts.Disk.NewStream(),
		eval:   newVotes(t.bins, t.fold.Validation, t.opts.Classes),
		oob:    newVotes(t.bins, rows, t.opts.Classes),
	}
	t.best.params, t.moves = t.opts.initialParams(t.searchSpace())
	return nil
}

// searchSpace returns the limits of the moves on this data. Features with only
// two levels, or two and missing cells, have so few orders that a random one is
// enough.
func (t *Fitter) searchSpace() searchSpace {
	space := searchSpace{rows: len(t.fold.Train), features: len(t.bins.Features), rarestClass: t.rarestClass()}
	for i := range t.bins.Features {
		f := &t.bins.Features[i]
		space.manyLevels = space.manyLevels || f.Categorical && f.NumBins > 4
	}
	return space
}

// rarestClass returns the number of training rows of the smallest class that
// has at least two.
func (t *Fitter) rarestClass() int {
	counts := make([]int, t.opts.Classes)
	for _, row := range t.fold.Train {
		counts[t.frame.Labels[row]]++
	}
	least := len(t.fold.Train)
	for _, n := range counts {
		if n > 1 {
			least = min(least, n)
		}
	}
	return least
}

func (t *Fitter) newCandidate(p growthParams) *candidate {
	return &candidate{
		params: p,
		stream: t.opts.Disk.NewStream(),
		eval:   t.best.eval.emptied(len(t.fold.Validation)),
		oob:    t.best.oob.emptied(len(t.oobIndex)),
	}
}

// OutOfBag returns the votes on rows of fold.Train (all of them, or a sample if
// there are many) by the trees that were not trained on them. They estimate the
// forest's quality without other rows. They are calibrated by the temperature,
// which was fitted to the same rows.
func (t *Fitter) OutOfBag() metric.Predictions {
	p := t.outOfBag(t.best, oobValues)
	t.current.temperature.Apply(p.Probabilities, p.Classes)
	return p
}

// outOfBag returns about maxValues out-of-bag probabilities of a candidate at
// most.
func (t *Fitter) outOfBag(c *candidate, maxValues int) metric.Predictions {
	p := metric.Predictions{Classes: t.opts.Classes}
	if c == nil {
		return p
	}
	oob := c.oob
	row := make([]float32, p.Classes)
	stride := 1 + (len(oob.weights)-1)/maxValues
	for i := 0; i < len(oob.trees); i += max(stride, 1) {
		if size := int(oob.trees[i]); size > 0 {
			probabilities(row, oob.of(i), t.prior, size, c.trees)
			p.Probabilities = append(p.Probabilities, row...)
			p.Labels = append(p.Labels, t.oobLabel(i))
		}
	}
	return p
}

// fitTemperature returns the temperature fitted to the out-of-bag votes of c.
func (t *Fitter) fitTemperature(c *candidate) metric.Temperature {
	p := t.outOfBag(c, fitValues)
	t.cost.fittedValues += len(p.Probabilities)
	return metric.FitTemperature(p)
}

// PredictValidation writes the class probabilities of the rows fold.Validation
// after the last step to dst: len(fold.Validation) × classes, row-major.
func (t *Fitter) PredictValidation(dst []float32) {
	for i := range t.fold.Validation {
		row := dst[i*t.opts.Classes : (i+1)*t.opts.Classes]
		if t.best == nil {
			copy(row, t.prior)
			continue
		}
		eval := t.best.eval
		probabilities(row, eval.of(i), t.prior, int(eval.trees[i]), t.best.trees)
	}
	t.current.temperature.Apply(dst, t.opts.Classes)
}

// Cost returns an estimate of the time spent on training so far, in nanoseconds
// of one core. It counts operations, so it is the same on every machine.
func (t *Fitter) Cost() float64 { return t.cost.nanos() }

// Checkpoint makes Model return the current state.
func (t *Fitter) Checkpoint() {
	state := t.current
	t.checkpoint = &state
}

// Model returns the model as of the last checkpoint, or the current one if
// there is no checkpoint.
func (t *Fitter) Model() *Model {
	s := t.current
	if t.checkpoint != nil {
		s = *t.checkpoint
	}
	return newModel(Model{prior: t.prior, temperature: s.temperature, mappers: t.mappers, spilled: s.trees})
}
