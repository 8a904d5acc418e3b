package tree

import (
	"container/heap"
	"context"
)

// Params limit the growth of a tree. A limit of zero means no limit. The Params of a Grower cannot
// be changed: trees with other Params need another Grower, whose histograms take time to allocate.
type Params struct {
	// MinRows is the approximate smallest number of rows in a leaf. Histograms do not count rows,
	// so the number is estimated from the hessian: a side with a third of the leaf's hessian counts
	// as a third of the leaf's rows.
	MinRows int
	// MinHessian is the smallest sum of second derivatives in a leaf.
	MinHessian float64
	// MinGain is the gain that a split must exceed.
	MinGain float64
	// L2 is the penalty on the square of a leaf's value.
	L2 float64
	// CatL2 is added to L2 for splits by a categorical feature that has more than
	// maxOneHot levels in the leaf.
	CatL2 float64
	// CatSmooth is added to the hessian of each level of a categorical feature when the
	// levels are sorted by gradient/hessian.
	CatSmooth float64
}

// Sample is the data that a tree is grown on.
type Sample struct {
	// Rows are the rows of the sample, ascending.
	Rows []int32
	// Gradients holds the packed gradient of each row of the matrix. Scale is the unit of
	// these gradients; see Quantise.
	Gradients []int64
	Scale     Scale
	// Features are the indices of the features that may be used, ascending; nil means all.
	Features []int32
	// Monotone holds the direction of each feature; see Direction. It may be nil.
	Monotone []Direction
}

// Grower grows trees on the same binned matrix, one at a time.
type Grower struct {
	bins       *BinnedMatrix
	params     Params
	workers    int
	offsets    []int
	histograms *histogramPool
	cost       Cost

	// State of the tree being grown:
	sample        Sample
	groups        []activeGroup
	rows          []int32
	scratch       []int32
	rowBlocks     []rowBlock
	gatherBuffers []*gatherBuffer // by worker
	partials      [][]int64       // histograms of the workers after the first
	tree          *Tree
	rowRanges     []rowRange // by node
	totals        []int64    // by node: the packed sum of its rows
	bounds        []bounds   // by node, if the sample has monotone features
	leaves        []int32    // the node of each leaf, set by renumber
	frontier      frontier
}

// Cost counts the operations of growing trees. It depends on the data and the parameters,
// not on the number of workers.
type Cost struct {
	// Counted is the number of times that a gradient was added to a cell of a histogram.
	Counted int64
	// Scanned is the number of bins scanned to find splits.
	Scanned int64
	// Moved is the number of rows moved between leaves.
	Moved int64
}

// AddScaled returns c + times·more, a new Cost.
func (c Cost) AddScaled(more Cost, times int64) Cost {
	return Cost{c.Counted + times*more.Counted, c.Scanned + times*more.Scanned, c.Moved + times*more.Moved}
}

// rowRange is the range of a leaf's rows in the grower's rows: rows[lo:hi].
type rowRange struct{ lo, hi int }

func (r rowRange) len() int { return r.hi - r.lo }

// frontierLeaf is a leaf of the growing tree that may be split.
type frontierLeaf struct {
	node  int32   // index in Tree.Nodes
	total int64   // packed sum of the leaf's rows
	cells []int64 // the leaf's histogram, or nil
	best  split
}

// NewGrower returns a grower. workers is the largest number of goroutines; it does not change the
// trees.
func NewGrower(bins *BinnedMatrix, params Params, workers int) *Grower {
	g := &Grower{bins: bins, params: params, workers: max(workers, 1), offsets: featureOffsets(bins)}
	g.gatherBuffers = make([]*gatherBuffer, g.workers)
	g.histograms = newHistogramPool(g.offsets[len(bins.Features)] + histWidth)
	return g
}

// Cost returns the total cost of the trees grown so far.
func (g *Grower) Cost() Cost { return g.cost }

// LeafRows returns the rows of a leaf of the last tree, ascending. They are
// valid until the next call of Grow.
func (g *Grower) LeafRows(leaf int) []int32 {
	r := g.rowRanges[g.leaves[leaf]]
	return g.rows[r.lo:r.hi]
}

