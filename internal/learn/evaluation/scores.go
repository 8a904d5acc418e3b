package evaluation

import (
	"context"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// Interval is a 95 % confidence interval.
type Interval = metric.Interval

// Scores are the scores on a set of rows. All are NaN if there are no rows. If all rows are of one
// class, ROCAUC and PRAUC are NaN.
type Scores struct {
	Accuracy, BalancedAccuracy, MacroF1, ROCAUC, PRAUC, LogLoss float64
	// Brier is the Brier score and CalibrationError the expected calibration error; see
	// package metric.
	Brier, CalibrationError float64
	// OfClass holds the value of the race's metric, by name, if it is a metric of one class, such
	// as f1[yes]. It is nil for other metrics, and if the metric cannot be computed.
	OfClass map[string]float64
	// Intervals holds the 95 % confidence intervals, by the name of the score. Unknown
	// intervals are absent.
	Intervals map[string]Interval
}

// NaNScores are the scores if there are no rows.
var NaNScores = Scores{
	Accuracy: math.NaN(), BalancedAccuracy: math.NaN(), MacroF1: math.NaN(), ROCAUC: math.NaN(), PRAUC: math.NaN(), LogLoss: math.NaN(),
	Brier: math.NaN(), CalibrationError: math.NaN(),
}

// Performance returns the named metric as a performance from 0 to 1, where higher is better. It
// returns NaN if the metric was not computed.
func (s *Scores) Performance(name string) float64 {
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

// setRaceMetricOfClass computes raceMetric from p and stores it in OfClass. It does nothing if
// raceMetric is not a metric of one class, or if p has no row of this class. It returns an error
// only if ctx is cancelled.
func (s *Scores) setRaceMetricOfClass(ctx context.Context, raceMetric string, p metric.Predictions) error {
	base, class := metric.SplitName(raceMetric)
	if base == raceMetric || !slices.Contains(p.Labels, int32(slices.Index(p.Names, class))) {
		return nil
	}
	value, err := metric.Score(ctx, raceMetric, p)
	if err == nil && !math.IsNaN(value) {
		s.OfClass = map[string]float64{raceMetric: value}
	}
	return err
}

// remove makes the race metric with the given name unknown. It must be an area under a curve or a
// metric of one class, because all other metrics can always be computed.
func (s *Scores) remove(name string) {
	switch name {
	case metric.NameROCAUC:
		s.ROCAUC = math.NaN()
	case metric.NamePRAUC:
		s.PRAUC = math.NaN()
	}
	s.OfClass = nil
	delete(s.Intervals, name)
}

// PredictionsFunc returns the predictions from which the score with the given name is
// computed.
type PredictionsFunc func(name string) metric.Predictions

// NewScores returns all scores, without intervals. raceMetric is the metric of the race. NewScores
// returns an error only if ctx is cancelled.
func NewScores(ctx context.Context, raceMetric string, predictions PredictionsFunc) (Scores, error) {
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
	return s, s.setRaceMetricOfClass(ctx, raceMetric, predictions(raceMetric))
}

// NewScoresWithIntervals returns all scores with their intervals. raceMetric is the metric of the
// race. NewScoresWithIntervals returns an error only if ctx is cancelled.
func NewScoresWithIntervals(ctx context.Context, raceMetric string, predictions PredictionsFunc) (Scores, error) {
	s, err := NewScores(ctx, raceMetric, predictions)
	if err != nil {
		return s, err
	}
	names := metric.ReportNames()
	if _, measured := s.OfClass[raceMetric]; measured {
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
