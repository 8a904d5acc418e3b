package learn

import (
	"cmp"
	"context"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// ReliabilityBin describes the rows whose probability of a class is in one of ten
// intervals. It compares their mean probability with the fraction of these rows that are
// of the class.
type ReliabilityBin = metric.ReliabilityBin

// ClassCurve shows how well the probability of a class separates the test rows of this
// class from those of the other classes.
type ClassCurve struct {
	Label string
	// Curve holds at most 100 operating points, from which the ROC curve and the
	// precision–recall curve are drawn.
	metric.Curve
	// Reliability compares the probability of the class with the fraction of rows that
	// are of the class, in ten bins.
	Reliability []ReliabilityBin
}

// Names of the scores of a class in ClassScore.Intervals.
const (
	namePrecision        = "precision"
	nameRecall           = "recall"
	nameF1               = "f1"
	nameAveragePrecision = "averagePrecision"
)

// Limits of the curves.
const (
	maxCurveClasses = 20
	maxCurvePoints  = 100
)

// mostFrequentClasses returns the classes whose curves are in the report, ascending: all classes,
// or the maxCurveClasses classes with the most rows.
func (r *race) mostFrequentClasses() (classes []int) {
	counts := r.evaluator.classRows
	classes = make([]int, len(counts))
	for i := range classes {
		classes[i] = i
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	classes = classes[:min(len(classes), maxCurveClasses)]
	slices.Sort(classes)
	return classes
}

// addCurves adds the curves of the given classes to the report. The error is that of ctx.
func (r *Report) addCurves(ctx context.Context, p metric.Predictions, classes []int) error {
	r.Reliability = metric.ConfidenceReliability(p)
	for _, class := range classes {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.Curves = append(r.Curves, ClassCurve{
			Label: r.Classes[class].Label, Curve: metric.NewCurve(class, p, maxCurvePoints),
			Reliability: metric.ClassReliability(class, p),
		})
	}
	return nil
}

// addClasses adds the scores of each class and the confusion matrix to the report. labels
// are the names of the classes. To save time, the areas under curves are computed only
// for the classes in ranked. The error is that of ctx.
func (r *Report) addClasses(ctx context.Context, p metric.Predictions, labels []string, ranked []int) error {
	r.Confusion = slices.Collect(slices.Chunk(metric.Confusion(p), p.Classes))
	for c, s := range metric.PerClass(p) {
		score := ClassScore{
			Label: labels[c], Rows: s.Support, Precision: s.Precision, Recall: s.Recall, F1: s.F1,
			ROCAUC: math.NaN(), AveragePrecision: math.NaN(), Intervals: map[string]Interval{},
		}
		score.addInterval(namePrecision, s.PrecisionInterval)
		score.addInterval(nameRecall, s.RecallInterval)
		score.addInterval(nameF1, s.F1Interval)
		r.Classes = append(r.Classes, score)
	}
	for _, c := range ranked {
		if err := ctx.Err(); err != nil {
			return err
		}
		score := &r.Classes[c]
		area, interval := metric.ClassROCAUC(c, p)
		score.ROCAUC = area
		score.addInterval(metric.NameROCAUC, interval)
		score.AveragePrecision = metric.AveragePrecision(c, p)
		interval, err := metric.AveragePrecisionInterval(ctx, c, p)
		if err != nil {
			return err
		}
		score.addInterval(nameAveragePrecision, interval)
	}
	return nil
}

func (s *ClassScore) addInterval(name string, interval Interval) {
	if interval.Known() {
		s.Intervals[name] = interval
	}
}

// gatherLabels returns the labels of the given classes.
func gatherLabels(labels []string, classes []int) []string {
	picked := make([]string, len(classes))
	for i, class := range classes {
		picked[i] = labels[class]
	}
	return picked
}
