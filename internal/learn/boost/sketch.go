package boost

import (
	"context"
	"math"
	"math/rand/v2"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// sketchSize is the number of outputs whose derivatives decide the splits. More
// outputs are projected on sketchSize random directions, which hardly reduces
// accuracy and saves time in proportion (Iosipoi & Vakhrushev 2022).
const sketchSize = 4

// oddsOf returns the memory for a row's odds, a temporary buffer if odds are
// not kept.
func (t *symmetricBooster) oddsOf(s *gradSums, row int32) []float32 {
	if !t.keepsOdds {
		return s.odds
	}
	return t.odds[int(row)*len(s.odds):][:len(s.odds)]
}

// projection holds the weight of an output in each of the projected outputs.
type projection [sketchSize]float32

// computeGradients computes the derivatives that decide the splits. These are
// the derivatives of the outputs, or of random projections if there are more
// than sketchSize outputs.
func (t *symmetricBooster) computeGradients(ctx context.Context, draw *rand.Rand) error {
	train := t.scores.train
	tasks := (len(train) + taskRows - 1) / taskRows
	rows := func(i int) []int32 { return train[i*taskRows : min((i+1)*taskRows, len(train))] }
	switch outputs := len(t.scores.base); {
	case outputs == 1:
		return parallel.ForContext(ctx, t.opts.Workers, tasks, func(_, i int) { t.binaryGradients(rows(i)) })
	case outputs <= sketchSize:
		return parallel.ForContext(ctx, t.opts.Workers, tasks, func(_, i int) { t.softmaxGradients(rows(i)) })
	default:
		for k := range t.projections {
			for o := range t.projections[k] {
				t.projections[k][o] = float32(draw.NormFloat64() / math.Sqrt(sketchSize))
			}
		}
		return parallel.ForContext(ctx, t.opts.Workers, tasks, func(worker, i int) { t.projectGradients(&t.gradSums[worker], rows(i)) })
	}
}

// binaryGradients computes the derivatives of the single output of two classes.
func (t *symmetricBooster) binaryGradients(rows []int32) {
	for _, row := range rows {
		g := sigmoid(t.scores.values[row])
		h := g * (1 - g)
		if t.scores.labels[row] == 1 {
			g--
		}
		t.gradients[0][row] = tree.PackGradHess(g, h)
	}
}

// softmaxGradients computes the derivatives of at most sketchSize outputs.
func (t *symmetricBooster) softmaxGradients(rows []int32) {
	var buffer [sketchSize]float32
	p := buffer[:len(t.scores.base)]
	for _, row := range rows {
		probabilities(p, t.scores.row(row))
		label := int(t.scores.labels[row])
		for k, g := range p {
			h := g * (1 - g)
			if k == label {
				g--
			}
			t.gradients[k][row] = tree.PackGradHess(g, h)
		}
	}
}

// A class whose score is minLogOdds below that of a row's own class does not
// count in the row's derivatives; one maxLogOdds above is considered certain.
const (
	minLogOdds = -20
	maxLogOdds = 40
)

// projectGradients computes the projected gradients of all outputs and the sum
// of their hessians. It keeps the odds for fitLeafValues: relative to the row's
// own class, with the factor that turns them into probabilities. One pass over
// the row's scores is enough:
//
//	eₖ = exp (fₖ − f_y)   pₖ = eₖ / Σ e   g = Σ dₖ pₖ − d_y   h = 1 − Σ pₖ²
func (t *symmetricBooster) projectGradients(s *gradSums, rows []int32) {
	projections := t.projections
	for _, row := range rows {
		scores := t.scores.row(row)[:len(projections)]
		odds := t.oddsOf(s, row)[:len(projections)]
		label := t.scores.labels[row]
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
		t.gradients[0][row] = tree.PackGradHess(g0*scale-d[0], h)
		t.gradients[1][row] = tree.PackGradHess(g1*scale-d[1], h)
		t.gradients[2][row] = tree.PackGradHess(g2*scale-d[2], h)
		t.gradients[3][row] = tree.PackGradHess(g3*scale-d[3], h)
		t.scales[row] = scale
	}
}
