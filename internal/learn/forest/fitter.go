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

	best            *growingForest // the forest with the best growth parameters so far
	moves           []paramMove    // changes of best.params that were not yet tried
	numMoves        int            // number of moves at the start of the search
	calibratedTrees int            // number of trees when the temperature was last fitted
	current         fitterState
	checkpoint      *fitterState
	cost            cost
}

// fitterState holds the fields of a Fitter that Checkpoint stores.
type fitterState struct {
	trees       spilledTrees
	temperature metric.Temperature
}

// New returns a fitter that trains on the rows fold.Train of f and predicts the
// rows fold.Validation.
func New(f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	if err := validate(f, fold, &opts); err != nil {
		return nil, err
	}
	opts.setDefaults(f.Rows)
	return &Fitter{
		opts:    opts,
		frame:   f,
		fold:    fold,
		bins:    opts.Bins,
		prior:   classFrequencies(f.Labels, fold.Train, opts.Classes),
		current: fitterState{temperature: 1},
	}, nil
}

// validate returns an error if f, fold or opts are invalid.
func validate(f *frame.Frame, fold split.Fold, opts *Options) error {
	switch {
	case opts.Classes < 2 || opts.Classes > math.MaxUint16:
		return fmt.Errorf("forest: Classes=%d: must be from 2 to %d", opts.Classes, math.MaxUint16)
	case len(fold.Train) == 0:
		return errors.New("forest: no training rows")
	case len(f.Labels) != f.Rows:
		return fmt.Errorf("forest: %d labels for %d rows", len(f.Labels), f.Rows)
	case opts.Groups != nil && len(opts.Groups) != f.Rows:
		return fmt.Errorf("forest: %d groups for %d rows", len(opts.Groups), f.Rows)
	case opts.Bins == nil || opts.Bins.Rows != f.Rows || len(opts.Bins.Features) != len(f.Columns):
		return errors.New("forest: Options.Bins must be the bins of the frame")
	}
	if err := tree.CheckDirections(opts.Monotone, len(f.Columns), opts.Classes); err != nil {
		return fmt.Errorf("forest: %w", err)
	}
	for _, row := range fold.Train {
		if label := f.Labels[row]; label < 0 || int(label) >= opts.Classes {
			return fmt.Errorf("forest: label %d of row %d: must be a class below %d", label, row, opts.Classes)
		}
	}
	return nil
}

// Step grows some trees. done reports whether the forest is complete.
//
// The first steps double the number of trees until the out-of-bag error can be estimated. Then each
// step tries other growth parameters in a small forest, the pilot. If the pilot is better, it
// replaces the forest; otherwise the step adds trees to the forest. When all parameters have been
// tried, every further step adds trees. If Options.usesExtraTrees is set and the splits are random,
// the first of these steps replaces all trees with trees that are trained on all rows.
func (f *Fitter) Step(ctx context.Context) (done bool, err error) {
	f.prepare()
	switch p, ok := f.nextParams(); {
	case f.best.trees == 0:
		err = f.addTrees(ctx, f.best, min(2, f.opts.pilotHalf))
	case f.best.trees < 2*f.opts.pilotHalf:
		err = f.doubleAndEstimateError(ctx, f.best)
	case ok:
		err = f.tryParams(ctx, p)
	case f.needsAllRows():
		err = f.growOnAllRows(ctx)
	default:
		err = f.growBatch(ctx)
	}
	if err != nil {
		return false, err
	}
	f.current.trees = spilledTrees{f.best.stream, f.best.stream.Len(), f.best.trees}
	done = len(f.moves) == 0 && !f.needsAllRows() && f.best.trees >= f.opts.trees
	if !f.best.params.allRows && (done || float64(f.best.trees) >= temperatureRefitGrowth*float64(f.calibratedTrees)) {
		if f.current.temperature, err = f.fitTemperature(ctx, f.best); err != nil {
			return false, err
		}
		f.calibratedTrees = f.best.trees
	}
	return done, nil
}

// growBatch adds up to Options.batchTrees trees to the forest, but does not exceed Options.trees in
// total.
func (f *Fitter) growBatch(ctx context.Context) error {
	return f.addTrees(ctx, f.best, min(f.opts.batchTrees, max(f.opts.trees-f.best.trees, 0)))
}

// needsAllRows reports whether the trees of the best forest should be trained on all rows.
func (f *Fitter) needsAllRows() bool {
	return f.opts.usesExtraTrees && f.best.params.randomSplits && !f.best.params.allRows
}

