package metric

import (
	"math"
	"slices"
)

// minProbability replaces smaller probabilities, because the logarithm of 0 is
// infinite. It is the distance from 1 to the next float32, as in scikit-learn.
const minProbability = 0x1p-23

// LogLoss returns the mean of -ln(probability of the true class), in nats.
// Probabilities count as at least 2^-23 and at most 1-2^-23.
func LogLoss(p Predictions) float64 {
	sum := 0.0
	for i, label := range p.Labels {
		q := float64(p.row(i)[label])
		sum -= math.Log(min(max(q, minProbability), 1-minProbability))
	}
	return meanOrNaN(sum, len(p.Labels))
}

// ROCAUC returns the area under the receiver operating characteristic. It is
// the probability that a row of a class has a higher predicted probability of
// the class than a row of another class; ties count half. With two classes it
// is the area of class 1. With more it is the mean of the areas of the classes,
// each against the rest, except for classes that have no row or all rows. It is
// NaN if no class is left.
func ROCAUC(p Predictions) float64 {
	first := 0
	if p.Classes == 2 {
		first = 1
	}
	sum, classes := 0.0, 0
	keys := make([]uint64, len(p.Labels))
	for c := first; c < p.Classes; c++ {
		if area := areaUnderCurve(c, p, keys); !math.IsNaN(area) {
			sum += area
			classes++
		}
	}
	return meanOrNaN(sum, classes)
}

// areaUnderCurve returns the area of one class against the rest by the rank-sum
// statistic of Mann and Whitney (1947). keyBuffer is scratch space, one key for each
// row.
func areaUnderCurve(class int, p Predictions, keyBuffer []uint64) float64 {
	positive := uint64(p.setRankKeys(keyBuffer, class))
	negative := uint64(len(keyBuffer)) - positive
	if positive == 0 || negative == 0 {
		return math.NaN()
	}
	won, below := 0.0, uint64(0) // below is the number of rows of the rest with lower probabilities
	for i := 0; i < len(keyBuffer); {
		run := [2]uint64{}
		for value := keyBuffer[i] >> 1; i < len(keyBuffer) && keyBuffer[i]>>1 == value; i++ {
			run[keyBuffer[i]&1]++
		}
		won += float64(run[1]) * (float64(below) + float64(run[0])/2)
		below += run[0]
	}
	return won / (float64(positive) * float64(negative))
}

// setRankKeys sets keys to one key for each row, in ascending order of the probability of
// class. The lowest bit of a key is 1 if its row is of the class; the other bits are the
// probability. It returns the number of rows of the class.
func (p Predictions) setRankKeys(keys []uint64, class int) (positives int) {
	for i, label := range p.Labels {
		// The bits of float32 numbers that are not negative, read as integers, have the
		// same order as the numbers.
		key := uint64(math.Float32bits(max(p.Probabilities[i*p.Classes+class], 0))) << 1
		if int(label) == class {
			key |= 1
			positives++
		}
		keys[i] = key
	}
	slices.Sort(keys)
	return positives
}
