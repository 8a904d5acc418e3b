package metric

import (
	"math"
	"slices"
)

// Limits of the search for weights.
const (
	// refineRows is the smallest number of rows at which a class has an
	// individual weight. A class with fewer rows keeps the weight that follows
	// from its frequency, because an individual weight would fit noise.
	refineRows = 25
	// refineClasses is the largest number of classes for which individual
	// weights are searched. The time of the search is quadratic in the number
	// of classes.
	refineClasses = 100
	// refinePasses is the largest number of passes over the classes.
	refinePasses = 3
	// powerSteps is the number of powers that fitFrequencyPower tries.
	powerSteps = 20
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
// For the F1 of one class only the weight of this class is searched.
func FitClassWeights(name string, p Predictions) []float64 {
	if base, class, known := p.resolve(name); known && base == NameF1 && len(p.Labels) > 0 {
		return fitF1Weight(class, p)
	}
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

// classWeightFitter is the state of FitClassWeights.
type classWeightFitter struct {
	p      Predictions // with the best weights so far
	score  func(classCounts) float64
	best   float64 // the score with the best weights so far
	actual []int   // number of rows of each class
}

// fitFrequencyPower finds the best weights that are a power of the class
// frequencies. In a tie it chooses the weights nearest to 1.
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

// fitF1Weight returns the weights that maximise the F1 of class on p. It tries weights of
// class between 1/16 and 16 in steps of 2^(1/4); the other classes have the weight 1. It
// returns nil if no weight is better than 1. In a tie it chooses the weight nearest to 1.
func fitF1Weight(class int, p Predictions) []float64 {
	f := classWeightFitter{p: p}
	f.p.Weights = slices.Repeat([]float64{1}, p.Classes)
	others := f.runnersUp(class)
	best, weight := -1.0, 1.0
	for step := range 33 {
		exponent := (step + 1) / 2 // 0, 1, -1, 2, -2, …
		if step%2 == 0 {
			exponent = -exponent
		}
		trial := math.Exp2(float64(exponent) / 4)
		counts := emptyClassCounts(p.Classes)
		for i, label := range p.Labels {
			counts.add(int(label), others[i].decide(class, trial*float64(p.row(i)[class])))
		}
		if score := counts.f1(class); score > best {
			best, weight = score, trial
		}
	}
	if weight == 1 {
		return nil
	}
	f.p.Weights[class] = weight
	return f.p.Weights
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

// decide returns the class that Decide would choose if value were the weighted probability of
// class.
func (r runnerUp) decide(class int, value float64) int {
	if value > r.value || value == r.value && class < r.class {
		return class
	}
	return r.class
}

// runnersUp returns the runner-up of each row, for fitting the weight of class.
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
