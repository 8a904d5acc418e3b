package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"foretell/internal/learn/rng"
	"foretell/internal/learn/split"
	"foretell/internal/spill"
	"foretell/internal/table/frame"
)

// Status is the state of a race or of one run in it.
type Status string

// The states, spelt as in the API.
const (
	Running      Status = "RUNNING"
	Completed    Status = "COMPLETED"     // reached the threshold; without one, trained until it no longer improved
	NotCompleted Status = "NOT_COMPLETED" // stalled below the threshold, or another run won the race first
	TimedOut     Status = "TIMED_OUT"     // reached the time limit
	Failed       Status = "FAILED"        // had an error; a race fails if all its runs do
	Cancelled    Status = "CANCELLED"     // stopped by the user
)

// Params are the parameters of a race. Zero values are defaults.
type Params struct {
	// Algorithms are the names of the algorithms to train: BSIX01 for two
	// classes, MSIX01 for more, and so on. Their order does not matter. Defaults
	// to those of Effort.
	Algorithms []string
	// Effort is how much the race trains. Defaults to EffortDefault.
	Effort Effort
	// ScalingFactor is the capacity of the algorithms that partition the
	// feature space: the leaves of a SIX01 tree, and the leaves of a FIF01 tree
	// for each thousand training rows. If it is 0, the capacity is chosen from
	// the data.
	ScalingFactor int
	// Buckets is the number of bins of a numeric feature for SEV02. Defaults to
	// 128, or 254 for large tables.
	Buckets int
	// Groups holds the group of each row, such as its customer, or -1. Rows of a
	// group are never divided between training, validation and test rows. Rows
	// that are equal in every feature are kept together in any case; see
	// findDuplicates. If it is nil, no other rows are.
	Groups []int32
	// Times holds the time of each row, in any unit, NaN if unknown. Validation
	// and test rows are then later than the rows that the models were trained on.
	// Rows without a time are used only by the refit. If it is nil, the order of
	// the rows does not matter.
	Times []float64
	// Threshold is the performance that wins the race, from 0 to 1. If it is 0,
	// the first score wins. If it is nil, every run trains until it no longer
	// improves.
	Threshold *float64
	// Metric defines performance: accuracy, balancedAccuracy, macroF1 or rocAuc.
	// Defaults to accuracy.
	Metric string
	// Seed is the seed of all random numbers.
	Seed uint64
	// Workers is the number of goroutines that train. It does not change the
	// model. Defaults to GOMAXPROCS.
	Workers int
	// TimeLimit limits the duration of Race, including the refit of the winner;
	// 0 means no limit. It requires Now.
	TimeLimit time.Duration
	// Now is the clock for TimeLimit and Run.Seconds. If it is nil, there is no limit.
	Now func() time.Time
	// Stop ends training at once when it is closed. The model is then the mean
	// of the best fold models, without a refit on every labelled row. Stop may
	// be nil.
	Stop <-chan struct{}
	// Disk stores trees that are not needed before the end of the race. It does
	// not change the model. It must stay open until the outcome's model has
	// been written. Defaults to memory.
	Disk *spill.File
	// Remote has other machines train some of the algorithms. It does not change the
	// model. It may be nil.
	Remote *Remote
	// Progress is called for each score and change of status, by one goroutine
	// at a time. It must return quickly. It may be nil.
	Progress func(Event)
}

// Event is a new score of an algorithm or a change of its status.
type Event struct {
	Algorithm string
	Status    Status
	// Performance is the performance of the last step, or 0 before the first
	// score.
	Performance float64
	// Kept and LogLoss are the performance and log loss of the best step so
	// far. They are NaN before the first score, and if there are no validation
	// rows.
	Kept, LogLoss float64
	// Step is the number of scores so far.
	Step int
}

// Outcome is the result of a race.
type Outcome struct {
	Status Status
	// Runs holds the result of each algorithm, in the order in which they are
	// shown.
	Runs []Run
	// Model is nil if every algorithm failed or was stopped before its first
	// score. It may still refer to Params.Disk. To get a model that does not,
	// write Model and read it back.
	Model *Model
	// Algorithm is the name of Model's algorithm, or Blend. It is empty if
	// there is no model.
	Algorithm string
	// Refit reports whether Model was trained on every labelled row. It is
	// false if the race was stopped, or if the time limit left no time for the
	// refit. If it is true, components of small weight in a blend may still not
	// have been refitted.
	Refit bool
	// Achieved, Training and Test are the values of Report.Validation,
	// Report.Training and Report.Test in the metric of the race.
	Achieved, Training, Test float64
	// Report holds the metrics of Model. It is empty if there is no model.
	Report Report
}

