package boost

import (
	"context"
	"math"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// objective is the log loss of the classes as a function of raw scores.
//
// With k classes and scores f the probabilities are pₖ = exp fₖ / Σⱼ exp fⱼ,
// and
//
//	∂L/∂fₖ = pₖ − yₖ        ∂²L/∂fₖ² = pₖ (1 − pₖ)
//
// (Friedman, Hastie & Tibshirani 2000). Two classes have one score, the log
// odds of the second.
type objective struct {
	classes int
	labels  []int32
	// train are the rows to train on, validation the rows to predict.
	train, validation []int32
	// base is the initial score of every row, by output.
	base []float32
}

func newObjective(f *frame.Frame, fold split.Fold, classes int) objective {
	return objective{
		classes: classes, labels: f.Labels, train: fold.Train, validation: fold.Validation,
		base: baseScores(f.Labels, fold.Train, classes),
	}
}

// classOf returns the class that output k scores.
func (p *objective) classOf(k int) int32 {
	if p.classes == 2 {
		return 1
	}
	return int32(k)
}

// outputs returns the number of scores of a row.
func outputs(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// outputScores holds raw scores output by output, for trees of one output each.
type outputScores struct {
	objective
	// values are by output, then by row.
	values [][]float32
	// maxScores and normalizers turn the scores of more than two classes into
	// probabilities: exp(score − max)·normalizer. Both are by row, and nil for
	// two classes and between rounds.
	maxScores, normalizers []float32
}

func newOutputScores(p objective, rows int) *outputScores {
	l := &outputScores{objective: p}
	for _, base := range l.base {
		scores := make([]float32, rows)
		for i := range scores {
			scores[i] = base
		}
		l.values = append(l.values, scores)
	}
	return l
}

// baseScores returns the logarithms of the class frequencies among the rows
// train. One row is added to each class, so that a class without rows has a
// finite score.
func baseScores(labels, train []int32, classes int) []float32 {
	counts := make([]float64, classes)
	for i := range counts {
		counts[i] = 1
	}
	for _, row := range train {
		counts[labels[row]]++
	}
	if classes == 2 {
		return []float32{float32(math.Log(counts[1] / counts[0]))}
	}
	base := make([]float32, classes)
	for i, n := range counts {
		base[i] = float32(math.Log(n / float64(len(train)+classes)))
	}
	return base
}

// taskRows is the number of rows whose derivatives one task computes.
const taskRows = 1 << 12

// updateSoftmax computes maxScores and normalizers of the training rows. It
// goes output by output so that memory is read in sequence.
func (l *outputScores) updateSoftmax(ctx context.Context, workers int) error {
	if l.maxScores == nil {
		return ctx.Err()
	}
	tasks := (len(l.train) + taskRows - 1) / taskRows
	return parallel.ForContext(ctx, workers, tasks, func(_, i int) {
		rows := l.train[i*taskRows : min((i+1)*taskRows, len(l.train))]
		for _, row := range rows {
			l.maxScores[row], l.normalizers[row] = l.values[0][row], 0
		}
		for _, scores := range l.values[1:] {
			for _, row := range rows {
				if x := scores[row]; x > l.maxScores[row] {
					l.maxScores[row] = x
				}
			}
		}
		for _, scores := range l.values {
			for _, row := range rows {
				l.normalizers[row] += l.expShifted(scores, row)
			}
		}
		for _, row := range rows {
			l.normalizers[row] = 1 / l.normalizers[row]
		}
	})
}

// expShifted returns exp(score − max) of a row, or 0 if the difference is below
// minLogOdds.
func (l *outputScores) expShifted(scores []float32, row int32) float32 {
	if x := scores[row] - l.maxScores[row]; x >= minLogOdds {
		return exp32(x)
	}
	return 0
}

// add adds value to the scores of rows in an output.
func (l *outputScores) add(output int, rows []int32, value float32) {
	scores := l.values[output]
	for _, row := range rows {
		scores[row] += value
	}
}

func sigmoid(x float32) float32 {
	if x < 0 {
		e := exp32(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp32(-x))
}

// predictValidation writes the class probabilities of the validation rows to
// dst, row-major.
func (l *outputScores) predictValidation(dst []float32) {
	raw := make([]float32, len(l.base))
	for i, row := range l.validation {
		for k := range raw {
			raw[k] = l.values[k][row]
		}
		probabilities(dst[i*l.classes:(i+1)*l.classes], raw)
	}
}

// probabilities converts the raw scores of one row to probabilities in dst.
func probabilities(dst, raw []float32) {
	if len(raw) == 1 {
		dst[1] = sigmoid(raw[0])
		dst[0] = 1 - dst[1]
		return
	}
	top := raw[0]
	for _, x := range raw {
		if x > top {
			top = x
		}
	}
	var sum float32
	dst = dst[:len(raw)]
	for k, x := range raw {
		e := exp32(x - top)
		dst[k] = e
		sum += e
	}
	scale := 1 / sum
	for k := range dst {
		dst[k] *= scale
	}
}

// maxLeafValue limits a leaf's value before it is multiplied by the learning
// rate. Otherwise pure leaves of classes of few rows would take steps that
// later trees cannot undo.
const maxLeafValue = 8

// newtonStep returns the step −G/(H+λ) of a leaf, limited to maxLeafValue,
// times the learning rate. With more than two classes h is only the diagonal of
// the hessian, which the factor K/(K−1) corrects (Friedman 2001, equation 33).
func newtonStep(g, h float64, classes int, opts *Options) float32 {
	if k := float64(classes); k > 2 {
		h *= k / (k - 1)
	}
	value := -g / (h + opts.L2)
	return float32(opts.LearningRate * math.Min(math.Max(value, -maxLeafValue), maxLeafValue))
}
