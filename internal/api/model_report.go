package api

import (
	"cmp"
	"fmt"
	"math"
	"strings"
)

// ModelReport is the response of [GetModelReport]. All scores except Training are computed on rows
// that the model was not trained on.
type ModelReport struct {
	ModelKey string `json:"modelKey"`
	// Algorithm is BLEND for a weighted mean of the algorithms in Blend.
	Algorithm     string       `json:"algorithm" doc:"The winning algorithm, or BLEND for a weighted mean of several."`
	AlgorithmName string       `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network; absent for BLEND."`
	Blend         []BlendShare `json:"blend,omitempty" doc:"The algorithms of a blend, in descending order of weight."`
	Metric        string       `json:"metric"`
	Seed          int64        `json:"seed"`
	// Rows is the number of labelled rows. TestRows, ValidationRows and TrainingRows are the
	// numbers of rows on which Test, Validation and Training were computed, or 0 if they were not.
	Rows           int64 `json:"rows" doc:"Number of labelled rows."`
	TestRows       int64 `json:"testRows" doc:"Number of rows on which the test metrics were computed."`
	ValidationRows int64 `json:"validationRows" doc:"Number of rows on which the validation metrics were computed."`
	TrainingRows   int64 `json:"trainingRows" doc:"Number of rows on which the training metrics were computed."`
	// UsedRows is 0 if the scored models were trained on most of the rows.
	UsedRows int64 `json:"usedRows,omitempty" doc:"Largest number of rows that a scored model was trained on. Present only if groupColumn and timeColumn together exclude more than a third of the rows from this training, because the groups of these rows also contain later rows. Unless refitInterrupted is true, the final model is trained on all rows, so it is probably better than its scores."`
	// SingletonRows is 0 if these rows are less than 2 % of all rows.
	SingletonRows int64 `json:"singletonRows,omitempty" doc:"Number of labelled rows that are the only row of their class. They were trained on but not scored, so the scores are too high: about the same fraction of new rows probably has a class that the table lacks. Present only if they are at least 2 % of the rows."`
	// UntrainedClasses is nil if the models were trained on rows of all classes.
	UntrainedClasses []string `json:"untrainedClasses,omitempty" doc:"Labels of classes without a row that the scored models were trained on, for example because timeColumn makes all of their rows test rows. Absent if the models were trained on rows of all classes."`
	// Notes are sentences on what is unusual about the model or its metrics.
	Notes []string `json:"notes,omitempty" doc:"Sentences about what is unusual in the model or its metrics, for example that one algorithm of the blend was not trained on all labelled rows. Absent if nothing is unusual."`
	// RefitInterrupted is false in old reports.
	RefitInterrupted bool `json:"refitInterrupted,omitempty" doc:"If true, the time limit or the user ended the training on all labelled rows early, so the same data and seed may produce another model."`
	// GroupColumn and TimeColumn are the columns by which the rows were divided into training
	// and scored rows. They are empty if the rows were divided at random.
	GroupColumn string `json:"groupColumn,omitempty" doc:"The column whose equal cells mark rows that belong together. These rows were not divided between training and scored rows. Absent if there is no such column."`
	TimeColumn  string `json:"timeColumn,omitempty" doc:"The column of times. Test and validation rows are later than the rows trained on. Absent if there is no such column."`
	// Effort is EffortFast or EffortBest. It is empty for the default.
	Effort string `json:"effort,omitempty" doc:"Effort of the race: fast or best; absent for the default effort."`
	// ClassWeights is nil if the weights were equal.
	ClassWeights map[string]float64 `json:"classWeights,omitempty" doc:"The class weights of the race by label: the class with the highest product of probability and weight is predicted. Absent if all weights are equal."`
	// Monotone is nil if the race had no monotone columns.
	Monotone Monotone `json:"monotone,omitempty" doc:"The monotone columns of the race, as in NewTraining; absent if the race had no monotone columns."`
	// Features is the number of features extracted from the columns, or 0 in old
	// reports. ScreenedFeatures is the number of features that an algorithm was
	// trained on, or 0 if it was trained on all.
	Features         int64 `json:"features,omitempty" doc:"Number of features extracted from the columns."`
	ScreenedFeatures int64 `json:"screenedFeatures,omitempty" doc:"Number of features that each algorithm was trained on. They are the most informative features of a wide table, chosen on the training rows of each fold. Absent unless the table is wide."`
	// Copies is 0 in old reports.
	Copies        int64 `json:"copies,omitempty" doc:"Number of labelled rows that are equal to another row in every feature."`
	CopiesDivided bool  `json:"copiesDivided,omitempty" doc:"If true, equal rows were divided between training and scored rows like other rows, because they are normal in this table, or because their groups or times are different. If false, equal rows were kept together."`
	// Validation, Test and Training are nil if they were not measured.
	Validation *Scores `json:"validation" doc:"Scores on the validation rows, on which the algorithms were compared; null if not measured."`
	Test       *Scores `json:"test" doc:"Scores on the test rows, which were used for nothing else; null if not measured."`
	Training   *Scores `json:"training" doc:"Scores on the rows that the model was trained on; null if not measured."`
	// TestMissing says why Test is nil: TestMissingTooFewRows or TestMissingNoTime. It is empty if
	// Test is not nil, or if the reason is unknown.
	TestMissing string `json:"testMissing,omitempty" enum:"too-few-rows,no-time" doc:"Why test is null. too-few-rows: the table is too small to set test rows aside, or its division by groupColumn or timeColumn leaves none. no-time: there was no time left to score the test rows."`
	// Baseline is nil in old reports, which had none.
	Baseline *Baseline `json:"baseline" doc:"The scores of a model that uses no column."`
	// TargetPerformance is the threshold of the race; nil if it had none.
	TargetPerformance *float64 `json:"targetPerformance" doc:"The threshold of the race; null if the race had none."`
	// Classes are in the order of Confusion's rows and columns.
	Classes []ClassReport `json:"classes" doc:"The labels, in the order of the rows and columns of confusion."`
	// Confusion is the confusion matrix of the test rows: the number of rows by true class (rows)
	// and predicted class (columns).
	Confusion [][]int64 `json:"confusion" doc:"Number of test rows by true class (rows) and predicted class (columns); null with summary=true."`
	// Reliability is nil in old reports and without test rows.
	Reliability []ReliabilityBin `json:"reliability,omitempty" doc:"Test rows in ten bins by the probability of the most probable class. Observed is the fraction of rows of this class."`
	// CurveClasses are the labels of the classes for which Curves and PartialDependence have
	// values.
	CurveClasses []string `json:"curveClasses,omitempty" doc:"The labels of all classes or, if there are more than 20, of those with the most rows."`
	// Curves is nil in old reports and without test rows.
	Curves []ClassCurve `json:"curves,omitempty" doc:"ROC curve, precision–recall curve and reliability of the classes of curveClasses, on test rows. A class has no curves if no test row, or every test row, is of the class, so match curves by label."`
	// Importances has, for each column, how much the metric drops on the validation
	// rows when the values of the column are shuffled. The largest is first. It is nil
	// if there were too few rows or no time to measure it.
	Importances []Importance `json:"importances" nullable:"true" doc:"Importance of the columns, largest first; null if not measured, or with summary=true."`
	// ImportanceMetric is empty in old reports.
	ImportanceMetric string `json:"importanceMetric,omitempty" doc:"In a race for accuracy with class weights: weightedAccuracy, the accuracy in which each row counts with the weight of its class. The importances are then losses of this accuracy. Absent otherwise."`
	// PartialDependence is nil in old reports, and if there were too few rows or no
	// time to measure it.
	PartialDependence []PartialDependence `json:"partialDependence,omitempty" doc:"How the mean prediction for validation rows depends on the most important columns."`
	// Interactions is nil in old reports, and if PartialDependence is.
	Interactions []Interaction `json:"interactions,omitempty" doc:"How much the effects of two columns depend on each other, on validation rows. There is an item for each pair of the most important columns, the strongest interaction first."`
	// Algorithms describes how each algorithm of the race ended.
	Algorithms []AlgorithmReport `json:"algorithms" doc:"How each algorithm of the race ended."`
	// Blended is the blend of the algorithms, or nil if there was none. A report of an earlier
	// version may have a blend even if the model of the race is not the blend.
	Blended *Candidate `json:"blended" doc:"The blend of the algorithms; null if there was none. In a report of an earlier version, the blend is not necessarily the model."`
}

