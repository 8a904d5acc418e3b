package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/split"
	"foretell/internal/scratch"
)

// Status is how far a race, or one run in it, has come.
type Status string

// The states, spelt as in the API.
const (
	Running      Status = "RUNNING"
	Completed    Status = "COMPLETED"     // reached the threshold; without one, learnt until it no longer improved
	NotCompleted Status = "NOT_COMPLETED" // stalled below the threshold, or another run ended the race first
	TimedOut     Status = "TIMED_OUT"     // the time limit came first
	Failed       Status = "FAILED"        // broke down; a race fails when all its runs do
	Cancelled    Status = "CANCELLED"     // stopped by a person
)

// Params are the parameters of a race. Zero values are defaults.
type Params struct {
	// Algorithms are the names of those that take part: BSIX01 for two
	// classes, MSIX01 for more, and so on.
	// Their order does not matter. Defaults to all.
	Algorithms []string
	// ScalingFactor is the capacity of the algorithms that partition the
	// space. Defaults to one chosen from the data.
	ScalingFactor int
	// Buckets is the number of bins of a numeric feature for the algorithm
	// that goes by them. Defaults to one chosen for quality.
	Buckets int
	// Threshold is the performance that wins, 0 to 1: at 0 the first score
	// does. With nil none does: every run learns until it no longer improves.
	Threshold *float64
	// Metric is what performance means: accuracy, balancedAccuracy, macroF1
	// or rocAuc. Defaults to accuracy.
	Metric string
	// Seed starts every random choice.
	Seed uint64
	// Workers is the number of cores to keep busy. It does not change the
	// model. Defaults to GOMAXPROCS.
	Workers int
	// TimeLimit is how long Race may take, the refit of the winner included;
	// 0 means no limit. It needs Now.
	TimeLimit time.Duration
	// Now is the clock of TimeLimit; with nil no limit is kept.
	Now func() time.Time
	// Stop ends learning at once when it is closed. The best model so far is
	// kept as it is: a mean of the fold models, which has not learnt from
	// every labelled row. May be nil.
	Stop <-chan struct{}
	// Disk is where trees wait that are not needed before the race is over. It
	// does not change the model. Close it only after the outcome's model has been
	// written. Defaults to memory.
	Disk *scratch.Disk
	// Progress is called with each score and change of status, by one goroutine at
	// a time. It must return fast. May be nil.
	Progress func(Event)
}

// Event is a score of an algorithm or a change of its status.
type Event struct {
	Algorithm string
	Status    Status
	// Performance is the latest; 0 before the first.
	Performance float64
	// Kept and LogLoss are the performance and log loss of the step that is kept
	// so far; NaN before the first, and without validation rows.
	Kept, LogLoss float64
	// Step counts the scores from 1.
	Step int
}

// Outcome is how a race ended.
type Outcome struct {
	Status Status
	// Runs holds the algorithms in the order in which they are shown.
	Runs []Run
	// Model is nil if every algorithm failed, or was stopped before it had
	// learnt anything. It may still refer to Params.Disk: write it and read it back
	// to get one that does not.
	Model *Model
	// Algorithm is that of Model, or Blend; empty if there is none.
	Algorithm string
	// Refit reports whether Model has learnt from every labelled row. Light
	// components of a blend may not have been refitted even so, see refit. It is
	// false if the race was stopped, or if the time limit left no time for it.
	Refit bool
	// Achieved, Test and Training are the performances of Report's Validation,
	// Test and Training by the metric of the race.
	Achieved, Training, Test float64
	// Report holds all figures of Model; empty if there is none.
	Report Report
}

// Run is how one algorithm of a race ended.
type Run struct {
	Algorithm string
	Status    Status
	// Performance and LogLoss are of the step that was kept, on validation
	// rows; 0 before the first score. LogLoss is after calibration where runs
	// were compared by it, see Candidate.
	Performance, LogLoss float64
	// Interval is the 95 % confidence interval of Performance; NaN to NaN where
	// it is not known.
	Interval Interval
	// Curve holds the performance after each step.
	Curve []float64
	// TrainingPerformance and TestPerformance are set for the run whose model
	// was kept, and for no run if that is a blend.
	TrainingPerformance, TestPerformance float64
	// Err tells why the status is Failed.
	Err error
}

