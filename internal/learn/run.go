package learn

import (
	"context"
	"math"
	"slices"
	"time"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/model"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/scheduler"
	"foretell/internal/learn/smooth"
	"foretell/internal/learn/split"
)

// run is one algorithm in the race. It has one fitter per fold, and all fitters have done the same
// number of steps.
type run struct {
	variant
	index   int
	fitters []fitter // nil after the run has ended
	// models are the models of the fitters, set when the run has ended. Only copies of these models
	// predict, because a model needs several times as much memory once it has predicted; see
	// component.loadFoldMember.
	models []model.Predictor
	folds  []split.Fold
	// The final folds are folds[firstFinalFold:]. The models of these folds predict the test rows
	// and, if there is no refit, form the final model. Usually all folds are final. If the folds
	// are ordered in time, only the last fold is final, because its models are trained on the
	// latest rows.
	firstFinalFold int
	// firstFoldIndex is the fitTask.foldIndex of the first fold. It is 0 unless the run merges
	// folds of the validation plan: merged folds have indices of their own.
	firstFoldIndex int
	classes        int
	workers        int
	metric         string // the metric of the race
	// weighted reports whether the race has class weights.
	weighted bool
	// severalClasses reports whether there are validation rows of at least two classes.
	severalClasses bool
	// isMeasurable reports whether the metric can be computed on the validation rows.
	isMeasurable bool

	done     []bool // by fitter
	step     int
	lastCost float64 // cost at the last score
	stopping earlyStopping
	doubling doubling
	best     savedStep
	curve    []curvePoint
	// smoothNext reports whether the next step fits the smooth part, a logistic regression for each
	// fold. smoothFits holds these regressions. It is nil if the best step does not use them.
	// smoothCost is the cost of fitting them.
	smoothNext bool
	smoothFits *smooth.Fits
	smoothCost float64

	reached bool // whether the last score has reached the threshold, or is perfect; see winsWithoutThreshold
	status  Status
	err     error
	// recorded reports whether another machine trained the run.
	recorded bool
	// remoteErr is the error with which another machine failed to train the run, so that this
	// machine trained it. It is nil if there was no such error.
	remoteErr error
}

// savedStep describes the step at which all fitters of a run last saved their models.
// Its fields are part of a recording; see writeSavedStep.
type savedStep struct {
	score
	step          int // 0 if no step was saved
	selectionLoss float64
	cost          float64 // cost of all steps up to step, and of the smooth part if there is one
	progress      float64 // mean Progress of the fitters
	doublings     int     // how often the schedule had been doubled
	smooth        smooth.Params
	probabilities []float32
}

// curvePoint is the score of one step, and the best checkpoint up to this step.
type curvePoint struct {
	due         float64       // virtual time at which the score was due; see scheduler
	elapsed     time.Duration // time since the machine that trains the run began the race; 0 without a clock
	performance float64
	best        savedStep // without probabilities
}

// newFitters creates a fitter for each fold of the run. The seeds of the fitters are derived from
// seed.
func (r *run) newFitters(ctx context.Context, t *trainingData, seed uint64) error {
	r.fitters = make([]fitter, len(r.folds))
	r.done = make([]bool, len(r.folds))
	shared := &workspaces{}
	return parallel.ForError(r.workers, len(r.folds), func(i int) (err error) {
		r.fitters[i], err = r.algorithm.newFoldFitter(ctx, fitTask{
			data: t, fold: r.folds[i], foldIndex: r.firstFoldIndex + i, seed: rng.Derive(seed, i), workers: r.fitterWorkers(i), workspaces: shared,
		})
		return err
	})
}

// fitterWorkers returns the number of goroutines of the fitter of a fold. In each step, the workers
// of the run train the folds in order, each worker one fold at a time. If fewer folds than workers
// are left, the fitters of these folds share the workers, so that no core is idle.
func (r *run) fitterWorkers(fold int) int {
	left := len(r.folds) % r.workers
	if fold < len(r.folds)-left {
		return 1
	}
	return (r.workers + left - 1) / left
}

