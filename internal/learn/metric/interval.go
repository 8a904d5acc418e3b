package metric

import (
	"cmp"
	"math"
	"slices"
)

// NameLogLoss is the name of LogLoss as the API spells it.
const NameLogLoss = "logLoss"

// z95 is the 97.5 % quantile of the normal distribution.
const z95 = 1.959963984540054

// Interval is a 95 % confidence interval: of 100 intervals of samples of the
// same population, 95 contain the population's score on average. Both ends are
// NaN if there are too few rows.
type Interval struct {
	Low, High float64
}

// unknownInterval is the interval of a score of no rows.
var unknownInterval = Interval{math.NaN(), math.NaN()}

// Known reports whether there is an interval.
func (i Interval) Known() bool { return !math.IsNaN(i.Low) && !math.IsNaN(i.High) }

// Wilson returns the interval of a proportion of right among n rows by the score
// test (E. B. Wilson, JASA 22, 1927). It is NaN to NaN for no rows.
func Wilson(right, n int) Interval {
	if n <= 0 {
		return unknownInterval
	}
	return wilson(float64(right)/float64(n), float64(n))
}

// wilson is Wilson for a proportion p and a sample size that need not be whole.
func wilson(p, n float64) Interval {
	z2 := z95 * z95 / n
	middle := (p + z2/2) / (1 + z2)
	half := math.Sqrt(z2*(p*(1-p)+z2/4)) / (1 + z2)
	// Rounding must not leave the score outside of its own interval.
	return Interval{min(max(middle-half, 0), p), max(min(middle+half, 1), p)}
}

// F1Interval returns the interval of a class's F1. Only the rows count
// that are of the class, decided for it, or both.
//
// Of these rows the fraction J that are both is a proportion, and F1 = 2J/(1+J)
// grows with it, so that the limits of the one are those of the other.
func F1Interval(both, either int) Interval {
	j := Wilson(both, either)
	return Interval{2 * j.Low / (1 + j.Low), 2 * j.High / (1 + j.High)}
}

// ScoreInterval returns the interval of the named score of p. It is NaN to NaN
// where the score is NaN, for an unknown name, and for the log loss of one row.
//
// Accuracy is a proportion. The other scores from 0 to 1 get the interval of a
// proportion whose sample has the same variance, which the influence of each row
// on the score tells (for the area under the curve this is DeLong, DeLong and
// Clarke-Pearson, Biometrics 44, 1988). That of the log loss is the mean's, by
// the normal distribution.
func ScoreInterval(name string, p Predictions) Interval {
	if len(p.Labels) == 0 {
		return unknownInterval
	}
	t := newClassCounts(p)
	switch name {
	case NameAccuracy:
		right := 0
		for _, n := range t.right {
			right += n
		}
		return Wilson(right, len(p.Labels))
	case NameBalancedAccuracy:
		return t.proportionOf(t.balancedAccuracy(), t.recallVariance())
	case NameMacroF1:
		return t.proportionOf(t.macroF1(), t.f1Variance(p))
	case NameROCAUC:
		return t.proportionOf(ROCAUC(p), areaVariance(p))
	case NameLogLoss:
		return logLossInterval(p)
	}
	return unknownInterval
}

// proportionOf returns the interval of a score with a variance. A score of 0 or
// 1 has no variance in its sample: it gets that of proportions of the classes'
// rows.
func (t classCounts) proportionOf(score, variance float64) Interval {
	if math.IsNaN(score) || math.IsNaN(variance) {
		return unknownInterval
	}
	if n := score * (1 - score) / variance; variance > 0 && n > 0 {
		return wilson(score, n)
	}
	sum, classes := 0.0, 0.0
	for _, n := range t.actual {
		if n > 0 {
			sum += 1 / float64(n)
			classes++
		}
	}
	return wilson(score, classes*classes/sum)
}

// recallVariance returns the variance of the balanced accuracy: the recalls are
// of different rows, and so independent.
func (t classCounts) recallVariance() float64 {
	sum, classes := 0.0, 0
	for c, n := range t.actual {
		if n > 0 {
			recall := ratio(t.right[c], n)
			sum += recall * (1 - recall) / float64(n)
			classes++
		}
	}
	return sum / float64(classes*classes)
}

