package learn

import (
	"math"

	"foretell/internal/learn/metric"
)

// Interval is a 95 % confidence interval.
type Interval = metric.Interval

// Scores are all the scores of one set of rows. ROCAUC is NaN where the rows are
// all of one class; without rows the others are NaN, too.
type Scores struct {
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC, LogLoss float64
	// Intervals holds the 95 % confidence intervals, by the scores' names. A score
	// without a known interval is not in it.
	Intervals map[string]Interval
}

// noScores are the scores of no rows.
var noScores = Scores{
	Accuracy: math.NaN(), BalancedAccuracy: math.NaN(), MacroF1: math.NaN(), ROCAUC: math.NaN(), LogLoss: math.NaN(),
}

// of returns the score of the given name.
func (s *Scores) of(name string) float64 {
	switch name {
	case metric.NameBalancedAccuracy:
		return s.BalancedAccuracy
	case metric.NameMacroF1:
		return s.MacroF1
	case metric.NameROCAUC:
		return s.ROCAUC
	case metric.NameLogLoss:
		return s.LogLoss
	}
	return s.Accuracy
}

// scoresOf returns all scores of p, without intervals.
func scoresOf(p metric.Predictions) Scores {
	return Scores{
		Accuracy:         metric.Accuracy(p),
		BalancedAccuracy: metric.BalancedAccuracy(p),
		MacroF1:          metric.MacroF1(p),
		ROCAUC:           metric.ROCAUC(p),
		LogLoss:          metric.LogLoss(p),
	}
}

// scoredBy returns all scores with their intervals, each of the predictions that
// predictions returns for its name.
func scoredBy(predictions func(name string) metric.Predictions) Scores {
	decided := predictions(metric.NameAccuracy)
	s := scoresOf(decided)
	s.ROCAUC = metric.ROCAUC(predictions(metric.NameROCAUC))
	s.LogLoss = metric.LogLoss(predictions(metric.NameLogLoss))
	s.Intervals = map[string]Interval{}
	for _, name := range []string{
		metric.NameAccuracy, metric.NameBalancedAccuracy, metric.NameMacroF1, metric.NameROCAUC, metric.NameLogLoss,
	} {
		if interval := metric.ScoreInterval(name, predictions(name)); interval.Known() {
			s.Intervals[name] = interval
		}
	}
	return s
}

// Baseline is what can be reached without looking at any column: the most
// frequent class is always predicted, and each class with its share of the
// labelled rows.
type Baseline struct {
	// Label is the class that is always predicted.
	Label string
	// Validation and Test are its scores on the rows of the model's figures of
	// the same name, without intervals.
	Validation, Test Scores
}

// baselineOn returns the baseline's scores on rows of the given labels; class is
// predicted, with the classes' shares as probabilities.
func baselineOn(labels []int32, class int, shares []float64) Scores {
	if len(labels) == 0 {
		return noScores
	}
	counts, present, loss := make([]int, len(shares)), 0, 0.0
	for _, label := range labels {
		counts[label]++
		loss -= math.Log(shares[label])
	}
	for _, n := range counts {
		if n > 0 {
			present++
		}
	}
	rows := float64(len(labels))
	s := Scores{Accuracy: float64(counts[class]) / rows, ROCAUC: math.NaN(), LogLoss: loss / rows}
	decided := present // classes that occur or are decided for
	if counts[class] > 0 {
		s.BalancedAccuracy = 1 / float64(present)
	} else {
		decided++
	}
	s.MacroF1 = 2 * float64(counts[class]) / (rows + float64(counts[class])) / float64(decided)
	if present > 1 {
		s.ROCAUC = 0.5 // all rows are alike to it
	}
	return s
}

// baseline returns the baseline on the validation rows and the given test rows.
func (r *race) baseline(test []int32) Baseline {
	shares, most := make([]float64, len(r.table.Schema.Classes)), 0
	for _, label := range r.table.Labels {
		shares[label] += 1 / float64(r.table.Rows)
	}
	for class := range shares {
		if shares[class] > shares[most] {
			most = class
		}
	}
	return Baseline{
		Label:      r.table.Schema.Classes[most],
		Validation: baselineOn(r.judge.labels, most, shares),
		Test:       baselineOn(test, most, shares),
	}
}