// KnownClassShare returns the fraction of new rows that probably have a class of the table: 1 minus
// the fraction of rows that are the only row of their class, if these rows were not scored (I. J.
// Good, Biometrika 40, 1953).
func (r *ModelReport) KnownClassShare() float64 {
	return 1 - float64(r.SingletonRows)/float64(max(r.Rows, 1))
}

// PRAUCClass returns the label of the class whose average precision is the metric prAuc: with two
// classes, the class with fewer labelled rows. It returns "" if there are more classes, or if the
// class is unknown.
func (r *ModelReport) PRAUCClass() string {
	if len(r.Classes) != 2 || r.Baseline == nil {
		return ""
	}
	for i, class := range r.Classes {
		if class.Label == r.Baseline.Label { // the most frequent class
			return r.Classes[1-i].Label
		}
	}
	return ""
}

// EffectiveTraining returns a copy of job with the class weights and monotone columns that the
// model was really trained with. job has the options that were requested. They differ only if a
// worker of an earlier version, which ignores these two options, trained the model.
func (r *ModelReport) EffectiveTraining(job Training) Training {
	if len(r.ClassWeights) == 0 {
		job.ClassWeights = ClassWeights{}
	}
	job.Monotone = r.Monotone
	return job
}

// MetricWeightedAccuracy is the accuracy in which each row counts with the weight of its class. Only
// importances have it.
const MetricWeightedAccuracy = "weightedAccuracy"

