package metric

import (
	"context"
	"math"
)

// groupScoreInterval returns the interval of the named score for predictions with Groups.
// The rows of a group are not independent, so the variance is computed from the influence
// of each group on the score (cluster-robust variance: Liang and Zeger, Biometrika 73,
// 1986). The influence of a group is the sum of the influences of its rows. With few
// groups the interval is wider, by the ratio of Student's quantile to the normal one. The
// result is undefined if ctx is cancelled.
func groupScoreInterval(ctx context.Context, name string, p Predictions) Interval {
	score, influence := p.influences(ctx, name)
	if influence == nil || math.IsNaN(score) {
		return unknownInterval
	}
	sums := newClusterSums(p)
	sums.addAll(influence)
	variance, clusters := sums.varianceAndReset()
	switch name {
	case NameAccuracy:
		return clusterInterval(score, variance, float64(clusters))
	case NameBalancedAccuracy, NameMacroF1, NameROCAUC:
		return p.classMeanInterval(score, variance+p.groupExcess(ctx, name), clusters)
	}
	if clusters < 2 {
		return unknownInterval
	}
	half := Z95 * math.Sqrt(variance)
	return Interval{max(score-half, 0), score + half}
}

// groupExcess returns by how much the influences of groups underestimate the variance of the named
// score if a class has few rows; see recallExcess.
func (p Predictions) groupExcess(ctx context.Context, name string) (excess float64) {
	effective := p.effectiveRows(ctx)
	switch name {
	case NameBalancedAccuracy:
		return newClassCounts(p).recallExcess(effective)
	case NameMacroF1:
		return newClassCounts(p).f1Excess(effective)
	}
	_, excess = addMeanAUCInfluence(ctx, make([]float64, len(p.Labels)), p, effective)
	return excess
}

// clusterInterval returns the interval of a score from 0 to 1 with the given variance. If the
// variance is 0, as for a score of 0 or 1, the score is treated as a proportion of n independent
// rows. n need not be an integer. The interval is unknown if n is less than 2.
func clusterInterval(score, variance, n float64) Interval {
	if n < 2 {
		return unknownInterval
	}
	if variance > 0 && score > 0 && score < 1 {
		return wilson(score, score*(1-score)/variance)
	}
	return wilson(score, n)
}

// classMeanInterval returns the clusterInterval of a score that depends equally on all
// classes, whatever their numbers of rows. If the variance is 0, the score is treated as in
// classCounts.scoreInterval, but clusters take the place of rows.
func (p Predictions) classMeanInterval(score, variance float64, clusters int) Interval {
	n := float64(clusters)
	if variance == 0 || score == 0 || score == 1 {
		// clusterCounts counts a cluster once for each class of its rows, so meanProportionRows may
		// exceed the number of clusters.
		n = min(n, p.clusterCounts().meanProportionRows())
	}
	return clusterInterval(score, variance, n)
}

// clusterCounts returns counts of clusters: actual[c] is the number of clusters that have
// a row of class c. The other counts are 0.
func (p Predictions) clusterCounts() classCounts {
	type groupLabel struct{ group, label int32 }
	counts, known := emptyClassCounts(p.Classes), make(map[groupLabel]bool)
	for row, label := range p.Labels {
		if p.Groups != nil && p.Groups[row] >= 0 {
			of := groupLabel{p.Groups[row], label}
			if known[of] {
				continue
			}
			known[of] = true
		}
		counts.actual[label]++
	}
	return counts
}

// clusters returns the cluster of each row, from 0 to n-1, and the number n of clusters.
// Each group is a cluster, and each row without a group is a cluster of its own.
func (p Predictions) clusters() (clusterOf []int32, n int) {
	clusterOf = make([]int32, len(p.Labels))
	known := make(map[int32]int32)
	for row := range clusterOf {
		cluster := int32(n)
		if p.Groups != nil && p.Groups[row] >= 0 {
			if earlier, seen := known[p.Groups[row]]; seen {
				clusterOf[row] = earlier
				continue
			}
			known[p.Groups[row]] = cluster
		}
		clusterOf[row] = cluster
		n++
	}
	return clusterOf, n
}

// clusterSums adds up the influences of rows by cluster.
type clusterSums struct {
	clusterOf []int32   // the cluster of each row
	sums      []float64 // by cluster
	isTouched []bool    // by cluster: whether touched contains it
	touched   []int32   // the clusters that influences were added to, in order
}

func newClusterSums(p Predictions) *clusterSums {
	of, n := p.clusters()
	return &clusterSums{clusterOf: of, sums: make([]float64, n), isTouched: make([]bool, n)}
}

func (s *clusterSums) add(row int32, influence float64) {
	cluster := s.clusterOf[row]
	if !s.isTouched[cluster] {
		s.isTouched[cluster] = true
		s.touched = append(s.touched, cluster)
	}
	s.sums[cluster] += influence
}

