package metric

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

// clusterSums adds up the influences of rows by cluster.
type clusterSums struct {
	clusterOf []int32   // the cluster of each row
	sums      []float64 // by cluster
	isTouched []bool    // by cluster: whether touched contains it
	touched   []int32   // the clusters that influences were added to, in the order of their first influence
	squares   float64   // sum of the squared influences: the variance of the score if the rows are independent
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
	s.squares += influence * influence
}

// varianceAndReset returns the variance of the score, computed from the influences that were
// added, and the number of clusters with influences. It then resets s. The variance is computed from the
// sum of the influences of each cluster (cluster-robust variance: Liang and Zeger, Biometrika 73, 1986),
// and corrected for few clusters. It is at least the variance for independent rows, because few
// clusters may agree by chance.
func (s *clusterSums) varianceAndReset() (variance float64, clusters int) {
	for _, cluster := range s.touched {
		variance += s.sums[cluster] * s.sums[cluster]
		s.sums[cluster], s.isTouched[cluster] = 0, false
	}
	if clusters = len(s.touched); clusters >= 2 {
		variance *= smallSampleVarianceFactor(clusters)
	}
	variance = max(variance, s.squares)
	s.touched, s.squares = s.touched[:0], 0
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
// of each row on the score. The function also returns the number of clusters with influences.
// Without Groups, each row is a cluster.
func (p Predictions) newInfluenceVariance() func(influence []float64) (variance float64, clusters int) {
	if p.Groups == nil {
		return func(influence []float64) (float64, int) { return sumSquares(influence), len(influence) }
	}
	sums := newClusterSums(p)
	return func(influence []float64) (float64, int) {
		for row, v := range influence {
			sums.add(int32(row), v)
		}
		return sums.varianceAndReset()
	}
}
