package tree

import (
	"container/heap"
	"context"
)

// Params limit the growth of a tree. The zero value of a field that is a limit
// means none.
type Params struct {
	// MaxLeaves is the largest number of leaves, at least 2.
	MaxLeaves int
	// MaxDepth is the largest number of splits above a leaf.
	MaxDepth int
	// MinRows is the smallest number of rows in a leaf. While splits are
	// compared it is estimated from the hessians, which is what histograms
	// hold: rows the model is sure of count less.
	MinRows int
	// MinHessian is the smallest sum of second derivatives in a leaf.
	MinHessian float64
	// MinGain is what a split must reduce the loss by.
	MinGain float64
	// L2 is the penalty on the square of a leaf's value.
	L2 float64
	// CatL2 is added to L2 where a subset of many levels goes left.
	CatL2 float64
	// CatSmooth is added to the hessian when levels are ordered.
	CatSmooth float64
}

// Sample is what a tree is grown on.
type Sample struct {
	// Rows are the rows to learn from, ascending.
	Rows []int32
	// Gradients holds a packed gradient a row of the bins, and Scale its unit;
	// see Quantise.
	Gradients []int64
	Scale     Scale
	// Features are the features that may be used, ascending; nil is all.
	Features []int32
}

// Grower grows trees on the same bins, one at a time.
type Grower struct {
	bins    *Bins
	params  Params
	workers int
	offsets []int
	pool    *pool
	work    Work

	// Of the tree being grown:
	sample   Sample
	groups   []group
	rows     []int32
	scratch  []int32
	strips   []strip
	trays    []*tray   // by worker
	shares   [][]int64 // histograms of all workers but the first
	tree     *Tree
	spans    []span  // by node
	totals   []int64 // by node: the packed sums of its rows
	leaves   []int32 // the node of each leaf, once grown
	frontier frontier
}

// Work counts what growing has cost so far. It depends on the data only.
type Work struct {
	// Counted is the number of cells added to histograms.
	Counted int64
	// Scanned is the number of bins looked at for a split.
	Scanned int64
	// Moved is the number of rows moved between leaves.
	Moved int64
}

// Plus returns the sum of w and so many times more.
func (w Work) Plus(more Work, times int64) Work {
	return Work{w.Counted + times*more.Counted, w.Scanned + times*more.Scanned, w.Moved + times*more.Moved}
}

// span is a leaf's part of the rows.
type span struct{ lo, hi int }

func (s span) len() int { return s.hi - s.lo }

// candidate is a leaf that may be divided.
type candidate struct {
	node  int32
	depth int
	total int64
	cells []int64
	best  split
}

// NewGrower returns a grower that uses up to workers goroutines. The trees do
// not depend on their number.
func NewGrower(bins *Bins, params Params, workers int) *Grower {
	g := &Grower{bins: bins, params: params, workers: max(workers, 1), offsets: layout(bins)}
	g.trays = make([]*tray, g.workers)
	g.params.MaxLeaves = max(params.MaxLeaves, 2)
	g.pool = newPool(g.offsets[len(bins.Features)] + window)
	return g
}

// Work returns the work done so far.
func (g *Grower) Work() Work { return g.work }

// LeafRows returns the rows of a leaf of the tree grown last, ascending. They
// are the grower's own until it grows again.
func (g *Grower) LeafRows(leaf int) []int32 {
	s := g.spans[g.leaves[leaf]]
	return g.rows[s.lo:s.hi]
}

// LeafSum returns the sums of the derivatives of a leaf's rows.
func (g *Grower) LeafSum(leaf int) (gradient, hessian float64) {
	gradient, hessian = halves(g.totals[g.leaves[leaf]])
	return gradient * g.sample.Scale.Gradient, hessian * g.sample.Scale.Hessian
}

// Grow grows a tree: it divides the most promising leaf until there are enough
// or no split is worth its cost. The tree has at least one leaf. When ctx is
// cancelled the error is ctx's.
func (g *Grower) Grow(ctx context.Context, sample Sample) (*Tree, error) {
	var err error
	if g.strips, err = g.bins.byRow(ctx, g.workers); err != nil {
		return nil, err
	}
	g.begin(sample)
	defer g.release()
	root, err := g.root(ctx)
	if err != nil {
		return nil, err
	}
	g.push(root)
	for leaves := 1; leaves < g.params.MaxLeaves && len(g.frontier) > 0; leaves++ {
		parent := heap.Pop(&g.frontier).(*candidate)
		left, right, err := g.divide(ctx, parent)
		if err != nil {
			return nil, err
		}
		if leaves+1 == g.params.MaxLeaves {
			g.pool.give(parent.cells)
			break
		}
		if err := g.consider(ctx, parent, left, right); err != nil {
			return nil, err
		}
	}
	g.number()
	return g.tree, nil
}