// addAll adds the influences of all rows.
func (s *clusterSums) addAll(influence []float64) {
	for row, v := range influence {
		s.add(int32(row), v)
	}
}

// varianceAndReset returns the variance of the score, computed from the influences that were
// added, and the number of clusters with influences. It then resets s.
func (s *clusterSums) varianceAndReset() (variance float64, clusters int) {
	for _, cluster := range s.touched {
		variance += s.sums[cluster] * s.sums[cluster]
		s.sums[cluster], s.isTouched[cluster] = 0, false
	}
	clusters = len(s.touched)
	s.touched = s.touched[:0]
	if clusters < 2 {
		return variance, clusters
	}
	n := float64(clusters)
	student := 1 + (Z95*Z95+1)/(4*(n-1)) // Student's quantile divided by Z95, by the first term of Fisher's expansion
	return variance * n / (n - 1) * student * student, clusters
}

// ratioInterval returns the interval of the ratio Σ hit / Σ base over the given rows.
// parts(row) returns the terms hit and base of one row, with hit ≤ base. The influence of
// a row on the ratio is (hit − ratio·base) / Σ base.
func (s *clusterSums) ratioInterval(rows []int32, parts func(row int32) (hit, base float64)) Interval {
	hits, bases := 0.0, 0.0
	for _, row := range rows {
		hit, base := parts(row)
		hits += hit
		bases += base
	}
	if bases == 0 {
		return unknownInterval
	}
	ratio := hits / bases
	for _, row := range rows {
		if hit, base := parts(row); base > 0 {
			s.add(row, (hit-ratio*base)/bases)
		}
	}
	variance, clusters := s.varianceAndReset()
	return clusterInterval(ratio, variance, float64(clusters))
}

// setGroupIntervals sets the intervals of the scores of each class. It computes them from
// the groups of p.
func setGroupIntervals(scores []ClassScore, p Predictions) {
	predicted, rows := make([]int, len(p.Labels)), make([][]int32, p.Classes)
	for i, label := range p.Labels {
		predicted[i] = Decide(p.row(i), p.Weights)
		rows[label] = append(rows[label], int32(i))
		if predicted[i] != int(label) {
			rows[predicted[i]] = append(rows[predicted[i]], int32(i))
		}
	}
	sums := newClusterSums(p)
	for c := range scores {
		interval := func(parts func(actual, predicted float64) (hit, base float64)) Interval {
			return sums.ratioInterval(rows[c], func(row int32) (hit, base float64) {
				return parts(indicator(int(p.Labels[row]) == c), indicator(predicted[row] == c))
			})
		}
		scores[c].PrecisionInterval = interval(func(a, p float64) (float64, float64) { return a * p, p })
		scores[c].RecallInterval = interval(func(a, p float64) (float64, float64) { return a * p, a })
		scores[c].F1Interval = interval(func(a, p float64) (float64, float64) { return 2 * a * p, a + p })
	}
}

// indicator returns 1 if the condition holds, otherwise 0.
func indicator(condition bool) float64 {
	if condition {
		return 1
	}
	return 0
}

// influences returns the named score and the influence of each row on it. It returns NaN and
// nil for a score without influences, such as the calibration error, and for an unknown name.
// The influences sum to about 0. The results are undefined if ctx is cancelled.
func (p Predictions) influences(ctx context.Context, name string) (score float64, influence []float64) {
	influence = make([]float64, len(p.Labels))
	n := float64(len(p.Labels))
	counts := newClassCounts(p)
	right := func(i int) float64 { return indicator(Decide(p.row(i), p.Weights) == int(p.Labels[i])) }
	switch name {
	case NameAccuracy:
		score = Accuracy(p)
		for i := range influence {
			influence[i] = (right(i) - score) / n
		}
	case NameBalancedAccuracy:
		score = counts.balancedAccuracy()
		classes := 0.0
		for _, rows := range counts.actual {
			classes += math.Min(float64(rows), 1)
		}
		for i, label := range p.Labels {
			rows := counts.actual[label]
			influence[i] = (right(i) - ratio(counts.right[label], rows)) / (float64(rows) * classes)
		}
	case NameMacroF1:
		score = counts.macroF1()
		counts.addF1Influence(influence, p)
	case NameROCAUC:
		score, _ = addMeanAUCInfluence(ctx, influence, p, effectiveRows{})
	case NameLogLoss:
		score = LogLoss(p)
		for i := range influence {
			influence[i] = (p.RowLoss(i) - score) / n
		}
	case NameBrier:
		score = Brier(p)
		for i := range influence {
			influence[i] = (p.squaredError(i) - score) / n
		}
	default:
		return math.NaN(), nil
	}
	return score, influence
}
