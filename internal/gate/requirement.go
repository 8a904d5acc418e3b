// Package gate checks a model against requirements, and writes the results as text and for
// GitHub, GitLab and JUnit.
//
// The requirements apply to the metrics in the model's report that were computed on the test rows,
// on which no algorithm was trained.
package gate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"foretell/internal/api"
	"foretell/internal/humanize"
	"foretell/internal/learn/metric"
)

// The metrics of one class.
const (
	Precision = metric.NamePrecision
	Recall    = metric.NameRecall
	F1        = metric.NameF1
)

var classMetrics = []string{Precision, Recall, F1, api.MetricROCAUC, api.MetricPRAUC}

// metricNames returns the names of the metrics, separated by commas, for error messages.
func metricNames() string {
	names := api.RaceMetrics()
	for _, name := range classMetrics {
		names = append(names, name+"[CLASS]")
	}
	return strings.Join(names, ", ")
}

// Requirement is a bound on one metric of a model's report.
type Requirement struct {
	// Metric is the name of the metric. Class is the label of the class for a metric of one
	// class, and "" otherwise.
	Metric, Class string
	// Operator is >=, >, <= or <.
	Operator string
	Bound    float64
	text     string // as it was typed
}

var (
	requirementSyntax = regexp.MustCompile(`(?s)^\s*(\w+)\s*(\[(.*)\])?\s*(>=|<=|>|<)\s*([^\s<>=]+)\s*$`)
	comparisonChar    = regexp.MustCompile(`[<>=]`)
)

// ParseRequirement parses a requirement such as rocAuc>=0.9 or recall["very bad"]>0.5.
func ParseRequirement(text string) (*Requirement, error) {
	part := requirementSyntax.FindStringSubmatch(text)
	if part == nil {
		if !comparisonChar.MatchString(text) {
			return nil, fmt.Errorf("%q: the bound is missing; a requirement must be METRIC OP NUMBER, such as rocAuc>=0.9", text)
		}
		return nil, fmt.Errorf("%q: must be METRIC OP NUMBER, such as rocAuc>=0.9", text)
	}
	r := &Requirement{Metric: part[1], Operator: part[4], text: strings.TrimSpace(text)}
	ofClass, overall := slices.Contains(classMetrics, r.Metric), slices.Contains(api.RaceMetrics(), r.Metric)
	switch {
	case !ofClass && !overall:
		return nil, unknownMetricError(text, r.Metric)
	case !overall && part[2] == "":
		return nil, fmt.Errorf("%q: %s needs a class, as in %s[CLASS]", text, r.Metric, r.Metric)
	case !ofClass && part[2] != "":
		return nil, fmt.Errorf("%q: %s takes no class", text, r.Metric)
	}
	if r.Class = Unquote(strings.TrimSpace(part[3])); part[2] != "" && r.Class == "" {
		return nil, fmt.Errorf("%q: the class between the brackets is empty", text)
	}
	bound, err := strconv.ParseFloat(part[5], 64)
	if err != nil || math.IsNaN(bound) {
		return nil, fmt.Errorf("%q: %s is not a number", text, part[5])
	}
	if bound < 0 || bound > 1 && !api.IsLoss(r.Metric) {
		return nil, fmt.Errorf("%q: %s cannot be %s", text, r.Metric, part[5])
	}
	r.Bound = bound
	return r, nil
}

// unknownMetricError returns an error for an unknown metric in a requirement. The error lists the
// known metrics. If name is another name of a known metric, such as "auc" for rocAuc, the error
// suggests that metric.
func unknownMetricError(text, name string) error {
	if meant := api.MetricByAlias(name); meant != "" {
		return fmt.Errorf("%q: unknown metric %q: did you mean %s? Known metrics: %s", text, name, meant, metricNames())
	}
	return fmt.Errorf("%q: unknown metric %q; known metrics: %s", text, name, metricNames())
}

// Unquote removes a pair of quotes around the label of a class.
func Unquote(class string) string {
	if n := len(class); n > 1 && (class[0] == '"' || class[0] == '\'') && class[n-1] == class[0] {
		return class[1 : n-1]
	}
	return class
}

// CheckClass returns an error if the requirement is about one class, and this class is not in
// classes.
func (r *Requirement) CheckClass(classes []string) error {
	if r.Class == "" || slices.Contains(classes, r.Class) {
		return nil
	}
	return fmt.Errorf("%q: unknown class %q; known classes: %s", r.text, r.Class, humanize.List(classes, 20))
}

