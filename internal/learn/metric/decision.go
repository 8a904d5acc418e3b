package metric

import (
	"math"
	"slices"
)

// Which weights are worth looking at.
const (
	// A class with fewer rows than this follows the common rule and gets no
	// weight of its own: its score is mostly chance.
	refineRows = 25
	// With more classes than this none does: the search takes time quadratic
	// in them.
	refineClasses = 100
	refinePasses  = 3
	priorSteps    = 20
)

// FitWeights returns the weights, one per class, with which the decisions on
// p, rows the model has not learned from, score highest in the named metric;
// nil where equal weights do. accuracy and rocAuc never ask for others.
//
// If the probabilities are right, accuracy is best served by equal weights
// and balanced accuracy by the inverse of the class frequencies; macro F1 is
// in between. So the search goes along w_c = frequency_c^-a from a = 0 to 1
// first, which one number decides and few rows suffice for, and then tries
// steps from there for one class at a time.
func FitWeights(name string, p Predictions) []float64 {
	if name != NameBalancedAccuracy && name != NameMacroF1 || len(p.Labels) == 0 {
		return nil
	}
	f := weightFitter{p: p, score: counts.macroF1}
	if name == NameBalancedAccuracy {
		f.score = counts.balancedAccuracy
	}
	f.p.Weights = nil
	f.actual = tally(f.p).actual
	f.alongFrequencies()
	for pass := 0; pass < refinePasses && p.Classes <= refineClasses; pass++ {
		before := f.best
		for c, n := range f.actual {
			if n >= refineRows {
				f.refine(c)
			}
		}
		if f.best == before {
			break
		}
	}
	return f.p.Weights
}

type weightFitter struct {
	p      Predictions // with the best weights so far
	score  func(counts) float64
	best   float64
	actual []int // rows of each class
}

// alongFrequencies finds the best of the weights that are a power of the
// class frequencies. Among equals the weakest wins.
func (f *weightFitter) alongFrequencies() {
	f.best = f.score(tally(f.p))
	trial := f.p
	for step := 1; step <= priorSteps; step++ {
		power := float64(step) / priorSteps
		trial.Weights = make([]float64, f.p.Classes)
		for c, n := range f.actual {
			trial.Weights[c] = math.Pow(float64(max(n, 1))/float64(len(f.p.Labels)), -power)
		}
		if score := f.score(tally(trial)); score > f.best {
			f.best, f.p.Weights = score, trial.Weights
		}
	}
}

// refine tries other weights for one class and keeps the best.
func (f *weightFitter) refine(class int) {
	if f.p.Weights == nil {
		f.p.Weights = slices.Repeat([]float64{1}, f.p.Classes)
		defer func() {
			if !slices.ContainsFunc(f.p.Weights, func(w float64) bool { return w != 1 }) {
				f.p.Weights = nil
			}
		}()
	}
	rivals := f.rivals(class)
	old, best := f.p.Weights[class], f.p.Weights[class]
	for _, factor := range []float64{0.5, 0.7, 0.85, 1.2, 1.4, 2} {
		t := newCounts(f.p.Classes)
		for i, label := range f.p.Labels {
			t.add(int(label), rivals[i].against(class, old*factor*float64(f.p.row(i)[class])))
		}
		if score := f.score(t); score > f.best {
			f.best, best = score, old*factor
		}
	}
	f.p.Weights[class] = best
}

// rival is the strongest class of a row but for the one in question.
type rival struct {
	class int
	value float64
}

// against returns the decision between the rival and class, by the rule of
// Decide.
func (r rival) against(class int, value float64) int {
	if value > r.value || value == r.value && class < r.class {
		return class
	}
	return r.class
}

func (f *weightFitter) rivals(class int) []rival {
	rivals := make([]rival, len(f.p.Labels))
	for i := range rivals {
		best := rival{value: math.Inf(-1)}
		for c, q := range f.p.row(i) {
			if v := float64(q) * f.p.Weights[c]; c != class && v > best.value {
				best = rival{c, v}
			}
		}
		rivals[i] = best
	}
	return rivals
}
