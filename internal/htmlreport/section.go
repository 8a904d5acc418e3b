package htmlreport

import (
	"strings"
	"time"

	"foretell/internal/api"
	"foretell/internal/design"
	"foretell/internal/report"
)

// metricRow holds the values of a metric on each set of rows, with their intervals.
type metricRow struct {
	// Class is the class that Hint is about. It is empty if the metric is about all classes.
	Name, Hint, Class          string
	Test, Validation, Training string
	TestInterval               *api.Interval
	ValidationInterval         *api.Interval
	BaselineTest               string
	BaselineValidation         string
}

// metricHints explain the metrics of the table of scores.
var metricHints = map[string]string{
	api.MetricAccuracy:         "share of rows with the right class",
	api.MetricBalancedAccuracy: "mean recall of the classes",
	api.MetricMacroF1:          "mean F1 of the classes",
	api.MetricROCAUC:           "chance that a row of a class gets a higher probability of this class than a row of another class",
	api.MetricPRAUC:            "average precision of the rarer class; with more than two classes, the mean over all",
	api.MetricLogLoss:          "mean of −ln of the probability of the right class; smaller is better",
	api.MetricBrier:            "squared error of the probabilities; smaller is better",
	api.MetricCalibrationError: "mean difference between the highest probability and the share of right predictions; smaller is better",
}

func metricRows(d *api.Dataset, r *api.ModelReport) []metricRow {
	format := func(s *api.Scores, name string) string {
		value, known := s.Value(name)
		if !known {
			return "–"
		}
		return design.FormatScore(value)
	}
	var rows []metricRow
	names := api.ReportMetrics()
	if strings.Contains(r.Metric, "[") {
		names = append(names, r.Metric)
	}
	for _, name := range names {
		hint, class := metricHints[name], ""
		if strings.Contains(name, "[") {
			hint = "the metric of the race, for this class"
		}
		if name == api.MetricPRAUC {
			class = r.PRAUCClass()
		}
		if class != "" {
			hint = "average precision of one class"
			if report.IsRarestClass(d, r, class) {
				hint = "average precision of the class with fewer rows"
			}
		}
		row := metricRow{
			Name: name, Hint: hint, Class: class, Test: format(r.Test, name), Validation: format(r.Validation, name), Training: format(r.Training, name),
			TestInterval: r.Test.Interval(name), ValidationInterval: r.Validation.Interval(name),
		}
		if row.Test == "–" && row.Validation == "–" {
			continue
		}
		if b := r.Baseline; b != nil {
			row.BaselineTest, row.BaselineValidation = format(b.Test, name), format(b.Validation, name)
		}
		rows = append(rows, row)
	}
	return rows
}

// confusionTable is the confusion matrix, with the shade of each cell. IsNumbered is set if the
// columns are too narrow for their labels. They then have the numbers of their classes instead.
type confusionTable struct {
	Labels     []string
	Rows       []confusionRow
	IsNumbered bool
}

type confusionRow struct {
	Number int // number of the class, from 1
	Label  string
	Cells  []confusionCell
}

// confusionCell has a number of rows, and a shade from 0 to 9 that increases with their
// fraction of the rows of the true class.
type confusionCell struct {
	Rows  int64
	Shade int
	Right bool // whether the predicted class is the true class
}

// maxConfusionClasses is the maximum number of classes of a confusion matrix. A larger
// matrix is omitted, because it is unreadable.
const maxConfusionClasses = 20

// maxNamedColumns is the maximum number of classes of a confusion matrix whose columns have labels.
// In a larger matrix they have numbers.
const maxNamedColumns = 6