// ImportanceName returns the name of the score by which importances are measured, such as
// "accuracy", for people. The importance of a column is how much this score drops without the
// information of the column.
func (r *ModelReport) ImportanceName() string {
	return cmp.Or(r.ImportanceMetric, PerformanceName(r.Metric))
}

// ImportantColumns returns the names of the columns whose importance is positive, the most
// important first.
func (r *ModelReport) ImportantColumns() []string {
	var names []string
	for _, i := range r.Importances {
		if i.Importance > 0 {
			names = append(names, i.Column)
		}
	}
	return names
}

// The values of ModelReport.TestMissing.
const (
	TestMissingTooFewRows = "too-few-rows" // too few rows, groups or times to set test rows aside
	TestMissingNoTime     = "no-time"      // no time was left to score the test rows
)

// Candidate has the scores of a model that a race could have chosen as its result.
type Candidate struct {
	Performance float64   `json:"performance" doc:"Performance on validation rows."`
	LogLoss     float64   `json:"logLoss" doc:"Log loss on validation rows, after calibration."`
	Interval    *Interval `json:"interval" doc:"95 % confidence interval of the performance."`
}

// Interval is a 95 % confidence interval.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// String returns the interval with two decimals, or with four if it is narrower
// than 0.02. It returns "" for nil.
func (i *Interval) String() string {
	if i == nil {
		return ""
	}
	if i.High-i.Low < 0.02 {
		return i.Format(4)
	}
	return i.Format(2)
}

// Format returns the interval with the given number of decimals. Tables use Format to show the same
// number of decimals in all rows. It returns "" for nil.
func (i *Interval) Format(digits int) string {
	if i == nil {
		return ""
	}
	scale := math.Pow10(digits)
	low, high := math.Round(i.Low*scale)/scale+0, math.Round(i.High*scale)/scale+0 // + 0 makes -0 a 0
	if low < 0 {                                                                   // a dash between a minus sign and a number is hard to read
		return fmt.Sprintf("%.*f to %.*f", digits, low, digits, high)
	}
	return fmt.Sprintf("%.*f–%.*f", digits, low, digits, high)
}

// FormatMargin returns a plus-minus sign and half the width of the interval, with two decimals,
// or with four if the interval is narrower than 0.02. It returns "" for nil.
func (i *Interval) FormatMargin() string {
	switch {
	case i == nil:
		return ""
	case i.High-i.Low < 0.02:
		return fmt.Sprintf("± %.4f", (i.High-i.Low)/2)
	}
	return fmt.Sprintf("± %.2f", (i.High-i.Low)/2)
}

// Baseline is a model that uses no column: it always predicts the most frequent
// class, and the probability of each class is its share of the labelled rows.
type Baseline struct {
	Label      string  `json:"label" doc:"The class that the baseline always predicts."`
	Validation *Scores `json:"validation" doc:"Scores on the validation rows; null if none exist."`
	Test       *Scores `json:"test" doc:"Scores on the test rows; null if none exist."`
}

