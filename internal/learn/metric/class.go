package metric

import "math"

// ClassScore holds the scores of one class against all other classes.
type ClassScore struct {
	// Precision is the fraction of the rows predicted as the class that are of the class, or NaN if
	// there are no such rows.
	Precision float64
	// Recall is the fraction of the rows of the class that are predicted as the
	// class, or NaN if there are no such rows.
	Recall float64
	// F1 is twice the number of correctly predicted rows of the class, divided by the number of
	// rows of the class plus the number of rows predicted as the class. It is NaN if both numbers
	// are 0. If Precision and Recall are positive, F1 is their harmonic mean.
	F1 float64
	// Support is the number of rows of the class.
	Support int
	// The intervals are computed from groups if the predictions have Groups. An interval
	// is unknown if no row contributes to the score.
	PrecisionInterval, RecallInterval, F1Interval Interval
}

// PerClass returns the scores of each class.
func PerClass(p Predictions) []ClassScore {
	counts := newClassCounts(p)
	scores := make([]ClassScore, p.Classes)
	for c := range scores {
		right, predicted, actual := counts.right[c], counts.predicted[c], counts.actual[c]
		scores[c] = ClassScore{
			Precision:         float64(right) / float64(predicted),
			Recall:            float64(right) / float64(actual),
			F1:                counts.f1(c),
			Support:           actual,
			PrecisionInterval: Wilson(right, predicted),
			RecallInterval:    Wilson(right, actual),
			F1Interval:        f1Interval(right, predicted+actual-right),
		}
	}
	if p.Groups != nil {
		setGroupIntervals(scores, p)
	}
	return scores
}

// BalancedAccuracy returns the mean recall of the classes that occur in
// Labels.
func BalancedAccuracy(p Predictions) float64 { return newClassCounts(p).balancedAccuracy() }

// MacroF1 returns the mean F1 of the classes that occur in Labels or are
// predicted.
func MacroF1(p Predictions) float64 { return newClassCounts(p).macroF1() }

// Confusion returns the confusion matrix: Classes × Classes row counts,
// row-major, one row per true class and one column per predicted class.
func Confusion(p Predictions) []int {
	n := make([]int, p.Classes*p.Classes)
	for i, label := range p.Labels {
		n[int(label)*p.Classes+Decide(p.row(i), p.Weights)]++
	}
	return n
}

// classCounts holds three numbers of rows for each class: the rows correctly predicted as the
// class, all rows predicted as the class, and the rows of the class.
type classCounts struct {
	right, predicted, actual []int
}

func emptyClassCounts(classes int) classCounts {
	return classCounts{make([]int, classes), make([]int, classes), make([]int, classes)}
}

func newClassCounts(p Predictions) classCounts {
	counts := emptyClassCounts(p.Classes)
	for i, label := range p.Labels {
		counts.add(int(label), Decide(p.row(i), p.Weights))
	}
	return counts
}

func (counts classCounts) add(label, decision int) {
	counts.predicted[decision]++
	if label < 0 {
		return // see Predictions.Labels
	}
	counts.actual[label]++
	if label == decision {
		counts.right[label]++
	}
}

// move updates the counts when the decision on one row, which has the given label, changes from one
// class to another.
func (counts classCounts) move(label, from, to int) {
	if from == to {
		return
	}
	counts.predicted[from]--
	counts.predicted[to]++
	switch label {
	case from:
		counts.right[label]--
	case to:
		counts.right[label]++
	}
}

func (counts classCounts) balancedAccuracy() float64 {
	sum, classes := 0.0, 0
	for c, n := range counts.actual {
		if n > 0 {
			sum += ratio(counts.right[c], n)
			classes++
		}
	}
	return meanOrNaN(sum, classes)
}

func (counts classCounts) macroF1() float64 {
	sum, classes := 0.0, 0
	for c, n := range counts.actual {
		if n+counts.predicted[c] > 0 {
			sum += ratio(2*counts.right[c], n+counts.predicted[c])
			classes++
		}
	}
	return meanOrNaN(sum, classes)
}

// f1 returns the F1 of a class. It returns NaN if the class has no rows and is never predicted.
func (counts classCounts) f1(class int) float64 {
	return float64(2*counts.right[class]) / float64(counts.actual[class]+counts.predicted[class])
}

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// meanOrNaN returns sum/n, or NaN if n is 0.
func meanOrNaN(sum float64, n int) float64 {
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}
