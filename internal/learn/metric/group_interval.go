package metric

import "math"

// clusterInterval returns the interval of a score from 0 to 1 with the given variance. If the
// variance is 0, the score counts as a proportion of n independent rows. n need not be an integer.
// The interval is unknown if n is less than 2.
func clusterInterval(score, variance, n float64) Interval {
	if n < 2 {
		return unknownInterval
	}
	if variance > 0 && score > 0 && score < 1 {
		return wilson(score, score*(1-score)/variance)
	}
	return wilson(score, n)
}

// clustersOfClasses returns, by class, the number of clusters that have a row of the class.
func (p Predictions) clustersOfClasses() []int {
	counts, known := make([]int, p.Classes), make(map[uint64]bool, len(p.Labels))
	for row, label := range p.Labels {
		if p.Groups != nil && p.Groups[row] >= 0 {
			of := uint64(p.Groups[row])<<32 | uint64(label)
			if known[of] {
				continue
			}
			known[of] = true
		}
		counts[label]++
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

// clusterSums adds up the influences of rows by cluster. The rows may be divided into strata, such as
// the rows of each class, if the score is a mean of the scores of the strata. The rows of a stratum are
// added consecutively, followed by a call of endStratum.
type clusterSums struct {
	clusterOf []int32      // the cluster of each row
	stratum   []clusterSum // by cluster: of the current stratum
	total     []clusterSum // by cluster: of the strata that have ended
	// touched holds the clusters that rows were added to: first those of the strata that have ended, and
	// from firstTouched those of the current stratum.
	touched      []int32
	firstTouched int
	strata       int     // number of strata that have ended
	squares      float64 // sum of the squared influences: the variance of the score if the rows are independent
}

// clusterSum is the sum of one cluster.
type clusterSum struct {
	influence float64
	// base is the size of the cluster: the sum of the bases of its rows. In clusterSums.total, it is
	// the sum of the cluster's shares of the strata.
	base      float64
	isTouched bool
}

func newClusterSums(p Predictions) *clusterSums {
	of, n := p.clusters()
	return &clusterSums{clusterOf: of, stratum: make([]clusterSum, n), total: make([]clusterSum, n)}
}

// add adds a row to the current stratum. base is the weight of the row in the score of the stratum,
// which is a mean of terms weighted by base.
func (s *clusterSums) add(row int32, influence, base float64) {
	cluster := s.clusterOf[row]
	one := &s.stratum[cluster]
	if !one.isTouched {
		one.isTouched = true
		s.touched = append(s.touched, cluster)
	}
	one.influence += influence
	one.base += base
	s.squares += influence * influence
}

// endStratum ends the current stratum. The residuals of a cluster with a large share of the stratum
// are too small, because the cluster has pulled the score towards its own rows. The sum of its
// influences is therefore divided by √(1−share) (R. M. Bell and D. F. McCaffrey, Survey Methodology
// 28, 2002: for the mean of a stratum, their bias-reduced linearization is this division). If the
// stratum has a single cluster, its sum is about 0 and says nothing about the variance.
func (s *clusterSums) endStratum() {
	const minRest = 1e-9
	bases, kept := 0.0, s.touched[:s.firstTouched]
	for _, cluster := range s.touched[s.firstTouched:] {
		bases += s.stratum[cluster].base
	}
	for _, cluster := range s.touched[s.firstTouched:] {
		one, total := &s.stratum[cluster], &s.total[cluster]
		share := one.base / bases
		if rest := 1 - share; rest > minRest {
			one.influence /= math.Sqrt(rest)
		}
		total.influence += one.influence
		total.base += share
		if !total.isTouched {
			total.isTouched = true
			kept = append(kept, cluster)
		}
		*one = clusterSum{}
	}
	s.touched, s.firstTouched = kept, len(kept)
	s.strata++
}

// varianceAndReset returns the variance of the score, computed from the rows that were added, and
// the number of clusters with rows. It then resets s. All strata must have ended. The variance is computed
// from the sum of the influences of each cluster (cluster-robust variance: Liang and Zeger,
// Biometrika 73, 1986), and corrected for few clusters and clusters of different sizes; see
// endStratum and studentVarianceFactor. It is not below the variance of independent rows, because few
// clusters may agree by chance.
func (s *clusterSums) varianceAndReset() (variance float64, clusters int) {
	shares := make([]float64, len(s.touched))
	for i, cluster := range s.touched {
		total := &s.total[cluster]
		shares[i] = total.base / float64(s.strata)
		variance += total.influence * total.influence
		*total = clusterSum{}
	}
	if clusters = len(s.touched); clusters >= 2 {
		variance *= studentVarianceFactor(effectiveClusters(shares))
	}
	variance = max(variance, s.squares)
	s.touched, s.firstTouched, s.strata, s.squares = s.touched[:0], 0, 0, 0
	return variance, clusters
}

// ratioInterval returns the interval of the ratio Σ hit / Σ base over the given rows.
// parts returns the terms hit and base of a row; hit must not exceed base. The influence of a row
// on the ratio is (hit − ratio·base) / Σ base.
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
			s.add(row, (hit-ratio*base)/bases, base)
		}
	}
	s.endStratum()
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