// growOnAllRows replaces the trees of the forest with the same number of trees, but at most
// Options.trees, that are trained on all rows. Trees with random splits differ enough without
// sampling (Geurts et al. 2006). The new trees have no out-of-bag votes, so they keep the
// temperature that was estimated for a large forest of trees on samples.
//
// growOnAllRows first halves Options.trees, because growing an extremely randomised tree takes about
// twice as long as another tree.
func (f *Fitter) growOnAllRows(ctx context.Context) error {
	params := f.best.params
	params.allRows = true
	temperature := metric.Temperature(math.Exp(f.best.oobError.logTemperature))
	f.opts.trees = max(f.opts.trees/2, 1)
	forest := f.newForest(params)
	if err := f.addTrees(ctx, forest, min(f.best.trees, f.opts.trees)); err != nil {
		return err
	}
	f.best, f.current.temperature = forest, temperature
	return nil
}

// tryParams grows a pilot forest with the parameters p. If the pilot is better than the best
// forest, it replaces that forest; if not, tryParams adds trees to the best forest.
func (f *Fitter) tryParams(ctx context.Context, p growthParams) error {
	challenger := f.newForest(p)
	if err := f.growPilot(ctx, challenger); err != nil {
		return err
	}
	if f.isBetter(challenger) {
		f.best, f.calibratedTrees = challenger, 0
		return nil
	}
	f.moves = f.moves[1:]
	return f.growBatch(ctx)
}

// isBetter reports whether the parameters of challenger, a pilot forest, should replace the best
// parameters. The challenger's log loss must not be higher than that of the best forest, and its
// Brier score must be lower by more than a required fraction. A smaller decrease may be noise,
// above all with few rows. If the challenger has a larger minLeaf, the required fraction is
// smaller, and 0 from 2,500 training rows on, because smaller trees are preferred at equal error.
//
// With Options.usesExtraTrees, random splits may have a slightly higher Brier score than other
// splits, and any log loss. One reason is that these trees will later be trained on all rows, which
// improves them. The other is that the estimated error of trees that differ much from each other is
// too high; see doubleAndEstimateError.
func (f *Fitter) isBetter(challenger *growingForest) bool {
	p, best := challenger.params, f.best.params
	noise := 1 / math.Sqrt(float64(len(f.fold.Train)))
	required := max(0.01, noise)
	prefersRandom := f.opts.usesExtraTrees && p.randomSplits && !best.randomSplits
	switch {
	case prefersRandom:
		required = -required
	case p.minLeaf > best.minLeaf:
		required = max(0, noise/2-0.01)
	}
	lowersLogLoss := !(challenger.oobError.logLoss > f.best.oobError.logLoss)
	return challenger.oobError.brier < f.best.oobError.brier*(1-required) && (lowersLogLoss || prefersRandom)
}

// Progress returns the fraction of the training that is done, from 0 to 1. It reaches at most 0.25
// before the search for growth parameters and at most 0.5 during the search. After the search, it
// increases to 1 with the number of trees. The number of steps of the search depends on the data.
func (f *Fitter) Progress() float64 {
	switch {
	case f.best == nil:
		return 0
	case len(f.moves) == 0 && f.needsAllRows():
		return 0.5 // the next step replaces all trees
	case len(f.moves) == 0:
		return 0.5 + 0.5*min(1, float64(f.best.trees)/float64(f.opts.trees))
	case len(f.moves) == f.numMoves:
		return 0.25 * min(1, float64(f.best.trees)/float64(2*f.opts.pilotHalf))
	}
	return 0.25 + 0.25*float64(f.numMoves-len(f.moves))/float64(f.numMoves)
}

// nextParams returns the next parameters to try. ok is false if the search has ended or has not
// begun. nextParams removes from f.moves the moves that the data does not allow.
func (f *Fitter) nextParams() (params growthParams, ok bool) {
	space := f.newSearchSpace()
	for f.best.trees >= 2*f.opts.pilotHalf && len(f.moves) > 0 {
		p := f.best.params
		if f.moves[0](&p, space) {
			return p, true
		}
		f.moves = f.moves[1:]
	}
	return growthParams{}, false
}

const (
	// Out-of-bag votes are counted for at most maxOOBRows training rows, and for fewer if otherwise
	// rows × classes would exceed maxOOBValues. The temperature is fitted to at most
	// maxTemperatureValues probabilities.
	maxOOBRows           = 20_000
	maxOOBValues         = 400_000
	maxTemperatureValues = 100_000
	// temperatureRefitGrowth is the factor by which the forest must grow before the
	// temperature is fitted again.
	temperatureRefitGrowth = 1.25
)

