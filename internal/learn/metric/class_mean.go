package metric

import (
	"context"
	"math"
)

// proportion is the score of one class, or the mean score of several classes. Its interval is
// computed as if it were a proportion of independent rows.
type proportion struct {
	classes  float64 // number of classes
	value    float64
	rows     float64 // number of rows; need not be an integer
	variance float64 // an estimate of the variance of value, which is too small if the class has few rows
}

// fewRows is the number of rows at which shrinkVarianceRatio weights the estimated and the assumed
// variance equally.
const fewRows = 20.0

// shrinkVarianceRatio corrects ratio, an estimated variance divided by an assumed variance. rows is
// the number of rows of the estimate. With few rows, the estimate may be far too small, so a ratio
// below 1 is moved towards 1: half-way if rows equals fewRows. A ratio above 1 is not changed.
func shrinkVarianceRatio(ratio, rows float64) float64 {
	return (rows*ratio + fewRows*max(ratio, 1)) / (rows + fewRows)
}

// newProportion returns a proportion with the given value and variance. Its number of rows is
// rows/ratio, so that a score with a larger variance counts as a proportion of fewer rows. ratio is
// variance divided by estimated·(1−estimated)/rows, the variance of a proportion of independent
// rows. If one of the two variances is 0, as for a score of 0 or 1, ratio is 1.
//
// variance is estimated from a sample of the rows, and estimated is the score on this sample. few
// is the number of rows that determines the accuracy of this estimate; if it is small,
// shrinkVarianceRatio corrects ratio.
func newProportion(value, estimated, variance, rows, few float64) proportion {
	ratio := 1.0
	if assumed := estimated * (1 - estimated) / rows; assumed > 0 && variance > 0 {
		ratio = variance / assumed
	}
	return proportion{1, value, rows / shrinkVarianceRatio(ratio, few), variance}
}

// classMean is a score that is the mean of the scores of classes.
type classMean struct {
	scores   []proportion
	variance float64 // an estimate of the variance of the mean, like the variances of the classes
	shared   float64 // mean number of classes whose scores depend on the same row
	// dependence limits varianceInflation if all variances are 0. The limit is dependence times the
	// largest possible inflation, which occurs if all scores fully depend on each other.
	dependence float64
}

// interval returns the interval of the mean by the score test: all values of the mean from which
// the score is at most Z95 standard errors away. Each value has its own standard error (A. Martín
// Andrés, M. Álvarez Hernández and I. Herranz Tejedor, Statistical Methods in Medical Research 20,
// 2011). For one class, this is the Wilson interval. If there are no classes, the interval is
// unknown.
func (m classMean) interval() Interval {
	if len(m.scores) == 0 {
		return unknownInterval
	}
	sum, limit := 0.0, Z95*Z95*m.varianceInflation()
	mirrored := make([]proportion, len(m.scores))
	for i, s := range m.scores {
		sum += s.classes * s.value
		mirrored[i] = proportion{classes: s.classes, value: 1 - s.value, rows: s.rows}
	}
	mean := sum / numClasses(m.scores)
	// Rounding must not exclude the score from its interval.
	return Interval{min(scoreTestLowerBound(m.scores, limit), mean), max(1-scoreTestLowerBound(mirrored, limit), mean)}
}

// numClasses returns the number of classes of all scores.
func numClasses(scores []proportion) (n float64) {
	for _, s := range scores {
		n += s.classes
	}
	return n
}

// varianceInflation returns the factor by which the dependence between the scores of the classes
// increases the variance of the mean. It is corrected for few rows by shrinkVarianceRatio. If all
// variances are 0, the factor is m.shared, limited as m.dependence describes.
func (m classMean) varianceInflation() float64 {
	n, sum, few, deviations, squares := numClasses(m.scores), 0.0, math.Inf(1), 0.0, 0.0
	for _, s := range m.scores {
		sum += s.classes * s.classes * s.variance
		few = min(few, s.rows)
		deviations += s.classes * math.Sqrt(s.classes/s.rows)
		squares += s.classes * s.classes / s.rows
	}
	if sum > 0 {
		return shrinkVarianceRatio(m.variance*n*n/sum, few)
	}
	return min(m.shared, m.dependence*deviations*deviations/squares)
}

