// Package metric scores class probabilities against labels. It also calibrates
// probabilities (temperature scaling) and decisions (class weights).
//
// The scores equal those of scikit-learn, as the golden tests check, with one
// difference: scikit-learn rejects the area under the curve if a class is
// absent, while this package skips that class. Scores without rows are NaN.
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

// Predictions are the probabilities of some rows with their labels. They are
// read-only.
type Predictions struct {
	// Probabilities has Classes numbers for each label, row-major.
	Probabilities []float32
	// Labels holds the true class of each row.
	Labels []int32
	// Classes is the number of classes, whether or not they occur in Labels.
	Classes int
	// Weights multiply the probabilities of the classes before the decision;
	// nil means equal weights. They affect the scores of decisions only, not
	// ROCAUC and LogLoss.
	Weights []float64
	// Groups holds the group of each row, negative for a row without one. Rows
	// of a group are not independent, so intervals are computed from groups. If
	// it is nil, the rows are independent.
	Groups []int32
}

func (p Predictions) row(i int) []float32 {
	return p.Probabilities[i*p.Classes : (i+1)*p.Classes]
}

// Decide returns the class with the highest weighted probability, or the first
// of these in a tie. weights may be nil, which means equal weights.
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

// Score returns the named score, from 0 to 1, where higher is better. An
// unknown name is an error.
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

// Accuracy returns the fraction of rows whose decision is the label.
func Accuracy(p Predictions) float64 {
	right := 0
	for i, label := range p.Labels {
		if Decide(p.row(i), p.Weights) == int(label) {
			right++
		}
	}
	return float64(right) / float64(len(p.Labels))
}