// Race trains all algorithms until one reaches the threshold, all have stalled,
// the time limit is reached, or p.Stop is closed. Then it refits the winner or,
// if there is none, the best run or blend. If ctx is cancelled, Race returns
// its cause and no outcome.
//
// f must have Labels of at least two classes. An invalid f or p is an error.
// The failure of one algorithm is not an error, but is reported in its Run.
func Race(ctx context.Context, f *frame.Frame, p Params) (*Outcome, error) {
	return raceAlgorithms(ctx, f, p, algorithms)
}

// race is the state of one race.
type race struct {
	data       *trainingData
	plan       split.ValidationPlan
	evaluator  *evaluator
	scheduler  *scheduler
	runs       []*run
	timer      timer
	refitLimit refitLimit
	notes      []string // Report.Notes
	copies     int      // Report.Copies
	// copiesDivided is Report.CopiesDivided.
	copiesDivided bool
	refitCut      bool // whether the clock or the user ended the refit
	// blendScore is the score of the blend that the runs were compared with. It
	// is nil before chooseCandidate, and if there was no blend.
	blendScore *Candidate

	mu sync.Mutex // guards the runs' best and status, and serialises Progress
}

// raceAlgorithms is Race with the given algorithms.
func raceAlgorithms(ctx context.Context, f *frame.Frame, p Params, algorithms []algorithm) (*Outcome, error) {
	r, err := newRace(f, p, algorithms)
	if err != nil {
		return nil, err
	}
	return r.run(ctx)
}

// run runs the race.
func (r *race) run(ctx context.Context) (*Outcome, error) {
	for _, run := range r.runs {
		if r.data.params.Remote.has(run.Name) {
			r.scheduler.setRemote(run.index)
		}
	}
	stop, release := withStop(ctx, r.data.params.Stop)
	defer release()
	r.timer.start()

	racing, done := r.timer.withLimit(stop, r.refitBudget)
	r.runAll(racing)
	cause := context.Cause(racing)
	done()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	outcome := r.newOutcome(cause)
	chosen := r.chooseCandidate(r.newLossFunc(outcome.Status))
	for i, run := range r.runs {
		probabilities := run.best.probabilities
		if winner := r.scheduler.currentWinner(); winner >= 0 && winner != i {
			probabilities = nil // whether they are known depends on the speed of the machine
		}
		if !r.evaluator.isMeasurable() {
			outcome.Runs[i].Performance = math.NaN()
		}
		outcome.Runs[i].LogLoss, outcome.Runs[i].Interval = run.best.logLoss, r.evaluator.performanceInterval(probabilities)
	}
	if chosen == nil {
		return outcome, nil
	}
	members, refit := r.refit(stop, chosen)
	if errors.Is(context.Cause(stop), errStopped) && !refit {
		outcome.Status = Cancelled
	}
	outcome.Refit = refit
	if len(r.evaluator.labels) > 0 && !r.evaluator.isMeasurable() {
		r.note("%s cannot be computed on the validation rows, because all of them are of one class: the algorithms were compared by log loss", r.evaluator.metric)
	}
	r.noteRemoteFailures()
	r.noteEnd(outcome)
	return outcome, r.finalize(ctx, chosen, members, outcome)
}

// runAll runs all algorithms until each has ended. The runs of this machine begin
// in the order of price, because a cheap run soon has a usable model. Only as many
// train at a time as keep the cores busy. With a threshold all train at the same
// time, because the scheduler compares their virtual times.
func (r *race) runAll(ctx context.Context) {
	stopListening := r.listenForWins(ctx)
	idle := make(chan struct{})
	var all, here sync.WaitGroup
	slots := make(chan struct{}, r.maxConcurrentRuns())
	for _, run := range r.runsByPrice() {
		if r.data.params.Remote.has(run.Name) {
			all.Go(func() { r.awaitRun(ctx, run, idle) })
			continue
		}
		slots <- struct{}{}
		here.Go(func() {
			r.runHere(ctx, run)
			<-slots
		})
	}
	here.Wait()
	close(idle)
	all.Wait()
	stopListening()
	r.evaluator.buffers = nil // frees memory for the refit
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
	// The fitters of a run wait for each other after each step, so at least two
	// runs are needed to keep the cores busy. A run hardly uses more than four.
	return 1 + (workers+3)/4
}

// runsByPrice returns the runs in ascending order of their algorithms' price.
func (r *race) runsByPrice() []*run {
	runs := slices.Clone(r.runs)
	slices.SortStableFunc(runs, func(a, b *run) int { return cmp.Compare(a.algorithm.price, b.algorithm.price) })
	return runs
}

// runHere trains run on this machine until it has ended.
func (r *race) runHere(ctx context.Context, run *run) {
	index := r.scheduler.start(ctx, run.index)
	defer r.scheduler.remove(run.index)
	r.notify(run, Running)
	if err := recoverPanic(func() error { return r.train(index, run) }); err != nil && index.Err() == nil {
		run.err = fmt.Errorf("%s: %w", run.Name, err)
		r.notify(run, Failed)
	}
	run.takeModels()
}

