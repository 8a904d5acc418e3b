package learn

import (
	"context"
	"math"
	"slices"
	"time"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/rng"
	"foretell/internal/learn/smooth"
	"foretell/internal/learn/split"
)

// run is one algorithm in the race. It has a fitter for each fold. All fitters
// are at the same step.
type run struct {
	variant
	index   int
	fitters []fitter // nil after the run has ended
	// models are the fitters' models, set when the run has ended. Predictions are made
	// with copies of them, because a model that has predicted takes several times the
	// memory. See component.loadFoldMember.
	models []predictor
	folds  []split.Fold
	// firstFinalFold is the index of the first final fold. The models of the final folds
	// predict the test rows and, without a refit, are the final model. firstFinalFold is
	// 0 or, if the folds are ordered in time, the last index, because the last model was
	// trained on the training rows of all folds.
	firstFinalFold int
	// firstFoldIndex is the fold index of the first fold, see fitTask. It is not 0 if the
	// folds of the run differ from those of the validation plan.
	firstFoldIndex int
	classes        int
	workers        int
	metric         string // the metric of the race
	// weighted reports whether the race has class weights.
	weighted bool

	done     []bool // by fitter
	step     int
	lastCost float64 // cost at the last score
	stopping earlyStopping
	best     checkpoint
	curve    []curvePoint
	// smoothNext reports whether the next step adds the smooth part. smoothFits are the
	// smooth parts of the folds, nil if none exists. smoothed is their cost.
	smoothNext bool
	smoothFits *smooth.Fits
	smoothed   float64

	reached bool // whether the last score has reached the threshold, or is perfect
	status  Status
	err     error
	// recorded reports whether another machine trained the run.
	recorded bool
	// remoteErr is the reason why this machine trained the run although another machine
	// should have. It is nil if there is no such reason.
	remoteErr error
}

// checkpoint describes the state that all fitters of a run have saved. A recording
// contains the fields of this type, see writeCheckpoint.
type checkpoint struct {
	score
	step          int // 0 if there is no checkpoint
	selectionLoss float64
	cost          float64 // cost of all steps up to step
	progress      float64 // mean Progress of the fitters
	smooth        smooth.Choice
	probabilities []float32
}

// curvePoint is one score of a run's curve and the best checkpoint so far.
type curvePoint struct {
	due         float64
	elapsed     time.Duration // time since the machine that trains the run began the race; 0 without a clock
	performance float64
	best        checkpoint // without probabilities
}

