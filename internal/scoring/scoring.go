// Package scoring compares a file of predictions with a file of the true labels, called answers. It
// computes every metric with its 95 % interval, the metrics of each class, the confusion matrix, and
// the accuracy of always predicting the most frequent class.
//
// The predictions may come from any program. They are a CSV with a column of predicted
// labels and, optionally, a column probability_<class> for each class.
package scoring

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// Options select the columns. The zero value selects the defaults.
type Options struct {
	// ID is the name of the column that joins both files. In the predictions it defaults
	// to the first column. In the answers it defaults to the column with the same name or,
	// if the answers do not have it, to the first column.
	ID string
	// Label is the name of the column of the true labels. If it is "", the label is the first of
	// these columns that the answers have:
	//
	//   - the column named by ModelLabel
	//   - the column with the same name as the column of predicted labels in the predictions
	//   - the only column that the predictions do not have
	//   - the last column
	Label string
	// Prediction is the name of the column of the predicted labels. If it is "", this is the first
	// of these columns that the predictions have:
	//
	//   - the column named "prediction"
	//   - the column named by Label
	//   - the last column, if there are at most two
	//   - the only column after the first that the answers also have
	Prediction string
	// ModelLabel is the name of the label in the training file; empty if unknown.
	ModelLabel string
	// Classes are the classes of the model that made the predictions; nil if unknown.
	Classes []string
	// SecondClasses are the classes of the model that made the second predictions of Diff; nil
	// if unknown.
	SecondClasses []string
	// PRAUCClass is the class whose average precision is prAuc, if the model has two classes.
	// Defaults to the class with fewer rows in the answers. The default is also used if PRAUCClass
	// is not a class.
	PRAUCClass string
	// InOrder joins the rows by their order instead of by ID.
	InOrder bool
	// Partial leaves out the rows whose ID is in only one of the files. Otherwise such an ID is an
	// error.
	Partial bool
}

// MetricValue is a metric on the scored rows with its 95 % interval. Low and High are nil if
// there are too few rows for an interval.
type MetricValue struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	// Rows is the number of rows that the metric was computed from, if this is not the usual
	// number; otherwise Rows is 0. The usual number is Result.Rows or, for a metric of one class,
	// Class.Rows. Another number is set for a precision (the rows that were predicted as the
	// class), and if rows with unknown labels were left out.
	Rows int `json:"rows,omitempty"`
}

// Result holds the metrics of predictions.
type Result struct {
	Rows int `json:"rows"`
	// UnlabelledRows is the number of rows that were left out because they have no true label.
	UnlabelledRows int `json:"unlabelledRows,omitempty"`
	// UnansweredRows is the number of rows of the predictions without an answer, and
	// UnpredictedRows is the number of rows of the answers without a prediction. These rows were
	// left out because of Options.Partial.
	UnansweredRows  int `json:"unansweredRows,omitempty"`
	UnpredictedRows int `json:"unpredictedRows,omitempty"`
	// UnknownLabels is set if true labels are not classes of the model.
	UnknownLabels *UnknownLabels `json:"unknownLabels,omitempty"`
	// Label is the name of the column of the true labels.
	Label            string       `json:"label"`
	Accuracy         *MetricValue `json:"accuracy"`
	BalancedAccuracy *MetricValue `json:"balancedAccuracy"`
	MacroF1          *MetricValue `json:"macroF1"`
	// ROCAUC, PRAUC and LogLoss are nil if the predictions do not have the probabilities of all
	// classes. ROCAUC and PRAUC are also nil if all rows are of one class. One of two probabilities is sufficient, because the two sum to 1. PRAUC is
	// the average precision of PRAUCClass or, with more than two classes, the mean of the
	// average precisions of all classes.
	ROCAUC  *MetricValue `json:"rocAuc"`
	PRAUC   *MetricValue `json:"prAuc"`
	LogLoss *MetricValue `json:"logLoss"`
	// PRAUCClass is "" if PRAUC is nil or there are more than two classes.
	PRAUCClass string `json:"prAucClass,omitempty"`
	// IsPRAUCClassGiven is set if PRAUCClass is from Options.PRAUCClass. Otherwise it is the class with
	// fewer rows in the answers.
	IsPRAUCClassGiven bool `json:"-"`
	// WithoutProbability are the classes without a probability column, if this is why ROCAUC, PRAUC
	// and LogLoss were not computed. It is nil if they were computed, or if the predictions have no
	// probabilities at all.
	WithoutProbability []string `json:"-"`
	// UnequalSums is the number of rows whose probabilities of all classes do not sum to about 1.
	UnequalSums int      `json:"-"`
	Baseline    Baseline `json:"baseline"`
	Classes     []Class  `json:"classes"`
	// Confusion counts the rows by true class, then by predicted class. Both are in the order
	// of Classes.
	Confusion [][]int `json:"confusion"`
	// OrderReason is the reason for joining the rows by their order, as a clause. It is "" if they
	// were joined by their IDs or because of Options.InOrder.
	OrderReason string `json:"-"`
	// IDNumbers is not nil if the IDs were compared as numbers.
	IDNumbers IDNumbers `json:"-"`
	// TrainingOverlap is set if the scored rows contain rows that the model was trained on.
	TrainingOverlap *TrainingOverlap `json:"trainingOverlap,omitempty"`
}

