package metric

import (
	"context"
	"math"
	"slices"
)

// Limits of the search for weights.
const (
	// minRefineRows is the smallest number of rows of a class for which the weight of the class is
	// searched individually. With fewer rows, an individual weight would fit noise, so the class
	// keeps the weight that follows from its frequency.
	minRefineRows = 25
	// maxRefineClasses is the largest number of classes for which the weights of single classes are
	// searched. The time of the search is proportional to the number of classes times the number of
	// rows.
	maxRefineClasses = 100
	// maxRefinePasses is the largest number of passes over the classes.
	maxRefinePasses = 3
	// fitF1Weight tries exactly minF1WeightSteps weights below 1, and at least as many above 1.
	minF1WeightSteps = 16
	// numPowers is the number of exponents above 0 that fitFrequencyPower tries.
	numPowers = 20
)

// FitClassWeights returns the weights, one for each class, that maximise the named metric of the
// decisions on p. It returns nil if equal weights are best, which is always the case for accuracy
// and for metrics of probabilities. The model must not have been trained on the rows of p. If ctx
// is cancelled, FitClassWeights returns the error of ctx.
//
// For calibrated probabilities, equal weights maximise accuracy, and the inverse class frequencies
// maximise balanced accuracy. The best weights for macro F1 are in between. The search therefore
// begins with weights w_c = frequency_c^-e with one exponent e from 0 to 1 for all classes. It then
// changes the weight of one class at a time.
//
// For the F1 of one class, only the weight of this class is searched, and the result is nil if no
// row is of this class.
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
		if !slices.Contains(p.Labels, int32(class)) { // with any weight, the F1 is 0, or 0/0 if no row is predicted as the class
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
	group  columnGroup // see column
}

// fitFrequencyPower finds the best weights of the form frequency^-e, with one exponent e from 0 to
// 1 for all classes. In a tie it chooses the smallest e.
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

// fitF1Weight returns the weights that maximise the F1 of class on p. All other classes have the
// weight 1. For class, it tries powers of 2^(1/4), from 1/16 to the largest that f1WeightSteps
// allows. It returns nil if no weight is better than 1. In a tie, it chooses the weight nearest to
// 1. The result is undefined if ctx is cancelled.
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
// A larger weight is not needed. The best threshold on the probability of the class is half the
// highest possible F1 (Z. Lipton, C. Elkan and B. Naryanaswamy, ECML PKDD 2014). The highest F1 is
// at least about twice the frequency of the class, the F1 of predicting the class for every row. So
// the best threshold is at least about the frequency.
func f1WeightSteps(class int, labels []int32) int {
	rows := 0
	for _, label := range labels {
		if int(label) == class {
			rows++
		}
	}
	return max(minF1WeightSteps, int(math.Ceil(4*math.Log2(float64(len(labels))/float64(max(rows, 1))))))
}

// countWithWeight returns the counts of the decisions if class has the given weight.
func (f *classWeightFitter) countWithWeight(class int, weight float64) classCounts {
	counts := emptyClassCounts(f.p.Classes)
	for i, label := range f.p.Labels {
		counts.add(int(label), f.topTwo[i].decide(class, weight*float64(f.p.row(i)[class])))
	}
	return counts
}

// findTopTwo sets f.topTwo from the probabilities and weights in f.p. If ctx is cancelled, f.topTwo
// is incomplete.
func (f *classWeightFitter) findTopTwo(ctx context.Context) {
	f.topTwo = make([]topTwo, len(f.p.Labels))
	for i := range f.topTwo {
		if isCancelled(ctx, i) {
			return
		}
		f.topTwo[i] = newTopTwo(f.p.row(i), f.p.Weights)
	}
}
