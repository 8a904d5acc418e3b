package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// sketchSize is the largest number of outputs whose derivatives decide the splits. If
// there are more outputs, their derivatives are projected onto sketchSize random
// directions. The projection hardly reduces accuracy, and saves time in proportion to the
// number of outputs (Iosipoi & Vakhrushev 2022).
const sketchSize = 4

// rowOdds returns the memory for the odds of a row: the row's part of b.odds if odds are
// kept, and otherwise the buffer of s.
func (b *symmetricBooster) rowOdds(s *gradSums, row int32) []float32 {
	if !b.keepsOdds {
		return s.odds
	}
	return b.odds[int(row)*len(s.odds):][:len(s.odds)]
}

// projection holds the weight of an output in each of the sketchSize projected outputs.
type projection [sketchSize]float32

// computeGradients computes the derivatives that decide the splits. These are
// the derivatives of the outputs, or of random projections if there are more
// than sketchSize outputs.
func (b *symmetricBooster) computeGradients(ctx context.Context, draw *rand.Rand) error {
	train := b.scores.train
	tasks := (len(train) + gradientTaskRows - 1) / gradientTaskRows
	rows := func(i int) []int32 { return train[i*gradientTaskRows : min((i+1)*gradientTaskRows, len(train))] }
	switch outputs := len(b.scores.base); {
	case outputs == 1:
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(_, i int) { b.binaryGradients(rows(i)) })
	case outputs <= sketchSize:
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(_, i int) { b.softmaxGradients(rows(i)) })
	default:
		for k := range b.projections {
			for o := range b.projections[k] {
				b.projections[k][o] = float32(draw.NormFloat64() / math.Sqrt(sketchSize))
			}
		}
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(worker, i int) { b.projectGradients(&b.gradSums[worker], rows(i)) })
	}
}

// binaryGradients computes the derivatives of the only output of a model of two classes.
func (b *symmetricBooster) binaryGradients(rows []int32) {
	for _, row := range rows {
		g, _ := sigmoid(b.scores.values[row])
		h := g * (1 - g)
		if b.scores.labels[row] == 1 {
			g--
		}
		b.gradients[0][row] = tree.PackGradHess(g, h)
	}
}

// softmaxGradients computes the derivatives of at most sketchSize outputs.
func (b *symmetricBooster) softmaxGradients(rows []int32) {
	var buffer [sketchSize]float32
	p := buffer[:len(b.scores.base)]
	for _, row := range rows {
		scoresToProbabilities(p, b.scores.row(row))
		label := int(b.scores.labels[row])
		for k, g := range p {
			h := g * (1 - g)
			if k == label {
				g--
			}
			b.gradients[k][row] = tree.PackGradHess(g, h)
		}
	}
}

// The log odds of a class are its score minus the score of the row's own class. A class
// with log odds below minLogOdds is left out of the row's derivatives. Log odds above
// maxLogOdds are replaced by maxLogOdds.
const (
	minLogOdds = -20
	maxLogOdds = 40
)

// projectGradients computes the projected gradients of all outputs and, as the hessian of
// each projection, the sum of the hessians of all outputs. It also stores the odds e
// relative to the row's own class y, and the factor that turns odds into probabilities,
// because fitLeafValues needs them. One pass over the row's scores f is enough. With the
// projection dₖ of output k:
//
//	eₖ = exp (fₖ − f_y)   pₖ = eₖ / Σ e   g = Σ dₖ pₖ − d_y   h = 1 − Σ pₖ²
func (b *symmetricBooster) projectGradients(s *gradSums, rows []int32) {
	projections := b.projections
	for _, row := range rows {
		scores := b.scores.row(row)[:len(projections)]
		odds := b.rowOdds(s, row)[:len(projections)]
		label := b.scores.labels[row]
		own := scores[label]
		var sum, squares, g0, g1, g2, g3 float32
		for k := range projections {
			x := scores[k] - own
			if x < minLogOdds {
				odds[k] = 0
				continue
			}
			if x > maxLogOdds {
				x = maxLogOdds
			}
			e := exp32(x)
			odds[k] = e
			sum += e
			squares += e * e
			d := &projections[k]
			g0 += d[0] * e
			g1 += d[1] * e
			g2 += d[2] * e
			g3 += d[3] * e
		}
		scale := 1 / sum
		d := &projections[label]
		h := max(1-squares*scale*scale, 0)
		b.gradients[0][row] = tree.PackGradHess(g0*scale-d[0], h)
		b.gradients[1][row] = tree.PackGradHess(g1*scale-d[1], h)
		b.gradients[2][row] = tree.PackGradHess(g2*scale-d[2], h)
		b.gradients[3][row] = tree.PackGradHess(g3*scale-d[3], h)
		b.scales[row] = scale
	}
}