// stepAll does the next step of every fitter. done reports whether all fitters
// are done.
func (r *run) stepAll(ctx context.Context) (done bool, err error) {
	err = parallel.ForError(r.workers, len(r.fitters), func(i int) error {
		if r.done[i] {
			return nil
		}
		var err error
		r.done[i], err = r.fitters[i].Step(ctx)
		return err
	})
	r.step++
	return !slices.Contains(r.done, false), err
}

// predictValidation writes the class probabilities of the validation rows to
// dst, fold by fold.
func (r *run) predictValidation(dst []float32) error {
	at := make([]int, len(r.folds)+1)
	for i, fold := range r.folds {
		at[i+1] = at[i] + len(fold.Validation)*r.classes
	}
	return parallel.ForError(r.workers, len(r.fitters), func(i int) error {
		r.fitters[i].PredictValidation(dst[at[i]:at[i+1]])
		return nil
	})
}

// cost returns the estimated time that the run has taken, in nanoseconds of one core: the costs of
// all fitters and of the smooth part. This cost is the run's virtual clock.
func (r *run) cost() float64 {
	sum := r.smoothCost
	for _, fitter := range r.fitters {
		sum += fitter.Cost()
	}
	return sum
}

// progress returns the mean Progress of the fitters, or NaN if the Progress of a fitter
// is NaN.
func (r *run) progress() float64 {
	sum := 0.0
	for _, fitter := range r.fitters {
		sum += fitter.Progress()
	}
	return sum / float64(len(r.fitters))
}

// takeModels sets the models of a run that has ended and releases its fitters.
func (r *run) takeModels() {
	r.models = make([]model.Predictor, len(r.folds))
	for i, fitter := range r.fitters {
		if fitter != nil && r.status != Failed {
			r.models[i] = r.withSmoothPart(fitter.Model(), i)
		}
		r.fitters[i] = nil // frees memory for the next model
	}
	r.fitters, r.smoothFits = nil, nil
}

// recordScore adds the score of the last step to the curve. stalled reports whether the run no
// longer improves. probabilities are the predictions for the validation rows after this step, and due
// is the virtual time at which the score was due.
//
// If the step is the best so far or force is true, recordScore saves a checkpoint and keeps
// probabilities. The caller sets force for a step that has reached the threshold, and in races
// without validation rows. The result free is a slice that the caller may reuse, because its
// probabilities are no longer kept; it may be nil.
func (r *run) recordScore(s score, probabilities []float32, due float64, force bool) (free []float32, stalled bool) {
	if loss := r.selectionLoss(s, len(probabilities)/r.classes); force || r.best.step == 0 || loss < r.best.selectionLoss {
		for _, fitter := range r.fitters {
			fitter.Checkpoint()
		}
		free = r.best.probabilities
		r.best = savedStep{score: s, step: r.step, selectionLoss: loss, cost: r.cost(), progress: r.progress(), doublings: r.doubling.count, probabilities: probabilities}
	} else {
		free = probabilities
	}
	summary := r.best
	summary.probabilities = nil
	r.lastCost = r.cost()
	r.curve = append(r.curve, curvePoint{due: due, performance: s.performance, best: summary})
	patience := r.algorithm.patience
	if len(r.folds) == 1 || r.doubling.count > 0 { // the steps of a doubled schedule are longer
		patience = r.algorithm.holdoutPatience
	}
	rows := len(probabilities) / r.classes
	r.doubleIfSteep(s, rows)
	return free, r.stopping.hasStalled(s, r.isFlawless(s, rows), rows, r.step, patience)
}

// selectionLoss returns the loss by which the best step of a run is selected: log(error · log
// loss), where error is 1 − performance + 0.5/rows. The log loss alone may be lowest at a step with
// a high error, and the error alone is too coarse if there are few rows.
//
// In races for logLoss or for an area under a curve, the selection loss is only log(log loss),
// because on a few hundred rows the score of the race has more noise than the log loss;
// docs/experiments.md has the measurements. The same holds in races with class weights, because
// accuracy and similar scores ignore the weights. The log loss is computed before calibration.
func (r *run) selectionLoss(s score, rows int) float64 {
	if r.weighted || !metric.UsesDecisions(r.metric) {
		return math.Log(s.logLoss + 1e-6)
	}
	return math.Log(1-s.performance+0.5/float64(max(rows, 1))) + math.Log(s.logLoss+1e-6)
}

