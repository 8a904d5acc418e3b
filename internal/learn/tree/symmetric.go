package tree

import (
	"context"
	"errors"

	"foretell/internal/learn/parallel"
)

// LevelSplit is the split of one level of a symmetric tree: a row passes if its
// bin of Feature is in Low … High.
type LevelSplit struct {
	Feature   int32
	Low, High uint8
}

// Passes reports whether a row with this bin passes.
func (s *LevelSplit) Passes(bin uint8) bool {
	return bin-s.Low <= s.High-s.Low
}

// notPassingTable returns a table for the function partition: 1 for the bins that do not pass, and
// 0 for all other bins. partition moves the rows that do not pass to the front, because they belong
// to the child with the smaller number.
func (s *LevelSplit) notPassingTable() (table [histWidth]uint8) {
	for bin := range table {
		if !s.Passes(uint8(bin)) {
			table[bin] = 1
		}
	}
	return table
}

// SymmetricSample is the data that a symmetric tree is grown on.
type SymmetricSample struct {
	// Bins must have the mappers of the matrix that the grower was made for.
	Bins *BinnedMatrix
	// Rows are the rows of the sample.
	Rows []int32
	// Gradients[o] holds the packed gradient of each row for output o. Scales[o] is the
	// unit of these gradients. The tree reduces the loss of all outputs.
	Gradients [][]int64
	Scales    []Scale
	// Features are the indices of the features that may be used, ascending; nil means all.
	Features []int32
	// Monotone holds the directions of the first len(Monotone) features. The other features have
	// AnyOrder. Monotone may be nil. The grower prefers splits in these directions but does not
	// guarantee them: the caller must correct leaf values that are in the wrong order.
	Monotone []Direction
}

// direction returns the direction of a feature, which is AnyOrder if the feature need not be
// monotone.
func (s *SymmetricSample) direction(feature int) Direction {
	if feature < len(s.Monotone) {
		return s.Monotone[feature]
	}
	return AnyOrder
}

// SymmetricGrower grows trees in which all leaves of a level have the same
// split. Bit d of a leaf's number is set if its rows pass the split of level d.
//
//	level 0  [ 0               ]
//	level 1  [ 0      | 1      ]
//	level 2  [ 0 | 2  | 1 | 3  ]   the rows of a leaf are adjacent
//
// A leaf with few rows has no histogram. Instead, the gradients of its rows are summed for each
// feature when splits are scored; see sparseBuilder.
type SymmetricGrower struct {
	depth      int
	maxCells   int // largest total number of cells in the histograms of a level
	l2         float64
	workers    int
	bins       *BinnedMatrix
	fullStride int   // cells of a histogram of all features, with padding
	offsets    []int // by feature: the index of its first cell; see layoutHistograms
	cost       Cost

	sample     SymmetricSample
	levels     int
	groups     []activeGroup
	packGroups bool // whether to use packed feature groups; see packThreshold
	rows       []int32
	scratch    []int32
	ordered    orderedGradients
	buffers    []histBuffer     // by worker
	workspaces []splitWorkspace // by worker
	rowRanges  []rowRange       // by leaf
	totals     [][]int64        // by output, then leaf
	// slots[leaf] is the number of the leaf's histogram. A leaf with fewer than sparseRows rows has
	// no histogram, and its number is negative. assigned is the number of histograms in use.
	sparseRows int
	slots      []int32
	assigned   int32
	// cells holds the histograms. The histogram of slot s and output o begins
	// at (s·outputs + o)·stride.
	cells  []int64
	stride int
	// defaultDirections holds one element for each feature.
	defaultDirections []defaultDirection
}

// MaxSymmetricDepth is the largest number of levels of a symmetric tree.
const MaxSymmetricDepth = 8

// minL2 keeps the score of an empty leaf finite.
const minL2 = 1e-9

