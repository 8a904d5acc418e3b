package tree

import "context"

// small is the number of cells below which a search is done by one worker:
// starting more would cost as much as they save.
const small = 1 << 16

// search counts the histogram of counted, subtracts it from that of minuend if
// that is given, and finds the best split of each of the leaves among them
// that are to be searched. Each group of features is one task, so that every
// cell has one writer. The rows of a large leaf are counted in shares before,
// one a worker: sums of integers do not depend on how they are divided.
func (g *Grower) search(ctx context.Context, leaves []*candidate, counted, minuend *candidate) error {
	s := g.spans[counted.node]
	rows := g.rows[s.lo:s.hi]
	scans := make([]scan, len(leaves))
	for i, c := range leaves {
		scans[i] = g.scan(c)
	}
	found := make([]split, len(g.groups)*len(leaves))
	workers := g.workers
	if g.tally(len(rows), len(leaves)) < small {
		workers = 1
	}
	shared := len(rows) >= stretch || workers > 1 && len(g.groups) < workers
	var ordered []int64
	if shared {
		if err := g.countShares(ctx, counted.cells, rows); err != nil {
			return err
		}
	} else {
		ordered = gather(g.ordered, g.sample.Gradients, rows)
	}
	err := Parallel(ctx, workers, len(g.groups), func(worker, i int) {
		of := &g.groups[i]
		lo, hi := of.reach(g.offsets)
		if shared {
			for _, share := range g.shares {
				add(counted.cells[lo:hi], share[lo:hi])
			}
		} else {
			countGroup(g.bins, g.offsets, of, &g.rooms[worker], counted.cells, rows, ordered, true)
		}
		if minuend != nil {
			subtract(minuend.cells[lo:hi], counted.cells[lo:hi])
		}
		for j, c := range leaves {
			found[i*len(leaves)+j] = g.best(of, c.cells, &scans[j])
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

// sitting is the number of rows that are counted for one group after the other
// while their gradients are near.
const sitting = 1 << 14

// countShares divides rows into as many shares as there are workers, and
// counts the first into dst and the others into g.shares.
func (g *Grower) countShares(ctx context.Context, dst []int64, rows []int32) error {
	for len(g.shares) < g.workers-1 {
		g.shares = append(g.shares, make([]int64, len(dst)))
	}
	return Parallel(ctx, g.workers, g.workers, func(worker, i int) {
		lo, hi := i*len(rows)/g.workers, (i+1)*len(rows)/g.workers
		to := dst
		if i > 0 {
			to = g.shares[i-1]
		}
		for at := lo; at < hi; at += sitting {
			end := min(at+sitting, hi)
			ordered := gather(g.ordered[at:end], g.sample.Gradients, rows[at:end])
			for of := range g.groups {
				countGroup(g.bins, g.offsets, &g.groups[of], &g.rooms[worker], to, rows[at:end], ordered, at == lo)
			}
		}
	})
}

// tally adds a search to the work done and returns the number of cells and
// bins it takes.
func (g *Grower) tally(rows, leaves int) int {
	var features, bins int
	for _, of := range g.groups {
		features += len(of.active)
		for _, i := range of.active {
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
func (g *Grower) best(of *group, histogram []int64, s *scan) split {
	var best split
	for _, i := range of.active {
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
