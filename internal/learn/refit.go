package learn

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strings"
	"time"

	"foretell/internal/learn/model"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/split"
)

// These constants determine how much of the time limit is reserved for the work after the runs.
//
// The time for the report is reportShare of the time limit, but at least minReportTime and at most
// maxReportTime. reportTimePerCell is added for each probability of a validation row, to calibrate
// and score the probabilities. On kddcup99, with 767,000 such probabilities, this took 0.7 s.
//
// The time for the refit is the estimated time multiplied by safetyFactor.
const (
	reportShare       = 0.03
	minReportTime     = 250 * time.Millisecond
	maxReportTime     = 2 * time.Second
	reportTimePerCell = 1000 * time.Nanosecond
	safetyFactor      = 1.25
	// maxRefitShare is the largest fraction of the time limit that is reserved for the refits of a
	// blend. More time is reserved only if the refit of the best run alone needs it.
	maxRefitShare = 0.25
)

// refit trains the model of each component on every labelled row, starting with the largest weight.
// If a refit fails or does not end in time, the component keeps its fold models, and complete is
// false.
//
// Refits of components with small weights are skipped if they would take too long; see
// affordableRefits. These components keep their fold models, and complete stays true. This happens
// on large tables, where the fold models were usually trained on almost all rows.
func (r *race) refit(ctx context.Context, c *candidate) (members []model.Member, complete bool) {
	// One fit on all rows is better than the mean of the fold models: on test rows, the log loss of
	// boosting was lower by 1 % on credit-g, 17 % on soybean and 55 % on car. The mean of five such
	// fits with different seeds was not significantly better than one (0.4 %).
	ctx, done := r.timer.withLimit(ctx, r.reportBudget)
	defer done()
	refitted := r.refitRuns(ctx, r.affordableRefits(c.components))
	r.data.dropBins()
	complete = true
	var unfinished []string // runs whose refit did not end in time
	for i, part := range c.components {
		switch {
		case i < len(refitted) && refitted[i].err == nil:
			members = append(members, part.newMember(refitted[i].predictor, part.weight))
			continue
		case i < len(refitted) && ctx.Err() != nil:
			complete, r.refitInterrupted = false, true
			unfinished = append(unfinished, part.Name)
		case i < len(refitted):
			complete = false
			r.addFailureNote(ctx, refitted[i].err, "%s could not be trained again on all labelled rows, so the final model uses its models of the cross-validation folds", part.Name)
		default:
			r.addNote("%s (%.0f %% of the blend) was not trained again on all labelled rows, because that would have taken too long; the final model uses its models of the cross-validation folds", part.Name, 100*part.weight)
		}
		r.keepsFoldModels = true
		models := part.models[part.firstFinalFold:] // not loaded: models that are stored on Params.Disk stay there
		for _, p := range models {
			members = append(members, part.newMember(p, part.weight/float64(len(models))))
		}
	}
	if unfinished != nil {
		owner := "its"
		if len(unfinished) > 1 {
			owner = "their"
		}
		r.addNote("there was no time to train %s again on all labelled rows, so the final model uses %s models of the cross-validation folds", strings.Join(unfinished, ", "), owner)
	}
	return members, complete
}

// affordableRefits returns the components to refit: the first component and as many of the
// following components as the cost limit allows.
func (r *race) affordableRefits(components []component) []component {
	budget := r.maxRefitCost()
	for i, part := range components {
		if budget -= r.refitCost(part.run); budget < 0 && i > 0 {
			return components[:i]
		}
	}
	return components
}

// maxRefitCost returns the limit that r.refitLimit sets on the total cost of the refits of a blend.
func (r *race) maxRefitCost() float64 {
	return max(r.refitLimit.minCost, r.totalCost()*r.refitLimit.share)
}

// refitResult is the model of a refitted run, or the error of the refit.
type refitResult struct {
	predictor model.Predictor
	err       error
}

