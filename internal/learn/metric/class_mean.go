package metric

import (
	"context"
	"math"
)

// proportion is the score of one class. Its interval is computed as for a proportion of independent
// rows.
type proportion struct {
	value    float64
	rows     float64 // number of rows; need not be an integer
	variance float64 // an estimate of the variance of value, which is too small if the class has few rows
}

// fewRows is the number of rows for which shrinkVarianceRatio weights an estimated and an assumed
// variance equally.
const fewRows = 20.0

// shrinkVarianceRatio corrects ratio, an estimated variance divided by an assumed variance. rows is
// the number of rows of the estimate. With few rows the estimate may be far too small, so a ratio
// below 1 is moved towards 1: half-way if rows is fewRows. A ratio above 1 does not change.
func shrinkVarianceRatio(ratio, rows float64) float64 {
	return (rows*ratio + fewRows*max(ratio, 1)) / (rows + fewRows)
}

// newProportion returns a proportion with the given value and variance. Its number of rows is
// rows/ratio. ratio is variance divided by estimated·(1−estimated)/rows, the variance of a
// proportion of independent rows. So a score that varies more counts as a proportion of fewer rows.
// ratio is 1 if one of the two variances is 0, as for a score of 0 or 1.
//
// variance is estimated from a sample of the rows, and estimated is the score on this sample.
// shrinkVarianceRatio(ratio, few) corrects ratio. few is the number of rows that limits how
// accurate variance is.
func newProportion(value, estimated, variance, rows, few float64) proportion {
	ratio := 1.0
	if assumed := estimated * (1 - estimated) / rows; assumed > 0 && variance > 0 {
		ratio = variance / assumed
	}
	return proportion{value, rows / shrinkVarianceRatio(ratio, few), variance}
}

// classMean is a score that is the mean of the scores of classes.
type classMean struct {
	classes  []proportion
	variance float64 // an estimate of the variance of the mean, like the variances of the classes
	shared   float64 // mean number of classes whose scores depend on the same row
	// dependence limits varianceInflation if all variances are 0. The limit is dependence times
	// the largest possible inflation: the inflation if all scores fully depend on each other.
	dependence float64
}

// mean returns the score, or NaN if there are no classes.
func (m classMean) mean() float64 {
	sum := 0.0
	for _, c := range m.classes {
		sum += c.value
	}
	return meanOrNaN(sum, len(m.classes))
}

// interval returns the interval of the mean by the score test: all values of the mean from which
// the score is at most Z95 standard errors away. Each value has its own standard error (A. Martín
// Andrés, M. Álvarez Hernández and I. Herranz Tejedor, Statistical Methods in Medical Research 20,
// 2011). For one class this is the Wilson interval. It is unknown if there are no classes.
func (m classMean) interval() Interval {
	if len(m.classes) == 0 {
		return unknownInterval
	}
	mean, limit := m.mean(), Z95*Z95*m.varianceInflation()
	mirrored := make([]proportion, len(m.classes))
	for i, c := range m.classes {
		mirrored[i] = proportion{value: 1 - c.value, rows: c.rows}
	}
	// Rounding must not exclude the score from its interval.
	return Interval{min(scoreTestLowerBound(m.classes, limit), mean), max(1-scoreTestLowerBound(mirrored, limit), mean)}
}

// varianceInflation returns the factor by which the dependence between the scores of the classes
// increases the variance of the mean. It is corrected for few rows by shrinkVarianceRatio. If all
// variances are 0, the factor is m.shared, limited as m.dependence describes.
func (m classMean) varianceInflation() float64 {
	n, sum, few, deviations, squares := float64(len(m.classes)), 0.0, math.Inf(1), 0.0, 0.0
	for _, c := range m.classes {
		sum += c.variance
		few = min(few, c.rows)
		deviations += 1 / math.Sqrt(c.rows)
		squares += 1 / c.rows
	}
	if sum > 0 {
		return shrinkVarianceRatio(m.variance*n*n/sum, few)
	}
	return min(m.shared, m.dependence*deviations*deviations/squares)
}

// scoreTestLowerBound returns the lowest mean that the score test does not reject. The test rejects
// a mean if its squared distance from the mean of classes, divided by the variance of the mean,
// exceeds limit.
func scoreTestLowerBound(classes []proportion, limit float64) float64 {
	low, high := 0.0, 1.0
	for statistic := 0.0; statistic < limit; high *= 2 {
		if _, statistic = constrainedMLE(classes, high); high > 1e18 {
			return 0 // all proportions are 0
		}
	}
	for range 60 {
		middle := (low + high) / 2
		if _, statistic := constrainedMLE(classes, middle); statistic < limit {
			low = middle
		} else {
			high = middle
		}
	}
	mean, _ := constrainedMLE(classes, low)
	return mean
}

