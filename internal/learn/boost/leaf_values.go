package boost

import (
	"context"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/parallel"
)

// gradSums sums the derivatives of the loss over the rows of a leaf, for each output.
type gradSums struct {
	// partialG and partialH hold float32 sums over at most maxFloat32Rows rows. They are then added
	// to g and h.
	partialG, partialH []float32
	g, h               []float64
	// odds is a buffer for the odds of a row.
	odds []float32
}

// maxFloat32Rows is the number of rows whose derivatives are summed in float32,
// few enough that the sum is accurate.
const maxFloat32Rows = 64

func newGradSums(outputs int) gradSums {
	return gradSums{
		partialG: make([]float32, outputs),
		partialH: make([]float32, outputs),
		g:        make([]float64, outputs),
		h:        make([]float64, outputs),
		odds:     make([]float32, outputs),
	}
}

// fitLeafValuesAndAddScores computes the values of the leaves of the current tree and adds them to
// the scores of the training rows. Each leaf is one task. It sums the derivatives in the
// order of the rows, so the result does not depend on the number of workers.
func (b *symmetricBooster) fitLeafValuesAndAddScores(ctx context.Context, leaves int) error {
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

// sumDerivatives sums the derivatives of the loss over the given rows, for each output, and stores
// the results in sums.g and sums.h. This is needed if trees are grown from projected gradients,
// because the grower then knows only the sums of the projections.
func (b *symmetricBooster) sumDerivatives(sums *gradSums, rows []int32) {
	clear(sums.g)
	clear(sums.h)
	for len(rows) > 0 {
		n := min(maxFloat32Rows, len(rows))
		clear(sums.partialG)
		clear(sums.partialH)
		for _, row := range rows[:n] {
			odds, label := b.rowOdds(sums, row), b.scores.labels[row]
			if !b.keepsOdds {
				scores := b.scores.row(row)
				kernel.ExpClipped(odds, scores, scores[label], minLogOdds, maxLogOdds)
			}
			kernel.AddDerivatives(sums.partialG, sums.partialH, odds, b.scales[row])
			sums.partialG[label]--
		}
		for k := range sums.g {
			sums.g[k] += float64(sums.partialG[k])
			sums.h[k] += float64(sums.partialH[k])
		}
		rows = rows[n:]
	}
}
