// Package metric scores class probabilities against labels. It also calibrates probabilities
// (temperature scaling) and decisions (class weights).
//
// Functions that may take more than a second on large tables take a context, and return its error
// soon after it is cancelled. The other functions read each probability once, or sort the rows
// once.
//
// The scores equal the scores of scikit-learn, as the golden tests check, with two exceptions. If a
// class has no rows, the mean ROC area leaves out this class, whereas scikit-learn computes no
// mean. If all rows are of the class, its average precision is NaN, whereas scikit-learn returns 1
// for any probabilities. Scores without rows are NaN.
package metric

import (
	"context"
	"fmt"
	"math"
)

// Predictions are the probabilities of some rows with their labels. The functions of this
// package do not modify them.
type Predictions struct {
	// Probabilities has Classes numbers for each row, row-major.
	Probabilities []float32
	// Labels holds the true class of each row. A negative number means that the true class is not a
	// class of the model, so every decision on the row is wrong. Negative numbers are allowed only
	// for accuracy, balanced accuracy and macro F1, and only if Groups is nil.
	Labels []int32
	// Classes is the number of classes, whether or not they occur in Labels.
	Classes int
	// Weights multiply the probabilities of the classes before the decision; nil means equal weights.
	// They affect only scores of decisions, such as Accuracy, and not ROCAUC, PRAUC and LogLoss.
	Weights []float64
	// Groups holds the group of each row. A negative number means that a row has no group. Rows of
	// the same group are not independent, so intervals are computed from groups. If Groups is nil,
	// the rows are independent.
	Groups []int32
	// Names are the labels of the classes. They are only needed for metrics of one
	// class.
	Names []string
	// ClassRows is the number of rows of each class in the whole table. With two classes,
	// PRAUC is the average precision of the class with fewer rows in the table. If
	// ClassRows is nil, the rows of Labels are counted instead.
	ClassRows []int
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

// Score returns the named score, from 0 to 1, where higher is better. The score for logLoss is
// [Likelihood]. Score returns an error if the name is unknown or names a class that is not in
// p.Names. If ctx is cancelled, Score returns the error of ctx.
func Score(ctx context.Context, name string, p Predictions) (float64, error) {
	base, class, known := p.parseMetricName(name)
	switch {
	case !known:
	case class >= 0:
		return classScore(base, class, p), ctx.Err()
	case base == NameAccuracy:
		return Accuracy(p), ctx.Err()
	case base == NameBalancedAccuracy:
		return BalancedAccuracy(p), ctx.Err()
	case base == NameMacroF1:
		return MacroF1(p), ctx.Err()
	case base == NameROCAUC:
		return ROCAUC(ctx, p)
	case base == NamePRAUC:
		return PRAUC(ctx, p)
	case base == NameLogLoss:
		return Likelihood(LogLoss(p)), ctx.Err()
	}
	return 0, fmt.Errorf("metric=%w", CheckName(name, append([]string{}, p.Names...)))
}

// classScore returns the score of one class by the metric base: the name of the metric, without the
// class.
func classScore(base string, class int, p Predictions) float64 {
	switch base {
	case NameROCAUC:
		return rocAreaOfClass(class, p, make([]uint64, len(p.Labels)))
	case NamePRAUC:
		return AveragePrecision(class, p)
	}
	return newClassCounts(p).f1(class)
}

// isCancelled reports whether ctx is cancelled. It is for loops over rows: to save time,
// it checks ctx only at every 1,024th row.
func isCancelled(ctx context.Context, row int) bool { return row%1024 == 0 && ctx.Err() != nil }

// Likelihood returns exp(−logLoss), the geometric mean of the probabilities of the true
// classes. It is from 0 to 1, where higher is better.
func Likelihood(logLoss float64) float64 { return math.Exp(-logLoss) }

// WeightedAccuracy returns the accuracy in which each row counts with the weight of its label.
// p.Weights must not be nil, and no label may be negative.
func WeightedAccuracy(p Predictions) float64 {
	right, total := 0.0, 0.0
	for i, label := range p.Labels {
		total += p.Weights[label]
		if Decide(p.row(i), p.Weights) == int(label) {
			right += p.Weights[label]
		}
	}
	return right / total
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
