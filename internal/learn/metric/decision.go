package metric

import (
	"context"
	"math"
	"slices"
)

// Limits of the search for weights.
const (
	// minRefineRows is how many rows a class must have before its weight is searched
	// individually. A class with fewer rows keeps the weight that follows from its
	// frequency, because an individual weight would fit noise.
	minRefineRows = 25
	// maxRefineClasses is the largest number of classes of a table for which the
	// weights of single classes are searched. The time of the search is proportional
	// to the number of classes times the number of rows.
	maxRefineClasses = 100
	// maxRefinePasses is the largest number of passes over the classes.
	maxRefinePasses = 3
	// minF1WeightSteps is the number of weights below 1 that fitF1Weight tries, and the
	// smallest number of weights above 1.
	minF1WeightSteps = 16
	// numPowers is the number of exponents that fitFrequencyPower tries.
	numPowers = 20
)

// FitClassWeights returns the weights, one for each class, that maximise the named metric
// of the decisions on p. It returns nil if equal weights are best. For accuracy and for
// metrics of probabilities, it always returns nil. The model must not have been trained on
// the rows of p.
//
// If the probabilities are calibrated, equal weights maximise accuracy, and the inverse
// class frequencies maximise balanced accuracy. The weights for macro F1 are in between.
// The search therefore begins with weights w_c = frequency_c^-e with one exponent e from
// 0 to 1 for all classes, because few rows suffice to determine one number. It then
// changes the weight of one class at a time.
//
// For the F1 of one class only the weight of this class is searched. The result is nil if no row is
// of this class.
//
// If ctx is cancelled, FitClassWeights returns the error of ctx.
func FitClassWeights(ctx context.Context, name string, p Predictions) ([]float64, error) {
	weights := fitClassWeights(ctx, name, p)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return weights, nil
}

// fitClassWeights returns the weights for FitClassWeights. If ctx is cancelled, the
// result is undefined.
func fitClassWeights(ctx context.Context, name string, p Predictions) []float64 {
	if base, class, known := p.parseMetricName(name); known && base == NameF1 && len(p.Labels) > 0 {
		if !slices.Contains(p.Labels, int32(class)) { // the F1 is 0, or 0/0 if no row is predicted as the class
			return nil
		}
		return fitF1Weight(ctx, class, p)
	}
	if name != NameBalancedAccuracy && name != NameMacroF1 || len(p.Labels) == 0 {
		return nil
	}
	f := classWeightFitter{p: p, score: classCounts.macroF1}
	if name == NameBalancedAccuracy {
		f.score = classCounts.balancedAccuracy
	}
	f.p.Weights = nil
	f.counts = newClassCounts(f.p)
	f.fitFrequencyPower(ctx)
	if p.Classes <= maxRefineClasses {
		f.refineWeights(ctx)
	}
	return f.p.Weights
}

// classWeightFitter is the state of FitClassWeights.
type classWeightFitter struct {
	p      Predictions // with the best weights so far
	score  func(classCounts) float64
	best   float64     // the score with the best weights so far
	counts classCounts // of the decisions with the best weights so far
	topTwo []topTwo    // of each row, with the best weights so far
}

// fitFrequencyPower finds the best weights that are a power of the class
// frequencies. In a tie it chooses the weights nearest to 1.
func (f *classWeightFitter) fitFrequencyPower(ctx context.Context) {
	f.best = f.score(f.counts)
	trials := make([]powerTrial, numPowers)
	for i := range trials {
		weights, power := make([]float64, f.p.Classes), float64(i+1)/numPowers
		for c, n := range f.counts.actual {
			weights[c] = math.Pow(float64(max(n, 1))/float64(len(f.p.Labels)), -power)
		}
		trials[i] = powerTrial{weights, emptyClassCounts(f.p.Classes)}
	}
	f.countPowers(ctx, trials)
	for _, trial := range trials {
		if score := f.score(trial.counts); score > f.best {
			f.best, f.p.Weights, f.counts = score, trial.weights, trial.counts
		}
	}
}

// fitF1Weight returns the weights that maximise the F1 of class on p. It tries powers of
// 2^(1/4) as the weight of class, from 1/16 to the largest that f1WeightSteps allows. The other
// classes have the weight 1. It returns nil if no weight is better than 1. In a tie it chooses
// the weight nearest to 1. The result is undefined if ctx is cancelled.
func fitF1Weight(ctx context.Context, class int, p Predictions) []float64 {
	f := classWeightFitter{p: p}
	f.p.Weights = slices.Repeat([]float64{1}, p.Classes)
	f.findTopTwo(ctx)
	best, weight := -1.0, 1.0
	try := func(exponent int) {
		trial := math.Exp2(float64(exponent) / 4)
		if score := f.countWithWeight(class, trial).f1(class); score > best {
			best, weight = score, trial
		}
	}
	try(0)
	for exponent := 1; exponent <= f1WeightSteps(class, p.Labels); exponent++ {
		if ctx.Err() != nil {
			return nil
		}
		try(exponent)
		if exponent <= minF1WeightSteps && ctx.Err() == nil {
			try(-exponent)
		}
	}
	if weight == 1 {
		return nil
	}
	f.p.Weights[class] = weight
	return f.p.Weights
}