// NewSymmetricGrower returns a grower of symmetric trees on matrices that have the same bin mappers
// as bins. depth is the largest number of levels of a tree, from 1 to MaxSymmetricDepth. It is
// reduced if the histograms of the last level would need more than half a gigabyte. l2 is the
// penalty on the square of a leaf's value. workers is the largest number of goroutines; it does not
// change the trees.
func NewSymmetricGrower(bins *BinnedMatrix, depth int, l2 float64, workers int) *SymmetricGrower {
	depth = min(max(depth, 1), MaxSymmetricDepth)
	g := &SymmetricGrower{depth: depth, maxCells: 1 << 26, l2: max(l2, minL2), workers: max(workers, 1)}
	g.buffers = make([]histBuffer, g.workers)
	g.workspaces = make([]splitWorkspace, g.workers)
	g.SetBins(bins)
	return g
}

// SetBins prepares the grower for samples whose matrices have the mappers of bins.
func (g *SymmetricGrower) SetBins(bins *BinnedMatrix) {
	if g.bins == bins {
		return
	}
	g.bins, g.offsets = bins, featureOffsets(bins)
	g.fullStride = g.offsets[len(bins.Features)] + histWidth
	g.defaultDirections = make([]defaultDirection, len(bins.Features))
	g.sparseRows = sparseThreshold(bins)
}

// Cost returns the total cost of the trees grown so far.
func (g *SymmetricGrower) Cost() Cost { return g.cost }

// LeafRows returns the rows of a leaf of the last tree. They are valid until
// the next call of Grow.
func (g *SymmetricGrower) LeafRows(leaf int) []int32 {
	r := g.rowRanges[leaf]
	return g.rows[r.lo:r.hi]
}

// LeafSum returns the sums of an output's derivatives over the rows of a leaf.
func (g *SymmetricGrower) LeafSum(leaf, output int) (gradient, hessian float64) {
	gradient, hessian = unpack(g.totals[output][leaf])
	scale := g.sample.Scales[output]
	return float64(gradient * scale.Gradient), float64(hessian * scale.Hessian)
}

// Grow grows a tree and returns the splits of its levels. If no further split raises the
// score, the tree has fewer levels than the depth. It has 1 << len(splits) leaves.
func (g *SymmetricGrower) Grow(ctx context.Context, sample SymmetricSample) ([]LevelSplit, error) {
	g.startTree(sample)
	splits := make([]LevelSplit, 0, g.depth)
	for range g.levels {
		split, found, err := g.findLevelSplit(ctx)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		splits = append(splits, split)
		if err := g.splitLeaves(ctx, &split); err != nil {
			return nil, err
		}
		g.splitTotals(&split)
	}
	return splits, nil
}

// packThreshold is the largest number of all features, divided by the number of features that a
// tree may use, for which the tree uses packed feature groups. If the tree may use only a smaller
// fraction of the features, the packed words are not worth their memory, which is one byte per row
// and feature.
const packThreshold = 2.5

// startTree resets the grower for a new tree.
func (g *SymmetricGrower) startTree(sample SymmetricSample) {
	g.sample = sample
	g.rows = append(g.rows[:0], sample.Rows...)
	if cap(g.scratch) < len(g.rows) {
		g.scratch = make([]int32, len(g.rows))
	}
	g.rowRanges = append(g.rowRanges[:0], rowRange{0, len(g.rows)})
	g.slots, g.assigned = append(g.slots[:0], 0), 1
	g.sumGradients()
	g.groups = activeGroups(sample.Bins, sample.Features)
	g.packGroups = sample.Features == nil || packThreshold*float64(len(sample.Features)) >= float64(len(sample.Bins.Features))
	outputs := len(sample.Gradients)
	for g.levels = g.depth; g.levels > 1 && g.fullStride*outputs<<(g.levels-1) > g.maxCells; {
		g.levels--
	}
	g.layoutHistograms()
	if want := g.stride * outputs * min(1<<(g.levels-1), len(g.rows)/g.sparseRows+1); len(g.cells) < want {
		g.cells = make([]int64, want)
	}
}

