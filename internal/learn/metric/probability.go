package metric

import (
	"context"
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
	for i := range p.Labels {
		sum += p.RowLoss(i)
	}
	return meanOrNaN(sum, len(p.Labels))
}

// RowLoss returns the log loss of a row. LogLoss is its mean.
func (p Predictions) RowLoss(row int) float64 {
	q := float64(p.row(row)[p.Labels[row]])
	return -math.Log(min(max(q, minProbability), 1-minProbability))
}

// ROCAUC returns the area under the ROC curve: the probability that a row of a class has a higher
// predicted probability of the class than a row of another class. Ties count half. With two
// classes, this is the area of class 1. With more classes, it is the mean of the areas of each
// class against the rest, without classes that have no rows or all rows. It is NaN if no class is
// left. ROCAUC returns an error only if ctx is cancelled.
func ROCAUC(ctx context.Context, p Predictions) (float64, error) {
	first := p.firstROCClass()
	ranks, err := newClassRanks(ctx, p, first, p.Classes-first)
	if err != nil {
		return 0, err
	}
	sum, classes := 0.0, 0
	for c := first; c < p.Classes; c++ {
		if area := ranks.areaUnderROC(c); !math.IsNaN(area) {
			sum += area
			classes++
		}
	}
	return meanOrNaN(sum, classes), nil
}

// firstROCClass returns the first class whose area ROCAUC averages.
func (p Predictions) firstROCClass() int {
	if p.Classes == 2 {
		return 1
	}
	return 0
}

// rocAreaOfClass returns the area of one class against the rest by the rank-sum
// statistic of Mann and Whitney (1947). keyBuffer is scratch space, one key for each
// row.
func rocAreaOfClass(class int, p Predictions, keyBuffer []uint64) float64 {
	return rankSumArea(keyBuffer, p.setRankKeys(keyBuffer, class))
}

// rankSumArea returns the area under the curve of a class. keys are the keys of setRankKeys, and
// positives is the number of rows of the class. The area is NaN if positives is 0 or the
// number of all rows.
func rankSumArea(keys []uint64, positives int) float64 {
	positive, negative := uint64(positives), uint64(len(keys)-positives)
	if positive == 0 || negative == 0 {
		return math.NaN()
	}
	won, below := 0.0, uint64(0) // below is the number of rows of the rest with lower probabilities
	for i := 0; i < len(keys); {
		run := [2]uint64{}
		for value := keys[i] >> 1; i < len(keys) && keys[i]>>1 == value; i++ {
			run[keys[i]&1]++
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
	for row := range keys {
		keys[row] = p.rankKey(row, class)
		positives += int(keys[row] & 1)
	}
	slices.Sort(keys)
	return positives
}

// rankKey returns a number below 2³² by which rows are sorted by their probability of class. Its
// lowest bit is 1 if the row is of the class.
func (p Predictions) rankKey(row, class int) uint64 {
	// The bits of float32 numbers that are not negative, read as integers, have the same
	// order as the numbers.
	key := uint64(math.Float32bits(max(p.Probabilities[row*p.Classes+class], 0))) << 1
	if int(p.Labels[row]) == class {
		key |= 1
	}
	return key
}
