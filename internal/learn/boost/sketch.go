package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// sketchSize is the largest number of outputs for which splits are chosen from the derivatives with
// respect to all outputs. If there are more outputs, their derivatives are projected onto
// sketchSize random directions. The time to find splits then does not grow with the number of
// outputs, and the accuracy is hardly lower (Iosipoi & Vakhrushev 2022).
const sketchSize = 4

// rowOdds returns the slice for the odds of a row: a part of b.odds if the odds of all rows are
// kept, or the buffer s.odds if they are not.
func (b *symmetricBooster) rowOdds(s *gradSums, row int32) []float32 {
	if !b.keepsOdds {
		return s.odds
	}
	return b.odds[int(row)*len(s.odds):][:len(s.odds)]
}

// projection holds sketchSize weights of one output: element i is the weight of the output in the
// i-th random direction. The derivatives of the loss are projected onto these directions; see
// sketchSize.
type projection [sketchSize]float32

// computeGradients computes the derivatives from which splits are chosen: the derivatives with
// respect to the outputs or, if there are more than sketchSize outputs, random projections of these
// derivatives.
func (b *symmetricBooster) computeGradients(ctx context.Context, draw *rand.Rand) error {
	train := b.scores.train
	tasks := (len(train) + gradientTaskRows - 1) / gradientTaskRows
	rows := func(i int) []int32 { return train[i*gradientTaskRows : min((i+1)*gradientTaskRows, len(train))] }
	switch outputs := len(b.scores.base); {
	case outputs == 1:
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(_, i int) { b.computeBinaryGradients(rows(i)) })
	case outputs <= sketchSize:
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(_, i int) { b.computeSoftmaxGradients(rows(i)) })
	default:
		for k := range b.projections {
			for o := range b.projections[k] {
				b.projections[k][o] = float32(draw.NormFloat64() / math.Sqrt(sketchSize))
			}
		}
		return parallel.ForContext(ctx, b.opts.Workers, tasks, func(worker, i int) { b.computeProjectedGradientsAndOdds(&b.gradSums[worker], rows(i)) })
	}
}

// computeBinaryGradients computes the derivatives of the log loss with respect to the raw score,
// which is the only output of a model of two classes.
func (b *symmetricBooster) computeBinaryGradients(rows []int32) {
	for _, row := range rows {
		g, _ := sigmoid(b.scores.values[row])
		h := g * (1 - g)
		if b.scores.labels[row] == 1 {
			g--
		}
		b.gradients[0][row] = tree.PackGradHess(g, h)
	}
}

// computeSoftmaxGradients computes the derivatives of the log loss with respect to the
// outputs. There are at most sketchSize outputs.
func (b *symmetricBooster) computeSoftmaxGradients(rows []int32) {
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

// Limits of the log odds of a class for a row: the score of the class minus the score of the row's
// true class. Below minLogOdds, the probability of the class counts as 0. Log odds above maxLogOdds
// count as maxLogOdds.
const (
	minLogOdds = -20
	maxLogOdds = 40
)

// computeProjectedGradientsAndOdds computes the projected gradients g of rows. f are the scores of
// a row, y is its class, and dₖ is the projection of output k:
//
//	eₖ = exp (fₖ − f_y)   pₖ = eₖ / Σ e   g = Σ dₖ pₖ − d_y   h = 1 − Σ pₖ²
//
// All projections have the same hessian h, the sum of the hessians of all outputs. The odds e and
// the factor 1/Σe, which converts them to probabilities, are stored for fitLeafValuesAndAddScores.
func (b *symmetricBooster) computeProjectedGradientsAndOdds(scratch *gradSums, rows []int32) {
	projections := b.projections
	for _, row := range rows {
		scores := b.scores.row(row)[:len(projections)]
		odds := b.rowOdds(scratch, row)[:len(projections)]
		label := b.scores.labels[row]
		kernel.ExpClipped(odds, scores, scores[label], minLogOdds, maxLogOdds)
		var sum, squares, g0, g1, g2, g3 float32
		for k, e := range odds {
			sum += e
			squares += float32(e * e)
			d := &projections[k]
			g0 += float32(d[0] * e)
			g1 += float32(d[1] * e)
			g2 += float32(d[2] * e)
			g3 += float32(d[3] * e)
		}
		scale := 1 / sum
		d := &projections[label]
		h := max(1-float32(squares*scale*scale), 0)
		b.gradients[0][row] = tree.PackGradHess(float32(g0*scale)-d[0], h)
		b.gradients[1][row] = tree.PackGradHess(float32(g1*scale)-d[1], h)
		b.gradients[2][row] = tree.PackGradHess(float32(g2*scale)-d[2], h)
		b.gradients[3][row] = tree.PackGradHess(float32(g3*scale)-d[3], h)
		b.scales[row] = scale
	}
}
