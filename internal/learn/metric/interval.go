package metric

import (
	"context"
	"math"
	"slices"
)

// Z95 is the 97.5 % quantile of the normal distribution: a 95 % confidence
// interval extends about Z95 standard errors to each side.
const Z95 = 1.959963984540054

// Interval is a 95 % confidence interval: on average, 95 of 100 intervals from
// samples of the same population contain the population's score. If there are too few rows, both
// ends are NaN.
type Interval struct {
	Low, High float64
}

// unknownInterval is returned if no interval can be computed, as for a score without rows.
var unknownInterval = Interval{math.NaN(), math.NaN()}

// Known reports whether both ends are numbers, not NaN.
func (i Interval) Known() bool { return !math.IsNaN(i.Low) && !math.IsNaN(i.High) }

// Wilson returns the interval of the proportion right/n by the score test (E. B. Wilson, JASA 22,
// 1927). The interval is unknown if n is 0.
func Wilson(right, n int) Interval {
	if n <= 0 {
		return unknownInterval
	}
	return wilson(float64(right)/float64(n), float64(n))
}

// wilson returns the Wilson interval of a proportion p of n rows. n need not be an integer.
func wilson(p, n float64) Interval {
	z2 := Z95 * Z95 / n
	middle := (p + z2/2) / (1 + z2)
	half := math.Sqrt(z2*(p*(1-p)+z2/4)) / (1 + z2)
	// Rounding must not exclude the score from its interval.
	return Interval{min(max(middle-half, 0), p), max(min(middle+half, 1), p)}
}

// f1Interval returns the interval of a class's F1. both is the number of rows that are of the class
// and also predicted as the class. either is the number of rows that are of the class or predicted
// as the class.
//
// The Jaccard index J = both/either is a proportion, and F1 = 2J/(1+J) increases with J. The ends
// of the interval of F1 are therefore computed from the ends of the interval of J.
func f1Interval(both, either int) Interval {
	j := Wilson(both, either)
	return Interval{2 * j.Low / (1 + j.Low), 2 * j.High / (1 + j.High)}
}

// ScoreInterval returns the interval of the named score of p. It is unknown if the score is NaN, if
// the name is unknown, or if the score is a mean over a single row. If ctx is cancelled,
// ScoreInterval returns an unknown interval and the error of ctx.
//
// The method depends on the score:
//
//   - accuracy: the Wilson interval
//   - log loss, Brier score: the normal approximation of a mean
//   - calibration error: 200 bootstrap samples; see calibrationErrorInterval
//   - others, which are means over classes: a score test; see classMean
//
// The score test needs variances of the scores. Those of ROC areas are computed from the influence
// of each row (DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988). Those of average precisions
// are computed from 200 bootstrap samples. If p has Groups, all intervals are computed from groups
// and are usually wider; see clusterSums.
func ScoreInterval(ctx context.Context, name string, p Predictions) (Interval, error) {
	interval := scoreInterval(ctx, name, p)
	if err := ctx.Err(); err != nil {
		return unknownInterval, err
	}
	return interval, nil
}

// scoreInterval returns the result of ScoreInterval. If ctx is cancelled, the result is
// undefined.
func scoreInterval(ctx context.Context, name string, p Predictions) Interval {
	if len(p.Labels) == 0 {
		return unknownInterval
	}
	base, class, known := p.parseMetricName(name)
	switch {
	case !known:
		return unknownInterval
	case class >= 0:
		return classInterval(ctx, base, class, p)
	}
	switch name {
	case NameBalancedAccuracy, NameMacroF1, NameROCAUC:
		return p.classMean(ctx, name).interval()
	case NamePRAUC:
		return meanPrecisionInterval(ctx, p.prAUCClasses(), p)
	case NameCalibrationError:
		return calibrationErrorInterval(ctx, p)
	case NameAccuracy, NameLogLoss, NameBrier:
		return rowMeanInterval(name, p)
	}
	return unknownInterval
}

// rowMeanInterval returns the interval of the accuracy, the log loss or the Brier score. These are means
// over rows.
func rowMeanInterval(name string, p Predictions) Interval {
	score, influence := p.meanInfluences(name)
	variance, clusters := p.newInfluenceVariance()(influence, 1, oneStratum)
	n := float64(clusters)
	switch {
	case name == NameAccuracy && p.Groups == nil:
		return wilson(score, n)
	case name == NameAccuracy:
		return clusterInterval(score, variance, n)
	case clusters < 2:
		return unknownInterval
	case p.Groups == nil:
		variance *= n / (n - 1)
	}
	half := Z95 * math.Sqrt(variance)
	return Interval{max(score-half, 0), score + half}
}

// PerformanceInterval returns the interval of the result of Score. For logLoss, this is the
// interval of [Likelihood]. For any other metric, it is the result of ScoreInterval.
func PerformanceInterval(ctx context.Context, name string, p Predictions) (Interval, error) {
	i, err := ScoreInterval(ctx, name, p)
	if name == NameLogLoss {
		return Interval{Likelihood(i.High), Likelihood(i.Low)}, err
	}
	return i, err
}

// classInterval returns the interval of the metric base for one class. base is the name of the
// metric without the class, such as "f1". The result is undefined if ctx is cancelled.
func classInterval(ctx context.Context, base string, class int, p Predictions) Interval {
	switch base {
	case NameROCAUC:
		_, interval := ClassROCAUC(class, p)
		return interval
	case NamePRAUC:
		return meanPrecisionInterval(ctx, []int{class}, p)
	}
	return PerClass(p)[class].F1Interval
}

