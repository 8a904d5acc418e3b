package tree

import "context"

// small is the number of cells below which a search is done by one worker:
// starting more would cost as much as they save.
const small = 1 << 16

// search counts the histogram of counted, subtracts it from that of minuend if
// that is given, and finds the best split of each of the leaves among them
// that are to be searched. Each group of four features is one task, so that
// every cell has one writer.
func (g *Grower) search(ctx context.Context, leaves []*candidate, counted, minuend *candidate) error {
	s := g.spans[counted.node]
	rows := g.rows[s.lo:s.hi]
	ordered := gather(g.ordered, g.sample.Gradients, rows)
	scans := make([]scan, len(leaves))
	for i, c := range leaves {
		scans[i] = g.scan(c)
	}
	found := make([]split, len(g.quads)*len(leaves))
	workers := g.workers
	work := g.tally(len(rows), len(leaves))
	if work < small {
		workers = 1
	}
	err := Parallel(ctx, workers, len(g.quads), func(_, i int) {
		q := &g.quads[i]
		countGroup(g.bins, g.offsets, q, counted.cells, rows, ordered)
		if minuend != nil {
			lo, hi := g.offsets[4*q.index], g.offsets[min(4*q.index+4, len(g.bins.Features))]
			subtract(minuend.cells[lo:hi], counted.cells[lo:hi])
		}
		for j, c := range leaves {
			found[i*len(leaves)+j] = g.best(q, c.cells, &scans[j])
		}
	})
	if err != nil {
		return err
	}
	for i, best := range found {
		if c := leaves[i%len(leaves)]; best.gain > c.best.gain {
			c.best = best
		}
	}
	return nil
}

// tally adds a search to the work done and returns the number of cells and
// bins it takes.
func (g *Grower) tally(rows, leaves int) int {
	var features, bins int
	for _, q := range g.quads {
		features += len(q.active)
		for _, i := range q.active {
			bins += g.bins.Features[i].Bins
		}
	}
	g.work.Counted += int64(rows * features)
	g.work.Scanned += int64(leaves * bins)
	return rows*features + leaves*bins
}

// scan returns the limits of c's splits in units of its packed sums.
func (g *Grower) scan(c *candidate) scan {
	unit := g.sample.Scale
	_, h := halves(c.total)
	perRow := h / float64(max(g.spans[c.node].len(), 1))
	return scan{
		total:     c.total,
		l2:        g.params.L2 / unit.Hessian,
		catL2:     g.params.CatL2 / unit.Hessian,
		catSmooth: g.params.CatSmooth / unit.Hessian,
		least:     max(g.params.MinHessian/unit.Hessian, float64(g.params.MinRows)*perRow, 1),
		floor:     g.params.MinGain * unit.Hessian / (unit.Gradient * unit.Gradient),
	}
}

// best returns the best split of a leaf by the features of a group.
func (g *Grower) best(q *quad, histogram []int64, s *scan) split {
	var best split
	for _, i := range q.active {
		feature := &g.bins.Features[i]
		before := best.gain
		h := histogram[g.offsets[i]:g.offsets[i+1]]
		if feature.Categorical {
			s.categorical(h, &best)
		} else {
			s.numeric(h, &best)
		}
		if best.gain > before {
			best.feature = int32(i)
		}
	}
	return best
}
