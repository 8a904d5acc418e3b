package boost

import (
	"context"

	"foretell/internal/learn/parallel"
)

// gradSums accumulates the derivatives of the loss over the rows of a leaf, by output.
type gradSums struct {
	// partial holds the sums over at most float32Rows rows. g and h hold the sums over
	// all rows.
	partial []gradHess
	g, h    []float64
	// odds is a buffer for the odds of a row.
	odds []float32
}

type gradHess struct{ g, h float32 }

// float32Rows is the number of rows whose derivatives are summed in float32,
// few enough that the sum is accurate.
const float32Rows = 64

func newGradSums(outputs int) gradSums {
	return gradSums{
		partial: make([]gradHess, outputs),
		g:       make([]float64, outputs),
		h:       make([]float64, outputs),
		odds:    make([]float32, outputs),
	}
}

// fitLeafValues computes the values of the leaves of the current tree and adds them to
// the scores of the training rows. Each leaf is one task, which sums the leaf's rows in
// order.
func (b *symmetricBooster) fitLeafValues(ctx context.Context, leaves int) error {
	return parallel.ForContext(ctx, b.opts.Workers, leaves, func(worker, leaf int) {
		s := &b.gradSums[worker]
		rows := b.grower.LeafRows(leaf)
		if b.projections != nil {
			b.sumDerivatives(s, rows)
		} else {
			for k := range s.g {
				s.g[k], s.h[k] = b.grower.LeafSum(leaf, k)
			}
		}
		values := b.leafValues(leaf)
		for k := range values {
			values[k] = newtonStep(s.g[k], s.h[k], b.scores.classes, &b.opts)
		}
		b.scores.add(rows, values)
	})
}

// sumDerivatives sets s to the sums of the derivatives of all outputs over rows. It is
// used for trees that are grown from projected gradients, because their grower has only
// the sums of the projections.
func (b *symmetricBooster) sumDerivatives(s *gradSums, rows []int32) {
	clear(s.g)
	clear(s.h)
	for len(rows) > 0 {
		n := min(float32Rows, len(rows))
		clear(s.partial)
		for _, row := range rows[:n] {
			partial := s.partial
			scale := b.scales[row]
			odds := b.rowOdds(s, row)
			if !b.keepsOdds {
				oddsRatios(odds, b.scores.row(row), b.scores.labels[row])
			}
			for k, e := range odds[:len(partial)] {
				x := e * scale
				partial[k].g += x
				partial[k].h += x - x*x
			}
			partial[b.scores.labels[row]].g--
		}
		for k, d := range s.partial {
			s.g[k] += float64(d.g)
			s.h[k] += float64(d.h)
		}
		rows = rows[n:]
	}
}

// oddsRatios writes to odds, for each class, its probability divided by the probability
// of label, the class of the row. scores are the scores of the row.
func oddsRatios(odds, scores []float32, label int32) {
	own := scores[label]
	odds = odds[:len(scores)]
	for k, x := range scores {
		e := float32(0)
		if x -= own; x >= minLogOdds {
			e = exp32(min(x, maxLogOdds))
		}
		odds[k] = e
	}
}
