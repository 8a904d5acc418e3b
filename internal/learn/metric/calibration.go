package metric

import "math"

// Names of the scores of calibration as the API spells them.
const (
	NameBrier            = "brier"
	NameCalibrationError = "ece"
)

// Brier returns the mean squared error of the probabilities (G. W. Brier, Monthly
// Weather Review 78, 1950). With two classes, the error is that of the probability of class 1, and
// ranges from 0 to 1. With more classes, it is the sum of the errors of all classes, and ranges
// from 0 to 2. scikit-learn's brier_score_loss has the same convention.
func Brier(p Predictions) float64 {
	sum := 0.0
	for i := range p.Labels {
		sum += p.squaredError(i)
	}
	return meanOrNaN(sum, len(p.Labels))
}

// squaredError returns the contribution of row i to Brier.
func (p Predictions) squaredError(i int) float64 {
	sum := 0.0
	for c, q := range p.row(i) {
		off := float64(q)
		if int(p.Labels[i]) == c {
			off--
		}
		sum += off * off
	}
	if p.Classes == 2 {
		sum /= 2
	}
	return sum
}

// reliabilityBins is the number of bins of equal width from 0 to 1.
const reliabilityBins = 10

// ReliabilityBin describes the rows whose predicted probability of an event is in one of ten
// intervals of equal width. It compares the mean probability of these rows with the fraction of
// them in which the event happened.
type ReliabilityBin struct {
	// Low and High are the bounds of the interval. High is excluded, except
	// that the last interval includes 1.
	Low, High float64
	// Rows is the number of rows whose probability is in the interval.
	Rows int
	// Predicted is the mean probability of these rows, and Observed the fraction of them
	// in which the event happened. Both are NaN if there are no rows.
	Predicted, Observed float64
	// Interval is the 95 % confidence interval of Observed.
	Interval Interval
}

// ClassReliability returns the ten bins of the probability of class. Observed is the
// fraction of rows that are of the class.
func ClassReliability(class int, p Predictions) []ReliabilityBin {
	return p.reliability(func(row int) (probability float64, happened bool) {
		return float64(p.row(row)[class]), int(p.Labels[row]) == class
	})
}

// ConfidenceReliability returns the ten bins of the probability of the most probable
// class. Observed is the fraction of rows that are of their most probable class. Decision
// weights are not used.
func ConfidenceReliability(p Predictions) []ReliabilityBin { return p.reliability(p.confidence) }

// confidence returns the probability of the most probable class of a row and
// whether the row is of this class.
func (p Predictions) confidence(row int) (probability float64, right bool) {
	class := Decide(p.row(row), nil)
	return float64(p.row(row)[class]), int(p.Labels[row]) == class
}

// reliability returns the ten bins of the probabilities of an event. The function value
// returns the probability for a row and whether the event happened in the row.
func (p Predictions) reliability(value func(row int) (probability float64, happened bool)) []ReliabilityBin {
	var t reliabilityTable
	for row := range p.Labels {
		t.add(value(row))
	}
	bins := t.bins()
	if p.Groups == nil {
		return bins
	}
	var rows [reliabilityBins][]int32
	for row := range p.Labels {
		probability, _ := value(row)
		bin := reliabilityBinIndex(probability)
		rows[bin] = append(rows[bin], int32(row))
	}
	sums := newClusterSums(p)
	for i := range bins {
		bins[i].Interval = sums.ratioInterval(rows[i], func(row int32) (hit, base float64) {
			_, happened := value(int(row))
			return indicator(happened), 1
		})
	}
	return bins
}

// CalibrationError returns the expected calibration error: the mean difference
// between Predicted and Observed of ConfidenceReliability, weighted by the rows
// of the bins (Guo, Pleiss, Sun and Weinberger, ICML 2017).
func CalibrationError(p Predictions) float64 {
	var t reliabilityTable
	for row := range p.Labels {
		t.add(p.confidence(row))
	}
	return t.calibrationError()
}

// reliabilityTable holds, by bin, the number of rows, the sum of their probabilities and
// the number of rows in which the event happened.
type reliabilityTable struct {
	rows, predicted, happened [reliabilityBins]float64
}

// reliabilityBinIndex returns the index of the bin that a probability is in. The bins have equal
// width.
func reliabilityBinIndex(probability float64) int {
	return min(max(int(probability*reliabilityBins), 0), reliabilityBins-1)
}

func (t *reliabilityTable) add(probability float64, happened bool) {
	bin := reliabilityBinIndex(probability)
	t.rows[bin]++
	t.predicted[bin] += probability
	if happened {
		t.happened[bin]++
	}
}

// addTable adds all numbers in other, multiplied by times, to the numbers in t.
func (t *reliabilityTable) addTable(other *reliabilityTable, times float64) {
	for bin := range reliabilityBins {
		t.rows[bin] += times * other.rows[bin]
		t.predicted[bin] += times * other.predicted[bin]
		t.happened[bin] += times * other.happened[bin]
	}
}

// calibrationError returns the CalibrationError of the rows in t.
func (t *reliabilityTable) calibrationError() float64 {
	rows, sum := 0.0, 0.0
	for bin := range reliabilityBins {
		rows += t.rows[bin]
		sum += math.Abs(t.predicted[bin] - t.happened[bin])
	}
	return sum / rows
}

func (t *reliabilityTable) bins() []ReliabilityBin {
	bins := make([]ReliabilityBin, reliabilityBins)
	for i := range bins {
		rows := t.rows[i]
		bins[i] = ReliabilityBin{
			Low: float64(i) / reliabilityBins, High: float64(i+1) / reliabilityBins, Rows: int(rows),
			Predicted: t.predicted[i] / rows, Observed: t.happened[i] / rows,
			Interval: Wilson(int(t.happened[i]), int(rows)),
		}
	}
	return bins
}