// meanInfluences returns the accuracy, the log loss or the Brier score, and the influence of each
// row on it. The score is a mean over rows, so the influence of a row is its value minus the score,
// divided by the number of rows.
func (p Predictions) meanInfluences(name string) (score float64, influence []float64) {
	var value func(i int) float64
	switch name {
	case NameAccuracy:
		value = func(i int) float64 { return indicator(Decide(p.row(i), p.Weights) == int(p.Labels[i])) }
	case NameLogLoss:
		value = p.RowLoss
	case NameBrier:
		value = p.squaredError
	}
	influence = make([]float64, len(p.Labels))
	for i := range influence {
		influence[i] = value(i)
		score += influence[i]
	}
	n := float64(len(influence))
	score /= n
	for i, v := range influence {
		influence[i] = (v - score) / n
	}
	return score, influence
}

// newInfluenceVariance returns a function that computes the variance of a score from the influence
// of each row on the score. The function also returns the number of clusters with rows. Without
// Groups, each row is a cluster. stratumOf returns the stratum of a row, from 0 to strata-1; see clusterSums.
func (p Predictions) newInfluenceVariance() func(influence []float64, strata int, stratumOf func(row int) int) (variance float64, clusters int) {
	if p.Groups == nil {
		return func(influence []float64, _ int, _ func(int) int) (float64, int) {
			return sumSquares(influence), len(influence)
		}
	}
	sums := newClusterSums(p)
	return func(influence []float64, strata int, stratumOf func(row int) int) (float64, int) {
		rows := make([][]int32, strata)
		for row := range influence {
			stratum := stratumOf(row)
			rows[stratum] = append(rows[stratum], int32(row))
		}
		for _, of := range rows {
			for _, row := range of {
				sums.add(row, influence[row], 1)
			}
			if len(of) > 0 {
				sums.endStratum()
			}
		}
		return sums.varianceAndReset()
	}
}

// oneStratum puts all rows into one stratum.
func oneStratum(int) int { return 0 }

// stratumOfLabel returns the label of a row, so that the rows of each class are a stratum.
func (p Predictions) stratumOfLabel(row int) int { return int(p.Labels[row]) }

// stratumOfClass divides the rows into two strata: the rows of class, and all others.
func (p Predictions) stratumOfClass(class int) func(row int) int {
	return func(row int) int { return int(indicator(int(p.Labels[row]) == class)) }
}

// effectiveClusters returns the effective number of clusters by their numbers of rows.
func (p Predictions) effectiveClusters() float64 {
	of, n := p.clusters()
	shares := make([]float64, n)
	for _, cluster := range of {
		shares[cluster] += 1 / float64(len(of))
	}
	return effectiveClusters(shares)
}

// bootstrapVarianceFactor returns the factor by which a variance over bootstrap samples of the
// clusters must be multiplied before an interval of Z95 standard errors is computed from it: it
// corrects the bias of the variance, and replaces Z95 by the quantile of Student's distribution. It
// is 1 if the rows are independent.
func (p Predictions) bootstrapVarianceFactor() float64 {
	if p.Groups == nil {
		return 1
	}
	n := max(p.effectiveClusters(), 1+minFreedom)
	return n / (n - 1) * studentVarianceFactor(n)
}