// f1WeightSteps returns the number of steps of 2^(1/4) from 1 to the largest weight that
// fitF1Weight tries. This weight is the inverse of the frequency of class, but at least 16.
//
// The F1 is highest if the class is predicted for the rows whose probability of it is at least
// half this highest F1 (Z. Lipton, C. Elkan and B. Naryanaswamy, ECML PKDD 2014). For a rare
// class, this threshold may be far below 1/17, the threshold for the weight 16 with two classes.
// It is not below the frequency of the class: the F1 of predicting the class for all rows is
// about twice the frequency, and the highest F1 is at least as high.
func f1WeightSteps(class int, labels []int32) int {
	rows := 0
	for _, label := range labels {
		if int(label) == class {
			rows++
		}
	}
	return max(minF1WeightSteps, int(math.Ceil(4*math.Log2(float64(len(labels))/float64(max(rows, 1))))))
}

// refineWeights changes the weight of one class at a time.
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

// refineFactors are the factors by which refineWeight multiplies a weight, in ascending order.
var refineFactors = [...]float64{0.5, 0.7, 0.85, 1.2, 1.4, 2}

// refineWeight tries other weights for class and keeps the best.
func (f *classWeightFitter) refineWeight(class int) {
	old, best := f.p.Weights[class], f.p.Weights[class]
	counts, rows := f.countWithoutClass(class, old*refineFactors[len(refineFactors)-1])
	for _, factor := range refineFactors {
		weight := old * factor
		left := rows[:0] // rows that need a higher weight
		for _, row := range rows {
			if t := &f.topTwo[row]; t.decide(class, weight*float64(f.p.row(int(row))[class])) == class {
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
	if best == old {
		return
	}
	f.p.Weights[class] = best
	for row, label := range f.p.Labels {
		t := &f.topTwo[row]
		before := t.class[0]
		t.update(class, f.p.row(row), f.p.Weights)
		if t.class[0] != before {
			f.counts.move(int(label), int(before), int(t.class[0]))
		}
	}
}

// countWithoutClass returns the counts of the decisions if no row may be decided as class. It also
// returns the rows that would be decided as class if its weight were maxWeight.
func (f *classWeightFitter) countWithoutClass(class int, maxWeight float64) (counts classCounts, rows []int32) {
	counts = classCounts{slices.Clone(f.counts.right), slices.Clone(f.counts.predicted), f.counts.actual}
	for row, label := range f.p.Labels {
		t := &f.topTwo[row]
		if t.decide(class, maxWeight*float64(f.p.row(row)[class])) != class {
			continue
		}
		rows = append(rows, int32(row))
		if int(t.class[0]) == class {
			counts.move(int(label), class, int(t.class[1]))
		}
	}
	return counts, rows
}

// countWithWeight returns the counts of the decisions if class has the given weight.
func (f *classWeightFitter) countWithWeight(class int, weight float64) classCounts {
	counts := emptyClassCounts(f.p.Classes)
	for i, label := range f.p.Labels {
		counts.add(int(label), f.topTwo[i].decide(class, weight*float64(f.p.row(i)[class])))
	}
	return counts
}

// findTopTwo sets topTwo. It is incomplete if ctx is cancelled.
func (f *classWeightFitter) findTopTwo(ctx context.Context) {
	f.topTwo = make([]topTwo, len(f.p.Labels))
	for i := range f.topTwo {
		if isCancelled(ctx, i) {
			return
		}
		f.topTwo[i] = newTopTwo(f.p.row(i), f.p.Weights)
	}
}

// topTwo holds the two classes with the highest weighted probabilities in a row, and these
// weighted probabilities. The first is the class that Decide chooses. If there is only one class,
// the second is 0 with the value -Inf.
type topTwo struct {
	class [2]int32
	value [2]float64
}

// newTopTwo returns the two classes of a row with the given probabilities.
func newTopTwo(probabilities []float32, weights []float64) topTwo {
	t := topTwo{value: [2]float64{math.Inf(-1), math.Inf(-1)}}
	for c, q := range probabilities {
		t.insert(int32(c), float64(q)*weights[c])
	}
	return t
}

// insert puts a class into t if its weighted probability is among the two highest. t must not
// contain the class yet.
func (t *topTwo) insert(class int32, value float64) {
	switch {
	case t.precedes(class, value, 0):
		t.class[1], t.value[1] = t.class[0], t.value[0]
		t.class[0], t.value[0] = class, value
	case t.precedes(class, value, 1):
		t.class[1], t.value[1] = class, value
	}
}

// precedes reports whether Decide chooses a class with the given weighted probability rather than
// the class at the given position.
func (t *topTwo) precedes(class int32, value float64, position int) bool {
	return value > t.value[position] || value == t.value[position] && class < t.class[position]
}

// update updates t after the weight of class has changed.
func (t *topTwo) update(class int, probabilities []float32, weights []float64) {
	if int(t.class[0]) == class || int(t.class[1]) == class {
		*t = newTopTwo(probabilities, weights)
		return
	}
	t.insert(int32(class), float64(probabilities[class])*weights[class])
}

// decide returns the class that Decide would choose if value were the weighted probability of
// class.
func (t *topTwo) decide(class int, value float64) int {
	other := t.otherPosition(class)
	if t.precedes(int32(class), value, other) {
		return class
	}
	return int(t.class[other])
}

// firstOther returns the class that Decide would choose if class did not exist.
func (t *topTwo) firstOther(class int) int { return int(t.class[t.otherPosition(class)]) }

// otherPosition returns the position of the first class other than the given one.
func (t *topTwo) otherPosition(class int) int {
	if int(t.class[0]) == class {
		return 1
	}
	return 0
}
