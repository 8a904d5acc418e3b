package metric

import (
	"context"
	"slices"
)

// powerTrial holds weights that are a power of the class frequencies, and the counts of the decisions
// with these weights.
type powerTrial struct {
	weights []float64
	counts  classCounts
}

// countPowers adds the decisions of all rows to the counts of trials. The result is undefined if
// ctx is cancelled.
//
// All exponents are negative, so the rarer of two classes has the higher weight in every trial. A
// class that is not more probable than a rarer class is therefore never chosen. For each row, only
// the few classes that can be chosen are weighted.
func (f *classWeightFitter) countPowers(ctx context.Context, trials []powerTrial) {
	order := f.classesByRows()
	var contenders []int32
	for i, label := range f.p.Labels {
		if isCancelled(ctx, i) {
			return
		}
		row := f.p.row(i)
		contenders = contenders[:0]
		highest := float32(0)
		for _, class := range order {
			if q := row[class]; q > highest {
				contenders = append(contenders, class)
				highest = q
			}
		}
		for _, trial := range trials {
			trial.counts.add(int(label), decideAmong(contenders, row, trial.weights))
		}
	}
}

// classesByRows returns the classes in ascending order of their numbers of rows and, for equal
// numbers of rows, of their indices. A class without rows counts like a class with one row, as in
// fitFrequencyPower.
func (f *classWeightFitter) classesByRows() []int32 {
	keys, order := make([]uint64, f.p.Classes), make([]int32, f.p.Classes)
	for c, rows := range f.counts.actual {
		keys[c] = uint64(max(rows, 1))<<32 | uint64(c)
	}
	slices.Sort(keys)
	for i, key := range keys {
		order[i] = int32(uint32(key))
	}
	return order
}

// decideAmong returns the class that Decide chooses. classes must contain this class. If all
// probabilities are 0, classes may be empty; the result is then class 0, as in Decide.
func decideAmong(classes []int32, probabilities []float32, weights []float64) int {
	best, class := 0.0, int32(0)
	for _, c := range classes {
		if v := float64(probabilities[c]) * weights[c]; v > best || v == best && c < class {
			best, class = v, c
		}
	}
	return int(class)
}