// newFitters creates the run's fitters.
func (r *run) newFitters(ctx context.Context, t *trainingData, seed uint64) error {
	r.fitters = make([]fitter, len(r.folds))
	r.done = make([]bool, len(r.folds))
	shared := &workspaces{}
	inner := max(1, (r.workers+len(r.folds)-1)/len(r.folds))
	return parallel.ForError(r.workers, len(r.folds), func(i int) (err error) {
		r.fitters[i], err = r.algorithm.newFoldFitter(ctx, fitTask{
			data: t, fold: r.folds[i], foldIndex: r.firstFoldIndex + i, seed: rng.Derive(seed, i), workers: inner, workspaces: shared,
		})
		return err
	})
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

// cost returns the sum of the costs of all fitters and of the smooth part. This sum is the run's
// virtual clock.
func (r *run) cost() float64 {
	sum := r.smoothed
	for _, fitter := range r.fitters {
		sum += fitter.Cost()
	}
	return sum
}

// progress returns the mean fraction of the fitters' schedules that is done, or
// NaN if they have no schedule.
func (r *run) progress() float64 {
	sum := 0.0
	for _, fitter := range r.fitters {
		sum += fitter.Progress()
	}
	return sum / float64(len(r.fitters))
}

// takeModels sets the models of a run that has ended and releases its fitters.
func (r *run) takeModels() {
	r.models = make([]predictor, len(r.folds))
	for i, fitter := range r.fitters {
		if fitter != nil && r.status != Failed {
			r.models[i] = r.withSmoothPart(fitter.Model(), i)
		}
		r.fitters[i] = nil // frees memory for the next model
	}
	r.fitters, r.smoothFits = nil, nil
}

// recordScore adds the score of the last step to the curve and reports whether the run has
// stalled. The parameter probabilities holds the step's probabilities. If the step is the
// best so far or force is true, recordScore saves a checkpoint and retains probabilities.
// The caller sets force for a step that has reached the threshold, and in races without
// validation rows. The result free is a slice of probabilities that the run no longer
// uses, or nil.
func (r *run) recordScore(s score, probabilities []float32, due float64, force bool) (free []float32, stalled bool) {
	if loss := r.selectionLoss(s, len(probabilities)/r.classes); force || r.best.step == 0 || loss < r.best.selectionLoss {
		for _, fitter := range r.fitters {
			fitter.Checkpoint()
		}
		free = r.best.probabilities
		r.best = checkpoint{score: s, step: r.step, selectionLoss: loss, cost: r.cost(), progress: r.progress(), probabilities: probabilities}
	} else {
		free = probabilities
	}
	summary := r.best
	summary.probabilities = nil
	r.lastCost = r.cost()
	r.curve = append(r.curve, curvePoint{due: due, performance: s.performance, best: summary})
	patience := r.algorithm.patience
	if len(r.folds) == 1 {
		patience = r.algorithm.holdoutPatience
	}
	rows := len(probabilities) / r.classes
	return free, r.stopping.hasStalled(s, isFlawless(r.metric, s, rows), rows, r.step, patience)
}

// selectionLoss returns the loss by which the best step of a run is selected:
// the logarithm of error times log loss, in which a relative change of the
// error counts as much as the same change of the log loss. Log loss alone is
// smooth, but the error may be far from its minimum where log loss is lowest.
// The error alone is coarse and would select a lucky step. Half a row is added
// to the error so that its logarithm is finite.
//
// In a race for logLoss or for the area under a curve the selection loss is the logarithm
// of the log loss alone, because on a few hundred rows the area, and the log loss after
// calibration, have more noise. See docs/engine.md for what was measured. The same holds
// if there are class weights, because scores such as the accuracy do not count the costs.
func (r *run) selectionLoss(s score, rows int) float64 {
	if r.weighted || !metric.UsesDecisions(r.metric) {
		return math.Log(s.logLoss + 1e-6)
	}
	return math.Log(1-s.performance+0.5/float64(max(rows, 1))) + math.Log(s.logLoss+1e-6)
}

// earlyStopping detects that a run no longer improves.
type earlyStopping struct {
	logLoss, performance float64 // best so far
	step                 int     // the last step that improved either
}

// minGain is the smallest improvement of log loss that counts, relative to the log loss.
// minErrorGain is the smallest decrease of the error 1 − performance that counts, relative
// to the error. For accuracy, an improvement by one row counts unless there are thousands
// of errors. For rocAuc, an improvement by one pair of rows does not count.
//
// The log loss of a flawless run, which is right on every validation row, falls forever,
// but the decrease hardly matters on other rows: if n rows are right, the error
// rate on other rows may still be 1/n. Each improvement must therefore be at
// least perfectGain/n, a tenth of that rate.
const (
	minGain      = 1e-4
	minErrorGain = 1e-3
	perfectGain  = 0.1
)

// isFlawless reports whether the named metric, in the score s of a run, has its highest
// value. In a race for logLoss, the log losses of the rows must sum to less than one nat
// instead.
func isFlawless(name string, s score, rows int) bool {
	if name == metric.NameLogLoss {
		return s.logLoss*float64(rows) < 1
	}
	return s.performance >= 1
}

// hasStalled reports whether neither log loss nor performance has improved in the last
// patience steps. rows is the number of validation rows, and flawless is the result of
// isFlawless for s.
func (e *earlyStopping) hasStalled(s score, flawless bool, rows, step, patience int) bool {
	if e.step == 0 {
		*e = earlyStopping{logLoss: math.Inf(1), performance: -1}
	}
	gain := minGain * e.logLoss
	if flawless && e.step > 0 {
		gain = max(gain, perfectGain/float64(max(rows, 1)))
	}
	if s.logLoss < e.logLoss-gain || s.performance > e.performance+minErrorGain*(1-e.performance) {
		*e = earlyStopping{min(e.logLoss, s.logLoss), max(e.performance, s.performance), step}
	}
	return step-e.step >= patience
}

// dropLateScores removes the scores that were due after the win, because
// whether they were computed depends on the speed of the machine. late reports
// whether there were any.
func (r *run) dropLateScores(s *scheduler) (late bool) {
	n := len(r.curve)
	for n > 0 && s.isLate(r.index, r.curve[n-1].due) {
		n--
	}
	if n == len(r.curve) {
		return false
	}
	r.curve = r.curve[:n]
	r.best = checkpoint{}
	if n > 0 {
		r.best = r.curve[n-1].best
	}
	return true
}

// Run is the result of one algorithm of a race.
type Run struct {
	Algorithm string
	Status    Status
	// Performance and LogLoss are the scores of the best step on the validation
	// rows, or 0 before the first score. Performance is NaN if the metric cannot
	// be computed on these rows. LogLoss is after calibration unless
	// the race was cut short.
	Performance, LogLoss float64
	// Interval is the 95 % confidence interval of Performance, or NaN if
	// unknown.
	Interval Interval
	// Curve holds the performance after each step.
	Curve []float64
	// Seconds holds, for each score in Curve, the seconds since the machine that trained
	// the run began the race. It is nil without Params.Now.
	Seconds []float64
	// TrainingPerformance and TestPerformance are set only for the run of the
	// chosen model, and for no run if a blend was chosen.
	TrainingPerformance, TestPerformance float64
	// Err is the cause of the status Failed.
	Err error
}
