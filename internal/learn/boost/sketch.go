package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// mostSketched is the number of outputs whose derivatives decide the splits.
// More outputs are projected on so many random directions: the splits hardly
// suffer, the time falls by the ratio (Iosipoi & Vakhrushev 2022).
const mostSketched = 4

// oddsOf returns the place for the odds of a row: where they are kept, or room
// for one row's.
func (t *symmetric) oddsOf(s *sums, row int32) []float32 {
	if !t.keepsOdds {
		return s.odds
	}
	return t.odds[int(row)*len(s.odds):][:len(s.odds)]
}

// direction is an output's part in each of the sketched ones.
type direction [mostSketched]float32

// sketch finds the derivatives that decide the splits: those of the outputs,
// or of random projections where the outputs are many.
func (t *symmetric) sketch(ctx context.Context, draw *rand.Rand) error {
	train := t.board.train
	tasks := (len(train) + block - 1) / block
	rows := func(i int) []int32 { return train[i*block : min((i+1)*block, len(train))] }
	switch outputs := len(t.board.base); {
	case outputs == 1:
		return tree.Parallel(ctx, t.opts.Workers, tasks, func(_, i int) { t.deriveOne(rows(i)) })
	case outputs <= mostSketched:
		return tree.Parallel(ctx, t.opts.Workers, tasks, func(_, i int) { t.deriveFew(rows(i)) })
	default:
		for k := range t.directions {
			for o := range t.directions[k] {
				t.directions[k][o] = float32(draw.NormFloat64() / math.Sqrt(mostSketched))
			}
		}
		return tree.Parallel(ctx, t.opts.Workers, tasks, func(worker, i int) { t.project(&t.sums[worker], rows(i)) })
	}
}

// deriveOne writes the derivatives of the only output of two classes.
func (t *symmetric) deriveOne(rows []int32) {
	for _, row := range rows {
		g := sigmoid(t.board.scores[row])
		h := g * (1 - g)
		if t.board.labels[row] == 1 {
			g--
		}
		t.gradients[0][row] = tree.PackGradHess(g, h)
	}
}

// deriveFew writes the derivatives of the outputs of a few classes.
func (t *symmetric) deriveFew(rows []int32) {
	var room [mostSketched]float32
	p := room[:len(t.board.base)]
	for _, row := range rows {
		probabilities(p, t.board.row(row))
		label := int(t.board.labels[row])
		for k, g := range p {
			h := g * (1 - g)
			if k == label {
				g--
			}
			t.gradients[k][row] = tree.PackGradHess(g, h)
		}
	}
}

// A class whose score lies farBelow that of a row's own counts for nothing in
// the row's derivatives; one farAbove is as good as certain.
const (
	farBelow = -20
	farAbove = 40
)

// project writes the gradients of all outputs projected on the directions and
// the sum of the outputs' hessians, and keeps the probabilities for settle:
// relative to that of the row's own class, and what they are to be multiplied
// by. All is done in one pass over the row's scores:
//
//	eₖ = exp (fₖ − f_y)   pₖ = eₖ / Σ e   g = Σ dₖ pₖ − d_y   h = 1 − Σ pₖ²
func (t *symmetric) project(s *sums, rows []int32) {
	directions := t.directions
	for _, row := range rows {
		scores := t.board.row(row)[:len(directions)]
		odds := t.oddsOf(s, row)[:len(directions)]
		label := t.board.labels[row]
		own := scores[label]
		var sum, squares, g0, g1, g2, g3 float32
		for k := range directions {
			x := scores[k] - own
			if x < farBelow {
				odds[k] = 0
				continue
			}
			if x > farAbove {
				x = farAbove
			}
			e := exp32(x)
			odds[k] = e
			sum += e
			squares += e * e
			d := &directions[k]
			g0 += d[0] * e
			g1 += d[1] * e
			g2 += d[2] * e
			g3 += d[3] * e
		}
		scale := 1 / sum
		d := &directions[label]
		h := max(1-squares*scale*scale, 0)
		t.gradients[0][row] = tree.PackGradHess(g0*scale-d[0], h)
		t.gradients[1][row] = tree.PackGradHess(g1*scale-d[1], h)
		t.gradients[2][row] = tree.PackGradHess(g2*scale-d[2], h)
		t.gradients[3][row] = tree.PackGradHess(g3*scale-d[3], h)
		t.scales[row] = scale
	}
}
