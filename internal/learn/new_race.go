package learn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"

	"foretell/internal/learn/duplicate"
	"foretell/internal/learn/evaluation"
	"foretell/internal/learn/metric"
	"foretell/internal/learn/scheduler"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// ErrNoEarlierRows is returned by Race if Params.Times and Params.Groups together leave no rows to
// train on. This happens if every row before the test rows belongs to a group that also has test
// rows.
var ErrNoEarlierRows = errors.New("no rows are left for training, because every group with rows before the test rows also has test rows: use a group column or a time column, not both")

// newRace checks the parameters of a race and divides the rows into folds. The time limit
// of the race begins with the call of newRace.
func newRace(ctx context.Context, f *frame.Frame, p Params, algorithms []algorithm) (*race, error) {
	timer := timer{limit: p.TimeLimit, now: p.Now}
	timer.start()
	if p.Metric == "" {
		p.Metric = metric.NameAccuracy
	}
	if err := checkParams(f, &p); err != nil {
		return nil, err
	}
	weights, err := classWeights(p.ClassWeights, f.Schema.Classes)
	if err != nil {
		return nil, err
	}
	if p.Workers <= 0 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	classes := len(f.Schema.Classes)
	variants, err := selectVariants(algorithms, p.Algorithms, classes)
	if err != nil {
		return nil, err
	}
	if len(p.Algorithms) == 0 {
		variants = slices.DeleteFunc(variants, func(v variant) bool {
			return !p.Effort.includes(v.algorithm) || len(p.Monotone) > 0 && !v.algorithm.monotone
		})
	}
	monotone, err := monotoneDirections(f.Schema, p.Monotone, variants)
	if err != nil {
		return nil, err
	}
	copies, err := duplicate.Find(ctx, f, p.Workers)
	if err != nil {
		return nil, err
	}
	ungrouped := countUngrouped(p.Groups) // before newPlan joins copies into groups
	plan, err := newPlan(ctx, f, &p, copies.Groups)
	if err != nil {
		return nil, err
	}
	if len(plan.Folds) == 0 {
		return nil, ErrNoEarlierRows
	}
	r := &race{
		data:       &trainingData{Frame: f, params: p, monotone: monotone, binRows: copies.DistinctRows()},
		refitLimit: refitLimit{refitCostShare, minRefitCost},
		plan:       plan,
		scheduler:  scheduler.New(len(variants), p.Threshold != nil),
		timer:      timer,
	}
	r.copies, r.copiesDivided = copies.Rows, copies.Rows > 0 && (copies.Groups == nil || hasDuplicatesAcrossFolds(plan, copies.Groups))
	r.evaluator = evaluation.New(p.Metric, classes, r.gatherValidation(f.Labels), r.gatherValidation(p.Groups))
	r.evaluator.Names, r.evaluator.ClassRows = f.Schema.Classes, countLabels(f.Labels, classes)
	r.evaluator.Weights, r.buffers = weights, newProbabilityBuffers()
	for i, v := range variants {
		r.runs = append(r.runs, r.newRun(v, i))
	}
	r.slots = make(chan struct{}, r.maxConcurrentRuns())
	r.addPlanNotes(ungrouped)
	r.addUnpredictableNote(copies.Unpredictable)
	if r.data.numScreened() > 0 {
		r.data.foldRows = r.trainingRowsByFold()
	}
	return r, nil
}

// newPlan divides the rows of f into training, validation and test rows. Rows with the same
// non-negative number in duplicates are equal in every feature; see duplicate.Find. newPlan puts
// these rows into a common group in p.Groups, except rows that already have a group; see
// duplicate.JoinGroups.
//
// Without times, equal rows are kept together like the other rows of a group. With times, they are
// not kept together: rows to predict may also be equal to older rows, so scores on such rows are
// realistic.
func newPlan(ctx context.Context, f *frame.Frame, p *Params, duplicates []int32) (split.ValidationPlan, error) {
	sample := split.Sample{Labels: f.Labels, Classes: len(f.Schema.Classes), Groups: p.Groups, Times: p.Times}
	p.Groups = duplicate.JoinGroups(p.Groups, duplicates)
	if p.Times == nil {
		sample.Groups = p.Groups
	}
	return split.NewValidationPlan(ctx, sample, p.Seed)
}

// hasDuplicatesAcrossFolds reports whether a validation row is equal to a training row of its fold,
// or a test row is equal to a row that is not a test row.
func hasDuplicatesAcrossFolds(plan split.ValidationPlan, duplicates []int32) bool {
	return duplicate.AnyCopyInTrain(duplicates, plan.Rest, plan.Test) || slices.ContainsFunc(plan.Folds, func(f split.Fold) bool {
		return duplicate.AnyCopyInTrain(duplicates, f.Train, f.Validation)
	})
}