// Race trains until an algorithm reaches the threshold, if there is one, all
// have stalled, the time is up, or p.Stop is closed; then it makes the model of
// the winner, or of the best run or blend. If ctx is cancelled, everything is
// given up, and the error is its cause.
//
// f must have Labels of at least two classes. An invalid f or p is an error; the
// failure of one algorithm is not: it is reported in its Run.
func Race(ctx context.Context, f *frame.Frame, p Params) (*Outcome, error) {
	return raceOf(ctx, f, p, methods)
}

// race is the state of one race.
type race struct {
	table *table
	plan  split.Plan
	judge *judge
	pace  *pacer
	runs  []*run
	timer timer
	// blended is the blend as the runs were compared with it; nil before choose,
	// and if there is none.
	blended *Candidate

	mu sync.Mutex // guards kept and status of runs, and Progress
}

// raceOf is Race with the given methods.
func raceOf(ctx context.Context, f *frame.Frame, p Params, methods []method) (*Outcome, error) {
	r, err := newRace(f, p, methods)
	if err != nil {
		return nil, err
	}
	stop, release := stoppable(ctx, p.Stop)
	defer release()
	r.timer.start()

	racing, done := r.timer.within(stop, r.spare)
	r.drive(racing)
	cause := context.Cause(racing)
	done()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	outcome := r.close(cause)
	chosen := r.choose(r.lossesFor(outcome.Status))
	for i, u := range r.runs {
		outcome.Runs[i].LogLoss, outcome.Runs[i].Interval = u.kept.logLoss, r.judge.interval(u.kept.probabilities)
	}
	if chosen == nil {
		return outcome, nil
	}
	members, refit := r.refit(stop, chosen)
	if errors.Is(context.Cause(stop), errStopped) && !refit {
		outcome.Status = Cancelled
	}
	outcome.Refit = refit
	return outcome, r.crown(ctx, chosen, members, outcome)
}

