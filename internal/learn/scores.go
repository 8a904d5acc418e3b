package learn

import (
	"math"

	"foretell/internal/learn/metric"
)

// Interval is a 95 % confidence interval.
type Interval = metric.Interval

// Scores are the scores on a set of rows. ROCAUC is NaN if all rows are of one
// class. All scores are NaN if there are no rows.
type Scores struct {
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC, LogLoss float64
	// Brier is the Brier score and CalibrationError the expected calibration
	// error, see metric.
	Brier, CalibrationError float64
	// Intervals holds the 95 % confidence intervals by name of the score. Unknown
	// intervals are absent.
	Intervals map[string]Interval
}

// nanScores are the scores if there are no rows.
var nanScores = Scores{
	Accuracy: math.NaN(), BalancedAccuracy: math.NaN(), MacroF1: math.NaN(), ROCAUC: math.NaN(), LogLoss: math.NaN(),
	Brier: math.NaN(), CalibrationError: math.NaN(),
}

// byName returns the score with the given name, or Accuracy if it is unknown.
func (s *Scores) byName(name string) float64 {
	switch name {
	case metric.NameBalancedAccuracy:
		return s.BalancedAccuracy
	case metric.NameMacroF1:
		return s.MacroF1
	case metric.NameROCAUC:
		return s.ROCAUC
	case metric.NameLogLoss:
		return s.LogLoss
	case metric.NameBrier:
		return s.Brier
	case metric.NameCalibrationError:
		return s.CalibrationError
	}
	return s.Accuracy
}

// computeScores returns all scores of p, without intervals.
func computeScores(p metric.Predictions) Scores {
	return Scores{
		Accuracy:         metric.Accuracy(p),
		BalancedAccuracy: metric.BalancedAccuracy(p),
		MacroF1:          metric.MacroF1(p),
		ROCAUC:           metric.ROCAUC(p),
		LogLoss:          metric.LogLoss(p),
		Brier:            metric.Brier(p),
		CalibrationError: metric.CalibrationError(p),
	}
}

// computeScoresWithIntervals returns all scores with their intervals.
// predictions returns the predictions that the score with the given name is
// computed from.
func computeScoresWithIntervals(predictions func(name string) metric.Predictions) Scores {
	decided := predictions(metric.NameAccuracy)
	s := computeScores(decided)
	s.ROCAUC = metric.ROCAUC(predictions(metric.NameROCAUC))
	s.LogLoss = metric.LogLoss(predictions(metric.NameLogLoss))
	s.Brier = metric.Brier(predictions(metric.NameBrier))
	s.CalibrationError = metric.CalibrationError(predictions(metric.NameCalibrationError))
	s.Intervals = map[string]Interval{}
	for _, name := range []string{
		metric.NameAccuracy, metric.NameBalancedAccuracy, metric.NameMacroF1, metric.NameROCAUC, metric.NameLogLoss,
		metric.NameBrier, metric.NameCalibrationError,
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

// baselineScores returns the scores of a model that predicts class on every
// row, with shares as the probabilities of the classes.
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
	s := Scores{Accuracy: float64(counts[class]) / rows, ROCAUC: math.NaN(), LogLoss: loss / rows, Brier: brier / rows}
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
	return Baseline{
		Label:      r.data.Schema.Classes[majority],
		Validation: baselineScores(r.evaluator.labels, majority, shares),
		Test:       baselineScores(test, majority, shares),
	}
}
