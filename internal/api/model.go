package api

import (
	"fmt"
	"strings"
)

// ModelInput names a model.
type ModelInput struct {
	ModelKey string `path:"modelKey" format:"uuid" doc:"The model's key."`
}

// Model answers [GetModel].
type Model struct {
	ModelKey            string  `json:"modelKey"`
	Version             int     `json:"version" doc:"Counts up from 1 within a dataset."`
	DatasetKey          string  `json:"datasetKey"`
	TrainingJobKey      string  `json:"trainingJobKey"`
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number, measured on validation rows. null, where there were none, is an extension."`
	CreatedOn           string  `json:"createdOn"`
	Algorithm           string  `json:"algorithm,omitempty" doc:"That won, or BLEND."`
	Champion            bool    `json:"champion" doc:"Whether it is the best model of the dataset's series so far, by the metric of the series' newest model."`
	ModelExtra
}

// ModelEntry is a model in a list.
type ModelEntry struct {
	ModelKey            string  `json:"modelKey"`
	Version             int     `json:"version"`
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number, measured on validation rows. null, where there were none, is an extension."`
	Algorithm           string  `json:"algorithm,omitempty"`
	Champion            bool    `json:"champion"`
	CreatedOn           string  `json:"createdOn,omitempty"`
	ModelExtra
}

// ModelExtra is what this service adds to a model: zero where another does not.
type ModelExtra struct {
	Series string `json:"series,omitempty" doc:"The series of its dataset."`
	// AlgorithmName is empty for BLEND.
	AlgorithmName string `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network; absent for BLEND."`
	// SeriesVersion counts up from 1 over all models of the series and is never
	// given twice.
	SeriesVersion int    `json:"seriesVersion,omitempty" doc:"Counts up from 1 within the series."`
	Metric        string `json:"metric,omitempty" doc:"What achievedPerformance and testPerformance are."`
	// TestPerformance is nil where nothing was measured.
	TestPerformance *float64 `json:"testPerformance,omitempty" doc:"On rows that nothing looked at."`
	// The intervals are nil where they are not known.
	AchievedInterval *Interval `json:"achievedInterval,omitempty" doc:"95 % confidence interval of achievedPerformance."`
	TestInterval     *Interval `json:"testInterval,omitempty" doc:"95 % confidence interval of testPerformance."`
	Bytes            int64     `json:"bytes,omitempty" doc:"Size of the model's file."`
}

// ModelPage answers [ListModelsOfDataset].
type ModelPage struct {
	Models []ModelEntry `json:"models"`
	Page
}

// ModelReport answers [GetModelReport]. Every figure is from rows the judged
// model did not learn from, except Training.
type ModelReport struct {
	ModelKey string `json:"modelKey"`
	// Algorithm is BLEND for the weighted mean of several, which Blend lists.
	Algorithm     string       `json:"algorithm" doc:"BLEND for the weighted mean of several."`
	AlgorithmName string       `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network; absent for BLEND."`
	Blend         []BlendShare `json:"blend,omitempty" doc:"The algorithms of a blend, the heaviest first."`
	Metric        string       `json:"metric"`
	Seed          int64        `json:"seed"`
	// Rows counts the labelled rows; the others those that the figures of the
	// same name come from: 0 where there was no time or nothing to measure on, and
	// the figures mean nothing.
	Rows           int64 `json:"rows" doc:"Labelled rows."`
	TestRows       int64 `json:"testRows" doc:"Rows behind the test figures."`
	ValidationRows int64 `json:"validationRows" doc:"Rows behind the validation figures."`
	TrainingRows   int64 `json:"trainingRows" doc:"Rows behind the training figures."`
	// Features counts what the columns were made into; 0 in reports of before it was
	// counted. ScreenedFeatures is how many of them an algorithm learnt from; 0 if all.
	Features         int64 `json:"features,omitempty" doc:"Features made of the columns."`
	ScreenedFeatures int64 `json:"screenedFeatures,omitempty" doc:"How many features each algorithm learnt from: those that tell most of the label on the training rows of each fold. Absent if all."`
	// The scores are nil where they were not measured.
	Validation *Scores `json:"validation" doc:"On rows that the algorithms were compared by; null if not measured."`
	Test       *Scores `json:"test" doc:"On rows that nothing looked at; null if not measured."`
	Training   *Scores `json:"training" doc:"On the rows that the judged model learnt from; null if not measured."`
	// TestMissing tells why Test is nil; empty if it is not, or if that is not
	// known.
	TestMissing string `json:"testMissing,omitempty" enum:"too-few-rows,no-time" doc:"Why test is null: no row was set aside for it, or there was no time."`
	// Baseline is nil in reports of before there was one.
	Baseline *Baseline `json:"baseline" doc:"What can be reached without looking at any column."`
	// TargetPerformance is the threshold of the race, nil for none.
	TargetPerformance *float64 `json:"targetPerformance" doc:"The threshold of the race; null if none was given."`
	// Classes are the labels in the order of Confusion's rows and columns.
	Classes []ClassReport `json:"classes" doc:"In the order of confusion's rows and columns."`
	// Confusion counts the test rows: true class down, predicted class across.
	Confusion [][]int64 `json:"confusion" doc:"Test rows: true class down, predicted class across."`
	// Importances tell by how much the metric falls on the validation rows when
	// a column's values are shuffled, largest first. It is nil where there was no
	// time or no row to find out.
	Importances []Importance `json:"importances" nullable:"true" doc:"Largest first; null if not measured."`
	// Algorithms holds how each algorithm of the race ended.
	Algorithms []AlgorithmReport `json:"algorithms" doc:"How each algorithm of the race ended."`
	// Blended is the blend as it was compared with the algorithms.
	Blended *Candidate `json:"blended" doc:"The blend as it was compared with the algorithms, whether or not it was kept; null if none was made."`
}