// TrainingOverlap holds the number of rows in a sample of a model's training rows, and
// the number of these rows that are in a file. The sample may have all training rows.
type TrainingOverlap struct {
	Sample int64 `json:"sample"`
	Found  int64 `json:"found"`
}

// Caution returns a clause that warns that the score is better than it would be on new rows,
// because the model was trained on some rows of the file.
func (t *TrainingOverlap) Caution() string {
	share := fmt.Sprintf("%d of", t.Found)
	if t.Found == t.Sample {
		share = "all"
	}
	return fmt.Sprintf("the model was trained on rows of the blind file (%s %d checked training rows are in it), so the score would be lower on new rows", share, t.Sample)
}

// Baseline is the accuracy of always predicting Label, the most frequent class of the model.
type Baseline struct {
	Label    string  `json:"label"`
	Accuracy float64 `json:"accuracy"`
}

// Class holds the metrics of one class. Precision is nil if the class was never predicted,
// and Recall is nil if no row has the class. F1 is nil if both of them are nil.
type Class struct {
	Label     string       `json:"label"`
	Rows      int          `json:"rows"` // number of rows with this true class
	Precision *MetricValue `json:"precision"`
	Recall    *MetricValue `json:"recall"`
	F1        *MetricValue `json:"f1"`
	// ROCAUC and PRAUC are nil if the predictions do not have the probabilities of all classes,
	// if there are more than maxRankedClasses classes, or if no row, or every row, is of the class.
	ROCAUC *MetricValue `json:"rocAuc"`
	PRAUC  *MetricValue `json:"prAuc"`
}

// maxRankedClasses is the largest number of classes for which the areas under the curves of
// each class are computed.
const maxRankedClasses = 20

// Metric returns the value of the named metric, such as accuracy or f1[yes], or nil if it was
// not computed or the name is unknown.
func (r *Result) Metric(name string) *MetricValue {
	switch name {
	case metric.NameAccuracy:
		return r.Accuracy
	case metric.NameBalancedAccuracy:
		return r.BalancedAccuracy
	case metric.NameMacroF1:
		return r.MacroF1
	case metric.NameROCAUC:
		return r.ROCAUC
	case metric.NamePRAUC:
		return r.PRAUC
	case metric.NameLogLoss:
		return r.LogLoss
	}
	base, label := metric.SplitName(name)
	for _, c := range r.Classes {
		if c.Label == label && base != name {
			return map[string]*MetricValue{metric.NamePrecision: c.Precision, metric.NameRecall: c.Recall, metric.NameF1: c.F1, metric.NameROCAUC: c.ROCAUC, metric.NamePRAUC: c.PRAUC}[base]
		}
	}
	return nil
}