// addF1Influence adds to dst the influence of each row on the macro F1. The influence of a row on the
// F1 of one class, with the Iverson bracket (1 if true, else 0), is
//
//	(2·[right] − F1·([predicted]+[actual])) / (predicted+actual)
//
// because F1 = 2·right/(predicted+actual). The influence is 0 unless the class is the label or the
// decision of the row.
func (counts classCounts) addF1Influence(dst []float64, p Predictions) {
	f1, weight := make([]float64, p.Classes), make([]float64, p.Classes)
	classes := 0.0
	for c := range f1 {
		if n := counts.predicted[c] + counts.actual[c]; n > 0 {
			f1[c], weight[c] = ratio(2*counts.right[c], n), 1/float64(n)
			classes++
		}
	}
	for i, label := range p.Labels {
		actual, predicted := int(label), Decide(p.row(i), p.Weights)
		influence := 0.0
		switch {
		case actual < 0: // see Predictions.Labels
			influence = -f1[predicted] * weight[predicted]
		case actual != predicted:
			influence = -f1[actual]*weight[actual] - f1[predicted]*weight[predicted]
		default:
			influence = 2 * (1 - f1[actual]) * weight[actual]
		}
		dst[i] += influence / classes
	}
}

func sumSquares(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v * v
	}
	return sum
}

// addMeanAUCInfluence adds to dst the influence of each row on ROCAUC. It returns the areas of the
// classes, whose mean is ROCAUC. The results are undefined if ctx is cancelled.
func addMeanAUCInfluence(ctx context.Context, dst []float64, p Predictions, effective effectiveRows) (areas []proportion) {
	r, influence, variance := newRanking(p), make([]float64, len(dst)), p.newInfluenceVariance()
	for c := p.firstROCClass(); c < p.Classes && ctx.Err() == nil; c++ {
		clear(influence)
		area := r.addAUCInfluence(influence, c)
		if math.IsNaN(area) {
			continue
		}
		for i, v := range influence {
			dst[i] += v
		}
		v, _ := variance(influence, 2, p.stratumOfClass(c))
		areas = append(areas, aucProportion(area, v, effective.of(c, r.positives), effective.of(-1, len(r.rows)-r.positives)))
	}
	for i := range dst {
		dst[i] /= float64(max(len(areas), 1))
	}
	return areas
}

// ranking sorts the rows by the probability of a class. It can be reused for other classes.
type ranking struct {
	p         Predictions
	keys      []uint64 // the result of setRankKeys
	rows      []int32  // the row of each key
	positives int      // number of rows of the class
	scratch   []uint64 // see sort
}

// newRanking returns a ranking of the rows of p. The method sort must be called before keys and rows
// are used.
func newRanking(p Predictions) *ranking {
	n := len(p.Labels)
	return &ranking{p: p, keys: make([]uint64, n), rows: make([]int32, n), scratch: make([]uint64, n)}
}

// sort sorts the rows by the probability of class. If no row, or every row, is of the class,
// their order is undefined.
func (r *ranking) sort(class int) {
	positives := 0
	for row := range r.scratch { // the key of a row in the upper half, its index in the lower half
		key := r.p.rankKey(row, class)
		r.scratch[row] = key<<32 | uint64(row)
		positives += int(key & 1)
	}
	r.positives = positives
	if positives > 0 && positives < len(r.scratch) { // otherwise, no score depends on the order
		slices.Sort(r.scratch)
	}
	for i, both := range r.scratch {
		r.keys[i], r.rows[i] = both>>32, int32(uint32(both))
	}
}

// addAUCInfluence adds to dst the influence of each row on the area under the ROC curve of class
// against the rest. It returns the area. If no row, or every row, is of the class, the area is NaN
// and dst is unchanged.
//
// The influence of a row of the class is (r − area)/m. r is the fraction of the rest with a lower
// probability of class, and m is the number of rows of the class. The influence of a row of the
// rest is (s − area)/n. s is the fraction of the rows of the class with a higher probability, and n
// is the number of rows of the rest. Ties count half in r and s.
func (r *ranking) addAUCInfluence(dst []float64, class int) (area float64) {
	r.sort(class)
	if area = rankSumArea(r.keys, r.positives); math.IsNaN(area) {
		return area
	}
	m, n := float64(r.positives), float64(len(r.rows)-r.positives)
	below := [2]int{}
	for i := 0; i < len(r.keys); {
		end, run := i, [2]int{}
		for end < len(r.keys) && r.keys[end]>>1 == r.keys[i]>>1 {
			run[r.keys[end]&1]++
			end++
		}
		positive := (float64(below[0]) + float64(run[0])/2) / n     // r for a row of the class
		negative := (m - float64(below[1]) - float64(run[1])/2) / m // s for a row of the rest
		for k, row := range r.rows[i:end] {
			if r.keys[i+k]&1 == 1 {
				dst[row] += (positive - area) / m
			} else {
				dst[row] += (negative - area) / n
			}
		}
		below[0], below[1], i = below[0]+run[0], below[1]+run[1], end
	}
	return area
}

// McNemar returns the p-value of the exact two-sided test that two classifiers have the
// same accuracy on the same rows (Q. McNemar, Psychometrika 12, 1947). onlyFirstRight is
// the number of rows that only the first classifier predicts correctly, and
// onlySecondRight the number that only the second predicts correctly. McNemar returns 1
// if the two numbers differ by at most 1.
func McNemar(onlyFirstRight, onlySecondRight int) (pValue float64) {
	n, fewer := onlyFirstRight+onlySecondRight, min(onlyFirstRight, onlySecondRight)
	if 2*fewer >= n-1 {
		return 1 // the sum below would have rounding errors
	}
	whole, _ := math.Lgamma(float64(n + 1))
	tail := 0.0
	for k := range fewer + 1 {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(n - k + 1))
		tail += math.Exp(whole - a - b - float64(n)*math.Ln2)
	}
	return min(1, 2*tail)
}
