package evaluation

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// Baseline holds the scores of a model that does not use any column. This model always predicts the
// most frequent class, and its probabilities are the class frequencies of the labelled rows
// (scikit-learn's DummyClassifier, strategy "prior").
type Baseline struct {
	// Label is the predicted class.
	Label string
	// Validation and Test are the baseline's scores on the validation rows and on the test
	// rows, without intervals.
	Validation, Test Scores
}

// NewBaseline returns the baseline with its scores on the validation rows. It returns an error only
// if ctx is cancelled.
func (e *Evaluator) NewBaseline(ctx context.Context) (Baseline, error) {
	validation, majority, err := e.scoreBaseline(ctx, e.Labels)
	if e.UnmeasurableReason() != "" {
		validation.remove(e.Metric)
	}
	return Baseline{Label: e.Names[majority], Validation: validation, Test: NaNScores}, err
}

// ScoreBaseline returns the scores of the baseline on rows with the given labels. It returns an error
// only if ctx is cancelled.
func (e *Evaluator) ScoreBaseline(ctx context.Context, labels []int32) (Scores, error) {
	scores, _, err := e.scoreBaseline(ctx, labels)
	return scores, err
}

// scoreBaseline returns the result of ScoreBaseline and the class that the baseline predicts.
func (e *Evaluator) scoreBaseline(ctx context.Context, labels []int32) (s Scores, majority int, err error) {
	rows := 0
	for _, n := range e.ClassRows {
		rows += n
	}
	shares := make([]float64, e.Classes)
	for class, n := range e.ClassRows {
		for range n {
			shares[class] += 1 / float64(rows) // a product would have another rounding error
		}
		if shares[class] > shares[majority] {
			majority = class
		}
	}
	s = baselineScores(labels, majority, shares)
	return s, majority, e.addBaselineMetrics(ctx, &s, labels, majority)
}

// baselineScores returns the scores of a model that predicts the given class for every
// row. shares are the probabilities that the model predicts for the classes.
func baselineScores(labels []int32, class int, shares []float64) Scores {
	if len(labels) == 0 {
		return NaNScores
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

// addBaselineMetrics sets PRAUC and OfClass in s. labels are the labels of the rows to score.
// majority is the class that the baseline predicts.
func (e *Evaluator) addBaselineMetrics(ctx context.Context, s *Scores, labels []int32, majority int) (err error) {
	if len(labels) == 0 {
		return nil
	}
	row, rows := make([]float32, e.Classes), 0
	for class, n := range e.ClassRows {
		row[class] = float32(n)
		rows += n
	}
	row[majority] = float32(rows) // above every other class, even one with as many rows
	p := e.Predictions(slices.Repeat(row, len(labels)))
	p.Labels, p.Groups = labels, nil
	if s.PRAUC, err = metric.PRAUC(ctx, p); err != nil {
		return err
	}
	return s.setRaceMetricOfClass(ctx, e.Metric, p)
}
