package learn

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// Interval is a 95 % confidence interval.
type Interval = metric.Interval

// Scores are the scores on a set of rows. ROCAUC and PRAUC are NaN if all rows are of one
// class. All scores are NaN if there are no rows.
type Scores struct {
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC, PRAUC, LogLoss float64
	// Brier is the Brier score and CalibrationError the expected calibration error; see
	// package metric.
	Brier, CalibrationError float64
	// OfClass is set if the metric of the race is the metric of one class, such as
	// f1[yes]. It then maps the name of this metric to its value. Otherwise it is nil.
	OfClass map[string]float64
	// Intervals holds the 95 % confidence intervals, by the name of the score. Unknown
	// intervals are absent.
	Intervals map[string]Interval
}

// nanScores are the scores if there are no rows.
var nanScores = Scores{
	Accuracy: math.NaN(), BalancedAccuracy: math.NaN(), MacroF1: math.NaN(), ROCAUC: math.NaN(), PRAUC: math.NaN(), LogLoss: math.NaN(),
	Brier: math.NaN(), CalibrationError: math.NaN(),
}

// performance returns the named metric as the performance of a race, or NaN if it was not
// computed.
func (s *Scores) performance(name string) float64 {
	switch name {
	case metric.NameAccuracy:
		return s.Accuracy
	case metric.NameBalancedAccuracy:
		return s.BalancedAccuracy
	case metric.NameMacroF1:
		return s.MacroF1
	case metric.NameROCAUC:
		return s.ROCAUC
	case metric.NamePRAUC:
		return s.PRAUC
	case metric.NameLogLoss:
		return metric.Likelihood(s.LogLoss)
	}
	if value, measured := s.OfClass[name]; measured {
		return value
	}
	return math.NaN()
}

// setOfClass sets OfClass if raceMetric is the metric of one class. The metric is
// computed from p. The error is that of ctx.
func (s *Scores) setOfClass(ctx context.Context, raceMetric string, p metric.Predictions) error {
	if base, _ := metric.SplitName(raceMetric); base == raceMetric {
		return nil
	}
	value, err := metric.Score(ctx, raceMetric, p)
	if err == nil && !math.IsNaN(value) {
		s.OfClass = map[string]float64{raceMetric: value}
	}
	return err
}

// predictionsFunc returns the predictions from which the score with the given name is
// computed.
type predictionsFunc func(name string) metric.Predictions

// computeScores returns all scores, without intervals. raceMetric is the metric of the
// race. The error is that of ctx.
func computeScores(ctx context.Context, raceMetric string, predictions predictionsFunc) (Scores, error) {
	decided := predictions(metric.NameAccuracy)
	s := Scores{
		Accuracy:         metric.Accuracy(decided),
		BalancedAccuracy: metric.BalancedAccuracy(decided),
		MacroF1:          metric.MacroF1(decided),
		LogLoss:          metric.LogLoss(predictions(metric.NameLogLoss)),
		Brier:            metric.Brier(predictions(metric.NameBrier)),
		CalibrationError: metric.CalibrationError(predictions(metric.NameCalibrationError)),
	}
	var err error
	if s.ROCAUC, err = metric.ROCAUC(ctx, predictions(metric.NameROCAUC)); err != nil {
		return s, err
	}
	if s.PRAUC, err = metric.PRAUC(ctx, predictions(metric.NamePRAUC)); err != nil {
		return s, err
	}
	return s, s.setOfClass(ctx, raceMetric, predictions(raceMetric))
}

// computeScoresWithIntervals returns all scores with their intervals. raceMetric is the
// metric of the race. The error is that of ctx.
func computeScoresWithIntervals(ctx context.Context, raceMetric string, predictions predictionsFunc) (Scores, error) {
	s, err := computeScores(ctx, raceMetric, predictions)
	if err != nil {
		return s, err
	}
	names := []string{
		metric.NameAccuracy, metric.NameBalancedAccuracy, metric.NameMacroF1, metric.NameROCAUC, metric.NamePRAUC, metric.NameLogLoss,
		metric.NameBrier, metric.NameCalibrationError,
	}
	if !slices.Contains(names, raceMetric) {
		names = append(names, raceMetric)
	}
	s.Intervals = map[string]Interval{}
	for _, name := range names {
		interval, err := metric.ScoreInterval(ctx, name, predictions(name))
		if err != nil {
			return s, err
		}
		if interval.Known() {
			s.Intervals[name] = interval
		}
	}
	return s, nil
}

