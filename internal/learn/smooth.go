package learn

import (
	"context"
	"errors"
	"slices"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rbf"
	"foretell/internal/learn/split"
)

// On small tables the run of the neural networks has a second part: a kernel
// logistic regression, whose scores are smooth functions of the columns. When the
// networks have stalled, the part is fitted in each fold for a grid of parameters.
// The parameters with the lowest log loss on the validation rows are chosen, and
// the weight of the part by maximum likelihood, as in a blend.
const (
	// maxSmoothRows is the largest number of rows of a table for which there is a
	// smooth part.
	maxSmoothRows = 3000
	// maxSmoothCells is the largest number of rows × classes, because the time and the
	// memory of the part grow with both.
	maxSmoothCells = 100_000
	// smoothSearchFolds is the number of folds on which kernel widths are compared.
	smoothSearchFolds = 2
)

// smoothWidths and smoothPenalties are the kernel widths and penalties that are tried.
var (
	smoothWidths    = []float64{0.15, 0.5, 1.5}
	smoothPenalties = []float64{0.5, 0.1, 0.02, 0.004, 0.001}
)

// smoothChoice is the smooth part of a checkpoint: its parameters, and its weight
// beside the networks. The weight is 0 if there is no smooth part.
type smoothChoice struct{ width, penalty, weight float64 }

// hasSmoothPart reports whether run gets a smooth part when its fitters have ended. There
// is none if folds have features of their own, from screening or from texts.
func (r *race) hasSmoothPart(run *run) bool {
	return run.algorithm.smooth && r.data.Rows <= maxSmoothRows && r.data.Rows*r.data.classes() <= maxSmoothCells &&
		r.data.numScreened() == 0 && len(r.data.textColumns()) == 0 &&
		len(r.evaluator.labels) > 0 && run.best.step > 0
}

