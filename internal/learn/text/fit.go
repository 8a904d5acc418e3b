package text

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/rng"
)

// The schedule of stochastic gradient descent. Its values were chosen on the tables of
// docs/bench/text.py.
const (
	// learningRate is the learning rate of the first pass for two classes. In pass i,
	// counted from 0, it is divided by 1 + decay·i.
	learningRate = 1.0
	decay        = 0.5
	// rateIncreasePerDoubling is the fraction of learningRate that is added each time the number of
	// classes doubles, beyond two. The reason is that each class has fewer rows if there are more
	// classes.
	rateIncreasePerDoubling = 0.125
	// biasRate is the learning rate of the biases, divided by the learning rate of the weights.
	biasRate = 0.1
	// maxPasses is the largest number of passes over the rows. Training ends earlier if the log
	// loss has not improved for more than patience passes.
	maxPasses = 10
	patience  = 2
	// cancelCheckRows is the number of rows between two checks for cancellation. A long text has
	// thousands of terms.
	cancelCheckRows = 16
)

// linearModel is a linear model in training.
type linearModel struct {
	outputs int
	bias    []float32
	weights []float32 // by term, then by output
	scratch vector
	z       []float32 // the scores of one text, then the derivatives of its loss; see scoresToGradient
}

// numOutputs returns the number of scores of a text: 1 for two classes, and otherwise one
// for each class.
func numOutputs(classes int) int {
	if classes == 2 {
		return 1
	}
	return classes
}

// newLinearModel returns a model whose weights are zero. Its biases are the logarithms of the
// class frequencies in the given rows. With two classes, it has one bias, the logarithm of
// the odds of the second class.
func newLinearModel(terms, classes int, labels, rows []int32) *linearModel {
	counts := make([]float64, classes)
	for _, row := range rows {
		counts[labels[row]]++
	}
	k := numOutputs(classes)
	l := &linearModel{outputs: k, bias: make([]float32, k), weights: make([]float32, terms*k), z: make([]float32, k)}
	const prior = 0.5 // added to the count of each class, so that a class without rows has a finite bias
	if k == 1 {
		l.bias[0] = float32(math.Log((counts[1] + prior) / (counts[0] + prior)))
		return l
	}
	for c, n := range counts {
		l.bias[c] = float32(math.Log((n + prior) / (float64(len(rows)) + prior*float64(classes))))
	}
	return l
}

// score writes the scores of the text x to dst.
func (l *linearModel) score(dst []float32, x *vector) {
	copy(dst, l.bias)
	addScores(dst, x, l.weights)
}

// addScores adds to dst the value of each term of x times the weights of the term. Here and below,
// products are converted to float32 explicitly, so that the compiler does not fuse a multiplication
// with an addition and the result is the same on all processors.
func addScores(dst []float32, x *vector, weights []float32) {
	k := len(dst)
	if k == 1 {
		sum := float32(0)
		for i, term := range x.terms {
			sum += float32(x.values[i] * weights[term])
		}
		dst[0] += sum
		return
	}
	for i, term := range x.terms {
		w, value := weights[int(term)*k:][:k], x.values[i]
		for c := range dst {
			dst[c] += float32(value * w[c])
		}
	}
}

// runPass trains on each of the given rows once, in an order drawn from seed. pass is the
// number of the pass, from 0.
func (l *linearModel) runPass(ctx context.Context, c *Corpus, labels, rows []int32, pass int, seed uint64) {
	rate := learningRate / (1 + decay*float64(pass))
	if l.outputs > 1 {
		rate *= 1 + rateIncreasePerDoubling*math.Log2(float64(l.outputs)/2)
	}
	order := rand.New(rand.NewPCG(rng.Derive(seed, pass), 0)).Perm(len(rows))
	for done, i := range order {
		if done%cancelCheckRows == 0 && ctx.Err() != nil {
			return
		}
		c.fillVector(&l.scratch, rows[i])
		l.score(l.z, &l.scratch)
		l.scoresToGradient(int(labels[rows[i]]))
		l.step(float32(rate))
	}
}

// scoresToGradient replaces the scores z by the derivatives of the log loss with respect to them:
// the probability of each class, minus 1 for the class of the label.
func (l *linearModel) scoresToGradient(label int) {
	if l.outputs == 1 {
		l.z[0] = float32(1/(1+math.Exp(-float64(l.z[0])))) - float32(label)
		return
	}
	total := logSumExp(l.z)
	for c := range l.z {
		l.z[c] = float32(math.Exp(float64(l.z[c]) - total))
	}
	l.z[label]--
}

// step takes one step of gradient descent with the given learning rate. It updates the biases and
// the weights of the current row's terms, which are in l.scratch. l.z holds the derivatives of the
// loss of the row with respect to its scores.
func (l *linearModel) step(rate float32) {
	k := l.outputs
	for c, g := range l.z {
		l.bias[c] -= float32(biasRate * rate * g)
	}
	x := &l.scratch
	if k == 1 {
		g := rate * l.z[0]
		for i, term := range x.terms {
			l.weights[term] -= float32(g * x.values[i])
		}
		return
	}
	for i, term := range x.terms {
		w, value := l.weights[int(term)*k:][:k], rate*x.values[i]
		for c, g := range l.z {
			w[c] -= float32(value * g)
		}
	}
}

// logSumExp returns ln Σ exp(z) without overflow.
func logSumExp(z []float32) float64 {
	top := z[0]
	for _, x := range z {
		top = max(top, x)
	}
	sum := 0.0
	for _, x := range z {
		sum += math.Exp(float64(x - top))
	}
	return float64(top) + math.Log(sum)
}

// logLoss returns the log loss of the scores of a text with the given label.
func logLoss(scores []float32, label int) float64 {
	if len(scores) > 1 {
		return logSumExp(scores) - float64(scores[label])
	}
	z := float64(scores[0])
	if label == 1 {
		z = -z
	}
	return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z)))
}