// Baseline holds the scores of a model that does not use any column: it always
// predicts the most frequent class, with the class frequencies of the labelled
// rows as probabilities (scikit-learn's DummyClassifier, strategy "prior").
type Baseline struct {
	// Label is the predicted class.
	Label string
	// Validation and Test are the baseline's scores on the rows of
	// Report.Validation and Report.Test, without intervals.
	Validation, Test Scores
}

// baselineScores returns the scores of a model that predicts the given class for every
// row. shares are its probabilities of the classes.
func baselineScores(labels []int32, class int, shares []float64) Scores {
	if len(labels) == 0 {
		return nanScores
	}
	counts, present, loss, brier, squares := make([]int, len(shares)), 0, 0.0, 0.0, 0.0
	for _, share := range shares {
		squares += share * share
	}
	for _, label := range labels {
		counts[label]++
		loss -= math.Log(shares[label])
		brier += squares + 1 - 2*shares[label]
	}
	if len(shares) == 2 {
		brier /= 2
	}
	for _, n := range counts {
		if n > 0 {
			present++
		}
	}
	rows := float64(len(labels))
	s := Scores{Accuracy: float64(counts[class]) / rows, ROCAUC: math.NaN(), PRAUC: math.NaN(), LogLoss: loss / rows, Brier: brier / rows}
	s.CalibrationError = math.Abs(s.Accuracy - shares[class])
	decided := present // number of classes that occur or are predicted
	if counts[class] > 0 {
		s.BalancedAccuracy = 1 / float64(present)
	} else {
		decided++
	}
	s.MacroF1 = 2 * float64(counts[class]) / (rows + float64(counts[class])) / float64(decided)
	if present > 1 {
		s.ROCAUC = 0.5 // all rows have the same probabilities
	}
	return s
}

// addBaselineOfClass sets PRAUC and OfClass in s, the scores of the baseline. labels are
// the labels of the rows to score, and majority is the class that the baseline predicts.
func (r *race) addBaselineOfClass(ctx context.Context, s *Scores, labels []int32, majority int) (err error) {
	if len(labels) == 0 {
		return nil
	}
	e := r.evaluator
	probabilities := make([]float32, len(labels)*e.classes)
	for i := range labels {
		for c, n := range e.classRows {
			probabilities[i*e.classes+c] = float32(n)
		}
		probabilities[i*e.classes+majority] = float32(len(r.data.Labels)) // higher than for another class with as many rows
	}
	p := e.newPredictions(probabilities)
	p.Labels, p.Groups = labels, nil
	if s.PRAUC, err = metric.PRAUC(ctx, p); err != nil {
		return err
	}
	return s.setOfClass(ctx, e.metric, p)
}

// newBaseline returns the baseline on the validation rows and the given test
// rows. The error is that of ctx.
func (r *race) newBaseline(ctx context.Context, test []int32) (Baseline, error) {
	shares, majority := make([]float64, len(r.data.Schema.Classes)), 0
	for _, label := range r.data.Labels {
		shares[label] += 1 / float64(r.data.Rows)
	}
	for class := range shares {
		if shares[class] > shares[majority] {
			majority = class
		}
	}
	b := Baseline{
		Label:      r.data.Schema.Classes[majority],
		Validation: baselineScores(r.evaluator.labels, majority, shares),
		Test:       baselineScores(test, majority, shares),
	}
	if err := r.addBaselineOfClass(ctx, &b.Validation, r.evaluator.labels, majority); err != nil {
		return b, err
	}
	return b, r.addBaselineOfClass(ctx, &b.Test, test, majority)
}
