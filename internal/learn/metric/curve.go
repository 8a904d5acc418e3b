package metric

import (
	"context"
	"math"
	"slices"
)

// OperatingPoint counts the decisions of a classifier that predicts a class if
// the probability of the class is at least Threshold.
type OperatingPoint struct {
	Threshold float64
	// TruePositives is the number of rows of the class that are predicted as the class.
	// FalsePositives is the number of other rows that are predicted as the class.
	TruePositives, FalsePositives int
}

// Curve holds the operating points of one class against the other classes. It is the data of the
// ROC curve and of the precision–recall curve.
type Curve struct {
	// Positives and Negatives are the numbers of rows that are, and are not, of
	// the class.
	Positives, Negatives int
	// Points are in descending order of Threshold. At the last point every row is
	// predicted as the class.
	Points []OperatingPoint
}

// NewCurve returns the curve of class with at most maxPoints points; maxPoints must be at least 2.
// If there are more distinct probabilities than points, the points are at about equal distances
// along the ROC curve.
func NewCurve(class int, p Predictions, maxPoints int) Curve {
	keys := make([]uint64, len(p.Labels))
	positives := p.setRankKeys(keys, class)
	curve := Curve{Positives: positives, Negatives: len(keys) - positives}
	at := OperatingPoint{}
	for i, key := range slices.Backward(keys) {
		at.TruePositives += int(key & 1)
		at.FalsePositives += int(1 - key&1)
		if i == 0 || keys[i-1]>>1 != key>>1 {
			at.Threshold = float64(math.Float32frombits(uint32(key >> 1)))
			curve.Points = append(curve.Points, at)
		}
	}
	curve.reducePoints(maxPoints)
	return curve
}

// reducePoints removes points until there are at most maxPoints. It keeps the first and
// the last.
func (c *Curve) reducePoints(maxPoints int) {
	if len(c.Points) <= maxPoints {
		return
	}
	distance := func(p OperatingPoint) float64 {
		return float64(p.TruePositives)/float64(max(c.Positives, 1)) + float64(p.FalsePositives)/float64(max(c.Negatives, 1))
	}
	first, last := c.Points[0], c.Points[len(c.Points)-1]
	step := (distance(last) - distance(first)) / float64(maxPoints-1)
	kept, next := []OperatingPoint{first}, distance(first)+step
	for _, p := range c.Points[1 : len(c.Points)-1] {
		if distance(p) >= next && len(kept) < maxPoints-1 {
			kept = append(kept, p)
			next = distance(p) + step
		}
	}
	c.Points = append(kept, last)
}

// AveragePrecision returns the mean of the precisions at the operating points of
// class, weighted by the increase of the recall. It is the area under the
// precision–recall curve without interpolation, as in scikit-learn, and NaN if
// no row, or every row, is of the class.
func AveragePrecision(class int, p Predictions) float64 {
	keys := make([]uint64, len(p.Labels))
	p.setRankKeys(keys, class)
	return averagePrecision(keys, nil, nil)
}

// averagePrecision returns the average precision of a class. keys is the result of setRankKeys for
// this class. The row of keys[i] is counted times[clusterOf[i]] times, as in a bootstrap sample, or
// once if clusterOf is nil. The result is NaN if no row of the class, or no other row, is counted.
func averagePrecision(keys []uint64, clusterOf []int32, times []float64) float64 {
	predicted, right, sum := 0.0, 0.0, 0.0
	for i := len(keys) - 1; i >= 0; {
		run := 0.0 // rows of the class in the current tie
		for value := keys[i] >> 1; i >= 0 && keys[i]>>1 == value; i-- {
			rows := 1.0
			if clusterOf != nil {
				rows = times[clusterOf[i]]
			}
			predicted += rows
			run += rows * float64(keys[i]&1)
		}
		if run > 0 {
			right += run
			sum += run * right / predicted
		}
	}
	if right == 0 || right == predicted {
		return math.NaN()
	}
	return sum / right
}

// precisionBias returns an estimate of how much averagePrecision exceeds the average precision of
// the population. keys is the result of setRankKeys for a class with rows. The average precision is
// a mean over the rows of the class. Each row contributes the precision among the rows that are at
// least as probable, including the row itself. If the row itself were left out, and the counts were
// Poisson distributed, this precision would be unbiased. With groups, the bias is underestimated,
// because rows of the same group have similar probabilities.
func precisionBias(keys []uint64) float64 {
	predicted, right, sum := 0.0, 0.0, 0.0
	for i := len(keys) - 1; i >= 0; {
		run := 0.0 // rows of the class in the current tie
		for value := keys[i] >> 1; i >= 0 && keys[i]>>1 == value; i-- {
			predicted++
			run += float64(keys[i] & 1)
		}
		if right += run; run > 0 && predicted > 1 {
			sum += run * (right/predicted - (right-1)/(predicted-1))
		}
	}
	return sum / right
}

// PRAUC returns the area under the precision–recall curve. With two classes, this is the average
// precision of the class with fewer rows, or of class 1 in a tie. With more classes, it is the mean
// of the average precisions of all classes that have rows. It is NaN if none of these classes has a
// row, or if all rows are of the same class. PRAUC returns an error only if ctx is cancelled.
func PRAUC(ctx context.Context, p Predictions) (float64, error) {
	average := p.prAUCClasses()
	ranks, err := newClassRanks(ctx, p, average[0], len(average))
	if err != nil {
		return 0, err
	}
	sum, classes := 0.0, 0
	for _, c := range average {
		if area := ranks.averagePrecision(c); !math.IsNaN(area) {
			sum += area
			classes++
		}
	}
	return meanOrNaN(sum, classes), nil
}

// prAUCClasses returns the classes whose average precisions PRAUC averages. They are consecutive.
func (p Predictions) prAUCClasses() []int {
	rows := p.ClassRows
	if rows == nil {
		rows = make([]int, p.Classes)
		for _, label := range p.Labels {
			rows[label]++
		}
	}
	if p.Classes == 2 {
		if rows[0] < rows[1] {
			return []int{0}
		}
		return []int{1}
	}
	classes := make([]int, p.Classes)
	for c := range classes {
		classes[c] = c
	}
	return classes
}

// ClassROCAUC returns the area under the ROC curve of class against the other classes, and the
// interval of this area. Both are NaN if no row, or every row, is of the class.
func ClassROCAUC(class int, p Predictions) (auc float64, interval Interval) {
	influence := make([]float64, len(p.Labels))
	r := newRanking(p)
	area := r.addAUCInfluence(influence, class)
	if math.IsNaN(area) {
		return math.NaN(), unknownInterval
	}
	variance, clusters := p.newInfluenceVariance()(influence, 2, p.stratumOfClass(class))
	if p.Groups != nil && clusters < 2 {
		return area, unknownInterval
	}
	effective := p.effectiveRows()
	m, n := effective.of(class, r.positives), effective.of(-1, len(r.rows)-r.positives)
	one := aucProportion(area, variance, m, n)
	return area, wilson(one.value, one.rows)
}
