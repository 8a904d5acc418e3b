package learn

import (
	"context"
	"errors"

	"foretell/internal/learn/logistic"
	"foretell/internal/learn/model"
	"foretell/internal/learn/smooth"
)

// hasSmoothPart reports whether a logistic regression, the smooth part, is fitted when the fitters
// of run have ended. This requires that the algorithm supports smooth parts, that the table is
// small, that its features are not screened and include no texts, and that a step has been scored
// on validation rows.
func (r *race) hasSmoothPart(run *run) bool {
	return run.algorithm.smooth && smooth.IsSmall(r.data.Rows, r.data.classes()) &&
		r.data.numScreened() == 0 && len(r.data.Schema.TextColumns()) == 0 &&
		len(r.evaluator.Labels) > 0 && run.best.step > 0
}

// addSmoothPart does one more step of a stalled run of neural networks: it fits a logistic
// regression, the smooth part. If the smooth part improves the best checkpoint, it becomes part of
// the checkpoint.
func (r *race) addSmoothPart(ctx context.Context, run *run) error {
	task, err := r.smoothTask(ctx, run)
	if err != nil {
		return err
	}
	fits, err := smooth.Search(ctx, task)
	if errors.Is(err, logistic.ErrTooWide) {
		return nil
	}
	if err != nil {
		return err
	}
	run.smoothCost = fits.Cost()
	best := run.best
	mixed, better, err := r.mixSmoothPart(ctx, run, fits)
	if err != nil {
		return err
	}
	if better {
		mixed.cost += fits.ChosenCost()
		best, run.smoothFits = mixed, fits
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	run.step++
	run.best = best
	run.reached = better && r.reachesThreshold(best.performance)
	summary := best
	summary.probabilities = nil
	run.lastCost = run.cost()
	run.curve = append(run.curve, curvePoint{due: r.scheduler.NextDue(run.index), elapsed: r.elapsedAtScore(), performance: best.performance, best: summary})
	return nil
}

// smoothTask returns the table and the folds of run in the form that package smooth uses.
func (r *race) smoothTask(ctx context.Context, run *run) (smooth.Task, error) {
	task := smooth.Task{Folds: run.folds, Labels: r.evaluator.Labels, Classes: run.classes, Workers: run.workers}
	for i, fold := range run.folds {
		data, err := r.data.dataOfFold(ctx, run.firstFoldIndex+i, fold.Train)
		if err != nil {
			return task, err
		}
		task.Frames = append(task.Frames, data.Frame)
	}
	return task, nil
}

// mixSmoothPart returns the best checkpoint of run, mixed with the smooth part. The weight of the
// smooth part is fitted by maximum likelihood. The score is cross-fitted: the validation rows are
// divided, and each portion is scored with the weight fitted to the others. better reports whether
// the mixture has a lower log loss than the checkpoint.
func (r *race) mixSmoothPart(ctx context.Context, run *run, fits *smooth.Fits) (mixed savedStep, better bool, err error) {
	mixed = run.best
	if !fits.Converged() {
		return mixed, false, nil
	}
	e := r.evaluator
	mixture := e.Mix([][]float32{run.best.probabilities, fits.Probabilities})
	if mixed.score, err = newScore(ctx, e, mixture.CrossFitted); err != nil {
		return mixed, false, err
	}
	mixed.selectionLoss = run.selectionLoss(mixed.score, len(e.Labels))
	better = mixture.Weights[1] > 0 && mixed.logLoss < run.best.logLoss
	if better {
		mixed.probabilities = mixture.Probabilities
		mixed.smooth = smooth.Params{Width: fits.Width, Penalty: fits.Penalty, Weight: mixture.Weights[1]}
	}
	return mixed, better, nil
}

// withSmoothPart returns the networks of a fold, mixed with the smooth part of the best checkpoint.
// It returns networks unchanged if the checkpoint has no smooth part.
func (r *run) withSmoothPart(networks model.Predictor, fold int) model.Predictor {
	choice := r.best.smooth
	if choice.Weight == 0 || r.smoothFits == nil {
		return networks
	}
	inner, features := model.UnwrapFeatures(networks)
	return model.WithFeatures(smooth.NewModel(inner, r.smoothFits.Model(fold), choice.Weight), features)
}

// refitSmoothPart returns p, mixed with a smooth part that is fitted to all rows. It returns p
// unchanged if the best checkpoint of run has no smooth part.
func (r *race) refitSmoothPart(ctx context.Context, run *run, all []int32, p model.Predictor) (model.Predictor, error) {
	choice := run.best.smooth
	if choice.Weight == 0 {
		return p, nil
	}
	data, err := r.data.dataOfFold(ctx, refitFold, all)
	if err != nil {
		return nil, err
	}
	part, err := smooth.Fit(ctx, data.Frame, all, run.classes, choice)
	switch {
	case errors.Is(err, logistic.ErrTooWide):
		r.addNote("the final model of %s has no logistic regression, because all rows together have too many different categories", run.Name)
		return p, nil
	case errors.Is(err, smooth.ErrNotConverged):
		r.addNote("the final model of %s has no logistic regression, because its training on all rows did not converge", run.Name)
		return p, nil
	case err != nil:
		return nil, err
	}
	inner, features := model.UnwrapFeatures(p)
	return model.WithFeatures(smooth.NewModel(inner, part, choice.Weight), features), nil
}