// LeafSum returns the sums of the derivatives over the rows of a leaf of the last tree.
func (g *Grower) LeafSum(leaf int) (gradient, hessian float64) {
	gradient, hessian = unpack(g.totals[g.leaves[leaf]])
	return float64(gradient * g.sample.Scale.Gradient), float64(hessian * g.sample.Scale.Hessian)
}

// Grow grows a tree. It splits the leaf with the highest gain until there are maxLeaves
// leaves or no split has a gain above MinGain. The tree has at least one leaf. If ctx is
// cancelled, Grow returns the error of ctx.
func (g *Grower) Grow(ctx context.Context, sample Sample, maxLeaves int) (*Tree, error) {
	var err error
	if g.rowBlocks, err = g.bins.rowMajorBlocks(ctx, g.workers); err != nil {
		return nil, err
	}
	g.startTree(sample)
	defer g.releaseFrontier()
	root, err := g.newRoot(ctx)
	if err != nil {
		return nil, err
	}
	g.pushLeaf(root)
	for leaves := 1; leaves < maxLeaves && len(g.frontier) > 0; leaves++ {
		parent := heap.Pop(&g.frontier).(*frontierLeaf)
		left, right, err := g.applySplit(ctx, parent)
		if err != nil {
			return nil, err
		}
		if leaves+1 == maxLeaves {
			g.histograms.release(parent.cells)
			break
		}
		if err := g.considerChildren(ctx, parent, left, right); err != nil {
			return nil, err
		}
	}
	g.renumber()
	return g.tree, nil
}

// startTree resets the grower for a new tree.
func (g *Grower) startTree(sample Sample) {
	g.sample = sample
	g.rows = append(g.rows[:0], sample.Rows...)
	if cap(g.scratch) < len(g.rows) {
		g.scratch = make([]int32, len(g.rows))
	}
	g.tree = &Tree{Nodes: []Node{{Feature: -1}}}
	g.bounds = g.bounds[:0]
	if sample.Monotone != nil {
		g.bounds = append(g.bounds, unbounded)
	}
	g.rowRanges = append(g.rowRanges[:0], rowRange{0, len(g.rows)})
	g.frontier = g.frontier[:0]
	g.histograms.inUse = 0 // a cancelled tree may not have released its histograms
	g.groups = activeGroups(g.bins, sample.Features)
}

// releaseFrontier releases the histograms of the leaves that were not split.
func (g *Grower) releaseFrontier() {
	for _, leaf := range g.frontier {
		g.histograms.release(leaf.cells)
	}
	g.frontier = g.frontier[:0]
}

// newRoot returns the root. If the root can be split, its histogram and its best split are set.
func (g *Grower) newRoot(ctx context.Context) (*frontierLeaf, error) {
	root := &frontierLeaf{}
	for _, row := range g.rows {
		root.total += g.sample.Gradients[row]
	}
	g.totals = append(g.totals[:0], root.total)
	if len(g.groups) == 0 || !g.canSplit(root) {
		return root, ctx.Err()
	}
	root.cells = g.histograms.acquire()
	return root, g.findBestSplits(ctx, []*frontierLeaf{root}, root, nil)
}

// canSplit reports whether the number of rows and the hessian of a leaf allow a split.
func (g *Grower) canSplit(leaf *frontierLeaf) bool {
	_, h := unpack(leaf.total)
	return g.rowRanges[leaf.node].len() >= 2*max(g.params.MinRows, 1) &&
		h*g.sample.Scale.Hessian >= 2*g.params.MinHessian
}

