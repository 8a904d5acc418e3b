package metric

import "math"

// groupScoreInterval is ScoreInterval for predictions with Groups. The rows of a
// group are not independent, so the variance is computed from the influence of
// each group on the score, which is the sum of the influences of its rows
// (cluster-robust variance: Liang and Zeger, Biometrika 73, 1986). With few groups
// the interval is wider, by the ratio of Student's quantile to the normal one.
func groupScoreInterval(name string, p Predictions) Interval {
	score, influence := p.influences(name)
	if influence == nil || math.IsNaN(score) {
		return unknownInterval
	}
	sums, groups := make(map[int32]float64), 0.0
	variance := 0.0
	for row, v := range influence {
		if p.Groups[row] < 0 {
			variance += v * v
			groups++
			continue
		}
		sums[p.Groups[row]] += v
	}
	for row := range influence { // not over the map, whose order is random
		if sum, left := sums[p.Groups[row]]; left && p.Groups[row] >= 0 {
			variance += sum * sum
			groups++
			delete(sums, p.Groups[row])
		}
	}
	if groups < 2 {
		return unknownInterval
	}
	variance *= groups / (groups - 1)
	student := 1 + (Z95*Z95+1)/(4*(groups-1)) // first term of Fisher's expansion
	variance *= student * student
	switch {
	case name == NameLogLoss || name == NameBrier:
		half := Z95 * math.Sqrt(variance)
		return Interval{max(score-half, 0), score + half}
	case variance > 0 && score > 0 && score < 1:
		return wilson(score, score*(1-score)/variance)
	}
	return wilson(score, groups)
}

// influences returns the named score and the influence of each row on it, or nil
// if the name is unknown. The influences sum to about 0.
func (p Predictions) influences(name string) (score float64, influence []float64) {
	influence = make([]float64, len(p.Labels))
	n := float64(len(p.Labels))
	counts := newClassCounts(p)
	right := func(i int) float64 {
		if Decide(p.row(i), p.Weights) == int(p.Labels[i]) {
			return 1
		}
		return 0
	}
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
		score = ROCAUC(p)
		addMeanAUCInfluence(influence, p)
	case NameLogLoss:
		score = LogLoss(p)
		for i := range influence {
			influence[i] = (p.logLoss(i) - score) / n
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

// logLoss returns the log loss of a row.
func (p Predictions) logLoss(row int) float64 {
	one := p
	one.Probabilities, one.Labels = p.row(row), p.Labels[row:row+1]
	return LogLoss(one)
}