// constrainedMLE computes the most likely proportions of the classes under the constraint that they
// have a certain mean. multiplier is the Lagrange multiplier of this constraint. constrainedMLE
// returns the mean, which decreases with multiplier, and the statistic that scoreTestLowerBound
// compares with limit.
//
// The most likely proportion p of a class with value v solves rows·(v − p) = multiplier·p·(1 − p).
// Its variance is p(1 − p)/(n − 1 + f) for n rows: n − 1 corrects that p is estimated from the same
// rows. f is the fraction of the variance of the mean that is due to the class. If f is 1, the
// constraint alone determines p and no correction is needed. The divisor is at least n/2.
func constrainedMLE(classes []proportion, multiplier float64) (mean, statistic float64) {
	n, sum := float64(len(classes)), 0.0
	variances := make([]float64, len(classes))
	for i, c := range classes {
		b := c.rows + multiplier
		p := 2 * c.rows * c.value / (b + math.Sqrt(max(b*b-4*multiplier*c.rows*c.value, 0)))
		variances[i] = p * (1 - p) / c.rows
		mean += p / n
		sum += variances[i]
	}
	if sum == 0 {
		return mean, 0
	}
	corrected := 0.0
	for i, c := range classes {
		corrected += variances[i] * c.rows / max(c.rows-1+variances[i]/sum, c.rows/2)
	}
	return mean, multiplier * multiplier * sum * sum / corrected
}

// classMean returns the balanced accuracy, the macro F1, or the mean ROC area, with the variances
// for its interval. The result has no classes if the score is unknown. It is undefined if ctx is
// cancelled.
func (p Predictions) classMean(ctx context.Context, name string) classMean {
	effective, influence := p.effectiveRows(), make([]float64, len(p.Labels))
	m := classMean{shared: effective.overlap, dependence: 1}
	switch counts := newClassCounts(p); name {
	case NameBalancedAccuracy:
		counts.addRecallInfluence(influence, p)
		m.classes = counts.recalls(effective)
	case NameMacroF1:
		counts.addF1Influence(influence, p)
		m.classes = counts.f1s(effective)
		m.shared *= 2 // a wrong row decreases the F1 of its class and the F1 of its decision
		// For a class with an F1 of 1, f1s counts the rows twice, which halves the assumed
		// variance. If groups have rows of several classes, a limit of up to 2 compensates for
		// this.
		m.dependence = min(2, effective.overlap)
	case NameROCAUC:
		m.classes = addMeanAUCInfluence(ctx, influence, p, effective)
	}
	variance, clusters := p.newInfluenceVariance()(influence)
	if m.variance = variance; p.Groups != nil && clusters < 2 {
		m.classes = nil
	}
	return m
}

// addRecallInfluence adds to dst the influence of each row on the balanced accuracy,
//
//	(right − recall) / (n · classes)
//
// right is 1 if the row is predicted correctly, and otherwise 0. recall and n are the recall and
// the number of rows of its class, and classes is the number of classes with rows.
func (counts classCounts) addRecallInfluence(dst []float64, p Predictions) {
	classes := 0.0
	for _, rows := range counts.actual {
		classes += math.Min(float64(rows), 1)
	}
	for i, label := range p.Labels {
		if label < 0 {
			continue // see Predictions.Labels
		}
		right := indicator(Decide(p.row(i), p.Weights) == int(label))
		rows := counts.actual[label]
		dst[i] += (right - ratio(counts.right[label], rows)) / (float64(rows) * classes)
	}
}

// recalls returns the recalls of the classes that have rows. The rows of each proportion are the
// effective number of rows of the class.
func (counts classCounts) recalls(effective effectiveRows) (recalls []proportion) {
	for c, n := range counts.actual {
		if n > 0 {
			rows := effective.of(c, n)
			recall := ratio(counts.right[c], n)
			recalls = append(recalls, proportion{recall, rows, recall * (1 - recall) / rows})
		}
	}
	return recalls
}

// f1s returns the F1 of the classes that have rows or are predicted. The F1 of a class is computed
// from its Jaccard index J; see f1Interval. The variance of the F1 is the variance of a proportion
// with (1+J)²/2 times as many rows as J has.
func (counts classCounts) f1s(effective effectiveRows) (f1s []proportion) {
	for c, actual := range counts.actual {
		if either := actual + counts.predicted[c] - counts.right[c]; either > 0 {
			j := ratio(counts.right[c], either)
			rows, f1 := effective.of(c, either)*(1+j)*(1+j)/2, 2*j/(1+j)
			f1s = append(f1s, proportion{f1, rows, f1 * (1 - f1) / rows})
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
	byGroups, clusters := p.newInfluenceVariance()(influence)
	designEffect := float64(len(p.Labels)) / float64(max(clusters, 1))
	if byRows := sumSquares(influence); byRows > 0 {
		designEffect = max(byGroups/byRows, 1)
	}
	ofClass, sum := p.clustersOfClasses(), 0
	for _, n := range ofClass {
		sum += n
	}
	return effectiveRows{designEffect, ofClass, float64(sum) / float64(max(clusters, 1))}
}

// of returns the number of independent rows with as much information as n rows of a class, or of
// several classes if class is negative. It is at least the number of clusters with rows of the
// class, and at least 1 unless n is 0.
func (e effectiveRows) of(class, n int) float64 {
	switch {
	case n == 0 || e.clusters == nil:
		return float64(n)
	case class < 0:
		return max(float64(n)/e.designEffect, 1)
	}
	return max(float64(n)/e.designEffect, float64(e.clusters[class]), 1)
}
