package tree

import (
	"context"

	"foretell/internal/learn/parallel"
)

// maxSerialCost is the cost, as computed by addCost, below which a single worker finds
// the splits. More workers would save less time than it takes to start them.
const maxSerialCost = 1 << 13

// minDividedRows is the smallest number of rows of a leaf whose rows are divided among the workers,
// so that each worker builds the histograms of all features from some of the rows. For smaller
// leaves, each worker builds the histograms of some features from all rows. If there are fewer
// feature groups than workers, the rows are always divided.
const minDividedRows = 1 << 12

// findBestSplits sets leaf.best to the best split of each leaf in leaves. leaves contains built,
// sibling or both. findBestSplits first builds the histogram of built from its rows, in
// built.cells.
//
// If sibling is not nil, sibling.cells must hold the histogram of the parent. findBestSplits
// subtracts built.cells from sibling.cells, which then hold the histogram of the sibling.
//
// Each task processes a range of feature groups, so that every cell has one writer. The rows of a
// large leaf are first divided among the workers. Sums of integers are exact, so the result does
// not depend on the number of workers.
func (g *Grower) findBestSplits(ctx context.Context, leaves []*frontierLeaf, built, sibling *frontierLeaf) error {
	r := g.rowRanges[built.node]
	rows := g.rows[r.lo:r.hi]
	finders := make([]splitFinder, len(leaves))
	for i, leaf := range leaves {
		finders[i] = g.newSplitFinder(leaf)
	}
	found := make([]split, len(g.groups)*len(leaves))
	workers := g.workers
	if g.addCost(len(rows), len(leaves)) < maxSerialCost {
		workers = 1
	}
	rowsDivided := len(rows) >= minDividedRows || workers > 1 && len(g.groups) < workers
	if rowsDivided {
		if err := g.buildPartialHistograms(ctx, built.cells, rows); err != nil {
			return err
		}
	}
	// Each task takes a range of groups.
	tasks := min(workers, len(g.groups))
	err := parallel.ForContext(ctx, workers, tasks, func(worker, task int) {
		lo, hi := task*len(g.groups)/tasks, (task+1)*len(g.groups)/tasks
		if !rowsDivided {
			g.gatherBuffer(worker).buildHistograms(g, g.groups[lo:hi], built.cells, rows)
		}
		for i := lo; i < hi; i++ {
			g.mergePartialsAndSubtract(&g.groups[i], built, sibling, rowsDivided)
			for j, leaf := range leaves {
				found[i*len(leaves)+j] = g.bestSplit(&g.groups[i], leaf.cells, &finders[j])
			}
		}
	})
	if err != nil {
		return err
	}
	for i, best := range found {
		if leaf := leaves[i%len(leaves)]; best.gain > leaf.best.gain {
			leaf.best = best
		}
	}
	return nil
}

// mergePartialsAndSubtract completes the cells of one group. If the rows were divided among
// workers, it adds the sums of the other workers to built.cells. If sibling is not nil, it then
// subtracts built.cells from sibling.cells.
func (g *Grower) mergePartialsAndSubtract(group *activeGroup, built, sibling *frontierLeaf, rowsDivided bool) {
	lo, hi := group.cellRange(g.offsets)
	if rowsDivided {
		for _, partial := range g.partials {
			addCells(built.cells[lo:hi], partial[lo:hi])
		}
	}
	if sibling != nil {
		subtractCells(sibling.cells[lo:hi], built.cells[lo:hi])
	}
}

func (g *Grower) gatherBuffer(worker int) *gatherBuffer {
	if g.gatherBuffers[worker] == nil {
		g.gatherBuffers[worker] = new(gatherBuffer)
	}
	return g.gatherBuffers[worker]
}

// buildPartialHistograms divides rows among the workers. The first worker builds the histogram of
// its rows in dst, and the other workers build theirs in g.partials. The caller must add g.partials
// to dst.
func (g *Grower) buildPartialHistograms(ctx context.Context, dst []int64, rows []int32) error {
	for len(g.partials) < g.workers-1 {
		g.partials = append(g.partials, make([]int64, len(dst)))
	}
	return parallel.ForContext(ctx, g.workers, g.workers, func(worker, i int) {
		to := dst
		if i > 0 {
			to = g.partials[i-1]
		}
		g.gatherBuffer(worker).buildHistograms(g, g.groups, to, rows[i*len(rows)/g.workers:(i+1)*len(rows)/g.workers])
	})
}

// addCost adds to g.cost the cost of building a histogram from the given number of rows
// and of finding the splits of the given number of leaves. It returns the number of
// additions to cells plus the number of bins scanned.
func (g *Grower) addCost(rows, leaves int) (work int) {
	var features, bins int
	for _, group := range g.groups {
		features += len(group.active)
		for _, i := range group.active {
			bins += g.bins.Features[i].NumBins
		}
	}
	g.cost.Counted += int64(rows * features)
	g.cost.Scanned += int64(leaves * bins)
	return rows*features + leaves*bins
}

// newSplitFinder returns the split finder of a leaf. It converts the parameters of the
// tree to units of the packed sums.
func (g *Grower) newSplitFinder(leaf *frontierLeaf) splitFinder {
	unit := g.sample.Scale
	_, h := unpack(leaf.total)
	perRow := h / float64(max(g.rowRanges[leaf.node].len(), 1))
	finder := splitFinder{
		total:      leaf.total,
		l2:         g.params.L2 / unit.Hessian,
		catL2:      g.params.CatL2 / unit.Hessian,
		catSmooth:  g.params.CatSmooth / unit.Hessian,
		minHessian: max(g.params.MinHessian/unit.Hessian, float64(g.params.MinRows)*perRow, 1),
		minGain:    g.params.MinGain * unit.Hessian / (unit.Gradient * unit.Gradient),
	}
	if g.sample.Monotone != nil {
		finder.bounds = &g.bounds[leaf.node]
	}
	return finder
}

// bestSplit returns the best split of a leaf by a feature of group. histogram
// is the histogram of the leaf.
func (g *Grower) bestSplit(group *activeGroup, histogram []int64, finder *splitFinder) split {
	var best split
	for _, i := range group.active {
		feature := &g.bins.Features[i]
		before := best.gain
		h := histogram[g.offsets[i]:g.offsets[i+1]]
		switch {
		case feature.Categorical:
			finder.findCategorical(h, &best)
		case finder.bounds != nil:
			finder.findBoundedNumeric(h, g.sample.Monotone[i], &best)
		default:
			finder.findNumeric(h, &best)
		}
		if best.gain > before {
			best.feature = int32(i)
		}
	}
	return best
}