// Result is the result of one requirement.
type Result struct {
	Requirement string `json:"requirement"`
	Holds       bool   `json:"holds"`
	// Skipped reports whether the requirement was skipped, because there was no model to compare
	// with. Holds is then true.
	Skipped bool `json:"skipped,omitempty"`
	// Value is the model's metric on Rows test rows. It is nil if the metric is unknown.
	Value *float64 `json:"value,omitempty"`
	// Interval is the 95 % confidence interval of Value. It is nil if it is unknown.
	Interval *api.Interval `json:"interval,omitempty"`
	Rows     int64         `json:"rows"`
	// Baseline is the value of the metric for the model to beat, on BaselineRows test rows.
	Baseline     *float64 `json:"than,omitempty"`
	BaselineRows int64    `json:"thanRows,omitempty"`
	// Reason explains the result.
	Reason string `json:"reason"`
	// IsCautioned reports whether Reason says that Value is corrected or too good.
	IsCautioned bool `json:"-"`
}

// Evaluate compares the requirement with a model's report. If report is nil, because the service
// has no reports of models, the requirement is missed. It is also missed if all test rows are of
// one class, because a model that always predicts this class would meet it. The exception is a
// requirement on a recall.
func (r *Requirement) Evaluate(report *api.ModelReport) Result {
	v := Result{Requirement: r.text}
	if report == nil {
		v.Reason = "not measured: the service has no report"
		return v
	}
	if r.Metric != Recall && testsOneClass(report) {
		v.Reason = "not measured: " + oneClassReason
		return v
	}
	value, rows := r.measure(report)
	if v.Rows = rows; rows == 0 {
		v.Reason = "not measured: no test row of this class"
		switch {
		case r.Class == "" || report.Test == nil:
			v.Reason = "not measured: " + notMeasuredReason(report)
		case r.Metric == Precision:
			v.Reason = "not measured: no test row was predicted as this class"
		}
		return v
	}
	score := Score{Value: &value, Interval: r.interval(report), Rows: rows}
	note := r.correctForSingletons(&score, report)
	v = r.EvaluateScore(score)
	v.Reason += note
	v.IsCautioned = note != ""
	if !v.Holds && report.UsedRows > 0 {
		v.Reason += fewRowsNote(report, "the scored models")
	}
	return v
}

// fewRowsNote returns the end of a reason, such as "; the scored models were trained on at most
// 8,000 of 10,000 rows". models names the models in this text. Because of the few rows, the final
// model is probably better than its scores.
func fewRowsNote(report *api.ModelReport, models string) string {
	return fmt.Sprintf("; %s were trained on at most %s of %s rows", models, humanize.Comma(report.UsedRows), humanize.Comma(report.Rows))
}

// MetricName returns the name of the metric, such as rocAuc or recall[yes].
func (r *Requirement) MetricName() string {
	if r.Class == "" {
		return r.Metric
	}
	return r.Metric + "[" + r.Class + "]"
}

// measure returns the value of the metric in a report, and the number of rows with which it was
// computed. The number is 0 if the report does not have the metric.
func (r *Requirement) measure(report *api.ModelReport) (value float64, rows int64) {
	if r.Class == "" {
		value, known := report.Test.Value(r.Metric)
		if !known {
			return 0, 0
		}
		return value, report.TestRows
	}
	for i, c := range report.Classes {
		if c.Label != r.Class {
			continue
		}
		value, known := classScore(&c, r.Metric)
		switch {
		case !known:
			continue
		case r.Metric == Precision && len(report.Confusion) == len(report.Classes):
			return value, predictedRows(report, i)
		}
		return value, c.Rows
	}
	return 0, 0
}

// predictedRows returns the number of test rows that were predicted as a class.
func predictedRows(report *api.ModelReport, class int) (rows int64) {
	for _, byPrediction := range report.Confusion {
		rows += byPrediction[class]
	}
	return rows
}

// classScore returns a metric of one class. The result known is false if the report does not
// have the metric.
func classScore(c *api.ClassReport, name string) (value float64, known bool) {
	var score *float64
	switch name {
	case Precision:
		score = c.Precision
	case Recall:
		score = c.Recall
	case F1:
		score = c.F1
	case api.MetricROCAUC:
		score = c.ROCAUC
	case api.MetricPRAUC:
		score = c.AveragePrecision
	}
	if score == nil {
		return 0, false
	}
	return *score, true
}

// TestScore returns the value of a metric on the test rows, and its 95 % confidence interval, which
// is nil if it is unknown. name may be a metric of one class, such as f1[yes]. If report
// does not have the metric or is nil, known is false.
func TestScore(report *api.ModelReport, name string) (value float64, interval *api.Interval, known bool) {
	if report == nil || report.TestRows == 0 {
		return 0, nil, false
	}
	if value, known = report.Test.Value(name); known {
		return value, report.Test.Interval(name), true
	}
	r := &Requirement{}
	if r.Metric, r.Class = metric.SplitName(name); r.Class == "" {
		return 0, nil, false
	}
	value, rows := r.measure(report)
	return value, r.interval(report), rows > 0
}