// begin prepares for a new tree.
func (g *Grower) begin(sample Sample) {
	g.sample = sample
	g.rows = append(g.rows[:0], sample.Rows...)
	if cap(g.scratch) < len(g.rows) {
		g.scratch = make([]int32, len(g.rows))
	}
	g.tree = &Tree{Nodes: []Node{{Feature: -1}}}
	g.spans = append(g.spans[:0], span{0, len(g.rows)})
	g.frontier = g.frontier[:0]
	g.pool.lent = 0 // a cancelled tree may have kept some
	g.groups = usable(g.bins, sample.Features)
}

// release returns what the frontier still holds.
func (g *Grower) release() {
	for _, c := range g.frontier {
		g.pool.give(c.cells)
	}
	g.frontier = g.frontier[:0]
}

// root counts the whole sample and finds its best split.
func (g *Grower) root(ctx context.Context) (*candidate, error) {
	root := &candidate{}
	for _, row := range g.rows {
		root.total += g.sample.Gradients[row]
	}
	g.totals = append(g.totals[:0], root.total)
	if len(g.groups) == 0 || !g.divisible(root) {
		return root, ctx.Err()
	}
	root.cells = g.pool.take()
	return root, g.search(ctx, []*candidate{root}, root, nil)
}

// divisible tells whether a leaf is large and high enough to be divided.
func (g *Grower) divisible(c *candidate) bool {
	if g.params.MaxDepth > 0 && c.depth >= g.params.MaxDepth {
		return false
	}
	_, h := halves(c.total)
	return g.spans[c.node].len() >= 2*max(g.params.MinRows, 1) &&
		h*g.sample.Scale.Hessian >= 2*g.params.MinHessian
}

// divide writes c's split into the tree and returns its children.
func (g *Grower) divide(ctx context.Context, c *candidate) (left, right *candidate, err error) {
	t := g.tree
	n := Node{Feature: c.best.feature, Left: int32(len(t.Nodes)), Set: -1, Bin: c.best.bin, Also: c.best.bin}
	if c.best.goesLeft != nil {
		n.Set = int32(len(t.Sets))
		t.Sets = append(t.Sets, *c.best.goesLeft)
	} else if c.best.missingLeft {
		n.Also = g.bins.Features[n.Feature].Missing
	}
	t.Nodes[c.node] = n
	t.Nodes = append(t.Nodes, Node{Feature: -1}, Node{Feature: -1})

	table := t.table(&n)
	s := g.spans[c.node]
	lefts, err := divideMany(ctx, g.workers, g.bins.Features[n.Feature].Data, &table, g.rows[s.lo:s.hi], g.scratch)
	if err != nil {
		return nil, nil, err
	}
	g.work.Moved += int64(s.len())
	g.spans = append(g.spans, span{s.lo, s.lo + lefts}, span{s.lo + lefts, s.hi})
	left = &candidate{node: n.Left, depth: c.depth + 1, total: c.best.left}
	right = &candidate{node: n.Left + 1, depth: c.depth + 1, total: c.total - c.best.left}
	g.totals = append(g.totals, left.total, right.total)
	return left, right, nil
}

// consider finds the best splits of parent's children and puts them on the
// frontier. The smaller child is counted, the larger got by subtraction in the
// place of the parent, unless that was let go for want of memory.
func (g *Grower) consider(ctx context.Context, parent, left, right *candidate) error {
	small, large := left, right
	if g.spans[left.node].len() > g.spans[right.node].len() {
		small, large = right, left
	}
	var search []*candidate
	for _, c := range []*candidate{small, large} {
		if g.divisible(c) {
			search = append(search, c)
		}
	}
	if len(search) == 0 {
		g.pool.give(parent.cells)
		return ctx.Err()
	}
	if parent.cells == nil {
		for i, c := range search {
			c.cells = g.pool.take()
			if err := g.search(ctx, search[i:i+1], c, nil); err != nil {
				return err
			}
		}
	} else {
		small.cells, large.cells = g.pool.take(), parent.cells
		if err := g.search(ctx, search, small, large); err != nil {
			return err
		}
	}
	g.push(small)
	g.push(large)
	return nil
}

// push puts c on the frontier if a split was found for it, else lets its
// histogram go.
func (g *Grower) push(c *candidate) {
	if c.best.gain <= 0 || g.pool.lent > g.pool.limit {
		g.pool.give(c.cells)
		c.cells = nil
	}
	if c.best.gain > 0 {
		heap.Push(&g.frontier, c)
	}
}

// number puts the nodes in breadth-first order, which is what the binary form
// relies on, and gives the leaves their numbers in that order.
func (g *Grower) number() {
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

// frontier is a heap of the leaves that may be divided, the highest gain first
// and the oldest among equals.
type frontier []*candidate

func (f frontier) Len() int { return len(f) }
func (f frontier) Less(i, j int) bool {
	if f[i].best.gain != f[j].best.gain {
		return f[i].best.gain > f[j].best.gain
	}
	return f[i].node < f[j].node
}
func (f frontier) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *frontier) Push(c any)   { *f = append(*f, c.(*candidate)) }
func (f *frontier) Pop() any {
	last := len(*f) - 1
	c := (*f)[last]
	*f = (*f)[:last]
	return c
}