// applySplit adds the split of leaf to the tree, partitions its rows and
// returns its children.
func (g *Grower) applySplit(ctx context.Context, leaf *frontierLeaf) (left, right *frontierLeaf, err error) {
	t := g.tree
	n := Node{Feature: leaf.best.feature, Left: int32(len(t.Nodes)), Set: -1, Threshold: leaf.best.bin, MissingBin: leaf.best.bin}
	if leaf.best.leftBins != nil {
		n.Set = int32(len(t.Sets))
		t.Sets = append(t.Sets, *leaf.best.leftBins)
	} else if leaf.best.missingLeft {
		n.MissingBin = g.bins.Features[n.Feature].MissingBin
	}
	t.Nodes[leaf.node] = n
	t.Nodes = append(t.Nodes, Node{Feature: -1}, Node{Feature: -1})

	table := t.leftTable(&n)
	r := g.rowRanges[leaf.node]
	leftCount, err := partitionParallel(ctx, g.workers, g.bins.Features[n.Feature].Data, &table, g.rows[r.lo:r.hi], g.scratch)
	if err != nil {
		return nil, nil, err
	}
	g.cost.Moved += int64(r.len())
	g.rowRanges = append(g.rowRanges, rowRange{r.lo, r.lo + leftCount}, rowRange{r.lo + leftCount, r.hi})
	left = &frontierLeaf{node: n.Left, total: leaf.best.left}
	right = &frontierLeaf{node: n.Left + 1, total: leaf.total - leaf.best.left}
	g.totals = append(g.totals, left.total, right.total)
	g.appendChildBounds(leaf)
	return left, right, nil
}

// considerChildren finds the best splits of the two children of parent, and adds the children that
// can be split to the frontier. It builds the histogram of the smaller child from rows. The
// histogram of the larger child is the parent's histogram minus the histogram of the smaller child.
// If the parent's histogram was released, the histograms of both children are built from rows.
func (g *Grower) considerChildren(ctx context.Context, parent, left, right *frontierLeaf) error {
	small, large := left, right
	if g.rowRanges[left.node].len() > g.rowRanges[right.node].len() {
		small, large = right, left
	}
	var open []*frontierLeaf
	for _, leaf := range []*frontierLeaf{small, large} {
		if g.canSplit(leaf) {
			open = append(open, leaf)
		}
	}
	if len(open) == 0 {
		g.histograms.release(parent.cells)
		return ctx.Err()
	}
	if parent.cells == nil {
		for i, leaf := range open {
			leaf.cells = g.histograms.acquire()
			if err := g.findBestSplits(ctx, open[i:i+1], leaf, nil); err != nil {
				return err
			}
		}
	} else {
		small.cells, large.cells = g.histograms.acquire(), parent.cells
		if err := g.findBestSplits(ctx, open, small, large); err != nil {
			return err
		}
	}
	g.pushLeaf(small)
	g.pushLeaf(large)
	return nil
}

// pushLeaf adds leaf to the frontier if it can be split. If it cannot, or if too many histograms
// are in use, pushLeaf releases the histogram of the leaf.
func (g *Grower) pushLeaf(leaf *frontierLeaf) {
	if leaf.best.gain <= 0 || g.histograms.inUse > g.histograms.limit {
		g.histograms.release(leaf.cells)
		leaf.cells = nil
	}
	if leaf.best.gain > 0 {
		heap.Push(&g.frontier, leaf)
	}
}

// renumber sorts the nodes of the tree in breadth-first order, as the binary form
// requires, and numbers the leaves in that order.
func (g *Grower) renumber() {
	grown := g.tree.Nodes
	order := make([]int32, 1, len(grown))
	flat := make([]Node, 0, len(grown))
	g.leaves = g.leaves[:0]
	for i := 0; i < len(order); i++ {
		n := grown[order[i]]
		if n.Feature < 0 {
			n.Left = int32(len(g.leaves))
			g.leaves = append(g.leaves, order[i])
		} else {
			order = append(order, n.Left, n.Left+1)
			n.Left = int32(len(order) - 2)
		}
		flat = append(flat, n)
	}
	g.tree.Nodes = flat
	g.tree.Leaves = len(g.leaves)
}

// frontier is a heap of the leaves that may be split: highest gain first, and
// oldest first among equal gains.
type frontier []*frontierLeaf

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if f[i].best.gain != f[j].best.gain {
		return f[i].best.gain > f[j].best.gain
	}
	return f[i].node < f[j].node
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(c any)   { *f = append(*f, c.(*frontierLeaf)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	leaf := (*f)[last]
	*f = (*f)[:last]
	return leaf
}