// TestMissingReason returns the reason why there are no test metrics, for people, or "" if there are some.
func (r *ModelReport) TestMissingReason() string {
	switch {
	case r.Test != nil && (r.TestRows > 0 || r.Rows == 0): // other deployments may not report numbers of rows
		return ""
	case r.TestMissing == TestMissingNoTime:
		return "no time for the test rows: let the race end by itself, or increase --time-limit"
	case r.TestMissing == TestMissingTooFewRows:
		return r.noHoldoutReason("test")
	}
	return "too few rows, or no time"
}

// ValidationMissingReason returns the reason why there are no validation metrics, for people, or
// "" if there are some.
func (r *ModelReport) ValidationMissingReason() string {
	if r.Validation != nil {
		return ""
	}
	return r.noHoldoutReason("validation")
}

// noHoldoutReason returns the reason why no rows of a kind, such as test, were set aside.
func (r *ModelReport) noHoldoutReason(kind string) string {
	columns := r.GroupColumn + r.TimeColumn
	if r.GroupColumn != "" && r.TimeColumn != "" {
		columns = r.GroupColumn + " and " + r.TimeColumn
	}
	if columns == "" {
		return fmt.Sprintf("too few rows to set %s rows aside", kind)
	}
	return fmt.Sprintf("the division of the rows by %s leaves no %s rows", columns, kind)
}

// BlendShare is the weight of an algorithm in a blend.
type BlendShare struct {
	Algorithm string  `json:"algorithm"`
	Weight    float64 `json:"weight" doc:"Weight of the algorithm; the weights of a blend sum to 1."`
}

// FormatBlend returns the algorithms of a blend with their weights, such as "BSIX01 60%, BFIF01
// 40%".
func (r *ModelReport) FormatBlend() string {
	shares := make([]string, len(r.Blend))
	for i, share := range r.Blend {
		shares[i] = fmt.Sprintf("%s %.0f%%", share.Algorithm, 100*share.Weight)
	}
	return strings.Join(shares, ", ")
}

// ClassReport holds scores of how well the model separates one class from the other classes, on
// test rows.
type ClassReport struct {
	Label string `json:"label"`
	Rows  int64  `json:"rows"`
	// Precision, Recall and F1 are 0 instead of nil in old reports.
	Precision *float64 `json:"precision" nullable:"true" doc:"Null if no test row is predicted as the class."`
	Recall    *float64 `json:"recall" nullable:"true" doc:"Null if no test row is of the class."`
	F1        *float64 `json:"f1" nullable:"true" doc:"Null if no test row is of the class."`
	// ROCAUC and AveragePrecision are nil in old reports, if the class has no curve, and if no row or
	// every row is of the class.
	ROCAUC           *float64 `json:"rocAuc,omitempty" doc:"Area under the ROC curve of the class against the others."`
	AveragePrecision *float64 `json:"averagePrecision,omitempty" doc:"Area under the precision–recall curve of the class."`
	// Intervals is nil in old reports.
	Intervals map[string]Interval `json:"intervals,omitempty" doc:"95 % confidence intervals of precision, recall, f1, rocAuc and averagePrecision."`
}

// ClassCurve shows how well the probability of one class separates the class from the other
// classes, on test rows.
type ClassCurve struct {
	Label       string           `json:"label"`
	Positives   int64            `json:"positives" doc:"Number of test rows of the class."`
	Negatives   int64            `json:"negatives" doc:"Number of test rows of other classes."`
	Points      []CurvePoint     `json:"points" doc:"At most 100 points of both curves, in descending order of threshold. Both curves start at recall 0."`
	Reliability []ReliabilityBin `json:"reliability" doc:"Test rows in ten bins by the probability of the class."`
}

// CurvePoint has the scores of a classifier that predicts a class if its probability is at least
// Threshold.
type CurvePoint struct {
	Threshold         float64 `json:"threshold" doc:"Rows with at least this probability are predicted as the class."`
	TruePositives     int64   `json:"truePositives"`
	FalsePositives    int64   `json:"falsePositives"`
	Precision         float64 `json:"precision" doc:"Fraction of the rows predicted as the class that are of this class."`
	Recall            float64 `json:"recall" doc:"Fraction of the rows of the class that are predicted as the class, the true positive rate; 0 if no row is of the class."`
	FalsePositiveRate float64 `json:"falsePositiveRate" doc:"Fraction of the rows of other classes that are predicted as the class; 0 if there are no such rows."`
}