// Score compares predictions with answers, the true labels. Both must be CSV with commas and a header.
// A *Fault describes an error in a file.
func Score(ctx context.Context, predictions, answers io.Reader, opts Options) (*Result, error) {
	left, err := openTable(predictions, Predictions)
	if err != nil {
		return nil, err
	}
	right, err := openTable(answers, Answers)
	if err != nil {
		return nil, err
	}
	p, err := readPredictions(ctx, left, right.names, commonIDName(left.names, right.names), opts)
	if err != nil {
		return nil, err
	}
	a, err := readTrueLabels(ctx, right, p, opts)
	if err != nil {
		return nil, err
	}
	key, idNumbers := newIDNumbers(p.ids, a.ids)
	p.idKey, a.idKey = key, key
	unanswered, unpredicted := 0, 0
	if opts.Partial {
		if unanswered, unpredicted, err = dropUnmatched(p, a); err != nil {
			return nil, err
		}
	}
	order, err := joinRows(p.asJoinInput(Predictions, "the predictions"), a.asJoinInput(), partialHint)
	if err != nil {
		return nil, err
	}
	if err := orderFault(p.asJoinInput(Predictions, "the predictions"), a.asJoinInput(), order, p.orderReason); err != nil {
		return nil, err
	}
	setLabelKey(a.labels, p)
	unlabelled := p.dropUnlabelled(a, order)
	if len(p.labels) == 0 && unlabelled > 0 {
		return nil, a.noLabelFault()
	}
	r, err := p.scoreRows(ctx, a, opts.PRAUCClass)
	if err == nil {
		r.UnlabelledRows, r.UnansweredRows, r.UnpredictedRows, r.IDNumbers = unlabelled, unanswered, unpredicted, idNumbers
	}
	return r, err
}

