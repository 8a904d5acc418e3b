package boost

import (
	"context"

	"foretell/internal/learn/tree"
)

// sums add up the derivatives of a leaf's rows by output.
type sums struct {
	// near holds the gradients and hessians of a few rows, side by side: float32
	// is exact enough for them.
	near []derivatives
	g, h []float64
	// odds are those of a row.
	odds []float32
}

type derivatives struct{ g, h float32 }

// nearRows is the number of rows that are added up in float32.
const nearRows = 64

func newSums(outputs int) sums {
	return sums{
		near: make([]derivatives, outputs),
		g:    make([]float64, outputs),
		h:    make([]float64, outputs),
		odds: make([]float32, outputs),
	}
}

// settle finds the values of each of so many leaves and adds them to the scores of the rows
// learnt from. Each leaf is a task, its rows added up in their order.
func (t *symmetric) settle(ctx context.Context, leaves int) error {
	return tree.Parallel(ctx, t.opts.Workers, leaves, func(worker, leaf int) {
		s := &t.sums[worker]
		rows := t.grower.LeafRows(leaf)
		if t.directions != nil {
			t.sum(s, rows)
		} else {
			for k := range s.g {
				s.g[k], s.h[k] = t.grower.LeafSum(leaf, k)
			}
		}
		values := t.leaf(leaf)
		for k := range values {
			values[k] = newton(s.g[k], s.h[k], t.board.classes, &t.opts)
		}
		t.board.add(rows, values)
	})
}

// sum adds up the derivatives of all outputs where the tree was grown from
// projections of them.
func (t *symmetric) sum(s *sums, rows []int32) {
	clear(s.g)
	clear(s.h)
	for len(rows) > 0 {
		n := min(nearRows, len(rows))
		clear(s.near)
		for _, row := range rows[:n] {
			near := s.near
			scale := t.scales[row]
			odds := t.oddsOf(s, row)
			if !t.keepsOdds {
				relate(odds, t.board.row(row), t.board.labels[row])
			}
			for k, e := range odds[:len(near)] {
				x := e * scale
				near[k].g += x
				near[k].h += x - x*x
			}
			near[t.board.labels[row]].g--
		}
		for k, d := range s.near {
			s.g[k] += float64(d.g)
			s.h[k] += float64(d.h)
		}
		rows = rows[n:]
	}
}

// relate writes the odds of a row again.
func relate(odds, scores []float32, label int32) {
	own := scores[label]
	odds = odds[:len(scores)]
	for k, x := range scores {
		e := float32(0)
		if x -= own; x >= farBelow {
			e = exp32(min(x, farAbove))
		}
		odds[k] = e
	}
}