// scoreTestLowerBound returns the lowest mean that the score test does not reject. The test rejects
// a mean if its squared distance from the mean of the classes, divided by the variance of the mean,
// exceeds limit.
func scoreTestLowerBound(scores []proportion, limit float64) float64 {
	low, high := 0.0, 1.0
	for statistic := 0.0; statistic < limit; high *= 2 {
		if _, statistic = constrainedMLE(scores, high); high > 1e18 {
			return 0 // all proportions are 0
		}
	}
	for range 60 {
		middle := (low + high) / 2
		if _, statistic := constrainedMLE(scores, middle); statistic < limit {
			low = middle
		} else {
			high = middle
		}
	}
	mean, _ := constrainedMLE(scores, low)
	return mean
}

// constrainedMLE computes the most likely proportions under the constraint that the classes have a
// certain mean. multiplier is the Lagrange multiplier of this constraint. constrainedMLE returns the
// mean, which decreases with multiplier, and the statistic that scoreTestLowerBound compares with
// limit.
//
// The most likely proportion p of k classes with value v solves
//
//	rows·(v − p) = multiplier·k·p·(1 − p)
//
// Its variance is p(1 − p)/(n − 1 + f) for n rows. The divisor is not n, because p is estimated
// from the same rows. f is the fraction of the variance of the mean that is due to this proportion:
// if f is 1, the constraint alone determines p, so no correction is needed. The divisor is at least
// n/2.
func constrainedMLE(scores []proportion, multiplier float64) (mean, statistic float64) {
	n, sum := numClasses(scores), 0.0
	variances := make([]float64, len(scores)) // of the sums over the classes
	for i, s := range scores {
		m := multiplier * s.classes
		b := s.rows + m
		p := 2 * s.rows * s.value / (b + math.Sqrt(max(b*b-4*m*s.rows*s.value, 0)))
		variances[i] = s.classes * s.classes * p * (1 - p) / s.rows
		mean += s.classes * p / n
		sum += variances[i]
	}
	if sum == 0 {
		return mean, 0
	}
	corrected := 0.0
	for i, s := range scores {
		corrected += variances[i] * s.rows / max(s.rows-1+variances[i]/sum, s.rows/2)
	}
	return mean, multiplier * multiplier * sum * sum / corrected
}

// classMean returns the balanced accuracy, the macro F1, or the mean ROC area, with the variances
// for its interval. If the score is unknown, the result has no classes. If ctx is cancelled, the
// result is undefined.
func (p Predictions) classMean(ctx context.Context, name string) classMean {
	effective, influence := p.effectiveRows(), make([]float64, len(p.Labels))
	m := classMean{shared: effective.overlap, dependence: 1}
	switch counts := newClassCounts(p); name {
	case NameBalancedAccuracy:
		var expected []float64
		m.scores, expected = counts.recalls(effective)
		counts.addRecallInfluence(influence, p, expected)
	case NameMacroF1:
		counts.addF1Influence(influence, p)
		m.scores = counts.f1s(effective)
		m.shared *= 2 // a wrong row decreases the F1 of its class and the F1 of its decision
		// For a class with an F1 of 1, f1s counts the rows twice, which halves the assumed
		// variance. A limit of up to 2 compensates for this if groups contain rows of several
		// classes.
		m.dependence = min(2, effective.overlap)
	case NameROCAUC:
		m.scores = addMeanAUCInfluence(ctx, influence, p, effective)
	}
	variance, clusters := p.newInfluenceVariance()(influence, p.Classes, p.stratumOfLabel)
	if m.variance = variance; p.Groups != nil && clusters < 2 {
		m.scores = nil
	}
	return m
}

// addRecallInfluence adds to dst the influence of each row on the balanced accuracy,
//
//	(right − recall) / (n · classes)
//
// right is 1 if the row is predicted correctly, and otherwise 0. recall is the expected recall of
// the row's class (see recalls), n is the number of rows of this class, and classes is the number
// of classes with rows.
func (counts classCounts) addRecallInfluence(dst []float64, p Predictions, expected []float64) {
	classes := 0.0
	for _, rows := range counts.actual {
		classes += math.Min(float64(rows), 1)
	}
	for i, label := range p.Labels {
		if label < 0 {
			continue // see Predictions.Labels
		}
		right := indicator(Decide(p.row(i), p.Weights) == int(label))
		dst[i] += (right - expected[label]) / (float64(counts.actual[label]) * classes)
	}
}

