package htmlreport

import (
	"cmp"
	"fmt"
	"slices"

	"foretell/internal/api"
	"foretell/internal/design"
)

// classRows holds the number of rows of each class by its label.
type classRows map[string]int64

// byFrequency returns the indexes of labels, ordered by the number of rows of the class, largest
// first. Classes with equally many rows keep their order.
func (rows classRows) byFrequency(labels []string) []int {
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rows[labels[b]], rows[labels[a]]) })
	return order
}

// maxShownClasses is the maximum number of curves in a plot that has one curve for each class. It
// is 4, because there are four styles of lines.
const maxShownClasses = 4

// mostFrequent returns the indexes of the classes to plot: the maxShownClasses classes with the
// most rows.
func (rows classRows) mostFrequent(labels []string) []int {
	return rows.byFrequency(labels)[:min(len(labels), maxShownClasses)]
}

// curvePlots holds the plots that are computed from the probabilities of test rows, and the tables
// for choosing a threshold.
type curvePlots struct {
	ROC, PrecisionRecall, Reliability *design.Plot
	// Thresholds has a table for each class with a curve.
	Thresholds []thresholdTable
	// Note says which classes the plots show. ThresholdNote says which classes have a table. They
	// are empty if all classes are shown.
	Note, ThresholdNote string
}

// thresholdTable lists, for several thresholds, the results of predicting a class if its
// probability is at least the threshold.
type thresholdTable struct {
	Label string
	Rows  []thresholdRow
	Costs []costRow
}

type thresholdRow struct {
	api.CurvePoint
	Predicted int64 // number of rows predicted as the class
}

// costRow is the cheapest threshold if a false negative costs Ratio times as much as a
// false positive.
type costRow struct {
	Ratio     string
	Threshold float64
	IsNever   bool // whether it is cheapest never to predict the class; Threshold is then 0
	// Missed is the number of false negatives. Wrong is the number of false positives.
	Missed, Wrong int64
	// Cost is the cost of all errors at this threshold. A false positive costs 1.
	Cost float64
}

func newCurvePlots(r *api.ModelReport, rows classRows) *curvePlots {
	if len(r.Curves) == 0 {
		return nil
	}
	labels := make([]string, len(r.Curves))
	for i, curve := range r.Curves {
		labels[i] = curve.Label
	}
	order := rows.byFrequency(labels)
	shown := rows.mostFrequent(labels)
	roc, precisionRecall, reliability := "ROC curve", "Precision and recall", "Reliability"
	isBinary := len(labels) == 2 && len(r.Classes) == 2 // otherwise, further classes have no curves
	if isBinary {
		slices.Reverse(order) // first is the rarer class, or the second class if both have equally many rows, as in prAuc
		shown = order[:1]
	}
	if len(shown) == 1 { // a plot with one curve has no legend
		label := labels[shown[0]]
		areaROC, areaPrecisionRecall := formatAreas(r, label)
		roc, precisionRecall = classPlotTitle(roc, label, areaROC), classPlotTitle(precisionRecall, label, areaPrecisionRecall)
		reliability = classPlotTitle(reliability, label, "")
	}
	c := &curvePlots{ThresholdNote: shownClassesNote(r, len(order))}
	if !isBinary {
		c.Note = shownClassesNote(r, len(shown))
	}
	for _, class := range order {
		c.Thresholds = append(c.Thresholds, newThresholdTable(r.Curves[class]))
	}
	lines := newClassLines(r, shown)
	axes := func(title, x, y string, diagonal bool) design.Axes {
		return design.Axes{Title: title, X: x, Y: y, MaxX: 1, MaxY: 1, Diagonal: diagonal, Square: true}
	}
	c.ROC = design.NewPlot(axes(roc, "false positive rate", "recall", true), lines.roc)
	c.PrecisionRecall = design.NewPlot(axes(precisionRecall, "recall", "precision", false), lines.precisionRecall)
	c.Reliability = design.NewPlot(axes(reliability, "predicted probability", "observed share", true), lines.reliability)
	return c
}

// shownClassesNote returns a sentence that says how many of the classes are shown. It returns "" if
// all are shown.
func shownClassesNote(r *api.ModelReport, shown int) string {
	all := max(len(r.Classes), len(r.CurveClasses), len(r.Curves))
	if shown >= all {
		return ""
	}
	return fmt.Sprintf("%d of %d classes: those with the most rows.", shown, all)
}

// classPlotTitle returns the title of a plot of one class, such as "ROC curve of yes, area 0.9312".
// The area may be empty.
func classPlotTitle(title, label, area string) string {
	title += " of " + api.AbbreviateValue(label)
	if area != "" {
		title += ", " + area
	}
	return title
}

// classLines are the curves of several classes, for three plots.
type classLines struct {
	roc, precisionRecall, reliability []design.Curve
}

func newClassLines(r *api.ModelReport, shown []int) classLines {
	var lines classLines
	for i, class := range shown {
		curve := r.Curves[class]
		line := design.Curve{Name: curve.Label, Style: i + 1}
		a, b, e := line, line, line
		for _, p := range curve.Points {
			a.Points = append(a.Points, design.Point{X: p.FalsePositiveRate, Y: p.Recall})
			b.Points = append(b.Points, design.Point{X: p.Recall, Y: p.Precision})
		}
		for _, bin := range curve.Reliability {
			if bin.Predicted != nil && bin.Observed != nil {
				e.Points = append(e.Points, design.Point{X: *bin.Predicted, Y: *bin.Observed})
			}
		}
		a.Note, b.Note = formatAreas(r, curve.Label)
		lines.roc, lines.precisionRecall, lines.reliability = append(lines.roc, a), append(lines.precisionRecall, b), append(lines.reliability, e)
	}
	return lines
}

// formatAreas returns the areas under the two curves of a class, for legends.
func formatAreas(r *api.ModelReport, label string) (roc, precisionRecall string) {
	for _, c := range r.Classes {
		if c.Label != label {
			continue
		}
		if c.ROCAUC != nil {
			roc = "area " + design.FormatScore(c.ROCAUC)
		}
		if c.AveragePrecision != nil {
			precisionRecall = "area " + design.FormatScore(c.AveragePrecision)
		}
	}
	return roc, precisionRecall
}

// maxThresholds is the maximum number of rows of a table of thresholds.
const maxThresholds = 12

func newThresholdTable(curve api.ClassCurve) thresholdTable {
	t := thresholdTable{Label: curve.Label}
	for _, p := range design.SampleEvenly(curve.Points, maxThresholds) {
		t.Rows = append(t.Rows, thresholdRow{CurvePoint: p, Predicted: p.TruePositives + p.FalsePositives})
	}
	for _, ratio := range []float64{0.1, 0.5, 1, 2, 10} {
		row := costRow{Ratio: fmt.Sprintf("%g ×", ratio), IsNever: true, Missed: curve.Positives, Cost: ratio * float64(curve.Positives)}
		for _, p := range curve.Points {
			missed := curve.Positives - p.TruePositives
			if cost := ratio*float64(missed) + float64(p.FalsePositives); cost <= row.Cost && (cost < row.Cost || row.IsNever) {
				row.IsNever = false
				row.Cost, row.Threshold, row.Missed, row.Wrong = cost, p.Threshold, missed, p.FalsePositives
			}
		}
		if len(curve.Points) > 0 {
			t.Costs = append(t.Costs, row)
		}
	}
	return t
}
