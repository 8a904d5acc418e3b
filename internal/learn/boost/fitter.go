package boost

import (
	"context"
	"fmt"
	"math"

	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// Fitter trains a model round by round. It is not safe for concurrent use.
type Fitter struct {
	objective objective
	booster   booster
	// checkpoint is the number of rounds at the last Checkpoint, or -1 if there was none.
	checkpoint int
	// roundsPerStep is the number of rounds of a step.
	roundsPerStep int
}

// roundsPerStep returns the number of rounds of a step. On small data it is more than 1, because a
// single round would hardly change the validation loss. rows is the number of all rows in the
// frame, not only of the training rows. A step therefore means the same in a fold as in a refit on
// all rows, so the refit can do the number of steps that was best in the folds.
func roundsPerStep(rows, classes int) int {
	const enough = 200_000
	return min(max(enough/max(rows*numOutputs(classes), 1), 1), 5)
}

// booster adds trees to an ensemble, round by round. All its trees are leaf-wise, or all
// are symmetric.
type booster interface {
	// round adds trees to the ensemble and the values of their leaves to the scores. done
	// reports whether no further round could improve the training loss.
	round(ctx context.Context) (done bool, err error)
	// rounds returns the number of rounds done.
	rounds() int
	// cost returns the estimated time of the rounds so far, in nanoseconds of one core.
	cost() float64
	// predictValidation writes the class probabilities of the validation rows
	// to dst, row-major.
	predictValidation(dst []float32)
	// ensemble returns the ensemble of the first n rounds.
	ensemble(n int) ensemble
}

// NewLeafwise returns a fitter that trains leaf-wise trees on the rows
// fold.Train of f and predicts the rows fold.Validation.
func NewLeafwise(f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	if err := validate(f, fold, &opts); err != nil {
		return nil, err
	}
	opts.leafwiseDefaults(f)
	objective := newObjective(f, fold, opts.Classes)
	return &Fitter{objective: objective, booster: newLeafwiseBooster(newOutputScores(objective, f.Rows), opts.Bins, opts), checkpoint: -1, roundsPerStep: roundsPerStep(f.Rows, opts.Classes)}, nil
}

// NewSymmetric returns a fitter that trains symmetric trees on the rows fold.Train of f and
// predicts the rows fold.Validation. The numeric features of opts.Bins should have at most
// opts.Buckets bins each, plus the bin of missing values.
func NewSymmetric(ctx context.Context, f *frame.Frame, fold split.Fold, opts Options) (*Fitter, error) {
	if err := validate(f, fold, &opts); err != nil {
		return nil, err
	}
	if opts.Buckets < 2 || opts.Buckets >= tree.MaxBins {
		return nil, fmt.Errorf("boost: %d buckets: must be from 2 to %d", opts.Buckets, tree.MaxBins-1)
	}
	opts.symmetricDefaults(f.Rows, len(f.Columns))
	features, err := newFeatureSet(ctx, f, fold.Train, opts.Bins, &opts)
	if err != nil {
		return nil, err
	}
	objective := newObjective(f, fold, opts.Classes)
	return &Fitter{objective: objective, booster: newSymmetricBooster(objective, features, opts), checkpoint: -1, roundsPerStep: roundsPerStep(f.Rows, opts.Classes)}, nil
}

// Step does a round of boosting, or several on small data. done reports whether no further round
// could improve the training loss. After an error, only Model may be called.
func (f *Fitter) Step(ctx context.Context) (done bool, err error) {
	for range f.roundsPerStep {
		if done, err = f.booster.round(ctx); done || err != nil {
			break
		}
	}
	return done, err
}

// Rounds returns the number of rounds done.
func (f *Fitter) Rounds() int { return f.booster.rounds() }

// Cost returns an estimate of the time spent on training so far, in nanoseconds of one core. It is
// computed from counts of operations, so it is the same on every machine and in every run. The time
// per operation was fitted to the shortest measured times of single rounds, with one worker on an
// x86-64 server core of 2026.
func (f *Fitter) Cost() float64 { return f.booster.cost() }

// Progress returns NaN, because the number of rounds is not known in advance: it grows with the
// number of rows.
func (f *Fitter) Progress() float64 { return math.NaN() }

// treeNanos returns the estimated time of the operations counted in cost, in nanoseconds
// of one core. trees is the number of trees that were grown. nanosPerBin is the time to
// scan one bin, in nanoseconds.
func treeNanos(cost tree.Cost, trees int, nanosPerBin float64) float64 {
	return 0.8*float64(cost.Counted) + nanosPerBin*float64(cost.Scanned) + 3*float64(cost.Moved) + 15_000*float64(trees)
}

// PredictValidation predicts the validation rows with the model after the last step. It
// writes the class probabilities to dst, which is row-major, len(fold.Validation) ×
// classes.
func (f *Fitter) PredictValidation(dst []float32) { f.booster.predictValidation(dst) }

// Checkpoint stores the current number of rounds. Until the next call of Checkpoint, Model returns
// the model with this number of rounds.
func (f *Fitter) Checkpoint() { f.checkpoint = f.booster.rounds() }

// Model returns the model as of the last checkpoint, or the current model if there is no
// checkpoint.
func (f *Fitter) Model() *Model {
	n := f.checkpoint
	if n < 0 {
		n = f.booster.rounds()
	}
	return &Model{classes: f.objective.classes, base: f.objective.base, ensemble: f.booster.ensemble(n)}
}