// prepare creates the first forest. It does nothing in later steps.
func (f *Fitter) prepare() {
	if f.best != nil {
		return
	}
	f.mappers = f.bins.Mappers()
	n := len(f.fold.Train)
	oobCount := min(n, maxOOBRows, max(maxOOBValues/f.opts.Classes, 1))
	rows := make([]int32, oobCount)
	f.oobIndex = make([]int32, oobCount)
	for i := range oobCount {
		f.oobIndex[i] = int32(i * n / oobCount)
		rows[i] = f.fold.Train[f.oobIndex[i]]
	}
	f.growers = make([]*grower, f.opts.Workers)
	f.best = &growingForest{
		stream:          f.opts.Disk.NewStream(),
		validationVotes: newVotes(f.bins, f.fold.Validation, f.opts.Classes),
		oobVotes:        newVotes(f.bins, rows, f.opts.Classes),
	}
	f.best.params, f.moves = f.opts.initialParams(f.newSearchSpace())
	f.numMoves = len(f.moves)
}

// newSearchSpace returns the properties of the data that limit the growth parameters. The field
// manyLevels is true only if a categorical feature has more than two levels, because any order of
// two levels yields the same split.
func (f *Fitter) newSearchSpace() searchSpace {
	space := searchSpace{rows: len(f.fold.Train), features: len(f.bins.Features), rarestClassRows: f.countRarestClassRows()}
	for i := range f.bins.Features {
		feature := &f.bins.Features[i]
		space.manyLevels = space.manyLevels || feature.Categorical && feature.NumBins > 4
	}
	return space
}

// countRarestClassRows returns the number of training rows of the rarest class, not counting
// classes with fewer than two rows.
func (f *Fitter) countRarestClassRows() int {
	counts := make([]int, f.opts.Classes)
	for _, row := range f.fold.Train {
		counts[f.frame.Labels[row]]++
	}
	least := len(f.fold.Train)
	for _, n := range counts {
		if n > 1 {
			least = min(least, n)
		}
	}
	return least
}

// newForest returns a forest without trees, to be grown with the given parameters.
func (f *Fitter) newForest(params growthParams) *growingForest {
	return &growingForest{
		params:          params,
		stream:          f.opts.Disk.NewStream(),
		validationVotes: f.best.validationVotes.newEmpty(len(f.fold.Validation)),
		oobVotes:        f.best.oobVotes.newEmpty(len(f.oobIndex)),
	}
}

// outOfBagPredictions returns the out-of-bag predictions of forest, before calibration. If
// there would be more than maxValues probabilities, it returns the predictions of some
// evenly spaced rows only.
func (f *Fitter) outOfBagPredictions(forest *growingForest, maxValues int) metric.Predictions {
	p := metric.Predictions{Classes: f.opts.Classes}
	votes := forest.oobVotes
	row := make([]float32, p.Classes)
	stride := 1 + (len(votes.weights)-1)/maxValues
	for i := 0; i < len(votes.trees); i += stride {
		if size := int(votes.trees[i]); size > 0 {
			votesToProbabilities(row, votes.rowVotes(i), f.prior, size, forest.trees)
			p.Probabilities = append(p.Probabilities, row...)
			p.Labels = append(p.Labels, f.oobLabel(i))
		}
	}
	return p
}

// fitTemperature returns the temperature fitted to the out-of-bag votes of forest.
func (f *Fitter) fitTemperature(ctx context.Context, forest *growingForest) (metric.Temperature, error) {
	p := f.outOfBagPredictions(forest, maxTemperatureValues)
	f.cost.fittedValues += len(p.Probabilities)
	return metric.FitTemperature(ctx, p)
}

// PredictValidation predicts the validation rows with the forest after the last step. It
// writes the class probabilities to dst, which is row-major, len(fold.Validation) ×
// classes.
func (f *Fitter) PredictValidation(dst []float32) {
	for i := range f.fold.Validation {
		row := dst[i*f.opts.Classes : (i+1)*f.opts.Classes]
		if f.best == nil {
			copy(row, f.prior)
			continue
		}
		votes := f.best.validationVotes
		votesToProbabilities(row, votes.rowVotes(i), f.prior, int(votes.trees[i]), f.best.trees)
	}
	f.current.temperature.Apply(dst, f.opts.Classes)
}

// Cost returns an estimate of the time spent on training so far, in nanoseconds
// of one core. It counts operations, so it is the same on every machine.
func (f *Fitter) Cost() float64 { return f.cost.nanos() }

// Checkpoint stores the current trees and temperature. Until the next Checkpoint, Model returns the
// model with these trees and this temperature.
func (f *Fitter) Checkpoint() {
	state := f.current
	f.checkpoint = &state
}

// Model returns the model as of the last checkpoint, or the current model if there is no
// checkpoint.
func (f *Fitter) Model() *Model {
	s := f.current
	if f.checkpoint != nil {
		s = *f.checkpoint
	}
	return newModel(Model{prior: f.prior, temperature: s.temperature, mappers: f.mappers, spilled: s.trees})
}
