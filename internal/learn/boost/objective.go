package boost

import (
	"context"
	"math"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// objective is the log loss of the classes as a function of the raw scores of a row.
//
// With more than two classes, a row has the scores f and the probabilities pₖ = exp fₖ / Σⱼ
// exp fⱼ. yₖ is 1 if the row is of class k, and otherwise 0. The derivatives of the loss of
// the row are (Friedman, Hastie & Tibshirani 2000)
//
//	∂L/∂fₖ = pₖ − yₖ        ∂²L/∂fₖ² = pₖ (1 − pₖ)
//
// With two classes, a row has one score, the log odds of the second class.
type objective struct {
	classes int
	labels  []int32
	// train are the rows to train on, validation the rows to predict.
	train, validation []int32
	// base holds the initial raw score of each output, which is the same for all rows.
	// See baseScores.
	base []float32
}

func newObjective(f *frame.Frame, fold split.Fold, classes int) objective {
	return objective{
		classes: classes, labels: f.Labels, train: fold.Train, validation: fold.Validation,
		base: baseScores(f.Labels, fold.Train, classes),
	}
}

// outputClass returns the class whose score is output k. For two classes, there is only one output,
// the score of class 1.
func (o *objective) outputClass(k int) int32 {
	if o.classes == 2 {
		return 1
	}
	return int32(k)
}

// numOutputs returns the number of raw scores of a row: one for two classes, and
// otherwise one for each class.
func numOutputs(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// outputScores holds the raw scores of all rows, one slice for each output. It is used for
// leaf-wise trees, because such a tree adds to a single output.
type outputScores struct {
	objective
	// values holds the scores by output, then by row.
	values [][]float32
	// maxScores and normalizers, both by row, convert scores to probabilities for more than two
	// classes: exp(score − maxScore)·normalizer. Both are nil for two classes and between rounds.
	maxScores, normalizers []float32
}

func newOutputScores(objective objective, rows int) *outputScores {
	o := &outputScores{objective: objective}
	for _, base := range o.base {
		scores := make([]float32, rows)
		for i := range scores {
			scores[i] = base
		}
		o.values = append(o.values, scores)
	}
	return o
}

// baseScores returns the initial score of each output, computed from the labels of the training
// rows, train. For two classes, this is the log odds of the second class. For more classes, it is
// the logarithm of the frequency of the class. One row is added to the count of each class, so that
// every score is finite.
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

// gradientTaskRows is the number of rows whose derivatives one task computes.
const gradientTaskRows = 1 << 12

// updateSoftmax computes maxScores and normalizers of the training rows. To read memory
// in sequence, it loops over the outputs and, for each output, over a block of rows.
func (o *outputScores) updateSoftmax(ctx context.Context, workers int) error {
	if o.maxScores == nil {
		return ctx.Err()
	}
	tasks := (len(o.train) + gradientTaskRows - 1) / gradientTaskRows
	return parallel.ForContext(ctx, workers, tasks, func(_, i int) {
		var maxBlock, sumBlock [blockRows]float32
		rows := o.train[i*gradientTaskRows : min((i+1)*gradientTaskRows, len(o.train))]
		forRowBlocks(rows, len(o.labels), func(lo, hi int, part []int32) {
			top, sums := maxBlock[:hi-lo], sumBlock[:hi-lo]
			copy(top, o.values[0][lo:hi])
			for _, scores := range o.values[1:] {
				kernel.Max(top, scores[lo:hi])
			}
			clear(sums)
			for _, scores := range o.values {
				kernel.AddExp(sums, scores[lo:hi], top, minLogOdds)
			}
			for _, row := range part {
				o.maxScores[row], o.normalizers[row] = top[int(row)-lo], 1/sums[int(row)-lo]
			}
		})
	})
}

// add adds value to the scores of the given rows for one output.
func (o *outputScores) add(output int, rows []int32, value float32) {
	scores := o.values[output]
	for _, row := range rows {
		scores[row] += value
	}
}

// sigmoid returns p = 1/(1 + e⁻ˣ) and complement = 1−p. It computes complement as 1/(1 + eˣ),
// because the float32 subtraction 1−p would be 0 for all x above about 17.
func sigmoid(x float32) (p, complement float32) {
	if x < 0 {
		complement, p = sigmoid(-x)
		return p, complement
	}
	e := kernel.Exp(-x)
	return 1 / (1 + e), e / (1 + e)
}

// predictValidation writes the class probabilities of the validation rows to
// dst, row-major.
func (o *outputScores) predictValidation(dst []float32) {
	raw := make([]float32, len(o.base))
	for i, row := range o.validation {
		for k := range raw {
			raw[k] = o.values[k][row]
		}
		scoresToProbabilities(dst[i*o.classes:(i+1)*o.classes], raw)
	}
}

// minVector is the smallest number of outputs of a row for which the vector instructions of package
// kernel are faster than a loop.
const minVector = 8

// minExp is the smallest argument of kernel.Exp whose result is not 0.
const minExp = -87

// scoresToProbabilities converts the raw scores of one row to probabilities in
// dst.
func scoresToProbabilities(dst, raw []float32) {
	if len(raw) == 1 {
		dst[1], dst[0] = sigmoid(raw[0])
		return
	}
	top := raw[0]
	for _, x := range raw {
		if x > top {
			top = x
		}
	}
	dst = dst[:len(raw)]
	var sum float32
	if len(raw) < minVector {
		for k, x := range raw {
			e := kernel.Exp(x - top)
			dst[k] = e
			sum += e
		}
	} else {
		kernel.ExpClipped(dst, raw, top, minExp, 0)
		for _, e := range dst {
			sum += e
		}
	}
	scale := 1 / sum
	for k := range dst {
		dst[k] *= scale
	}
}

// maxLeafValue limits the absolute value of a leaf before it is multiplied by the learning rate.
// Without this limit, a leaf with only rows of one rare class could get a value that later trees
// cannot correct.
const maxLeafValue = 8

// newtonStep returns the value of a leaf with the sums g of the gradients and h of the hessians:
// the step −g/(h+λ), limited to ±maxLeafValue, times the learning rate. With K > 2 classes, h is
// first multiplied by K/(K−1), because h contains only the diagonal of the hessian matrix (Friedman
// 2001, equation 33).
func newtonStep(g, h float64, classes int, opts *Options) float32 {
	if k := float64(classes); k > 2 {
		h *= k / (k - 1)
	}
	return opts.scaleLeafValue(-g / (h + opts.l2))
}

// scaleLeafValue limits value to ±maxLeafValue and multiplies it by the learning rate. The result
// is added to the scores of the leaf's rows.
func (o *Options) scaleLeafValue(value float64) float32 {
	return float32(o.learningRate * math.Min(math.Max(value, -maxLeafValue), maxLeafValue))
}
