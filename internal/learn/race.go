package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/scheduler"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Race trains several algorithms in parallel. The race ends when an algorithm reaches the
// threshold, when none of them improves any more, at the time limit, or when p.Stop is closed. Race
// then trains the winner again on all labelled rows. If no algorithm has won, Race instead trains
// the blend of the algorithms again, or the best algorithm if there is no blend. If ctx is
// cancelled, Race returns the cause of the cancellation and no outcome.
//
// The Labels of f must be of at least two classes. Race returns an error if f or p is invalid. If
// an algorithm fails, Race does not return an error, but reports the failure in Outcome.Runs.
func Race(ctx context.Context, f *frame.Frame, p Params) (*Outcome, error) {
	return raceAlgorithms(ctx, f, p, algorithms)
}

// race is the state of one race.
type race struct {
	data       *trainingData
	plan       split.ValidationPlan
	evaluator  *evaluation.Evaluator
	buffers    chan []float32 // see newProbabilityBuffers
	scheduler  *scheduler.Scheduler
	runs       []*run
	timer      timer
	refitLimit refitLimit
	notes      []string // Report.Notes
	copies     int      // Report.Copies
	// copiesDivided is Report.CopiesDivided.
	copiesDivided    bool
	refitInterrupted bool // whether the time limit or the user ended the refit early
	keepsFoldModels  bool // whether fold models of a component are members of the final model
	// trainingTime is the time that this machine has spent on training runs, without the training
	// of text models. It is updated at each score and guarded by mu.
	trainingTime time.Duration
	// blendScore is the score of the blend for the report. It is nil before
	// chooseCandidate, and if there is no blend.
	blendScore *Candidate

	awaitedRuns atomic.Int32  // number of runs that other machines train
	slots       chan struct{} // holds one element for each run that this machine is training

	mu sync.Mutex // guards the runs' best and status, and serialises Progress
}