func newRace(f *frame.Frame, p Params, methods []method) (*race, error) {
	switch {
	case f.Schema == nil || len(f.Schema.Classes) < 2:
		return nil, errors.New("the label has less than 2 classes")
	case len(f.Labels) != f.Rows || f.Rows == 0:
		return nil, fmt.Errorf("%d labels for %d rows", len(f.Labels), f.Rows)
	case p.Threshold != nil && !(*p.Threshold >= 0 && *p.Threshold <= 1):
		return nil, fmt.Errorf("threshold=%v: must be 0 to 1", *p.Threshold)
	}
	if p.Metric == "" {
		p.Metric = metric.NameAccuracy
	}
	if _, err := metric.Score(p.Metric, metric.Predictions{}); err != nil {
		return nil, err
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	classes := len(f.Schema.Classes)
	entered, err := entrants(methods, p.Algorithms, classes)
	if err != nil {
		return nil, err
	}
	r := &race{
		table: &table{Frame: f, params: p},
		plan:  split.NewPlan(split.Sample{Labels: f.Labels, Classes: classes}, p.Seed),
		pace:  newPacer(len(entered)),
		timer: timer{limit: p.TimeLimit, now: p.Now},
	}
	r.judge = newJudge(p.Metric, classes, r.truth())
	for i, m := range entered {
		r.runs = append(r.runs, &run{
			entrant: m, lane: i, parts: r.plan.Parts, classes: classes, workers: p.Workers, status: Running,
		})
	}
	return r, nil
}

// truth returns the labels of the validation rows, part after part.
func (r *race) truth() []int32 {
	var labels []int32
	for _, part := range r.plan.Parts {
		labels = append(labels, pickCells(r.table.Labels, part.Eval)...)
	}
	return labels
}

// drive lets the runs race until each of them is out.
func (r *race) drive(ctx context.Context) {
	var group sync.WaitGroup
	for _, u := range r.runs {
		group.Go(func() {
			lane := r.pace.enter(ctx, u.lane)
			defer r.pace.leave(u.lane)
			r.tell(u, Running)
			if err := guarded(func() error { return r.learn(lane, u) }); err != nil && lane.Err() == nil {
				u.err = fmt.Errorf("%s: %w", u.Name, err)
				r.tell(u, Failed)
			}
			u.retire()
		})
	}
	group.Wait()
	r.judge.slates = nil // what comes next needs the memory
}

// learn does one run's steps until it has reached the threshold, has stalled,
// has been beaten, or ctx has ended.
func (r *race) learn(ctx context.Context, u *run) error {
	if err := u.open(ctx, r.table, derive(r.table.params.Seed, int(u.by.kind))); err != nil {
		return err
	}
	for r.pace.begin(ctx, u.lane) {
		over, err := u.advance(ctx)
		if err != nil {
			return err
		}
		stalled, err := r.assess(u)
		if err != nil {
			return err
		}
		ended := over || stalled
		u.reached = u.reached || ended && r.certain(u.kept.score)
		r.tell(u, Running)
		r.pace.end(u.lane, u.work(), u.reached)
		switch {
		case u.reached:
			return nil
		case ended:
			r.tell(u, r.finished())
			return nil
		}
	}
	return nil
}

// reaches reports whether a performance ends the race.
func (r *race) reaches(performance float64) bool {
	threshold := r.table.params.Threshold
	return threshold != nil && performance >= *threshold
}

// certain reports whether a run that no longer improves ends a race without a
// threshold: it is right on every validation row, and all of them together leave
// it less than one nat of log loss. What another run could gain is then less than
// these rows can tell. A perfect performance alone may be luck.
func (r *race) certain(s score) bool {
	return r.table.params.Threshold == nil && s.performance >= 1 && s.logLoss*float64(len(r.judge.labels)) < 1
}

// finished is the status of a run, or a race, that has ended by itself before
// any run reached the threshold.
func (r *race) finished() Status {
	if r.table.params.Threshold == nil {
		return Completed
	}
	return NotCompleted
}

// tell changes the status of a run and reports it.
func (r *race) tell(u *run, status Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	u.status = status
	if r.table.params.Progress == nil {
		return
	}
	e := Event{Algorithm: u.Name, Status: status, Step: len(u.curve), Kept: math.NaN(), LogLoss: math.NaN()}
	if e.Step > 0 {
		e.Performance = u.curve[e.Step-1].performance
	}
	if e.Step > 0 && len(r.judge.labels) > 0 {
		e.Kept, e.LogLoss = u.kept.performance, u.kept.logLoss
	}
	r.table.params.Progress(e)
}

// close decides the status of the race and of the runs that were still
// running when it ended.
func (r *race) close(cause error) *Outcome {
	o := &Outcome{Status: r.finished()}
	winner := r.pace.first()
	switch {
	case winner >= 0:
		o.Status = Completed
	case errors.Is(cause, errStopped):
		o.Status = Cancelled
	case errors.Is(cause, errTimeUp):
		o.Status = TimedOut
	case !slices.ContainsFunc(r.runs, func(u *run) bool { return u.status != Failed }):
		o.Status = Failed
	}
	for i, u := range r.runs {
		u.withdraw(r.pace)
		switch {
		case u.status != Running:
		case i == winner:
			r.tell(u, Completed)
		case winner >= 0:
			r.tell(u, NotCompleted)
		default:
			r.tell(u, o.Status)
		}
		o.Runs = append(o.Runs, u.outcome())
	}
	return o
}

// outcome returns the run as others see it.
func (u *run) outcome() Run {
	o := Run{Algorithm: u.Name, Status: u.status, Performance: u.kept.performance, LogLoss: u.kept.logLoss, Err: u.err}
	for _, p := range u.curve {
		o.Curve = append(o.Curve, p.performance)
	}
	return o
}

// lead returns the run that is ahead, nil if none has kept anything: whose
// model is refit if the race has to end now.
func (r *race) lead() *run {
	if winner := r.pace.first(); winner >= 0 {
		return r.runs[winner]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var lead *run
	for _, u := range r.runs {
		if u.kept.step > 0 && u.status != Failed && (lead == nil || u.kept.merit < lead.kept.merit) {
			lead = u
		}
	}
	return lead
}

// lossesFor returns the losses, one a row, by which choices of about equal
// performance are told apart: the log loss of probabilities that are calibrated
// as those of the model will be. There is no time for that when the race was
// cut short.
func (r *race) lossesFor(status Status) func(*choice) []float64 {
	return func(c *choice) []float64 {
		probabilities := c.judged()
		if status != Cancelled && status != TimedOut {
			probabilities = r.judge.tempered(probabilities)
		}
		losses := r.judge.truth(probabilities)
		for i, q := range losses {
			losses[i] = -math.Log(max(q, leastTruth))
		}
		return losses
	}
}