// ReliabilityBin compares the mean of the predicted probabilities from Low to High with the observed
// frequency of the class.
type ReliabilityBin struct {
	Low  float64 `json:"low"`
	High float64 `json:"high" doc:"Upper end of the bin. A probability of exactly this value is in the next bin, or in the last bin if it is 1."`
	Rows int64   `json:"rows"`
	// Predicted, Observed and Interval are nil without rows.
	Predicted *float64  `json:"predicted,omitempty" doc:"Mean predicted probability of the rows."`
	Observed  *float64  `json:"observed,omitempty" doc:"Fraction of the rows whose true class is the class of these probabilities."`
	Interval  *Interval `json:"interval,omitempty" doc:"95 % confidence interval of observed."`
}

// Importance is the permutation importance of a column.
type Importance struct {
	Column     string  `json:"column"`
	Importance float64 `json:"importance" doc:"How much the metric, or importanceMetric, drops when the column is shuffled, the mean of up to three shuffles."`
	// Interval is nil in old reports.
	Interval *Interval `json:"interval,omitempty" doc:"95 % confidence interval of the importance."`
}

// PartialDependence shows how the mean prediction depends on one column.
type PartialDependence struct {
	Column string                   `json:"column"`
	Points []PartialDependencePoint `json:"points" doc:"At most 20 values: quantiles of a column of numbers or dates, or the most frequent texts."`
}

// PartialDependencePoint has the mean of the predicted probabilities over all rows, after a column
// was set to the same value in every row.
type PartialDependencePoint struct {
	Value string `json:"value" doc:"The number, date or text."`
	// Number is nil for a text.
	Number        *float64  `json:"number,omitempty" doc:"The number, or the days since 1 January 1970 of a date; absent for a text."`
	Rows          int64     `json:"rows" doc:"Number of rows with the value, among up to 1000 validation rows."`
	Probabilities []float64 `json:"probabilities" doc:"Mean probability of each class of curveClasses."`
}

// Interaction measures how much the effect of one column on the mean prediction depends on the value
// of another column.
type Interaction struct {
	Columns  []string `json:"columns" doc:"The two columns."`
	Class    string   `json:"class" doc:"The class for whose probability the two columns interact most."`
	Strength float64  `json:"strength" doc:"How much the two columns interact, as a standard deviation. The mean probability of the class is divided into the sum of one effect for each column and a rest. strength is the standard deviation of the rest."`
	Share    float64  `json:"share" doc:"Variance of the rest (see strength) divided by the variance of the mean probability, from 0 to 1. This is the statistic H² of Friedman and Popescu."`
	// Values holds two lists. The first has the values of the first column, one for each row of
	// Probabilities. The second has the values of the second column, one for each column of
	// Probabilities.
	Values        [][]string  `json:"values" doc:"At most six values of the first column, and at most six of the second."`
	Probabilities [][]float64 `json:"probabilities" doc:"A matrix with a row for each value of the first column in values, and a column for each value of the second. A cell is the mean probability of the class if all rows of the table had these two values."`
}

// AlgorithmReport describes how one algorithm of the race ended.
type AlgorithmReport struct {
	Algorithm     string `json:"algorithm"`
	AlgorithmName string `json:"algorithmName,omitempty" doc:"Kind of algorithm, such as neural network."`
	Status        string `json:"status"`
	Outcome       string `json:"outcome,omitempty" doc:"How the algorithm ended. The values are those of the member outcome of a training job."`
	// Performance and LogLoss are nil if the algorithm was never scored.
	Performance *float64  `json:"performance" doc:"Performance of the selected step on validation rows; null if none exists."`
	LogLoss     *float64  `json:"logLoss" doc:"Log loss of the selected step on validation rows. If the algorithms were compared by log loss, it is the log loss after calibration."`
	Interval    *Interval `json:"interval,omitempty" doc:"95 % confidence interval of the performance; absent if unknown."`
	Curve       []float64 `json:"curve" doc:"Every validation score, oldest first; null with summary=true."`
	// Seconds is nil in reports of earlier versions.
	Seconds []float64 `json:"seconds,omitempty" doc:"The times of the scores in curve, in seconds since the machine that trained the algorithm began to work on the race."`
}
