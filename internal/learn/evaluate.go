package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// score holds the scores of probabilities on the validation rows.
type score struct {
	// performance is the value of the race's metric, from 0 to 1. Higher is better.
	performance float64
	// logLoss is in nats, lower is better.
	logLoss float64
}

// evaluator scores probabilities of the validation rows. It is safe for
// concurrent use.
//
// Probabilities are multiplied by the decision weights of their classes before a class is
// predicted, and calibrated by a temperature. Weights and temperature are fitted to the
// validation rows, from which the scores are also computed. The scores are therefore
// cross-fitted: the rows are divided into two stratified halves, and each half is scored
// with the weights and the temperature fitted to the other half.
type evaluator struct {
	metric  string
	classes int
	labels  []int32
	groups  []int32 // by row, negative for a row without a group; nil if no row has a group
	// names and classRows are the values for the fields Names and ClassRows of
	// metric.Predictions. They may be nil.
	names     []string
	classRows []int
	// weights are the class weights of the race, see classWeights. It is nil if the race
	// has none, so that decision weights are fitted.
	weights []float64
	halves  [2][]int32 // indices into labels
	// buffers holds the buffers for the probabilities of a step that are not in use. A
	// nil element is allocated on first use.
	buffers chan []float32
}

// maxBuffers is the largest number of runs that are evaluated at the same time. It limits
// the memory for the probabilities of their steps.
const maxBuffers = 2

// newEvaluator returns an evaluator for the metric with the given name and for validation
// rows with the given labels. groups holds the group of each row; a negative number means
// no group. All rows of a group are in the same half for cross-fitting. groups may be
// nil.
func newEvaluator(name string, classes int, labels, groups []int32) *evaluator {
	e := &evaluator{metric: name, classes: classes, labels: labels, groups: groups, buffers: make(chan []float32, maxBuffers)}
	for range maxBuffers {
		e.buffers <- nil
	}
	seen := make([]uint8, classes)
	halfOfGroup := make(map[int32]uint8)
	for i, label := range labels {
		half := seen[label] & 1
		if groups != nil && groups[i] >= 0 {
			if _, known := halfOfGroup[groups[i]]; !known {
				halfOfGroup[groups[i]] = half
			}
			half = halfOfGroup[groups[i]]
		}
		seen[label] = half + 1
		e.halves[half] = append(e.halves[half], int32(i))
	}
	return e
}

// evaluateStep scores the last step of run. stalled reports whether the run has stalled.
func (r *race) evaluateStep(ctx context.Context, run *run) (stalled bool, err error) {
	probabilities := <-r.evaluator.buffers
	defer func() { r.evaluator.buffers <- probabilities }()
	if probabilities == nil {
		probabilities = make([]float32, len(r.evaluator.labels)*r.evaluator.classes)
	}
	if err := run.predictValidation(probabilities); err != nil {
		return false, err
	}
	s, err := r.evaluator.score(ctx, probabilities)
	if err != nil {
		return false, err
	}
	run.reached = r.reachesThreshold(s.performance)
	r.mu.Lock()
	defer r.mu.Unlock()
	probabilities, stalled = run.recordScore(s, probabilities, r.scheduler.NextDue(run.index), run.reached || len(r.evaluator.labels) == 0)
	run.curve[len(run.curve)-1].elapsed = r.scoreTime()
	return stalled, nil
}

// isMeasurable reports whether the metric can be computed on the validation rows.
func (e *evaluator) isMeasurable() bool { return len(e.labels) > 0 && e.unmeasurableReason() == "" }

// unmeasurableReason returns why the metric cannot be computed on the validation rows, or
// "" if it can. For example, f1[yes] cannot be computed if no row is of the class yes,
// and an area under a curve if all rows are of the same class.
func (e *evaluator) unmeasurableReason() string {
	base, class := metric.SplitName(e.metric)
	if base != e.metric && !slices.Contains(e.labels, int32(slices.Index(e.names, class))) {
		return fmt.Sprintf("none of them is of the class %q", class)
	}
	other := slices.ContainsFunc(e.labels, func(label int32) bool { return label != e.labels[0] })
	if !other && (base == metric.NameROCAUC || base == metric.NamePRAUC) {
		return "all of them are of one class"
	}
	return ""
}

// score returns the score of the probabilities of all validation rows. The error is that of
// ctx.
func (e *evaluator) score(ctx context.Context, probabilities []float32) (score, error) {
	p, err := e.scoredPredictions(ctx, probabilities)
	if err != nil {
		return score{}, err
	}
	performance, err := metric.Score(ctx, e.metric, p)
	if err != nil {
		return score{}, err
	}
	if math.IsNaN(performance) { // there are no rows
		performance = 0
	}
	p.Probabilities = probabilities
	return score{performance: performance, logLoss: finiteOrZero(metric.LogLoss(p))}, nil
}

// scoredPredictions returns the predictions from which the metric of the race is
// computed. If the metric uses decision weights, the probabilities are multiplied by
// cross-fitted weights. For logLoss the probabilities are calibrated, like those of the
// final model.
func (e *evaluator) scoredPredictions(ctx context.Context, probabilities []float32) (metric.Predictions, error) {
	if e.metric == metric.NameLogLoss {
		calibrated, err := e.calibrate(ctx, probabilities)
		return e.newPredictions(calibrated), err
	}
	return e.decidedPredictions(ctx, probabilities)
}