// layoutHistograms computes the offsets of the features' cells. To save memory in wide tables,
// features that the tree does not use get no cells.
func (g *SymmetricGrower) layoutHistograms() {
	at, next := 0, 0
	for _, group := range g.groups {
		for _, i := range group.active {
			for ; next <= i; next++ {
				g.offsets[next] = at
			}
			at += g.sample.Bins.Features[i].NumBins
		}
	}
	for ; next < len(g.offsets); next++ {
		g.offsets[next] = at
	}
	g.stride = at + histWidth
}

// findLevelSplit finds the best split of the current leaves. found reports whether a split raises
// the score.
func (g *SymmetricGrower) findLevelSplit(ctx context.Context) (best LevelSplit, found bool, err error) {
	if len(g.rowRanges) > 1 {
		g.assignHistograms()
	}
	workers := g.workers
	if g.addCost() < maxSerialCost {
		workers = 1
	}
	if err := g.buildHistograms(ctx, workers); err != nil {
		return LevelSplit{}, false, err
	}
	scorer := g.newLevelScorer()
	results := make([]scoredSplit, len(g.groups))
	err = parallel.ForContext(ctx, workers, len(g.groups), func(worker, i int) {
		group := &g.groups[i]
		for _, feature := range group.active {
			g.considerFeature(scorer, feature, &g.workspaces[worker], &results[i])
		}
	})
	top := scorer.baseScore
	for i := range results {
		if r := &results[i]; r.score > top*(1+1e-9) {
			top, best, found = r.score, r.LevelSplit, true
		}
	}
	return best, found, err
}

// splitLeaves moves the rows of each leaf to its two children. The workers split
// different leaves. While there are fewer leaves than workers, they split different chunks
// of one leaf.
func (g *SymmetricGrower) splitLeaves(ctx context.Context, split *LevelSplit) error {
	table := split.notPassingTable()
	data := g.sample.Bins.Features[split.Feature].Data
	leaves, within, across := len(g.rowRanges), g.workers, 1
	if leaves >= g.workers {
		within, across = 1, g.workers
	}
	if len(g.rows) < chunkRows {
		across = 1
	}
	g.rowRanges = append(g.rowRanges, g.rowRanges...)
	errs := make([]error, leaves)
	err := parallel.ForContext(ctx, across, leaves, func(_, leaf int) {
		r := g.rowRanges[leaf]
		n, err := partitionParallel(ctx, within, data, &table, g.rows[r.lo:r.hi], g.scratch[r.lo:r.hi])
		errs[leaf] = err
		g.rowRanges[leaf] = rowRange{r.lo, r.lo + n}
		g.rowRanges[leaf+leaves] = rowRange{r.lo + n, r.hi}
	})
	g.cost.Moved += int64(len(g.rows))
	return errors.Join(append(errs, err)...)
}

// PartitionSymmetric partitions rows by the leaves of a symmetric tree. It calls
// visit with the number and the rows of each leaf that is not empty; the rows of
// a leaf keep their order. PartitionSymmetric permutes rows. scratch must be at
// least as long as rows.
func PartitionSymmetric(splits []LevelSplit, bins *BinnedMatrix, rows, scratch []int32, visit func(leaf int, rows []int32)) {
	tables := make([][histWidth]uint8, len(splits))
	for i := range splits {
		tables[i] = splits[i].notPassingTable()
	}
	var apply func(level, leaf int, rows []int32)
	apply = func(level, leaf int, rows []int32) {
		if len(rows) == 0 {
			return
		}
		if level == len(splits) {
			visit(leaf, rows)
			return
		}
		n := partition(bins.Features[splits[level].Feature].Data, &tables[level], rows, scratch)
		apply(level+1, leaf, rows[:n])
		apply(level+1, leaf|1<<level, rows[n:])
	}
	apply(0, 0, rows)
}
