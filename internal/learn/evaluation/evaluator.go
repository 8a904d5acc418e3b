package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// Evaluator scores probabilities of the validation rows. It is safe for concurrent use.
//
// A model predicts the class with the highest product of probability and decision weight, and
// calibrates its probabilities by a temperature. Weights and temperature are fitted to the
// validation rows, which are also the rows that are scored. Scores are therefore cross-fitted: each
// part of the rows is scored with weights and a temperature that are fitted to the other parts.
type Evaluator struct {
	Metric  string
	Classes int
	// Labels holds the class of each validation row. Groups holds the group of each validation row;
	// a negative number means no group. Groups is nil if no row has a group.
	Labels, Groups []int32
	// Names are the labels of the classes. ClassRows are the numbers of labelled rows of the
	// classes. Predictions copies both to the fields of the same names in metric.Predictions. Both
	// may be nil.
	Names     []string
	ClassRows []int
	// Weights are the class weights of the race, scaled so that the largest is at most 1. If the
	// race has no class weights, Weights is nil and decision weights are fitted.
	Weights []float64

	parts []part // for cross-fitting
}

// part is a part of the validation rows for cross-fitting: the rows to score, and the other
// validation rows, to which weights and temperature are fitted. Both slices hold indices into
// Labels.
type part struct{ rows, others []int32 }

// The numbers of parts of the validation rows. There are few parts, because fitting to the other
// rows of each part takes time after each step of each run. A small number of rows is divided into
// more parts, because what is fitted to half of few rows varies more.
const (
	partsOfManyRows, partsOfFewRows = 2, 5
	maxProbabilitiesOfFew           = 5_000 // validation rows × classes
)

// New returns an evaluator for the named metric and for validation rows with the given labels.
// groups holds the group of each row; a negative number means no group. All rows of a group are in
// the same part for cross-fitting. groups may be nil.
func New(name string, classes int, labels, groups []int32) *Evaluator {
	numParts := partsOfManyRows
	if len(labels)*classes <= maxProbabilitiesOfFew {
		numParts = partsOfFewRows
	}
	e := &Evaluator{Metric: name, Classes: classes, Labels: labels, Groups: groups, parts: make([]part, numParts)}
	next := make([]int, classes) // the part of the next row of each class
	partOfGroup := make(map[int32]int)
	for i, label := range labels {
		own := next[label] % numParts
		if groups != nil && groups[i] >= 0 {
			if _, known := partOfGroup[groups[i]]; !known {
				partOfGroup[groups[i]] = own
			}
			own = partOfGroup[groups[i]]
		}
		next[label] = own + 1
		for k := range e.parts {
			if k == own {
				e.parts[k].rows = append(e.parts[k].rows, int32(i))
			} else {
				e.parts[k].others = append(e.parts[k].others, int32(i))
			}
		}
	}
	return e
}

// IsMeasurable reports whether the metric can be computed on the validation rows.
func (e *Evaluator) IsMeasurable() bool { return len(e.Labels) > 0 && e.UnmeasurableReason() == "" }

// UnmeasurableReason returns why the metric cannot be computed on the validation rows, or
// "" if it can. For example, f1[yes] cannot be computed if no row is of the class yes. An
// area under a curve cannot be computed if all rows are of the same class.
func (e *Evaluator) UnmeasurableReason() string {
	base, class := metric.SplitName(e.Metric)
	if base != e.Metric && !slices.Contains(e.Labels, int32(slices.Index(e.Names, class))) {
		return fmt.Sprintf("none of them is of the class %q", class)
	}
	if !e.HasSeveralClasses() && (base == metric.NameROCAUC || base == metric.NamePRAUC) {
		return "all of them are of one class"
	}
	return ""
}

// HasSeveralClasses reports whether there are validation rows of at least two classes.
func (e *Evaluator) HasSeveralClasses() bool {
	return slices.ContainsFunc(e.Labels, func(label int32) bool { return label != e.Labels[0] })
}

