package boost

import (
	"context"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// loss is the log loss of the classes given raw scores, and its derivatives.
//
// With k classes of scores f the probabilities are pₖ = exp fₖ / Σⱼ exp fⱼ, and
//
//	∂L/∂fₖ = pₖ − yₖ        ∂²L/∂fₖ² = pₖ (1 − pₖ)
//
// (Friedman, Hastie & Tibshirani 2000). Two classes have one score, that of
// the second against the first.
type loss struct {
	classes int
	labels  []int32
	// rows are those whose scores are kept: to learn from, then to evaluate.
	rows, train, eval []int32
	// base is the score every row begins with, one an output.
	base []float32
	// scores and probabilities are indexed by output, then by row.
	scores, probabilities [][]float32
}

// outputs returns the number of scores a row has.
func outputs(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

func newLoss(f *frame.Frame, part split.Part, classes int) *loss {
	l := &loss{classes: classes, labels: f.Labels, train: part.Train, eval: part.Eval}
	l.rows = append(append(l.rows, part.Train...), part.Eval...)
	l.base = baseScores(f.Labels, part.Train, classes)
	for _, base := range l.base {
		scores := make([]float32, f.Rows)
		for i := range scores {
			scores[i] = base
		}
		l.scores = append(l.scores, scores)
		l.probabilities = append(l.probabilities, make([]float32, f.Rows))
	}
	return l
}

// baseScores returns the log of the classes' frequencies, smoothed by one row
// each so that a class without rows has a finite one.
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

// block is the number of rows whose probabilities one task finds.
const block = 1 << 12

// update finds the probabilities of the rows to learn from.
func (l *loss) update(ctx context.Context, workers int) error {
	tasks := (len(l.train) + block - 1) / block
	return tree.Parallel(ctx, workers, tasks, func(_, i int) {
		rows := l.train[i*block : min((i+1)*block, len(l.train))]
		if l.classes == 2 {
			scores, p := l.scores[0], l.probabilities[0]
			for _, row := range rows {
				p[row] = sigmoid(scores[row])
			}
			return
		}
		var room [block]float32
		l.softmax(rows, room[:len(rows)])
	})
}

// softmax finds the probabilities of rows, output by output so that memory is
// read in sequence; sum has room for a number a row.
func (l *loss) softmax(rows []int32, sum []float32) {
	top := sum
	for i, row := range rows {
		top[i] = l.scores[0][row]
	}
	for _, scores := range l.scores[1:] {
		for i, row := range rows {
			top[i] = max(top[i], scores[row])
		}
	}
	for k, scores := range l.scores {
		p := l.probabilities[k]
		for i, row := range rows {
			p[row] = exp32(scores[row] - top[i])
		}
	}
	clear(sum)
	for _, p := range l.probabilities {
		for i, row := range rows {
			sum[i] += p[row]
		}
	}
	for i := range sum {
		sum[i] = 1 / sum[i]
	}
	for _, p := range l.probabilities {
		for i, row := range rows {
			p[row] *= sum[i]
		}
	}
}

func sigmoid(x float32) float32 {
	if x < 0 {
		e := exp32(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp32(-x))
}

// target returns the class whose probability output k stands for.
func (l *loss) target(k int) int32 {
	if l.classes == 2 {
		return 1
	}
	return int32(k)
}

// evaluate writes the probabilities of the rows to evaluate to dst, row major.
func (l *loss) evaluate(dst []float32) {
	raw := make([]float32, len(l.base))
	for i, row := range l.eval {
		for k := range raw {
			raw[k] = l.scores[k][row]
		}
		probabilities(dst[i*l.classes:(i+1)*l.classes], raw)
	}
}

// probabilities turns the raw scores of one row into probabilities.
func probabilities(dst, raw []float32) {
	if len(raw) == 1 {
		dst[1] = sigmoid(raw[0])
		dst[0] = 1 - dst[1]
		return
	}
	top := raw[0]
	for _, x := range raw {
		top = max(top, x)
	}
	var sum float32
	for k, x := range raw {
		dst[k] = exp32(x - top)
		sum += dst[k]
	}
	for k := range raw {
		dst[k] /= sum
	}
}

// longest bounds a leaf's value before the learning rate: pure leaves of
// classes of a handful of rows would leap to where nothing leads back.
const longest = 8

// newton returns the step −G/(H+λ) of a leaf, bounded, times the learning rate.
// With many classes the hessian is only the diagonal of the true one, and
// K/(K−1) makes up for it (Friedman 2001, equation 33).
func newton(g, h float64, classes int, opts *Options) float32 {
	if k := float64(classes); k > 2 {
		h *= k / (k - 1)
	}
	value := -g / (h + opts.L2)
	return float32(opts.LearningRate * math.Min(math.Max(value, -longest), longest))
}