// interval returns the 95 % confidence interval of the metric, or nil if it is unknown. Old reports
// have no intervals of classes. For these, the intervals of recall and precision are computed from
// the confusion matrix: recall is the fraction of correct predictions in the row of the class, and
// precision the fraction in its column.
func (r *Requirement) interval(report *api.ModelReport) *api.Interval {
	if r.Class == "" {
		return report.Test.Interval(r.Metric)
	}
	i := slices.IndexFunc(report.Classes, func(c api.ClassReport) bool { return c.Label == r.Class })
	if i < 0 {
		return nil
	}
	if intervals := report.Classes[i].Intervals; intervals != nil {
		name := r.Metric
		if name == api.MetricPRAUC {
			name = "averagePrecision"
		}
		if interval, known := intervals[name]; known {
			return &interval
		}
		return nil
	}
	if len(report.Confusion) != len(report.Classes) || r.Metric != Precision && r.Metric != Recall {
		return nil
	}
	rows := predictedRows(report, i)
	if r.Metric == Recall {
		rows = report.Classes[i].Rows
	}
	interval := metric.Wilson(int(report.Confusion[i][i]), int(rows))
	if !interval.Known() {
		return nil
	}
	return &api.Interval{Low: interval.Low, High: interval.High}
}

// notMeasuredReason returns the reason why a report has no value of a metric on the test rows.
func notMeasuredReason(report *api.ModelReport) string {
	if why := report.TestMissingReason(); why != "" {
		return why
	}
	return oneClassReason
}

const oneClassReason = "the test rows are all of one class"

// testsOneClass reports whether all test rows of a report are of one class.
func testsOneClass(report *api.ModelReport) bool {
	return report.TestRows > 0 && slices.ContainsFunc(report.Classes, func(c api.ClassReport) bool { return c.Rows == report.TestRows })
}

func (r *Requirement) isMet(value float64) bool {
	switch r.Operator {
	case ">=":
		return value >= r.Bound
	case ">":
		return value > r.Bound
	case "<=":
		return value <= r.Bound
	}
	return value < r.Bound
}

// Compare checks the requirement that a model is better than a baseline, by the metric of the
// model's race. baseline is the report of the baseline, and baselineName is what messages call it.
// The requirement is missed if both models have the same score, if a report is nil, or if all test
// rows of a report are of one class.
func Compare(report, baseline *api.ModelReport, baselineName string) Result {
	v := Result{Requirement: "beat " + baselineName}
	if report == nil || baseline == nil {
		v.Reason = "not measured: the service has no report"
		return v
	}
	value, interval, known := TestScore(report, report.Metric)
	than, _, otherKnown := TestScore(baseline, report.Metric)
	v.Rows, v.BaselineRows = report.TestRows, baseline.TestRows
	switch {
	case !known || v.Rows == 0 || testsOneClass(report):
		v.Reason = "not measured: " + notMeasuredReason(report)
		return v
	case !otherKnown || v.BaselineRows == 0 || testsOneClass(baseline):
		v.Reason = "the other model was not measured: " + notMeasuredReason(baseline)
		return v
	}
	v.Value, v.Baseline, v.Holds = &value, &than, value > than
	if api.IsLoss(report.Metric) {
		v.Holds = value < than
	}
	v.Interval = interval
	word := "better than"
	switch {
	case value == than:
		word = "missed: a tie with"
	case !v.Holds:
		word = "missed: worse than"
	}
	v.Reason = fmt.Sprintf("%s %s %s on %s", word, report.Metric, formatDistinctly(than, value), humanize.Count(v.BaselineRows, "row"))
	switch { // if the scored models of both were trained on few rows, the scores can be compared
	case !v.Holds && report.UsedRows > 0 && baseline.UsedRows == 0:
		v.Reason += fewRowsNote(report, "the scored models")
	case v.Holds && baseline.UsedRows > 0 && report.UsedRows == 0:
		v.Reason += fewRowsNote(baseline, "the scored models of the other model")
	}
	return v
}

// SkippedResult returns the result of a comparison that was skipped because there is no baseline.
// why is the reason.
func SkippedResult(baselineName, why string) Result {
	return Result{Requirement: "beat " + baselineName, Holds: true, Skipped: true, Reason: "holds: " + why}
}

// formatDistinctly formats value with four decimals, or with as many more as are necessary to show
// that it differs from the number other.
func formatDistinctly(value, other float64) string {
	for digits := 4; digits < 17; digits++ {
		text := strconv.FormatFloat(value, 'f', digits, 64)
		if value == other || text != strconv.FormatFloat(other, 'f', digits, 64) {
			return text
		}
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}
