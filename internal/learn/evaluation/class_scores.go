package evaluation

import (
	"cmp"
	"context"
	"math"
	"slices"

	"foretell/internal/learn/metric"
)

// ClassCurve shows how well the probability of a class separates the test rows of this class from
// the test rows of the other classes.
type ClassCurve struct {
	Label string
	// Curve holds at most 100 operating points, from which the ROC curve and the
	// precision–recall curve are drawn.
	metric.Curve
	// Reliability compares the probability of the class with the fraction of rows that
	// are of the class, in ten bins.
	Reliability []metric.ReliabilityBin
}

// ClassScore holds the scores of one class against the other classes.
type ClassScore struct {
	Label string
	Rows  int
	// Recall and F1 are NaN if no row is of the class. Precision is NaN if no row is predicted as the class.
	Precision, Recall, F1 float64
	// ROCAUC and AveragePrecision are the areas under the ROC curve and the precision–recall curve.
	// They are NaN if they were not requested, or if no row, or every row, is of the class.
	ROCAUC, AveragePrecision float64
	// Intervals holds the 95 % confidence intervals by name: precision, recall,
	// f1, rocAuc and averagePrecision. Unknown intervals are absent.
	Intervals map[string]Interval
}

// Names of the scores of a class in ClassScore.Intervals.
const (
	namePrecision        = "precision"
	nameRecall           = "recall"
	nameF1               = "f1"
	nameAveragePrecision = "averagePrecision"
)

// The largest numbers of classes with curves, and of points of a curve.
const (
	maxCurveClasses = 20
	maxCurvePoints  = 100
)

// MostFrequentClasses returns the classes whose curves are computed, ascending: all classes, or the
// maxCurveClasses classes with the most rows.
func (e *Evaluator) MostFrequentClasses() (classes []int) {
	classes = make([]int, len(e.ClassRows))
	for i := range classes {
		classes[i] = i
	}
	slices.SortStableFunc(classes, func(a, b int) int { return cmp.Compare(e.ClassRows[b], e.ClassRows[a]) })
	classes = classes[:min(len(classes), maxCurveClasses)]
	slices.Sort(classes)
	return classes
}

// NewClassCurves returns the curves of the given classes, except classes with no row or every row of p.
// labels are the names of all classes. NewClassCurves returns an error only if ctx is cancelled.
func NewClassCurves(ctx context.Context, p metric.Predictions, labels []string, classes []int) ([]ClassCurve, error) {
	var curves []ClassCurve
	for _, class := range classes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if curve := metric.NewCurve(class, p, maxCurvePoints); curve.Positives > 0 && curve.Negatives > 0 {
			curves = append(curves, ClassCurve{labels[class], curve, metric.ClassReliability(class, p)})
		}
	}
	return curves, nil
}

// NewClassScores returns the scores of each class. labels are the names of the classes. The areas
// under the curves take long to compute, so they are computed only for the classes in ranked and
// are NaN for all others. NewClassScores returns an error only if ctx is cancelled.
func NewClassScores(ctx context.Context, p metric.Predictions, labels []string, ranked []int) ([]ClassScore, error) {
	var scores []ClassScore
	for c, s := range metric.PerClass(p) {
		score := ClassScore{
			Label: labels[c], Rows: s.Support, Precision: s.Precision, Recall: s.Recall, F1: s.F1,
			ROCAUC: math.NaN(), AveragePrecision: math.NaN(), Intervals: map[string]Interval{},
		}
		score.addInterval(namePrecision, s.PrecisionInterval)
		score.addInterval(nameRecall, s.RecallInterval)
		if s.Support == 0 { // the F1 is then 0 or NaN, and depends only on whether a row is predicted as the class
			score.F1 = math.NaN()
		} else {
			score.addInterval(nameF1, s.F1Interval)
		}
		scores = append(scores, score)
	}
	for _, c := range ranked {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		score := &scores[c]
		area, interval := metric.ClassROCAUC(c, p)
		score.ROCAUC = area
		score.addInterval(metric.NameROCAUC, interval)
		score.AveragePrecision = metric.AveragePrecision(c, p)
		interval, err := metric.AveragePrecisionInterval(ctx, c, p)
		if err != nil {
			return nil, err
		}
		score.addInterval(nameAveragePrecision, interval)
	}
	return scores, nil
}

func (s *ClassScore) addInterval(name string, interval Interval) {
	if interval.Known() {
		s.Intervals[name] = interval
	}
}
