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
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number."`
	CreatedOn           string  `json:"createdOn"`
	Algorithm           string  `json:"algorithm,omitempty" doc:"That won, or BLEND."`
	Champion            bool    `json:"champion" doc:"Whether it is the best model of the dataset so far."`
}

// ModelEntry is a model in a list.
type ModelEntry struct {
	ModelKey            string  `json:"modelKey"`
	Version             int     `json:"version"`
	AchievedPerformance Decimal `json:"achievedPerformance" doc:"A string that holds a decimal number."`
	Algorithm           string  `json:"algorithm,omitempty"`
	Champion            bool    `json:"champion"`
	CreatedOn           string  `json:"createdOn,omitempty"`
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
	Algorithm string       `json:"algorithm" doc:"BLEND for the weighted mean of several."`
	Blend     []BlendShare `json:"blend,omitempty" doc:"The algorithms of a blend, the heaviest first."`
	Metric    string       `json:"metric"`
	Seed      int64        `json:"seed"`
	// Rows counts the labelled rows; the others those that the figures of the
	// same name come from: 0 where there was no time or nothing to measure on, and
	// the figures mean nothing.
	Rows           int64  `json:"rows" doc:"Labelled rows."`
	TestRows       int64  `json:"testRows" doc:"Rows behind the test figures, which mean nothing where it is 0."`
	ValidationRows int64  `json:"validationRows" doc:"Rows behind the validation figures."`
	TrainingRows   int64  `json:"trainingRows" doc:"Rows behind the training figures, which mean nothing where it is 0."`
	Validation     Scores `json:"validation" doc:"On rows that the algorithms were compared by."`
	Test           Scores `json:"test" doc:"On rows that nothing looked at."`
	Training       Scores `json:"training" doc:"On the rows that the judged model learnt from."`
	// Classes are the labels in the order of Confusion's rows and columns.
	Classes []ClassReport `json:"classes" doc:"In the order of confusion's rows and columns."`
	// Confusion counts the test rows: true class down, predicted class across.
	Confusion [][]int64 `json:"confusion" doc:"Test rows: true class down, predicted class across."`
	// Importances tell by how much the metric falls on the validation rows when
	// a column's values are shuffled, largest first.
	Importances []Importance `json:"importances" doc:"Largest first."`
	// Algorithms holds how each algorithm of the race ended.
	Algorithms []AlgorithmReport `json:"algorithms" doc:"How each algorithm of the race ended."`
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
	ROCAUC           float64 `json:"rocAuc"`
	LogLoss          float64 `json:"logLoss"`
}

// Value gives a score by the name of its JSON member.
func (s Scores) Value(name string) (value float64, known bool) {
	switch name {
	case MetricAccuracy:
		return s.Accuracy, true
	case MetricBalancedAccuracy:
		return s.BalancedAccuracy, true
	case MetricMacroF1:
		return s.MacroF1, true
	case MetricROCAUC:
		return s.ROCAUC, true
	case MetricLogLoss:
		return s.LogLoss, true
	}
	return 0, false
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
	Algorithm   string    `json:"algorithm"`
	Status      string    `json:"status"`
	Performance float64   `json:"performance" doc:"The best on validation rows."`
	LogLoss     float64   `json:"logLoss"`
	Curve       []float64 `json:"curve" doc:"Every validation score, oldest first."`
}