// train does the steps of run until it has reached the threshold, has stalled,
// or can no longer win, or until ctx is cancelled.
func (r *race) train(ctx context.Context, run *run) error {
	if err := run.newFitters(ctx, r.data, rng.Derive(r.data.params.Seed, int(run.algorithm.kind))); err != nil {
		return err
	}
	for r.scheduler.waitTurn(ctx, run.index) {
		over, err := run.stepAll(ctx)
		if err != nil {
			return err
		}
		stalled, err := r.evaluateStep(run)
		if err != nil {
			return err
		}
		ended := over || stalled
		run.reached = run.reached || ended && r.isPerfect(run.best.score)
		r.notify(run, Running)
		r.scheduler.endStep(run.index, run.cost(), run.reached)
		switch {
		case run.reached:
			r.announceWin(run)
			return nil
		case ended:
			r.notify(run, r.endStatus())
			return nil
		}
	}
	return nil
}

// reachesThreshold reports whether performance ends the race.
func (r *race) reachesThreshold(performance float64) bool {
	threshold := r.data.params.Threshold
	return threshold != nil && performance >= *threshold
}

// isPerfect reports whether a run with score s wins a race without a threshold
// once it has stalled. It does if it is right on every validation row and its
// log losses sum to less than one nat, because no improvement by other runs
// could then be measured on these rows. A perfect performance alone may be
// luck.
func (r *race) isPerfect(s score) bool {
	return r.data.params.Threshold == nil && s.performance >= 1 && s.logLoss*float64(len(r.evaluator.labels)) < 1
}

// endStatus returns the status of a run or race that has ended by itself before
// any run reached the threshold.
func (r *race) endStatus() Status {
	if r.data.params.Threshold == nil {
		return Completed
	}
	return NotCompleted
}

// notify sets the status of a run and calls Progress.
func (r *race) notify(run *run, status Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run.status = status
	if r.data.params.Progress == nil {
		return
	}
	e := Event{Algorithm: run.Name, Status: status, Step: len(run.curve), Kept: math.NaN(), LogLoss: math.NaN()}
	if e.Step > 0 {
		e.Performance = run.curve[e.Step-1].performance
	}
	if e.Step > 0 && r.evaluator.isMeasurable() {
		e.Kept, e.LogLoss = run.best.performance, run.best.logLoss
	}
	r.data.params.Progress(e)
}

// newOutcome returns the outcome of the race. cause is the reason why the race
// ended. newOutcome also sets the status of the runs that were still running.
func (r *race) newOutcome(cause error) *Outcome {
	o := &Outcome{Status: r.endStatus()}
	winner := r.scheduler.currentWinner()
	switch {
	case winner >= 0:
		o.Status = Completed
	case errors.Is(cause, errStopped):
		o.Status = Cancelled
	case errors.Is(cause, errTimeUp):
		o.Status = TimedOut
	case !slices.ContainsFunc(r.runs, func(run *run) bool { return run.status != Failed }):
		o.Status = Failed
	}
	for i, run := range r.runs {
		if late := run.dropLateScores(r.scheduler); late && run.status != Running {
			run.status, run.err = Running, nil // it ended after the win
		}
		switch {
		case run.status != Running:
		case i == winner:
			r.notify(run, Completed)
		case winner >= 0:
			r.notify(run, NotCompleted)
		default:
			r.notify(run, o.Status)
		}
		o.Runs = append(o.Runs, run.result(r.timer.now != nil))
	}
	return o
}

// result returns the result of a run that has ended. clocked reports whether the race has a
// clock.
func (r *run) result(clocked bool) Run {
	o := Run{Algorithm: r.Name, Status: r.status, Performance: r.best.performance, LogLoss: r.best.logLoss, Err: r.err}
	for _, p := range r.curve {
		o.Curve = append(o.Curve, p.performance)
		if clocked {
			o.Seconds = append(o.Seconds, p.elapsed.Seconds())
		}
	}
	return o
}

// currentLeader returns the run whose model would be refitted if the race ended
// now, or nil if no run has a checkpoint.
func (r *race) currentLeader() *run {
	if winner := r.scheduler.currentWinner(); winner >= 0 {
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

// newLossFunc returns the function that computes a candidate's log loss by row,
// to compare candidates of about equal performance. The probabilities are
// calibrated first, unless the race was cut short and there is no time.
func (r *race) newLossFunc(status Status) func(*candidate) []float64 {
	return func(c *candidate) []float64 {
		probabilities := c.scoredProbabilities()
		if status != Cancelled && status != TimedOut {
			probabilities = r.evaluator.calibrate(probabilities)
		}
		losses := r.evaluator.trueClassProbabilities(probabilities)
		for i, q := range losses {
			losses[i] = -math.Log(max(q, minProbability))
		}
		return losses
	}
}