// earlyStopping detects that a run no longer improves.
type earlyStopping struct {
	logLoss, performance float64 // best so far
	step                 int     // the last step at which one of them improved
}

// A run has improved if its log loss decreases by more than the fraction minGain, or if its error,
// 1 − performance, decreases by more than the fraction minErrorGain. Unless there are thousands of
// errors, one more correct row is an improvement.
//
// If all n validation rows are predicted correctly, the log loss must decrease by more than
// minFlawlessGain/n. The error on new rows may still be about 1/n, so a smaller decrease would
// hardly matter for new rows.
const (
	minGain         = 1e-4
	minErrorGain    = 1e-3
	minFlawlessGain = 0.1
)

// isFlawless reports whether the score s of the run is flawless; see the function isFlawless. No
// score is flawless if all validation rows are of one class, because always predicting this class
// would be as good. If the metric cannot be computed on the validation rows, the performance in s is
// 0, and the log loss decides as for the metric logLoss.
func (r *run) isFlawless(s score, rows int) bool {
	name := r.metric
	if !r.isMeasurable {
		name = metric.NameLogLoss
	}
	return r.severalClasses && isFlawless(name, s, rows)
}

// isFlawless reports whether the performance in s is 1. For the metric logLoss, it reports whether
// the log losses of the rows add up to less than one nat.
func isFlawless(name string, s score, rows int) bool {
	if name == metric.NameLogLoss {
		return s.logLoss*float64(rows) < 1
	}
	return s.performance >= 1
}

// hasStalled reports whether neither log loss nor performance has improved in the last patience
// steps. rows is the number of validation rows, and flawless is the result of isFlawless for s.
func (e *earlyStopping) hasStalled(s score, flawless bool, rows, step, patience int) bool {
	if e.step == 0 {
		*e = earlyStopping{logLoss: math.Inf(1), performance: -1}
	}
	gain := minGain * e.logLoss
	if flawless && e.step > 0 {
		gain = max(gain, minFlawlessGain/float64(max(rows, 1)))
	}
	if s.logLoss < e.logLoss-gain || s.performance > e.performance+minErrorGain*(1-e.performance) {
		*e = earlyStopping{min(e.logLoss, s.logLoss), max(e.performance, s.performance), step}
	}
	return step-e.step >= patience
}

// dropLateScores removes the scores of the run that were due after another run had won. A slower
// machine might have stopped the run before these scores were computed. late reports whether there
// were such scores.
func (r *run) dropLateScores(s *scheduler.Scheduler) (late bool) {
	n := len(r.curve)
	for n > 0 && s.IsLate(r.index, r.curve[n-1].due) {
		n--
	}
	if n == len(r.curve) {
		return false
	}
	r.curve = r.curve[:n]
	r.best = savedStep{}
	if n > 0 {
		r.best = r.curve[n-1].best
	}
	return true
}

// Run is the result of one algorithm of a race.
type Run struct {
	Algorithm string
	Status    Status
	// Performance and LogLoss are the scores of the best step on the validation rows; they are 0 if
	// there was no score. Performance is NaN if the metric cannot be computed on these rows.
	// LogLoss is computed after calibration unless the race was cut short.
	Performance, LogLoss float64
	// Interval is the 95 % confidence interval of Performance, or NaN if
	// unknown.
	Interval Interval
	// Curve holds the performance after each step. It is nil if Performance is NaN.
	Curve []float64
	// Seconds holds, for each score in Curve, the seconds since the machine that trained
	// the run began the race. It is nil without Params.Now.
	Seconds []float64
	// TrainingPerformance and TestPerformance are set only for the run of the chosen model. If a
	// blend was chosen, no run has them.
	TrainingPerformance, TestPerformance float64
	// Err is the cause of the status Failed.
	Err error
}