// Score returns the performance and the log loss of the probabilities of all validation rows. The
// performance is the value of metric.Score for the race's metric. A score that cannot be computed
// is 0. Score returns an error only if ctx is cancelled.
func (e *Evaluator) Score(ctx context.Context, probabilities []float32) (performance, logLoss float64, err error) {
	p, err := e.ScoredPredictions(ctx, probabilities)
	if err != nil {
		return 0, 0, err
	}
	if performance, err = metric.Score(ctx, e.Metric, p); err != nil {
		return 0, 0, err
	}
	return finiteOrZero(performance), e.LogLoss(probabilities), nil
}

// LogLoss returns the mean log loss of the validation rows, or 0 if the race has no validation rows.
func (e *Evaluator) LogLoss(probabilities []float32) float64 {
	return finiteOrZero(metric.LogLoss(e.Predictions(probabilities)))
}

// ScoredPredictions returns the predictions from which the metric of the race is computed. For
// a metric that UsesCalibration, such as logLoss, these are calibrated probabilities; for other
// metrics see predictionsForDecisions.
func (e *Evaluator) ScoredPredictions(ctx context.Context, probabilities []float32) (metric.Predictions, error) {
	if metric.UsesCalibration(e.Metric) {
		calibrated, err := e.Calibrate(ctx, probabilities)
		return e.Predictions(calibrated), err
	}
	return e.predictionsForDecisions(ctx, probabilities)
}

// predictionsForDecisions returns the predictions from which scores of decisions, such as accuracy,
// are computed:
//
//   - in a race with class weights, calibrated probabilities with these weights
//   - otherwise, for metrics of decisions such as macroF1, probabilities multiplied by cross-fitted
//     decision weights
//   - otherwise, for accuracy, which equal weights maximise, and for metrics of probabilities, the
//     probabilities as they are
func (e *Evaluator) predictionsForDecisions(ctx context.Context, probabilities []float32) (metric.Predictions, error) {
	switch {
	case e.Weights != nil: // the weights are not multiplied into the float32 probabilities: this would round the products, which a model does not do
		calibrated, err := e.Calibrate(ctx, probabilities)
		p := e.Predictions(calibrated)
		p.Weights = e.Weights
		return p, err
	case e.Metric != metric.NameAccuracy && metric.UsesDecisions(e.Metric):
		// Calibration would not change these decisions; see FitClassWeights.
		weighted, err := e.applyClassWeights(ctx, probabilities)
		return e.Predictions(weighted), err
	}
	return e.Predictions(probabilities), nil
}

// Predictions returns the validation rows with the given probabilities, which it does not copy.
func (e *Evaluator) Predictions(probabilities []float32) metric.Predictions {
	return metric.Predictions{
		Probabilities: probabilities, Labels: e.Labels, Classes: e.Classes, Groups: e.Groups, Names: e.Names, ClassRows: e.ClassRows,
	}
}

// FitClassWeights returns the decision weights of a model: the class weights of the race or, for
// a race without class weights, weights fitted to all validation rows. The weights are meant for probabilities
// calibrated by the given temperature.
func (e *Evaluator) FitClassWeights(ctx context.Context, probabilities []float32, temperature metric.Temperature) ([]float64, error) {
	if e.Weights != nil {
		return e.Weights, nil
	}
	// The weights w are fitted to probabilities p before calibration by the temperature T. The
	// class with the largest w^(1/T)·p^(1/T) is the class with the largest w·p.
	weights, err := metric.FitClassWeights(ctx, e.Metric, e.Predictions(probabilities))
	for c, w := range weights {
		weights[c] = math.Pow(w, 1/float64(temperature))
	}
	return weights, err
}

// applyClassWeights returns a copy of probabilities. The probabilities of each part of the rows are
// multiplied by the decision weights fitted to the other parts.
func (e *Evaluator) applyClassWeights(ctx context.Context, probabilities []float32) ([]float32, error) {
	return e.adjustCrossFitted(ctx, probabilities, func(fit metric.Predictions) (func(row []float32), error) {
		weights, err := metric.FitClassWeights(ctx, e.Metric, fit)
		return func(row []float32) {
			for c := range weights {
				row[c] *= float32(weights[c])
			}
		}, err
	})
}