// raceAlgorithms is Race with a given list of algorithms, from which p.Algorithms or p.Effort
// selects.
func raceAlgorithms(ctx context.Context, f *frame.Frame, p Params, algorithms []algorithm) (*Outcome, error) {
	starting, release := withStop(ctx, p.Stop)
	r, err := newRace(starting, f, p, algorithms)
	stopped := errors.Is(context.Cause(starting), errStopped)
	release()
	switch {
	case errors.Is(err, context.Canceled) && stopped:
		return &Outcome{Status: Cancelled}, nil
	case err != nil:
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	outcome, err := r.run(ctx)
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	return outcome, nil
}

// run runs the race. If ctx is cancelled, it returns an error.
func (r *race) run(ctx context.Context) (*Outcome, error) {
	for _, run := range r.runs {
		if r.data.params.Remote.includes(run.Name) {
			r.scheduler.SetRemote(run.index)
		}
	}
	stop, release := withStop(ctx, r.data.params.Stop)
	defer release()

	racing, done := r.timer.withLimit(stop, r.reservedTime)
	r.runAll(racing)
	cause := context.Cause(racing)
	done()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	outcome := r.newOutcome(cause)
	chosen, err := r.chooseCandidate(ctx, r.newLossFunc(outcome.Status))
	if err != nil {
		return nil, err
	}
	if err := r.setRunScores(ctx, outcome.Runs); err != nil {
		return nil, err
	}
	if chosen == nil {
		return outcome, nil
	}
	members, refit := r.refit(stop, chosen)
	if errors.Is(context.Cause(stop), errStopped) && !refit {
		outcome.Status = Cancelled
	}
	if reason := r.evaluator.UnmeasurableReason(); reason != "" && len(r.evaluator.Labels) > 0 {
		r.addNote("%s cannot be computed on the validation rows, because %s: the algorithms were compared by log loss", r.evaluator.Metric, reason)
	}
	r.addRemoteFailureNotes()
	r.addEndNote(outcome)
	return outcome, r.finalize(ctx, chosen, members, outcome)
}

// setRunScores sets the scores of the best step of each run in results. It returns an
// error only if ctx is cancelled.
func (r *race) setRunScores(ctx context.Context, results []Run) (err error) {
	measurable := r.evaluator.IsMeasurable()
	for i, run := range r.runs {
		probabilities := run.best.probabilities
		if winner := r.scheduler.CurrentWinner(); winner >= 0 && winner != i {
			probabilities = nil // no interval: how far this run got before another won depends on the speed of the machine
		}
		if !measurable {
			results[i].Performance, results[i].Curve, results[i].Seconds = math.NaN(), nil, nil
		}
		results[i].LogLoss = run.best.logLoss
		if results[i].Interval, err = r.evaluator.PerformanceInterval(ctx, probabilities); err != nil {
			return err
		}
	}
	return nil
}

// runAll trains all algorithms until each has ended. It begins with the cheapest algorithms, so
// that a usable model exists early. Without a threshold, it runs only as many algorithms at the
// same time as are needed to keep the cores busy. With a threshold, it runs all algorithms at the
// same time, because the scheduler compares their virtual times.
func (r *race) runAll(ctx context.Context) {
	stopListening := r.watchReachedElsewhere(ctx)
	idle := make(chan struct{})
	var all, here sync.WaitGroup
	for _, run := range r.runsByCost() {
		if r.data.params.Remote.includes(run.Name) {
			r.awaitedRuns.Add(1)
			all.Go(func() { r.awaitRun(ctx, run, idle) })
			continue
		}
		r.slots <- struct{}{}
		here.Go(func() {
			r.runHere(ctx, run)
			<-r.slots
		})
	}
	here.Wait()
	close(idle)
	all.Wait()
	stopListening()
	r.buffers = nil // frees memory for the refit
	r.data.dropFoldBins()
}

// maxConcurrentRuns returns the number of runs that this machine trains at a time.
func (r *race) maxConcurrentRuns() int {
	if r.data.params.Threshold != nil {
		return len(r.runs)
	}
	workers := r.data.params.Workers
	if workers == 1 {
		return 1
	}
	// The fitters of a run wait for each other after each step, so at least two runs are
	// needed to keep the cores busy. A run hardly uses more than four cores.
	return 1 + (workers+3)/4
}

// runsByCost returns the runs in ascending order of their algorithms' cost rank.
func (r *race) runsByCost() []*run {
	runs := slices.Clone(r.runs)
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.algorithm.costRank, b.algorithm.costRank) })
	return runs
}

// runHere trains run on this machine until it has ended.
func (r *race) runHere(ctx context.Context, run *run) {
	index := r.scheduler.RunContext(ctx, run.index)
	defer r.scheduler.RemoveRun(run.index)
	r.setStatusAndNotify(run, Running)
	if err := parallel.Recover(func() error { return r.train(index, run) }); err != nil && index.Err() == nil {
		run.err = fmt.Errorf("%s: %w", run.Name, err)
		r.setStatusAndNotify(run, Failed)
	}
	run.takeModels()
	if run.algorithm.rowMajor {
		r.data.dropRowMajor()
	}
}

// train executes the steps of run until the run has reached the threshold, has stalled or can no
// longer win, or until ctx is cancelled.
func (r *race) train(ctx context.Context, run *run) error {
	if err := run.newFitters(ctx, r.data, rng.Derive(r.data.params.Seed, int(run.algorithm.Kind))); err != nil {
		return err
	}
	for r.scheduler.WaitTurn(ctx, run.index) {
		ended, err := r.trainStep(ctx, run)
		if err != nil {
			return err
		}
		run.reached = run.reached || ended && r.winsWithoutThreshold(run.best.score)
		r.setStatusAndNotify(run, Running)
		r.scheduler.EndStep(run.index, run.cost(), run.reached)
		switch {
		case run.reached:
			r.reportThresholdReached(run)
			return nil
		case ended:
			r.setStatusAndNotify(run, r.stalledStatus())
			return nil
		}
	}
	return nil
}

