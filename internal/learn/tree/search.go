package tree

import "context"

// small is the number of cells below which a search is done by one worker:
// starting more would cost as much as they save.
const small = 1 << 13

// shared is the number of rows from which on they are counted in shares: each
// worker then fetches other rows, where it would fetch other features of the
// same.
const shared = 1 << 12

// search counts the histogram of counted, subtracts it from that of minuend if
// that is given, and finds the best split of each of the leaves among them
// that are to be searched. Each run of groups of features is one task, so that
// every cell has one writer. The rows of a large leaf are counted in shares before,
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
	sharing := len(rows) >= shared || workers > 1 && len(g.groups) < workers
	if sharing {
		if err := g.countShares(ctx, counted.cells, rows); err != nil {
			return err
		}
	}
	// Each task takes a run of groups.
	tasks := min(workers, len(g.groups))
	err := Parallel(ctx, workers, tasks, func(worker, task int) {
		lo, hi := task*len(g.groups)/tasks, (task+1)*len(g.groups)/tasks
		if !sharing {
			g.tray(worker).count(g, g.groups[lo:hi], counted.cells, rows)
		}
		for i := lo; i < hi; i++ {
			g.finish(&g.groups[i], counted, minuend, sharing)
			for j, c := range leaves {
				found[i*len(leaves)+j] = g.best(&g.groups[i], c.cells, &scans[j])
			}
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

// finish brings a group's cells of counted, and of minuend if that is given, to
// what they are to be.
func (g *Grower) finish(of *group, counted, minuend *candidate, sharing bool) {
	lo, hi := of.reach(g.offsets)
	if sharing {
		for _, share := range g.shares {
			add(counted.cells[lo:hi], share[lo:hi])
		}
	}
	if minuend != nil {
		subtract(minuend.cells[lo:hi], counted.cells[lo:hi])
	}
}

// tray returns a worker's tray.
func (g *Grower) tray(worker int) *tray {
	if g.trays[worker] == nil {
		g.trays[worker] = new(tray)
	}
	return g.trays[worker]
}

// countShares divides rows into as many shares as there are workers, and
// counts the first into dst and the others into g.shares.
func (g *Grower) countShares(ctx context.Context, dst []int64, rows []int32) error {
	for len(g.shares) < g.workers-1 {
		g.shares = append(g.shares, make([]int64, len(dst)))
	}
	return Parallel(ctx, g.workers, g.workers, func(worker, i int) {
		to := dst
		if i > 0 {
			to = g.shares[i-1]
		}
		g.tray(worker).count(g, g.groups, to, rows[i*len(rows)/g.workers:(i+1)*len(rows)/g.workers])
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