// decidedPredictions returns the predictions from which scores of decisions, such as
// accuracy, are computed: with the class weights of the race or, if the metric uses
// decision weights, with cross-fitted ones. The class weights of the race are for calibrated
// probabilities, like those of the final model. For cross-fitted weights the probabilities
// need no calibration, because the model has the same decisions, see fitClassWeights.
func (e *evaluator) decidedPredictions(ctx context.Context, probabilities []float32) (metric.Predictions, error) {
	switch {
	case e.weights != nil: // not multiplied into the float32 probabilities: the model also applies them without rounding
		calibrated, err := e.calibrate(ctx, probabilities)
		p := e.newPredictions(calibrated)
		p.Weights = e.weights
		return p, err
	case e.metric != metric.NameAccuracy && metric.UsesDecisions(e.metric):
		weighted, err := e.applyClassWeights(ctx, probabilities)
		return e.newPredictions(weighted), err
	}
	return e.newPredictions(probabilities), nil
}

func (e *evaluator) newPredictions(probabilities []float32) metric.Predictions {
	return metric.Predictions{
		Probabilities: probabilities, Labels: e.labels, Classes: e.classes, Groups: e.groups, Names: e.names, ClassRows: e.classRows,
	}
}

// fitClassWeights returns the decision weights of a model: the class weights of the race, or
// those that are fitted to all validation rows. The model multiplies them by probabilities
// that are calibrated by the given temperature T. Weights w that were fitted to probabilities p
// before calibration are therefore returned as w^(1/T): the class of the largest
// w^(1/T)·p^(1/T) is that of the largest w·p.
func (e *evaluator) fitClassWeights(ctx context.Context, probabilities []float32, temperature metric.Temperature) ([]float64, error) {
	if e.weights != nil {
		return e.weights, nil
	}
	weights, err := metric.FitClassWeights(ctx, e.metric, e.newPredictions(probabilities))
	for c, w := range weights {
		weights[c] = math.Pow(w, 1/float64(temperature))
	}
	return weights, err
}

// applyClassWeights returns a copy of probabilities in which each half of the
// rows is multiplied by the weights fitted to the other half.
func (e *evaluator) applyClassWeights(ctx context.Context, probabilities []float32) ([]float32, error) {
	return e.adjustCrossFitted(ctx, probabilities, func(fit metric.Predictions) (func(row []float32), error) {
		weights, err := metric.FitClassWeights(ctx, e.metric, fit)
		return func(row []float32) {
			for c := range weights {
				row[c] *= float32(weights[c])
			}
		}, err
	})
}

// calibrate returns a copy of probabilities in which each half of the rows is
// calibrated by the temperature fitted to the other half.
func (e *evaluator) calibrate(ctx context.Context, probabilities []float32) ([]float32, error) {
	return e.adjustCrossFitted(ctx, probabilities, func(fit metric.Predictions) (func(row []float32), error) {
		temperature, err := metric.FitTemperature(ctx, fit)
		return func(row []float32) { temperature.Apply(row, e.classes) }, err
	})
}

// adjustCrossFitted returns a copy of the probabilities with each row changed. It calls fit with
// the predictions of each half of the rows. The function that fit returns changes each
// row of the other half.
func (e *evaluator) adjustCrossFitted(
	ctx context.Context, probabilities []float32, fit func(metric.Predictions) (func(row []float32), error),
) ([]float32, error) {
	const blockRows = 1024
	dst := slices.Clone(probabilities)
	for half, positions := range e.halves {
		transform, err := fit(e.predictionsAt(probabilities, e.halves[1-half]))
		if err != nil {
			return nil, err
		}
		for block := range slices.Chunk(positions, blockRows) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, i := range block {
				transform(dst[int(i)*e.classes:][:e.classes])
			}
		}
	}
	return dst, nil
}

func (e *evaluator) predictionsAt(probabilities []float32, positions []int32) metric.Predictions {
	p := metric.Predictions{Classes: e.classes, Names: e.names, ClassRows: e.classRows}
	for _, i := range positions {
		p.Probabilities = append(p.Probabilities, probabilities[int(i)*e.classes:][:e.classes]...)
		p.Labels = append(p.Labels, e.labels[i])
	}
	return p
}

// performanceInterval returns the 95 % confidence interval of the performance of
// probabilities. It is NaN if probabilities is nil.
func (e *evaluator) performanceInterval(ctx context.Context, probabilities []float32) (metric.Interval, error) {
	if probabilities == nil {
		return metric.Interval{Low: math.NaN(), High: math.NaN()}, nil
	}
	p, err := e.scoredPredictions(ctx, probabilities)
	if err != nil {
		return metric.Interval{}, err
	}
	return metric.PerformanceInterval(ctx, e.metric, p)
}

// performanceNoise returns the standard error of the performance of the given
// probabilities, or 0 if it is unknown.
func (e *evaluator) performanceNoise(ctx context.Context, probabilities []float32) (float64, error) {
	interval, err := e.performanceInterval(ctx, probabilities)
	return finiteOrZero((interval.High - interval.Low) / (2 * metric.Z95)), err
}

// finiteOrZero returns x, or 0 if x is NaN or infinite. For example, a score is NaN if
// there are no rows.
func finiteOrZero(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