// recalls returns the recalls of the classes that have rows. The number of rows of each proportion
// is the effective number of rows of the class. The variance of a recall cannot be estimated from
// fewer than two effective rows, so classes with fewer are combined in one proportion, their mean
// recall. expected holds, by class, the recall of the class or this mean.
func (counts classCounts) recalls(effective effectiveRows) (recalls []proportion, expected []float64) {
	var small []int
	expected = make([]float64, len(counts.actual))
	mean, sum := 0.0, 0.0 // of the recalls, and of the effective rows, of small
	for c, n := range counts.actual {
		recall, rows := ratio(counts.right[c], n), effective.of(c, n)
		expected[c] = recall
		switch {
		case n > 0 && rows < 2:
			small, mean, sum = append(small, c), mean+recall, sum+rows
		case n > 0:
			recalls = append(recalls, proportion{1, recall, rows, recall * (1 - recall) / rows})
		}
	}
	if len(small) == 0 {
		return recalls, expected
	}
	mean /= float64(len(small))
	for _, c := range small {
		expected[c] = mean
	}
	return append(recalls, proportion{float64(len(small)), mean, sum, mean * (1 - mean) / sum}), expected
}

// f1s returns the F1 of the classes that have rows or are predicted. The F1 of a class is computed
// from its Jaccard index J; see f1Interval. The variance of the F1 is the variance of a proportion
// with (1+J)²/2 times as many rows as J has.
func (counts classCounts) f1s(effective effectiveRows) (f1s []proportion) {
	for c, actual := range counts.actual {
		if either := actual + counts.predicted[c] - counts.right[c]; either > 0 {
			j := ratio(counts.right[c], either)
			rows, f1 := effective.of(c, either)*(1+j)*(1+j)/2, 2*j/(1+j)
			f1s = append(f1s, proportion{1, f1, rows, f1 * (1 - f1) / rows})
		}
	}
	return f1s
}

// aucProportion returns the area under the ROC curve of a class with m rows, against n rows of
// other classes, as a proportion. variance is computed from the influences of rows. newProportion
// compares it with the variance of an area for exponentially distributed scores, in the form that
// treats both classes alike (Hanley and McNeil, Radiology 143, 1982).
func aucProportion(area, variance, m, n float64) proportion {
	half := (m+n)/2 - 1
	return newProportion(area, area, variance, m*n/(1+half*(1-area)/(2-area)+half*area/(1+area)), min(m, n))
}

// effectiveRows converts a number of rows to the number of independent rows with as much information.
type effectiveRows struct {
	// designEffect is the number of rows that count as one independent row, at least 1. It is the
	// variance of the accuracy computed from groups, divided by the variance computed from rows (L.
	// Kish, Survey Sampling, 1965).
	designEffect float64
	clusters     []int   // by class: the number of clusters that have a row of the class; nil if the rows are independent
	overlap      float64 // mean number of classes of a cluster
}

// effectiveRows returns the effectiveRows of p. If the variance of the accuracy computed from rows is
// 0, the designEffect is the mean number of rows of a cluster.
func (p Predictions) effectiveRows() effectiveRows {
	if p.Groups == nil {
		return effectiveRows{1, nil, 1}
	}
	_, influence := p.meanInfluences(NameAccuracy)
	byGroups, clusters := p.newInfluenceVariance()(influence, 1, oneStratum)
	designEffect := float64(len(p.Labels)) / float64(max(clusters, 1))
	if byRows := sumSquares(influence); byRows > 0 {
		designEffect = byGroups / byRows
	}
	ofClass, sum := p.clustersOfClasses(), 0
	for _, n := range ofClass {
		sum += n
	}
	return effectiveRows{designEffect, ofClass, float64(sum) / float64(max(clusters, 1))}
}

// of returns the number of independent rows with as much information as n rows of a class, or of
// several classes if class is negative. The result is at least the number of clusters with rows of
// the class and, unless n is 0, at least 1.
func (e effectiveRows) of(class, n int) float64 {
	switch {
	case n == 0 || e.clusters == nil:
		return float64(n)
	case class < 0:
		return max(float64(n)/e.designEffect, 1)
	}
	return max(float64(n)/e.designEffect, float64(e.clusters[class]), 1)
}