// The values of ModelReport.TestMissing.
const (
	TooFewRows = "too-few-rows"
	NoTime     = "no-time"
)

// Candidate is what a race chose among at its end.
type Candidate struct {
	Performance float64   `json:"performance" doc:"On validation rows."`
	LogLoss     float64   `json:"logLoss" doc:"On validation rows, after calibration."`
	Interval    *Interval `json:"interval" doc:"95 % confidence interval of the performance."`
}

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// String writes the interval with two digits, or with four where it is narrower
// than two of them can show. It is "" for nil.
func (i *Interval) String() string {
	switch {
	case i == nil:
		return ""
	case i.High-i.Low < 0.02:
		return fmt.Sprintf("%.4f–%.4f", i.Low, i.High)
	}
	return fmt.Sprintf("%.2f–%.2f", i.Low, i.High)
}

// Baseline is a model that looks at no column: it always predicts the most
// frequent class, and gives each class its share of the labelled rows as
// probability.
type Baseline struct {
	Label      string  `json:"label" doc:"The class that is always predicted."`
	Validation *Scores `json:"validation" doc:"On the rows of the report's validation; null if there are none."`
	Test       *Scores `json:"test" doc:"On the rows of the report's test; null if there are none."`
}

// WhyNoTest says in words why a report has no test figures; "" if it has some.
func (r *ModelReport) WhyNoTest() string {
	switch {
	case r.Test != nil && (r.TestRows > 0 || r.Rows == 0): // other deployments may count no rows
		return ""
	case r.TestMissing == NoTime:
		return "no time for the test rows: give --time-limit more"
	case r.TestMissing == TooFewRows:
		return "too few rows to set some aside"
	}
	return "too few rows, or no time"
}

// BlendShare is an algorithm's part of a blend.
type BlendShare struct {
	Algorithm string  `json:"algorithm"`
	Weight    float64 `json:"weight" doc:"Those of a blend add up to 1."`
}

// Shares lists the algorithms of a blend with their weights in words.
func (r *ModelReport) Shares() string {
	shares := make([]string, len(r.Blend))
	for i, share := range r.Blend {
		shares[i] = fmt.Sprintf("%s %.0f%%", share.Algorithm, 100*share.Weight)
	}
	return strings.Join(shares, ", ")
}

// Scores are the figures of one set of rows.
type Scores struct {
	Accuracy         float64 `json:"accuracy"`
	BalancedAccuracy float64 `json:"balancedAccuracy"`
	MacroF1          float64 `json:"macroF1"`
	// ROCAUC is nil where the rows are all of one class.
	ROCAUC  *float64 `json:"rocAuc" doc:"null if the rows are all of one class."`
	LogLoss float64  `json:"logLoss"`
	// Intervals holds the 95 % confidence intervals by the scores' names.
	Intervals map[string]Interval `json:"intervals,omitempty" doc:"95 % confidence intervals, by the scores' names."`
}

// Value returns a score by the name of its JSON member. known is false if it was
// not measured or there is no such score; s may be nil.
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
		if s.ROCAUC == nil {
			return 0, false
		}
		return *s.ROCAUC, true
	case MetricLogLoss:
		return s.LogLoss, true
	}
	return 0, false
}

// Interval returns the 95 % confidence interval of a score by the score's name,
// nil if there is none; s may be nil.
func (s *Scores) Interval(name string) *Interval {
	if s == nil {
		return nil
	}
	if i, known := s.Intervals[name]; known {
		return &i
	}
	return nil
}

// ClassReport is how well one class is told from the others, on test rows.
type ClassReport struct {
	Label     string  `json:"label"`
	Rows      int64   `json:"rows"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Importance is how much a model relies on a column.
type Importance struct {
	Column     string  `json:"column"`
	Importance float64 `json:"importance" doc:"By how much the metric falls when the column is shuffled."`
}

// AlgorithmReport is how one algorithm of the race ended.
type AlgorithmReport struct {
	Algorithm     string `json:"algorithm"`
	AlgorithmName string `json:"algorithmName,omitempty" doc:"As of the report."`
	Status        string `json:"status"`
	Outcome       string `json:"outcome,omitempty" doc:"As of a training job."`
	// Performance and LogLoss are nil if the algorithm was never scored.
	Performance *float64  `json:"performance" doc:"Of the step that was kept, on validation rows; null if there is none."`
	LogLoss     *float64  `json:"logLoss" doc:"Of the same step, after calibration where the algorithms were compared by it."`
	Interval    *Interval `json:"interval" doc:"95 % confidence interval of the performance; null if not known."`
	Curve       []float64 `json:"curve" doc:"Every validation score, oldest first."`
}
