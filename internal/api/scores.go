package api

import "math"

// Scores are the scores of a model on one set of rows, by metric.
type Scores struct {
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balancedAccuracy"`
	MacroF1          float64 `json:"macroF1"`
	// ROCAUC is nil if all rows have the same class.
	ROCAUC *float64 `json:"rocAuc" doc:"Area under the ROC curve; null if all rows have the same class."`
	// PRAUC is nil in old reports, and if no row, or every row, is of the class.
	PRAUC   *float64 `json:"prAuc,omitempty" doc:"Average precision, the area under the precision–recall curve. With two classes, it is that of the class with fewer labelled rows. With more classes, it is the mean over all classes."`
	LogLoss float64  `json:"logLoss" doc:"Log loss in nats; smaller is better. The performance in a race for logLoss is exp(−logLoss)."`
	// Brier and CalibrationError are nil in old reports.
	Brier            *float64 `json:"brier,omitempty" doc:"Brier score. With two classes, it is the mean squared error of the probability of the second class. With more classes, it is the sum of the mean squared errors of all classes."`
	CalibrationError *float64 `json:"ece,omitempty" doc:"Expected calibration error. The rows are divided into ten bins by the probability of the most probable class. In each bin, the mean of these probabilities is compared with the fraction of rows that are of their most probable class. ece is the mean difference."`
	// OfClass has the score by the name of the race's metric if that is a metric of one class, such
	// as f1[yes]. Otherwise it is nil.
	OfClass map[string]float64 `json:"ofClass,omitempty" doc:"The score by the name of the race's metric, if it is a metric of one class, such as f1[yes]."`
	// Intervals holds the 95 % confidence intervals by metric.
	Intervals map[string]Interval `json:"intervals,omitempty" doc:"95 % confidence intervals, by metric."`
}

// Value returns the score of a metric. If the score was not measured or the metric is unknown,
// known is false. The receiver may be nil.
func (s *Scores) Value(name string) (value float64, known bool) {
	if s == nil {
		return 0, false
	}
	switch name {
	case MetricAccuracy:
		return s.Accuracy, true
	case MetricBalancedAccuracy:
		return s.BalancedAccuracy, true
	case MetricMacroF1:
		return s.MacroF1, true
	case MetricROCAUC:
		return knownValue(s.ROCAUC)
	case MetricPRAUC:
		return knownValue(s.PRAUC)
	case MetricLogLoss:
		return s.LogLoss, true
	case MetricBrier:
		return knownValue(s.Brier)
	case MetricCalibrationError:
		return knownValue(s.CalibrationError)
	}
	value, known = s.OfClass[name]
	return value, known
}

// Performance returns the score of a metric in a form in which higher is better, as races use it:
// exp(−log loss) for the log loss, and the value itself for other metrics. If the score was not
// measured or the metric is unknown, known is false. The receiver may be nil.
func (s *Scores) Performance(name string) (value float64, known bool) {
	value, known = s.Value(name)
	if known && name == MetricLogLoss {
		value = math.Exp(-value)
	}
	return value, known
}

// PerformanceInterval returns the 95 % confidence interval of the result of Performance, or nil if
// there is none. The receiver may be nil.
func (s *Scores) PerformanceInterval(name string) *Interval {
	i := s.Interval(name)
	if i != nil && name == MetricLogLoss {
		return &Interval{math.Exp(-i.High), math.Exp(-i.Low)}
	}
	return i
}

// knownValue returns *v and true, or 0 and false if v is nil.
func knownValue(v *float64) (value float64, known bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

// Interval returns the 95 % confidence interval of a metric, or nil if there is none. The receiver
// may be nil.
func (s *Scores) Interval(name string) *Interval {
	if s == nil {
		return nil
	}
	if i, known := s.Intervals[name]; known {
		return &i
	}
	return nil
}
