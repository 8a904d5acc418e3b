package boost

import (
	"context"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
)

// problem is what is to be learnt: the log loss of the classes given raw
// scores.
//
// With k classes of scores f the probabilities are pₖ = exp fₖ / Σⱼ exp fⱼ, and
//
//	∂L/∂fₖ = pₖ − yₖ        ∂²L/∂fₖ² = pₖ (1 − pₖ)
//
// (Friedman, Hastie & Tibshirani 2000). Two classes have one score, that of
// the second against the first.
type problem struct {
	classes int
	labels  []int32
	// train are the rows to learn from, eval those to evaluate.
	train, eval []int32
	// base is the score every row begins with, one an output.
	base []float32
}

func newProblem(f *frame.Frame, part split.Part, classes int) problem {
	return problem{
		classes: classes, labels: f.Labels, train: part.Train, eval: part.Eval,
		base: baseScores(f.Labels, part.Train, classes),
	}
}

// target returns the class whose probability output k stands for.
func (p *problem) target(k int) int32 {
	if p.classes == 2 {
		return 1
	}
	return int32(k)
}

// outputs returns the number of scores a row has.
func outputs(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// loss holds the scores of a problem output by output, as trees of one output
// each want them.
type loss struct {
	problem
	twins twins
	// scores are indexed by output, then by place.
	scores [][]float32
	// tops and scales make probabilities of the scores of many classes, by place:
	// exp (score − top) · scale. They are nil for two classes, and between rounds.
	tops, scales []float32
}

func newLoss(p problem, t twins) *loss {
	l := &loss{problem: p, twins: t}
	for _, base := range l.base {
		scores := make([]float32, t.n)
		for i := range scores {
			scores[i] = base
		}
		l.scores = append(l.scores, scores)
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

// update finds tops and scales of the rows to learn from, output by output so
// that memory is read in sequence.
func (l *loss) update(ctx context.Context, workers int) error {
	if l.tops == nil {
		return ctx.Err()
	}
	learnt := l.twins.learnt
	tasks := (len(learnt) + block - 1) / block
	return tree.Parallel(ctx, workers, tasks, func(_, i int) {
		places := learnt[i*block : min((i+1)*block, len(learnt))]
		for _, at := range places {
			l.tops[at], l.scales[at] = l.scores[0][at], 0
		}
		for _, scores := range l.scores[1:] {
			for _, at := range places {
				if x := scores[at]; x > l.tops[at] {
					l.tops[at] = x
				}
			}
		}
		for _, scores := range l.scores {
			for _, at := range places {
				l.scales[at] += l.odds(scores, at)
			}
		}
		for _, at := range places {
			l.scales[at] = 1 / l.scales[at]
		}
	})
}

// odds returns the probability of an output against that of the top one at a
// place. Below farBelow it counts for nothing.
func (l *loss) odds(scores []float32, at int32) float32 {
	if x := scores[at] - l.tops[at]; x >= farBelow {
		return exp32(x)
	}
	return 0
}

// add adds a value to the scores of an output of rows, none of which are twins.
func (l *loss) add(output int, rows []int32, value float32) {
	scores := l.scores[output]
	if l.twins.places == nil {
		for _, row := range rows {
			scores[row] += value
		}
		return
	}
	for _, row := range rows {
		scores[l.twins.places[row]] += value
	}
}

func sigmoid(x float32) float32 {
	if x < 0 {
		e := exp32(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp32(-x))
}

// evaluate writes the probabilities of the rows to evaluate to dst, row major.
func (l *loss) evaluate(dst []float32) {
	raw := make([]float32, len(l.base))
	for i, row := range l.eval {
		for k := range raw {
			raw[k] = l.scores[k][l.twins.place(row)]
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