// trainStep does the next step of run and scores it. ended reports whether it was the
// last step.
func (r *race) trainStep(ctx context.Context, run *run) (ended bool, err error) {
	defer r.data.trainingTime.start(r.data.params.clock)()
	if run.smoothNext {
		return true, r.addSmoothPart(ctx, run)
	}
	over, err := run.stepAll(ctx)
	if err != nil {
		return false, err
	}
	stalled, err := r.evaluateStep(ctx, run)
	run.smoothNext = (over || stalled) && !run.reached && !r.winsWithoutThreshold(run.best.score) && r.hasSmoothPart(run)
	return (over || stalled) && !run.smoothNext, err
}

// reachesThreshold reports whether performance is at least the threshold of the race. It returns
// false if there is no threshold, or if the metric cannot be computed on the validation rows.
func (r *race) reachesThreshold(performance float64) bool {
	threshold := r.data.params.Threshold
	return threshold != nil && performance >= *threshold && r.evaluator.IsMeasurable()
}

// winsWithoutThreshold reports whether a stalled run with the score s wins a race without a
// threshold. The run wins if its performance is 1 and the log losses of the validation rows add up
// to less than one nat, because a performance of 1 alone may be due to chance. If the metric is
// logLoss, only the sum of the log losses matters. No run wins if the metric cannot be computed on
// the validation rows. No run wins, either, if all validation rows are of one class: always
// predicting this class would be as good.
func (r *race) winsWithoutThreshold(s score) bool {
	rows := len(r.evaluator.Labels)
	return r.data.params.Threshold == nil && r.evaluator.IsMeasurable() && r.evaluator.HasSeveralClasses() &&
		isFlawless(r.data.params.Metric, s, rows) && s.logLoss*float64(rows) < 1
}

// stalledStatus returns the status of a race in which all runs have stalled, and of each such run:
// NotCompleted, or Completed if there is no threshold.
func (r *race) stalledStatus() Status {
	if r.data.params.Threshold == nil {
		return Completed
	}
	return NotCompleted
}

// setStatusAndNotify sets the status of a run and calls Params.Progress.
func (r *race) setStatusAndNotify(run *run, status Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run.status = status
	if r.data.params.Progress == nil {
		return
	}
	e := Event{Algorithm: run.Name, Status: status, BestPerformance: math.NaN(), BestLogLoss: math.NaN()}
	if n := len(run.curve); n > 0 && r.evaluator.IsMeasurable() {
		e.Step, e.Performance = n, run.curve[n-1].performance
		e.BestPerformance, e.BestLogLoss = run.best.performance, run.best.logLoss
	}
	r.data.params.Progress(e)
}

// currentLeader returns the run that has won the race. If no run has won yet, it returns the run
// whose best step has the lowest selection loss; see run.selectionLoss. The result is nil if no run
// has a checkpoint.
func (r *race) currentLeader() *run {
	if winner := r.scheduler.CurrentWinner(); winner >= 0 {
		return r.runs[winner]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var leader *run
	for _, run := range r.runs {
		if run.best.step > 0 && run.status != Failed && (leader == nil || run.best.selectionLoss < leader.best.selectionLoss) {
			leader = run
		}
	}
	return leader
}

// lossFunc computes the mean log loss of a candidate over the validation rows.
type lossFunc func(context.Context, *candidate) (float64, error)

// newLossFunc returns a function that computes the log loss of a candidate after calibration. If
// the race was cut short, the function saves time and does not calibrate.
func (r *race) newLossFunc(status Status) lossFunc {
	return func(ctx context.Context, c *candidate) (float64, error) {
		probabilities := c.scoredProbabilities()
		if status != Cancelled && status != TimedOut {
			calibrated, err := r.evaluator.Calibrate(ctx, probabilities)
			if err != nil {
				return 0, err
			}
			probabilities = calibrated
		}
		return r.evaluator.LogLoss(probabilities), nil
	}
}
