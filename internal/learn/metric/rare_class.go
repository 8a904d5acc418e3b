package metric

import (
	"context"
	"math"
)

// The influences of rows underestimate the variance of a score of a class with few rows: if all of
// them are right, or if there is only one, the estimate is 0. The functions of this file estimate the
// variance as if a few more rows of the class had been half right, and return by how much the
// estimate increases. The increase is negligible if the class has many rows.

// smooth returns the proportion p of n rows after two right and two wrong rows are added (Agresti and
// Coull, The American Statistician 52, 1998).
func smooth(p, n float64) float64 { return (p*n + 2) / (n + 4) }

// recallExcess returns by how much the influences of rows underestimate the variance of the balanced
// accuracy.
func (counts classCounts) recallExcess(effective effectiveRows) float64 {
	sum, classes := 0.0, 0.0
	for c, n := range counts.actual {
		if n > 0 {
			sum += proportionExcess(ratio(counts.right[c], n), effective.of(c, n))
			classes++
		}
	}
	return sum / (classes * classes)
}

// f1Excess returns by how much the influences of rows underestimate the variance of the macro F1.
// The F1 of a class is computed from its Jaccard index J; see f1Interval.
func (counts classCounts) f1Excess(effective effectiveRows) float64 {
	sum, classes := 0.0, 0.0
	for c, actual := range counts.actual {
		if either := actual + counts.predicted[c] - counts.right[c]; either > 0 {
			j, n := ratio(counts.right[c], either), effective.of(c, either)
			slope := 2 / math.Pow(1+min(j, smooth(j, n)), 2) // of F1 = 2J/(1+J); it decreases with J
			sum += slope * slope * proportionExcess(j, n)
			classes++
		}
	}
	return sum / (classes * classes)
}

// proportionExcess returns by how much p(1−p)/n underestimates the variance of a proportion p of n rows.
func proportionExcess(p, n float64) float64 {
	smoothed := smooth(p, n)
	return (smoothed*(1-smoothed) - p*(1-p)) / n
}

// areaVariance returns the variance of the area under the ROC curve of a class with m rows, against n
// other rows (Hanley and McNeil, Radiology 143, 1982). It is the variance for exponential scores, in the
// form that treats both classes alike.
func areaVariance(area, m, n float64) float64 {
	half := (m+n)/2 - 1
	return area * (1 - area) * (1 + half*(1-area)/(2-area) + half*area/(1+area)) / (m * n)
}

// fewRows is the number of rows of a class for which an interval of its area under a curve depends
// as much on the formula for few rows as on the influences of the rows.
const fewRows = 20.0

// areaExcess returns by how much variance, which is computed from the influences of rows,
// underestimates the variance of the area under the ROC curve of a class with m rows, against n others.
func areaExcess(area, variance, m, n float64) float64 {
	few := min(m, n)
	smoothed := (area*few + 1) / (few + 2)
	return fewRows / (fewRows + few) * max(areaVariance(smoothed, m, n)-variance, 0)
}

// areaInterval returns the interval of the area under the ROC curve of a class with m rows, against n
// others: all areas that are at most Z95 of their own standard errors away (R. G. Newcombe,
// Statistics in Medicine 25, 2006, part 2, method 5). variance is the variance that is computed from
// the influences of rows. It is used instead of areaVariance if both m and n are large, and if it
// is larger.
func areaInterval(area, variance, m, n float64) Interval {
	scale, few := 1.0, min(m, n)
	if expected := areaVariance(area, m, n); expected > 0 && variance > 0 {
		scale = (few*variance/expected + fewRows*max(variance/expected, 1)) / (few + fewRows)
	}
	isInside := func(other float64) bool {
		return math.Abs(area-other) <= Z95*math.Sqrt(scale*areaVariance(other, m, n))
	}
	bound := func(outside float64) float64 {
		inside := area
		for range 50 {
			if middle := (inside + outside) / 2; isInside(middle) {
				inside = middle
			} else {
				outside = middle
			}
		}
		return inside
	}
	return Interval{bound(0), bound(1)}
}

// widenForRareClasses returns the interval of score, which is the mean of the average precisions of
// classes, after it is widened for the classes with few rows. A bootstrap sample of few rows of a class
// repeats them, so the differences between samples are too small. interval is that of the bootstrap.
//
// The average precision of a class with m rows is treated as a proportion of m rows (Boyd, Eng and
// Page, ECML PKDD 2013). The squared distances of the ends from the score are added, each with a
// weight that decreases with m. The result is undefined if ctx is cancelled.
func (p Predictions) widenForRareClasses(ctx context.Context, interval Interval, score float64, classes []int) Interval {
	const negligible = 1000 // rows of a class for which nothing is added
	rows, effective := newClassCounts(p).actual, p.effectiveRows(ctx)
	toLow, toHigh := score-interval.Low, interval.High-score
	low, high := toLow*toLow, toHigh*toHigh
	known := 0.0
	for _, c := range classes {
		known += math.Min(float64(rows[c]), 1)
	}
	for _, c := range classes {
		m := effective.of(c, rows[c])
		if m == 0 || m > negligible || ctx.Err() != nil {
			continue
		}
		precision := AveragePrecision(c, p)
		one, weight := wilson(precision, m), fewRows/(fewRows+m)/known
		toLow, toHigh = weight*(precision-one.Low), weight*(one.High-precision)
		low, high = low+toLow*toLow, high+toHigh*toHigh
	}
	return Interval{max(score-math.Sqrt(low), 0), min(score+math.Sqrt(high), 1)}
}

// effectiveRows converts numbers of rows to numbers of independent rows that are worth as much. The
// zero value is for rows that are independent.
type effectiveRows struct {
	// designEffect is by which factor the rows of a group count less than independent rows: the
	// variance of the accuracy by groups divided by that by rows (L. Kish, Survey Sampling, 1965).
	// It is at least 1.
	designEffect float64
	clusters     []int // by class: the number of clusters that have a row of the class
}

// effectiveRows returns the effectiveRows of p. If the variance of the accuracy by rows is 0, the
// designEffect is the mean number of rows of a cluster.
func (p Predictions) effectiveRows(ctx context.Context) effectiveRows {
	if p.Groups == nil {
		return effectiveRows{}
	}
	_, influence := p.influences(ctx, NameAccuracy)
	sums := newClusterSums(p)
	sums.addAll(influence)
	byGroups, clusters := sums.varianceAndReset()
	designEffect := float64(len(p.Labels)) / float64(max(clusters, 1))
	if byRows := sumSquares(influence); byRows > 0 {
		designEffect = max(byGroups/byRows, 1)
	}
	return effectiveRows{designEffect, p.clusterCounts().actual}
}

// of returns the effective number of n rows of a class or, if class is negative, of several classes. It
// is at least the number of clusters that have a row of the class, and at least 1 unless n is 0.
func (e effectiveRows) of(class, n int) float64 {
	switch {
	case n == 0 || e.clusters == nil:
		return float64(n)
	case class < 0:
		return max(float64(n)/e.designEffect, 1)
	}
	return max(float64(n)/e.designEffect, float64(e.clusters[class]), 1)
}