// Calibrate returns a copy of probabilities in which each part of the rows is
// calibrated by the temperature fitted to the other parts.
func (e *Evaluator) Calibrate(ctx context.Context, probabilities []float32) ([]float32, error) {
	return e.adjustCrossFitted(ctx, probabilities, func(fit metric.Predictions) (func(row []float32), error) {
		temperature, err := metric.FitTemperature(ctx, fit)
		return func(row []float32) { temperature.Apply(row, e.Classes) }, err
	})
}

// adjustCrossFitted returns a copy of the probabilities in which each part of the rows is
// transformed by a function that was fitted to the other parts. fit receives the predictions
// of the other parts. It returns the function that transforms, in place, a row of the part.
func (e *Evaluator) adjustCrossFitted(
	ctx context.Context, probabilities []float32, fit func(metric.Predictions) (func(row []float32), error),
) ([]float32, error) {
	const blockRows = 1024
	dst := slices.Clone(probabilities)
	for _, part := range e.parts {
		transform, err := fit(e.predictionsAt(probabilities, part.others))
		if err != nil {
			return nil, err
		}
		for block := range slices.Chunk(part.rows, blockRows) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, i := range block {
				transform(dst[int(i)*e.Classes:][:e.Classes])
			}
		}
	}
	return dst, nil
}

func (e *Evaluator) predictionsAt(probabilities []float32, positions []int32) metric.Predictions {
	p := metric.Predictions{
		Probabilities: make([]float32, 0, len(positions)*e.Classes), Labels: make([]int32, 0, len(positions)),
		Classes: e.Classes, Names: e.Names, ClassRows: e.ClassRows,
	}
	for _, i := range positions {
		p.Probabilities = append(p.Probabilities, probabilities[int(i)*e.Classes:][:e.Classes]...)
		p.Labels = append(p.Labels, e.Labels[i])
	}
	return p
}

// PerformanceInterval returns the 95 % confidence interval of the performance of
// probabilities. If probabilities is nil, the interval is unknown.
func (e *Evaluator) PerformanceInterval(ctx context.Context, probabilities []float32) (metric.Interval, error) {
	if probabilities == nil {
		return metric.Interval{Low: math.NaN(), High: math.NaN()}, nil
	}
	p, err := e.ScoredPredictions(ctx, probabilities)
	if err != nil {
		return metric.Interval{}, err
	}
	return metric.PerformanceInterval(ctx, e.Metric, p)
}

// PerformanceStdErr returns the standard error of the performance of the given
// probabilities, or 0 if it is unknown.
func (e *Evaluator) PerformanceStdErr(ctx context.Context, probabilities []float32) (float64, error) {
	interval, err := e.PerformanceInterval(ctx, probabilities)
	return finiteOrZero((interval.High - interval.Low) / (2 * metric.Z95)), err
}

// ValidationScores returns the scores on the validation rows, with intervals. Scores of decisions
// use decision weights. The log loss, the Brier score and the calibration error use calibrated
// probabilities. All other scores use probabilities as they are. The metric of the race is missing
// if it cannot be computed; see UnmeasurableReason. ValidationScores returns an error only if ctx is
// cancelled.
func (e *Evaluator) ValidationScores(ctx context.Context, probabilities []float32) (Scores, error) {
	decided, err := e.predictionsForDecisions(ctx, probabilities)
	if err != nil {
		return NaNScores, err
	}
	calibrated, err := e.Calibrate(ctx, probabilities)
	if err != nil {
		return NaNScores, err
	}
	plain, tempered := e.Predictions(probabilities), e.Predictions(calibrated)
	scores, err := NewScoresWithIntervals(ctx, e.Metric, func(name string) metric.Predictions {
		switch {
		case metric.UsesDecisions(name):
			return decided
		case metric.UsesCalibration(name):
			return tempered
		}
		return plain
	})
	if e.UnmeasurableReason() != "" {
		scores.remove(e.Metric)
	}
	return scores, err
}

// finiteOrZero returns x, or 0 if x is NaN or infinite. For example, a score is NaN if
// there are no rows.
func finiteOrZero(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}
