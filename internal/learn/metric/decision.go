package metric

import (
	"math"
	"slices"
)

// Limits of the search for weights.
const (
	// A class with fewer rows keeps the weight that follows from its frequency,
	// because an individual weight would fit noise.
	refineRows = 25
	// With more classes no class has an individual weight, because the time of
	// the search is quadratic in their number.
	refineClasses = 100
	refinePasses  = 3
	powerSteps    = 20
)

// FitClassWeights returns the weights, one for each class, that maximise the
// named metric of the decisions on p. It returns nil if equal weights do. The
// model must not have been trained on the rows of p. For accuracy and rocAuc
// the result is nil.
//
// If the probabilities are calibrated, equal weights maximise accuracy, and the
// inverse class frequencies balanced accuracy. The weights for macro F1 are in
// between. So the search first follows w_c = frequency_c^-a from a = 0 to 1, a
// single number that few rows can determine, and then tries steps from there
// for one class at a time.
func FitClassWeights(name string, p Predictions) []float64 {
	if name != NameBalancedAccuracy && name != NameMacroF1 || len(p.Labels) == 0 {
		return nil
	}
	f := classWeightFitter{p: p, score: classCounts.macroF1}
	if name == NameBalancedAccuracy {
		f.score = classCounts.balancedAccuracy
	}
	f.p.Weights = nil
	f.actual = newClassCounts(f.p).actual
	f.fitFrequencyPower()
	for pass := 0; pass < refinePasses && p.Classes <= refineClasses; pass++ {
		before := f.best
		for c, n := range f.actual {
			if n >= refineRows {
				f.refineWeight(c)
			}
		}
		if f.best == before {
			break
		}
	}
	return f.p.Weights
}

type classWeightFitter struct {
	p      Predictions // with the best weights so far
	score  func(classCounts) float64
	best   float64
	actual []int // rows of each class
}

// fitFrequencyPower finds the best weights that are a power of the class
// frequencies. In a tie it prefers the weights nearest to 1.
func (f *classWeightFitter) fitFrequencyPower() {
	f.best = f.score(newClassCounts(f.p))
	trial := f.p
	for step := 1; step <= powerSteps; step++ {
		power := float64(step) / powerSteps
		trial.Weights = make([]float64, f.p.Classes)
		for c, n := range f.actual {
			trial.Weights[c] = math.Pow(float64(max(n, 1))/float64(len(f.p.Labels)), -power)
		}
		if score := f.score(newClassCounts(trial)); score > f.best {
			f.best, f.p.Weights = score, trial.Weights
		}
	}
}

// refineWeight tries other weights for class and keeps the best.
func (f *classWeightFitter) refineWeight(class int) {
	if f.p.Weights == nil {
		f.p.Weights = slices.Repeat([]float64{1}, f.p.Classes)
		defer func() {
			if !slices.ContainsFunc(f.p.Weights, func(w float64) bool { return w != 1 }) {
				f.p.Weights = nil
			}
		}()
	}
	others := f.runnersUp(class)
	old, best := f.p.Weights[class], f.p.Weights[class]
	for _, factor := range []float64{0.5, 0.7, 0.85, 1.2, 1.4, 2} {
		counts := emptyClassCounts(f.p.Classes)
		for i, label := range f.p.Labels {
			counts.add(int(label), others[i].decide(class, old*factor*float64(f.p.row(i)[class])))
		}
		if score := f.score(counts); score > f.best {
			f.best, best = score, old*factor
		}
	}
	f.p.Weights[class] = best
}

// runnerUp is the class with the highest weighted probability in a row, not
// counting the class whose weight is being fitted.
type runnerUp struct {
	class int
	value float64
}

// decide returns the decision between r and class, which has the weighted
// probability value, by the rule of Decide.
func (r runnerUp) decide(class int, value float64) int {
	if value > r.value || value == r.value && class < r.class {
		return class
	}
	return r.class
}

func (f *classWeightFitter) runnersUp(class int) []runnerUp {
	others := make([]runnerUp, len(f.p.Labels))
	for i := range others {
		best := runnerUp{value: math.Inf(-1)}
		for c, q := range f.p.row(i) {
			if v := float64(q) * f.p.Weights[c]; c != class && v > best.value {
				best = runnerUp{c, v}
			}
		}
		others[i] = best
	}
	return others
}
