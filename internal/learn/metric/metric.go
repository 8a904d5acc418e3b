// Package metric scores class probabilities against the truth, and uses such
// scores to make better probabilities (temperature scaling) and better
// decisions (weights per class).
//
// The scores are those of scikit-learn, to which the golden tests hold them,
// with one difference: where scikit-learn refuses an area under the curve
// because a class is absent, that class is skipped here. A score of nothing,
// such as the accuracy on no rows, is NaN.
package metric

import (
	"fmt"
	"math"
)

// Names of the scores as the API spells them.
const (
	NameAccuracy         = "accuracy"
	NameBalancedAccuracy = "balancedAccuracy"
	NameMacroF1          = "macroF1"
	NameROCAUC           = "rocAuc"
)

// Predictions are what a model said of some rows, beside the truth. They are
// only read.
type Predictions struct {
	// Probabilities has one row of Classes numbers for each label, row major.
	Probabilities []float32
	// Labels holds the true class of each row.
	Labels []int32
	// Classes is the number of classes, whether or not they occur in Labels.
	Classes int
	// Weights multiply the probabilities of the classes before one class is
	// decided for. nil stands for equal weights. They matter to the scores of
	// decisions alone, not to ROCAUC and LogLoss.
	Weights []float64
}

// row returns the probabilities of row i.
func (p Predictions) row(i int) []float32 {
	return p.Probabilities[i*p.Classes : (i+1)*p.Classes]
}

// Decide returns the class with the highest weighted probability, the lowest
// of them if several are equal. weights may be nil.
func Decide(probabilities []float32, weights []float64) int {
	best, class := math.Inf(-1), 0
	for c, q := range probabilities {
		v := float64(q)
		if weights != nil {
			v *= weights[c]
		}
		if v > best {
			best, class = v, c
		}
	}
	return class
}

// Score returns the score the API knows by the given name. All of them are
// between 0 and 1, and more is better.
func Score(name string, p Predictions) (float64, error) {
	switch name {
	case NameAccuracy:
		return Accuracy(p), nil
	case NameBalancedAccuracy:
		return BalancedAccuracy(p), nil
	case NameMacroF1:
		return MacroF1(p), nil
	case NameROCAUC:
		return ROCAUC(p), nil
	}
	return 0, fmt.Errorf("metric=%q: must be one of %s, %s, %s, %s", name,
		NameAccuracy, NameBalancedAccuracy, NameMacroF1, NameROCAUC)
}

// Accuracy returns the fraction of rows decided rightly.
func Accuracy(p Predictions) float64 {
	right := 0
	for i, label := range p.Labels {
		if Decide(p.row(i), p.Weights) == int(label) {
			right++
		}
	}
	return float64(right) / float64(len(p.Labels))
}
