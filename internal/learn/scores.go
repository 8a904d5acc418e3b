package learn

import (
	"math"

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
// computed from p.
func (s *Scores) setOfClass(raceMetric string, p metric.Predictions) {
	if base, _ := metric.SplitName(raceMetric); base == raceMetric {
		return
	}
	if value, err := metric.Score(raceMetric, p); err == nil && !math.IsNaN(value) {
		s.OfClass = map[string]float64{raceMetric: value}
	}
}

// computeScores returns all scores of p, without intervals. raceMetric is the metric of
// the race.
func computeScores(raceMetric string, p metric.Predictions) Scores {
	s := Scores{
		Accuracy:         metric.Accuracy(p),
		BalancedAccuracy: metric.BalancedAccuracy(p),
		MacroF1:          metric.MacroF1(p),
		ROCAUC:           metric.ROCAUC(p),
		PRAUC:            metric.PRAUC(p),
		LogLoss:          metric.LogLoss(p),
		Brier:            metric.Brier(p),
		CalibrationError: metric.CalibrationError(p),
	}
	s.setOfClass(raceMetric, p)
	return s
}

// computeScoresWithIntervals returns all scores with their intervals. raceMetric is the
// metric of the race. The function predictions must return the predictions from which the
// score with the given name is computed.
func computeScoresWithIntervals(raceMetric string, predictions func(name string) metric.Predictions) Scores {
	decided := predictions(metric.NameAccuracy)
	s := computeScores(metric.NameAccuracy, decided)
	s.setOfClass(raceMetric, predictions(raceMetric))
	s.ROCAUC = metric.ROCAUC(predictions(metric.NameROCAUC))
	s.PRAUC = metric.PRAUC(predictions(metric.NamePRAUC))
	s.LogLoss = metric.LogLoss(predictions(metric.NameLogLoss))
	s.Brier = metric.Brier(predictions(metric.NameBrier))
	s.CalibrationError = metric.CalibrationError(predictions(metric.NameCalibrationError))
	s.Intervals = map[string]Interval{}
	for _, name := range []string{
		metric.NameAccuracy, metric.NameBalancedAccuracy, metric.NameMacroF1, metric.NameROCAUC, metric.NamePRAUC, metric.NameLogLoss,
		metric.NameBrier, metric.NameCalibrationError, raceMetric,
	} {
		if interval := metric.ScoreInterval(name, predictions(name)); interval.Known() {
			s.Intervals[name] = interval
		}
	}
	return s
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
func (r *race) addBaselineOfClass(s *Scores, labels []int32, majority int) {
	if len(labels) == 0 {
		return
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
	s.PRAUC = metric.PRAUC(p)
	s.setOfClass(e.metric, p)
}

// newBaseline returns the baseline on the validation rows and the given test
// rows.
func (r *race) newBaseline(test []int32) Baseline {
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
	r.addBaselineOfClass(&b.Validation, r.evaluator.labels, majority)
	r.addBaselineOfClass(&b.Test, test, majority)
	return b
}