// maxParallelRefitRows is the largest number of rows for which runs are refitted
// at the same time. With more rows, each refit uses all cores, and parallel refits would only need
// more memory.
const maxParallelRefitRows = 20_000

// refitRuns repeats the run of each component on all labelled rows, and returns the results in the
// order of the components.
func (r *race) refitRuns(ctx context.Context, components []component) []refitResult {
	results := make([]refitResult, len(components))
	workers := 1
	if r.data.Rows <= maxParallelRefitRows {
		workers = r.data.params.Workers
	}
	parallel.For(workers, len(components), func(_, i int) {
		results[i].predictor, results[i].err = r.refitRun(ctx, components[i].run)
	})
	return results
}

// refitLimit limits the cost of refitting a blend. The limit is the cost of the race multiplied by
// share, or minCost if that is larger. Costs are in nanoseconds of one core.
type refitLimit struct{ share, minCost float64 }

// The default refitLimit.
const (
	refitCostShare = 1.0 / 3
	minRefitCost   = 30e9
)

// refitRun returns a model of run's algorithm, trained on every labelled row
// for the best number of steps.
func (r *race) refitRun(ctx context.Context, run *run) (p model.Predictor, err error) {
	all := r.data.allRows()
	err = parallel.Recover(func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		fitter, err := run.algorithm.newFoldFitter(ctx, fitTask{
			data: r.data, fold: split.Fold{Train: all}, foldIndex: refitFold, workers: r.data.params.Workers, workspaces: &workspaces{},
			seed: rng.Derive(r.data.params.Seed, int(run.algorithm.Kind)+refitSeedOffset),
		})
		doublings := 0
		for step, over := 0, false; err == nil && !over && !r.isRefitted(run, fitter, step); step++ {
			over, err = fitter.Step(ctx)
			if doublings < run.best.doublings && isMiddle(fitter.Progress(), doublings) {
				fitter.DoubleSchedule()
				doublings++
			}
		}
		if err != nil {
			return err
		}
		p, err = r.refitSmoothPart(ctx, run, all, fitter.Model())
		return err
	})
	return p, err
}

// foldMembers yields the models of c's final folds as members of equal weight. The weights add up
// to c.weight. foldMembers loads each model when the iteration reaches it. Final folds are
// explained at run.firstFinalFold.
func (c component) foldMembers() iter.Seq2[model.Member, error] {
	return func(yield func(model.Member, error) bool) {
		for i := c.firstFinalFold; i < len(c.folds); i++ {
			one, err := c.loadFoldMember(i)
			one.Weight /= float64(len(c.folds) - c.firstFinalFold)
			if !yield(one, err) {
				return
			}
		}
	}
}

// newMember returns p as a member of a model, with the run's algorithm and the given weight.
func (r *run) newMember(p model.Predictor, weight float64) model.Member {
	return model.Member{Algorithm: r.algorithm.Algorithm, Weight: weight, Predictor: p}
}

// loadFoldMember returns a copy of the run's model of the given fold. A model keeps the memory that
// it allocates for predictions, so only the copy predicts; see [model.Member.Clone].
func (c component) loadFoldMember(fold int) (model.Member, error) {
	one, err := c.newMember(c.models[fold], c.weight).Clone()
	if err != nil {
		return model.Member{}, fmt.Errorf("%s: fold %d: %w", c.Name, fold+1, err)
	}
	return one, nil
}

// refitSeedOffset is added to the kind of an algorithm to derive the seed of its refit, so that
// this seed differs from the seeds of the folds. refitFold is the fold index of the refit.
const (
	refitSeedOffset = 1000
	refitFold       = -1
)

// rowRatio returns the number of all labelled rows divided by the mean number of training rows of
// a fold of run.
func (r *race) rowRatio(run *run) float64 {
	trainRows := 0
	for _, fold := range run.folds {
		trainRows += len(fold.Train)
	}
	return float64(r.data.Rows) * float64(len(run.folds)) / float64(max(trainRows, 1))
}