func newConfusionTable(r *api.ModelReport) *confusionTable {
	n := len(r.Classes)
	if n == 0 || n > maxConfusionClasses || len(r.Confusion) != n {
		return nil
	}
	c := &confusionTable{IsNumbered: n > maxNamedColumns}
	for i, class := range r.Classes {
		c.Labels = append(c.Labels, class.Label)
		row, total := confusionRow{Number: i + 1, Label: class.Label}, int64(1)
		for _, count := range r.Confusion[i] {
			total += count
		}
		for j, count := range r.Confusion[i] {
			row.Cells = append(row.Cells, confusionCell{Rows: count, Shade: int(9 * count / total), Right: i == j})
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// importanceRow is the importance of a column with its picture.
type importanceRow struct {
	api.Importance
	Picture design.IntervalBar
}

// maxImportances is the maximum number of columns of the table of importances.
const maxImportances = 25

func importanceRows(r *api.ModelReport) (rows []importanceRow, omitted int) {
	low, high := 0.0, 1e-9
	shown := r.Importances[:min(len(r.Importances), maxImportances)]
	for _, i := range shown {
		low, high = min(low, i.Importance), max(high, i.Importance)
		if i.Interval != nil {
			low, high = min(low, i.Interval.Low), max(high, i.Interval.High)
		}
	}
	for _, i := range shown {
		rows = append(rows, importanceRow{Importance: i, Picture: design.NewIntervalBar(i.Importance, i.Interval, low, high)})
	}
	return rows, len(r.Importances) - len(shown)
}

// columnRow is a column of the dataset with the picture of its values.
type columnRow struct {
	api.Column
	MissingShare string
	Bars         []design.Bar
}

// maxColumns is the maximum number of columns of the dataset in a report.
const maxColumns = 40

func columnRows(d *api.Dataset) []columnRow {
	if d == nil {
		return nil
	}
	var rows []columnRow
	for _, c := range d.Columns[:min(len(d.Columns), maxColumns)] {
		rows = append(rows, columnRow{Column: c, MissingShare: design.FormatShare(c.Missing, d.Rows), Bars: design.DistributionBars(c.Distribution)})
	}
	return rows
}

// partialDependence shows how the prediction depends on a column: a plot for numbers, a table
// with bars for texts.
type partialDependence struct {
	Column string
	Plot   *design.Plot
	// Class is the class whose probabilities are in Values.
	Class  string
	Values []dependenceValue
}

type dependenceValue struct {
	Value       string
	Rows        int64
	Probability string
	Width       float64 // width of the bar, in percent
}

// maxDependences is the maximum number of columns whose dependence is shown.
const maxDependences = 6

func newPartialDependences(r *api.ModelReport, rows classRows) []partialDependence {
	shown := rows.mostFrequent(r.CurveClasses)
	if len(r.CurveClasses) == 2 {
		shown = []int{1} // the curve of the first class mirrors the curve of the second
	}
	if len(shown) == 0 {
		return nil
	}
	var list []partialDependence
	for _, p := range r.PartialDependence[:min(len(r.PartialDependence), maxDependences)] {
		d := partialDependence{Column: p.Column}
		if len(p.Points) > 1 && p.Points[0].Number != nil {
			var lines []design.Curve
			for style, class := range shown {
				line := design.Curve{Name: r.CurveClasses[class], Style: style + 1}
				for _, point := range p.Points {
					if point.Number != nil && class < len(point.Probabilities) {
						line.Points = append(line.Points, design.Point{X: *point.Number, Y: point.Probabilities[class]})
					}
				}
				lines = append(lines, line)
			}
			d.Plot = design.NewPlot(design.Axes{Title: p.Column, X: p.Column, IsDateX: isDate(&p.Points[0]), Y: "mean probability of " + shownClassName(r, shown)}, lines)
		} else {
			class := shown[0]
			d.Class = r.CurveClasses[class]
			for _, point := range p.Points {
				if class < len(point.Probabilities) {
					v := point.Probabilities[class]
					d.Values = append(d.Values, dependenceValue{Value: point.Value, Rows: point.Rows, Probability: design.FormatScore(v), Width: 100 * v})
				}
			}
		}
		list = append(list, d)
	}
	return list
}

// isDate reports whether the number of a point stands for a date: the Value of the point then begins
// with this date, such as 2026-11-29.
func isDate(point *api.PartialDependencePoint) bool {
	_, err := time.Parse(time.DateOnly, point.Value[:min(len(point.Value), len(time.DateOnly))])
	return err == nil
}

// shownClassName returns the name of the class whose probability a plot shows, or "each class" if
// the plot shows several classes.
func shownClassName(r *api.ModelReport, shown []int) string {
	if len(shown) == 1 {
		return api.AbbreviateValue(r.CurveClasses[shown[0]])
	}
	return "each class"
}