// addSmoothPart fits the smooth part and adds one more step to the run. If the networks
// of the best checkpoint and the part together are better than the networks alone,
// they become the best checkpoint.
func (r *race) addSmoothPart(ctx context.Context, run *run) error {
	search, err := r.searchSmoothParts(ctx, run)
	if errors.Is(err, rbf.ErrTooWide) {
		return nil
	}
	if err != nil {
		return err
	}
	run.smoothed = run.smoothCost(search.fits[0])
	best := run.best
	mixed, better := r.mixSmoothPart(run, search)
	if better {
		best, run.smoothFits = mixed, search.fits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	run.step++
	run.best = best
	run.reached = better && r.reachesThreshold(best.performance)
	summary := best
	summary.probabilities = nil
	run.lastCost = run.cost()
	run.curve = append(run.curve, curvePoint{due: r.scheduler.nextDue(run.index), elapsed: r.scoreTime(), performance: best.performance, best: summary})
	return nil
}

// mixSmoothPart returns the best checkpoint of run with the smooth part, and reports
// whether the checkpoint is better with the part. The score is cross-fitted: the weight of
// the part is fitted to one half of the validation rows, and the other half is scored.
func (r *race) mixSmoothPart(run *run, search smoothSearch) (mixed checkpoint, better bool) {
	mixed = run.best
	if !search.converged() {
		return mixed, false
	}
	e := r.evaluator
	parts := []*candidate{{probabilities: run.best.probabilities}, {probabilities: search.probabilities}}
	truth := [][]float64{e.trueClassProbabilities(parts[0].probabilities), e.trueClassProbabilities(parts[1].probabilities)}
	all := make([]int32, len(e.labels))
	for i := range all {
		all[i] = int32(i)
	}
	weights := fitBlendWeights(truth, all)
	crossFitted := make([]float32, len(mixed.probabilities))
	for half, positions := range e.halves {
		e.averageProbabilities(crossFitted, parts, fitBlendWeights(truth, e.halves[1-half]), positions)
	}
	mixed.score = e.score(crossFitted)
	mixed.selectionLoss = run.selectionLoss(mixed.score, len(e.labels))
	better = weights[1] > 0 && mixed.logLoss < run.best.logLoss
	if better {
		mixed.probabilities = make([]float32, len(crossFitted))
		e.averageProbabilities(mixed.probabilities, parts, weights, all)
		mixed.smooth = smoothChoice{search.width, smoothPenalties[search.penalty], weights[1]}
	}
	return mixed, better
}

// smoothSearch is the result of searchSmoothParts: the fits of the best width by
// fold, the index of the best penalty, and the probabilities of the validation rows.
type smoothSearch struct {
	width         float64
	fits          []*rbf.Fit
	penalty       int
	probabilities []float32
}

// converged reports whether the fits of all folds have converged.
func (s smoothSearch) converged() bool {
	return !slices.ContainsFunc(s.fits, func(fit *rbf.Fit) bool { return fit.Model(s.penalty) == nil })
}

// searchSmoothParts compares the widths on the first folds, each at its best
// penalty, and then the penalties of the best width on all folds.
func (r *race) searchSmoothParts(ctx context.Context, run *run) (smoothSearch, error) {
	folds := min(smoothSearchFolds, len(run.folds))
	fits := make([][]*rbf.Fit, len(smoothWidths))
	for i := range fits {
		fits[i] = make([]*rbf.Fit, len(run.folds))
	}
	err := parallel.ForError(run.workers, len(smoothWidths)*folds, func(i int) (err error) {
		width, fold := i%len(smoothWidths), i/len(smoothWidths)
		fits[width][fold], err = r.fitSmoothPart(ctx, run.folds[fold], smoothWidths[width])
		return err
	})
	if err != nil {
		return smoothSearch{}, err
	}
	best, bestLoss := 0, 0.0
	for i := range fits {
		if _, loss := r.bestPenalty(run, fits[i][:folds], nil); i == 0 || loss < bestLoss {
			best, bestLoss = i, loss
		}
	}
	found := smoothSearch{width: smoothWidths[best], fits: fits[best], probabilities: make([]float32, len(r.evaluator.labels)*run.classes)}
	err = parallel.ForError(run.workers, len(run.folds)-folds, func(i int) (err error) {
		found.fits[folds+i], err = r.fitSmoothPart(ctx, run.folds[folds+i], found.width)
		return err
	})
	if err != nil {
		return smoothSearch{}, err
	}
	found.penalty, _ = r.bestPenalty(run, found.fits, found.probabilities)
	return found, nil
}

// fitSmoothPart fits the smooth part of a fold for each penalty.
func (r *race) fitSmoothPart(ctx context.Context, fold split.Fold, width float64) (*rbf.Fit, error) {
	return rbf.New(ctx, r.data.Frame, fold, rbf.Options{Classes: r.data.classes(), Width: width, Penalties: smoothPenalties})
}

// bestPenalty returns the index of the penalty with the lowest log loss on the validation
// rows of the first len(fits) folds, and that loss. fits are the fits of these folds. If
// dst is not nil, bestPenalty writes the probabilities for the best penalty to it.
func (r *race) bestPenalty(run *run, fits []*rbf.Fit, dst []float32) (best int, loss float64) {
	rows := 0
	for _, fold := range run.folds[:len(fits)] {
		rows += len(fold.Validation)
	}
	probabilities := make([]float32, rows*run.classes)
	for penalty := range smoothPenalties {
		at := 0
		for i, fit := range fits {
			next := at + len(run.folds[i].Validation)*run.classes
			fit.PredictValidation(probabilities[at:next], penalty)
			at = next
		}
		l := finiteOrZero(metric.LogLoss(metric.Predictions{Probabilities: probabilities, Labels: r.evaluator.labels[:rows], Classes: run.classes}))
		if penalty == 0 || l < loss {
			best, loss = penalty, l
			copy(dst, probabilities)
		}
	}
	return best, loss
}

// withSmoothPart returns model, the model of a fold, with the smooth part of the run's best
// checkpoint. If this checkpoint has no smooth part, it returns model unchanged.
func (r *run) withSmoothPart(model predictor, fold int) predictor {
	choice := r.best.smooth
	if choice.weight == 0 || r.smoothFits == nil {
		return model
	}
	return smoothedModel{model, r.smoothFits[fold].Model(slices.Index(smoothPenalties, choice.penalty)), choice.weight}
}

// refitSmoothPart returns model with a smooth part that is fitted to all rows. If the best
// checkpoint has no smooth part, it returns model unchanged.
func (r *race) refitSmoothPart(ctx context.Context, run *run, all split.Fold, model predictor) (predictor, error) {
	choice := run.best.smooth
	if choice.weight == 0 {
		return model, nil
	}
	fit, err := rbf.New(ctx, r.data.Frame, all, rbf.Options{Classes: run.classes, Width: choice.width, Penalties: []float64{choice.penalty}})
	switch {
	case errors.Is(err, rbf.ErrTooWide):
		r.note("the final model of %s has no smooth part, because all rows together have too many different categories", run.Name)
		return model, nil
	case err != nil:
		return nil, err
	case fit.Model(0) == nil:
		r.note("the final model of %s has no smooth part, because its training on all rows did not converge", run.Name)
		return model, nil
	}
	return smoothedModel{model, fit.Model(0), choice.weight}, nil
}

// smoothCost returns the estimated cost of the whole search for the smooth part, in which
// every fit costs about as much as fit.
func (r *run) smoothCost(fit *rbf.Fit) float64 {
	fits := (len(smoothWidths)-1)*min(smoothSearchFolds, len(r.folds)) + len(r.folds)
	return float64(fits) * fit.Cost()
}