// checkParams returns an error if f is invalid, or if a parameter is invalid or does not fit f. It
// checks only what can be checked without further computation. p.Metric must be set.
func checkParams(f *frame.Frame, p *Params) error {
	switch {
	case f.Schema == nil || len(f.Schema.Classes) < 2:
		return errors.New("the label has fewer than 2 classes")
	case len(f.Labels) != f.Rows || f.Rows == 0:
		return fmt.Errorf("%d labels for %d rows", len(f.Labels), f.Rows)
	case p.Groups != nil && len(p.Groups) != f.Rows || p.Times != nil && len(p.Times) != f.Rows:
		return fmt.Errorf("%d groups and %d times for %d rows", len(p.Groups), len(p.Times), f.Rows)
	case p.Threshold != nil && !(*p.Threshold >= 0 && *p.Threshold <= 1):
		return fmt.Errorf("threshold=%v: must be between 0 and 1", *p.Threshold)
	}
	switch p.Effort {
	case "", EffortFast, EffortDefault, EffortBest:
	default:
		return fmt.Errorf("effort=%q: must be fast, default or best", p.Effort)
	}
	if err := metric.CheckName(p.Metric, f.Schema.Classes); err != nil {
		return fmt.Errorf("metric=%w", err)
	}
	return nil
}

// trainingRowsByFold returns the training rows of each fold, by fold index. The result includes the
// folds of all runs and, under the index refitFold, all rows for the refit.
func (r *race) trainingRowsByFold() map[int][]int32 {
	rows := map[int][]int32{refitFold: r.data.allRows()}
	for _, run := range r.runs {
		for i, fold := range run.folds {
			rows[run.firstFoldIndex+i] = fold.Train
		}
	}
	return rows
}

// newRun returns a run of the algorithm v that has not begun. index is the position of the run in
// r.runs.
func (r *race) newRun(v variant, index int) *run {
	o := &run{
		variant: v, index: index, folds: r.plan.Folds, firstFinalFold: r.firstFinalFold(),
		classes: r.data.classes(), workers: r.data.params.Workers, status: Running, metric: r.data.params.Metric, weighted: r.data.params.ClassWeights != nil,
		severalClasses: r.evaluator.HasSeveralClasses(), isMeasurable: r.evaluator.IsMeasurable(),
	}
	if v.algorithm.doubles && r.data.Rows >= minDoublingRows {
		o.doubling = r.data.params.Effort.newDoubling()
	}
	if n := r.data.params.Effort.maxFolds(v.algorithm); n > 0 && n < len(o.folds) && r.data.params.Times == nil {
		o.folds, o.firstFoldIndex = split.MergeFolds(o.folds, n), len(r.plan.Folds)
	}
	return o
}

// minClassWeight is the smallest weight that classWeights returns. The product of minClassWeight
// and any positive float32 probability is a positive float64.
const minClassWeight = 1e-250

// classWeights returns the weight of each class, or nil if byLabel is nil. To avoid overflow and
// underflow, it scales the weights so that the largest is in [0.5, 1), and then raises weights
// below minClassWeight to minClassWeight.
func classWeights(byLabel map[string]float64, classes []string) ([]float64, error) {
	if byLabel == nil {
		return nil, nil
	}
	weights := make([]float64, len(classes))
	for i, label := range classes {
		if weights[i] = byLabel[label]; !(weights[i] > 0) || math.IsInf(weights[i], 1) {
			return nil, fmt.Errorf("classWeights: %v for class %q: must be a positive number", weights[i], label)
		}
	}
	// Dividing by a power of two is exact.
	_, exponent := math.Frexp(slices.Max(weights))
	for i, w := range weights {
		weights[i] = max(math.Ldexp(w, -exponent), minClassWeight)
	}
	return weights, nil
}

// countLabels returns the number of rows of each class.
func countLabels(labels []int32, classes int) []int {
	counts := make([]int, classes)
	for _, label := range labels {
		counts[label]++
	}
	return counts
}

// firstFinalFold returns the index of the first final fold, for run.firstFinalFold. If Params.Times
// is set, only the last fold is final. Otherwise all folds are final, and the result is 0.
func (r *race) firstFinalFold() int {
	if r.data.params.Times == nil {
		return 0
	}
	return max(len(r.plan.Folds)-1, 0)
}

// gatherValidation returns the elements of cells for the validation rows, fold by fold.
// cells is indexed by row. The result is nil if cells is nil.
func (r *race) gatherValidation(cells []int32) []int32 {
	var gathered []int32
	for _, fold := range r.plan.Folds {
		gathered = append(gathered, split.Gather(cells, fold.Validation)...)
	}
	return gathered
}