// f1Variance returns the variance of the macro F1. A row changes a class's
// F1 = 2·right/(decided+actual) by (2·[right] − F1·([decided]+[actual])) /
// (decided+actual), and so that of two classes at most.
func (t classCounts) f1Variance(p Predictions) float64 {
	f1, weight := make([]float64, p.Classes), make([]float64, p.Classes)
	classes := 0
	for c := range f1 {
		if n := t.decided[c] + t.actual[c]; n > 0 {
			f1[c], weight[c] = ratio(2*t.right[c], n), 1/float64(n)
			classes++
		}
	}
	sum := 0.0
	for i, label := range p.Labels {
		actual, decided := int(label), Decide(p.row(i), p.Weights)
		influence := 2 * (1 - f1[actual]) * weight[actual]
		if actual != decided {
			influence = -f1[actual]*weight[actual] - f1[decided]*weight[decided]
		}
		sum += influence * influence
	}
	return sum / float64(classes*classes)
}

// areaVariance returns the variance of ROCAUC; NaN if ROCAUC is NaN.
func areaVariance(p Predictions) float64 {
	first := 0
	if p.Classes == 2 {
		first = 1
	}
	influence := make([]float64, len(p.Labels))
	order, classes := make([]int32, len(p.Labels)), 0
	for c := first; c < p.Classes; c++ {
		if addAreaInfluence(influence, order, c, p) {
			classes++
		}
	}
	sum := 0.0
	for _, v := range influence {
		sum += v * v
	}
	return mean(sum/float64(max(classes, 1)), classes)
}

// addAreaInfluence adds to dst how each row changes the area of one class
// against the rest: the part of the other side that it wins against, less the
// area, by the rows of its own side. It reports whether there is an area. order
// is scratch space.
func addAreaInfluence(dst []float64, order []int32, class int, p Predictions) bool {
	value := func(i int32) float32 { return p.Probabilities[int(i)*p.Classes+class] }
	side := func(i int32) int {
		if int(p.Labels[i]) == class {
			return 1
		}
		return 0
	}
	total := [2]int{}
	for i := range order {
		order[i] = int32(i)
		total[side(int32(i))]++
	}
	if total[0] == 0 || total[1] == 0 {
		return false
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(value(a), value(b)) })
	m, n := float64(total[1]), float64(total[0])
	area := areaOf(class, p, make([]uint64, len(order)))
	below := [2]int{}
	for i := 0; i < len(order); {
		end, run := i, [2]int{}
		for end < len(order) && value(order[end]) == value(order[i]) {
			run[side(order[end])]++
			end++
		}
		wins := (float64(below[0]) + float64(run[0])/2) / n      // of a row of the class
		loses := (m - float64(below[1]) - float64(run[1])/2) / m // to a row of the rest
		for _, row := range order[i:end] {
			if side(row) == 1 {
				dst[row] += (wins - area) / m
			} else {
				dst[row] += (loses - area) / n
			}
		}
		below[0], below[1], i = below[0]+run[0], below[1]+run[1], end
	}
	return true
}

// logLossInterval returns the interval of the mean loss of a row, by the normal
// distribution; it never goes below 0.
func logLossInterval(p Predictions) Interval {
	rows := len(p.Labels)
	if rows < 2 {
		return unknownInterval
	}
	average, squares := LogLoss(p), 0.0
	one := p
	for i := range p.Labels {
		one.Probabilities, one.Labels = p.row(i), p.Labels[i:i+1]
		off := LogLoss(one) - average
		squares += off * off
	}
	half := z95 * math.Sqrt(squares/float64(rows-1)/float64(rows))
	return Interval{max(average-half, 0), average + half}
}

// McNemar returns the p-value of the exact two-sided test of whether two
// classifiers are equally often right on the same rows, if only one was right
// on first rows and only the other on second rows (Q. McNemar, Psychometrika
// 12, 1947). It is 1 if both numbers are 0.
func McNemar(first, second int) float64 {
	n, fewer := first+second, min(first, second)
	if 2*fewer == n {
		return 1
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