// isRefitted reports whether a refit on the given number of rows is complete after the given number
// of steps. If the fitter's Progress is a number, it must have reached the Progress of the folds at
// their best step; the number of steps does not matter. If Progress is NaN, the refit needs the
// number of steps that was best in the folds, adjusted by stepGrowth.
func (r *race) isRefitted(run *run, fitter fitter, step int) bool {
	if progress := run.best.progress; !math.IsNaN(progress) {
		const rounding = 1e-9
		return step > 0 && fitter.Progress() >= progress-rounding
	}
	return step >= int(math.Round(float64(run.best.step)*math.Pow(r.rowRatio(run), run.algorithm.stepGrowth)))
}

// reservedTime returns the time to reserve for the refits and the report, after the runs have been
// stopped. If other machines are still training, the result includes the time in which they must
// end their runs.
func (r *race) reservedTime() time.Duration {
	reserved := r.refitBudget()
	if r.awaitedRuns.Load() > 0 {
		reserved += r.data.params.Remote.StopTimeout
	}
	return reserved
}

// refitBudget returns the time to reserve for the report and for the refits, including one training
// of the text models, which all refits share. The time of a refit is estimated as its cost,
// multiplied by the training time per unit of cost so far.
func (r *race) refitBudget() time.Duration {
	leader := r.currentLeader()
	if leader == nil {
		return r.reportBudget()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	perCost := 1e-9 // seconds for each unit of cost
	if trained := r.localCost(); trained > 0 {
		perCost = r.trainingTime.Seconds() / trained
	}
	first, all := r.reservedRefitCosts(leader)
	seconds := min(all*perCost, max(first*perCost, maxRefitShare*r.timer.limit.Seconds()))
	reserved := time.Duration(seconds*float64(time.Second)) + r.data.textTimer.Estimate(r.data.Rows)
	return r.reportBudget() + time.Duration(float64(reserved)*safetyFactor)
}

// reservedRefitCosts returns the cost of the refit of leader, and the cost of all refits for which
// time is reserved. If a run has won, only this run is refitted. Otherwise as many runs are
// refitted as affordableRefits allows.
func (r *race) reservedRefitCosts(leader *run) (first, all float64) {
	first = r.refitCost(leader)
	if r.scheduler.CurrentWinner() >= 0 {
		return first, first
	}
	all = first
	for _, run := range r.runs {
		if run != leader && run.status != Failed {
			all += r.refitCost(run)
		}
	}
	return first, min(all, max(first, r.maxRefitCost()))
}

// elapsedAtScore returns the time since the race began, and updates r.trainingTime. It is
// called for each score of a run on this machine. The caller must hold mu.
func (r *race) elapsedAtScore() time.Duration {
	elapsed := r.timer.elapsed()
	r.trainingTime = r.data.trainingTime.elapsed(r.data.params.clock)
	return elapsed
}

// localCost returns the cost so far of the runs that this machine has trained.
func (r *race) localCost() float64 {
	sum := 0.0
	for _, run := range r.runs {
		if !run.recorded {
			sum += run.lastCost
		}
	}
	return sum
}

// totalCost returns the cost of all runs so far.
func (r *race) totalCost() float64 {
	sum := 0.0
	for _, run := range r.runs {
		sum += run.lastCost
	}
	return sum
}

// refitCost returns the estimated cost of the refit on the given number of rows, in nanoseconds of
// one core. The estimate is based on the cost of the folds up to the best step.
func (r *race) refitCost(run *run) float64 {
	return run.best.cost / float64(len(run.folds)) * math.Pow(r.rowRatio(run), 1+run.algorithm.stepGrowth)
}

// reportBudget returns the time to reserve for the report after the refit.
func (r *race) reportBudget() time.Duration {
	cells := len(r.evaluator.Labels) * r.data.classes()
	return min(maxReportTime, max(minReportTime, time.Duration(float64(r.timer.limit)*reportShare))) + time.Duration(cells)*reportTimePerCell
}
