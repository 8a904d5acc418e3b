package metric

import (
	"context"
	"slices"
)

// refineFactors are the factors by which refineWeight multiplies a weight, in ascending order.
var refineFactors = [...]float64{0.5, 0.7, 0.85, 1.2, 1.4, 2}

// refineWeights changes the weight of one class at a time. It passes over the classes until the
// score no longer increases, at most maxRefinePasses times.
func (f *classWeightFitter) refineWeights(ctx context.Context) {
	if f.p.Weights == nil {
		f.p.Weights = slices.Repeat([]float64{1}, f.p.Classes)
	}
	f.findTopTwo(ctx)
	for range maxRefinePasses {
		before := f.best
		for c, n := range f.counts.actual {
			if n >= minRefineRows && ctx.Err() == nil {
				f.refineWeight(c)
			}
		}
		if f.best == before {
			break
		}
	}
	if !slices.ContainsFunc(f.p.Weights, func(w float64) bool { return w != 1 }) {
		f.p.Weights = nil
	}
}

// refineWeight multiplies the weight of class by each of refineFactors in turn. It keeps the weight
// with the highest score, which may be the old weight.
func (f *classWeightFitter) refineWeight(class int) {
	old, best, column := f.p.Weights[class], f.p.Weights[class], f.column(class)
	counts, rows := f.countWithoutClass(class, old*refineFactors[len(refineFactors)-1])
	for _, factor := range refineFactors {
		weight := old * factor
		left := rows[:0] // rows that need a higher weight
		for _, row := range rows {
			if t := &f.topTwo[row]; t.decide(class, weight*float64(column[row])) == class {
				counts.move(int(f.p.Labels[row]), t.firstOther(class), class)
			} else {
				left = append(left, row)
			}
		}
		rows = left
		if score := f.score(counts); score > f.best {
			f.best, best = score, weight
		}
	}
	if best != old {
		f.setWeight(class, best)
	}
}

// countWithoutClass returns the counts of the decisions if no row may be decided as class. It also
// returns the rows that would be decided as class if its weight were maxWeight. With a lower
// weight, only some of these rows would be decided as class.
func (f *classWeightFitter) countWithoutClass(class int, maxWeight float64) (counts classCounts, rows []int32) {
	counts = classCounts{slices.Clone(f.counts.right), slices.Clone(f.counts.predicted), f.counts.actual}
	for row, q := range f.column(class) {
		t, value := &f.topTwo[row], maxWeight*float64(q)
		decided := int(t.class[0]) == class
		if value < t.value[0] && !decided || t.decide(class, value) != class {
			continue
		}
		rows = append(rows, int32(row))
		if decided {
			counts.move(int(f.p.Labels[row]), class, int(t.class[1]))
		}
	}
	return counts, rows
}

// setWeight changes the weight of class and updates f.topTwo and f.counts.
func (f *classWeightFitter) setWeight(class int, weight float64) {
	f.p.Weights[class] = weight
	for row, q := range f.column(class) {
		t, value := &f.topTwo[row], weight*float64(q)
		if value < t.value[1] && int(t.class[0]) != class && int(t.class[1]) != class {
			continue // to save the call for most rows
		}
		before := t.class[0]
		t.update(class, value, f.p.row(row), f.p.Weights)
		if t.class[0] != before {
			f.counts.move(int(f.p.Labels[row]), int(before), int(t.class[0]))
		}
	}
}

// columnGroup holds the probabilities of columnGroupSize neighbouring classes, column-major.
type columnGroup struct {
	first         int // the first class
	probabilities []float32
}

// columnGroupSize is the number of probabilities in a line of the processor's cache.
const columnGroupSize = 16

// column returns the probability of class for each row. It copies the probabilities of a
// columnGroup next to each other, because refineWeight reads them several times. The result is
// valid until the next call for a class of another columnGroup.
func (f *classWeightFitter) column(class int) []float32 {
	rows, first := len(f.p.Labels), class/columnGroupSize*columnGroupSize
	if f.group.probabilities == nil {
		f.group = columnGroup{-1, make([]float32, rows*min(columnGroupSize, f.p.Classes))}
	}
	if f.group.first != first {
		f.group.first = first
		for row := range rows {
			for i, q := range f.p.row(row)[first:min(first+columnGroupSize, f.p.Classes)] {
				f.group.probabilities[i*rows+row] = q
			}
		}
	}
	return f.group.probabilities[(class-first)*rows:][:rows]
}