// scoreRows computes the metrics. The answers must be in the order of the predictions, and p.key must
// be set. prAUCClass is Options.PRAUCClass.
func (p *predictions) scoreRows(ctx context.Context, a *answers, prAUCClass string) (*Result, error) {
	if len(p.labels) == 0 {
		return nil, &Fault{Message: "the files have no row to score"}
	}
	if err := checkLabels(Predictions, p, a); err != nil {
		return nil, err
	}
	classes, err := newClasses(p, a)
	if err != nil {
		return nil, err
	}
	known := p.knownClasses(classes)
	decided := p.decisions(a, known)
	r := &Result{
		Rows: len(p.labels), Label: a.label, OrderReason: p.orderReason,
		Accuracy:         computeMetric(ctx, metric.NameAccuracy, decided),
		BalancedAccuracy: computeMetric(ctx, metric.NameBalancedAccuracy, decided),
		MacroF1:          computeMetric(ctx, metric.NameMacroF1, decided),
	}
	all := decided
	if len(known.names) < len(classes.names) {
		all = p.decisions(a, classes)
	}
	r.UnknownLabels = newUnknownLabels(known, all)
	r.setClassMetrics(all)
	if len(p.classes) > 0 {
		weighed := metric.Predictions{Classes: len(known.names), Names: known.names}
		if weighed.Probabilities, r.WithoutProbability = p.allProbabilities(known); r.WithoutProbability == nil {
			r.UnequalSums = countUnequalSums(weighed.Probabilities, len(known.names))
			weighed.Probabilities, weighed.Labels = p.rowsOfKnownClasses(a, known, weighed.Probabilities)
			weighed.ClassRows, r.IsPRAUCClassGiven = prAUCClassRows(known, prAUCClass, weighed.Labels)
			r.setProbabilityMetrics(ctx, weighed)
		}
	}
	r.setRowsOfMetrics()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// countUnequalSums returns the number of rows whose probabilities, which are row-major, do not sum to
// about 1.
func countUnequalSums(probabilities []float32, classes int) (rows int) {
	const tolerance = 0.02 // programs round the probabilities to few digits
	for row := range slices.Chunk(probabilities, classes) {
		sum := 0.0
		for _, q := range row {
			sum += float64(q)
		}
		if math.Abs(sum-1) > tolerance*max(1, float64(classes)/10) {
			rows++
		}
	}
	return rows
}

// setProbabilityMetrics sets the metrics that are computed from probabilities, such as LogLoss. The
// metrics are undefined if ctx is cancelled.
func (r *Result) setProbabilityMetrics(ctx context.Context, p metric.Predictions) {
	r.ROCAUC = computeMetric(ctx, metric.NameROCAUC, p)
	r.PRAUC = computeMetric(ctx, metric.NamePRAUC, p)
	r.LogLoss = computeMetric(ctx, metric.NameLogLoss, p)
	if p.ClassRows != nil && r.PRAUC != nil {
		r.PRAUCClass = p.Names[slices.Index(p.ClassRows, 0)]
	}
	if len(p.Names) > maxRankedClasses {
		return
	}
	for i := range r.Classes {
		c := &r.Classes[i]
		if !slices.Contains(p.Names, c.Label) {
			continue // a label that is not a class of the model
		}
		c.ROCAUC = computeMetric(ctx, metric.NameROCAUC+"["+c.Label+"]", p)
		c.PRAUC = computeMetric(ctx, metric.NamePRAUC+"["+c.Label+"]", p)
	}
}

// setRowsOfMetrics sets MetricValue.Rows of the metrics that leave out the rows with unknown
// labels.
func (r *Result) setRowsOfMetrics() {
	if r.UnknownLabels == nil {
		return
	}
	for _, m := range []*MetricValue{r.BalancedAccuracy, r.ROCAUC, r.PRAUC, r.LogLoss} {
		if m != nil {
			m.Rows = r.Rows - r.UnknownLabels.Rows
		}
	}
}

// setClassMetrics sets the confusion matrix, the metrics of each class and the baseline.
// r.UnknownLabels must be set.
func (r *Result) setClassMetrics(p metric.Predictions) {
	confusion := metric.Confusion(p)
	most := -1
	predicted := make([]int, p.Classes) // the number of rows by predicted class
	for i, rows := range confusion {
		predicted[i%p.Classes] += rows
	}
	for c, score := range metric.PerClass(p) {
		r.Confusion = append(r.Confusion, confusion[c*p.Classes:(c+1)*p.Classes])
		r.Classes = append(r.Classes, Class{
			Label: p.Names[c], Rows: score.Support,
			Precision: metricValueOrNil(score.Precision, score.PrecisionInterval),
			Recall:    metricValueOrNil(score.Recall, score.RecallInterval),
			F1:        metricValueOrNil(score.F1, score.F1Interval),
		})
		if precision := r.Classes[c].Precision; precision != nil {
			precision.Rows = predicted[c]
		}
		isUnknown := r.UnknownLabels != nil && slices.Contains(r.UnknownLabels.Labels, p.Names[c])
		if score.Support > most && !isUnknown { // a model cannot predict an unknown label
			most = score.Support
			r.Baseline = Baseline{p.Names[c], float64(most) / float64(r.Rows)}
		}
	}
}

// computeMetric returns the value of a metric, or nil if the metric cannot be computed.
// The result is undefined if ctx is cancelled.
func computeMetric(ctx context.Context, name string, p metric.Predictions) *MetricValue {
	var value float64
	if name == metric.NameLogLoss {
		value = metric.LogLoss(p)
	} else {
		value, _ = metric.Score(ctx, name, p) // the name is known
	}
	interval, err := metric.ScoreInterval(ctx, name, p)
	if math.IsNaN(value) || err != nil {
		return nil
	}
	return newMetricValue(value, interval)
}

// metricValueOrNil returns a metric of one class with its interval. It returns nil if the interval
// is unknown, because no row contributes to the metric.
func metricValueOrNil(value float64, interval metric.Interval) *MetricValue {
	if !interval.Known() {
		return nil
	}
	return newMetricValue(value, interval)
}

func newMetricValue(value float64, interval metric.Interval) *MetricValue {
	f := &MetricValue{Value: value}
	if interval.Known() {
		f.Low, f.High = &interval.Low, &interval.High
	}
	return f
}
