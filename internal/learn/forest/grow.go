package forest

import (
	"container/heap"
	"context"
	"math/rand/v2"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
)

// node is a node of a growing tree.
type node struct {
	lo, hi      int32     // the node's rows are sample[lo:hi]
	left, right int32     // the node's children, 0 in a leaf
	best        nodeSplit // noSplit if the node stays a leaf
	gain        float64
	bounds      bounds
}

// grower grows one tree after another. Each worker has its own grower.
type grower struct {
	*splitter
	rng      *rand.Rand
	params   growthParams
	sample   []sampleRow // the rows of the tree; the rows of each node are adjacent
	scratch  []sampleRow
	inBag    []bool // inBag[i] reports whether the i-th training row is in the sample
	nodes    []node
	frontier frontier
	features []int32      // a permutation of the features
	out      codec.Writer // buffer for the binary form of a tree
}

// newGrower returns a grower for trees that are grown from at most the given number of
// rows.
func newGrower(bins *tree.BinnedMatrix, classes, rows int) *grower {
	g := &grower{
		splitter: newSplitter(bins, classes, rows),
		sample:   make([]sampleRow, 0, rows),
		scratch:  make([]sampleRow, rows),
		features: make([]int32, len(bins.Features)),
	}
	g.frontier.nodes = &g.nodes
	return g
}

// grow grows a tree on sample, whose order it changes. It splits leaves, highest gain first, until
// every leaf is pure or too small to split, or until there are params.maxLeaves leaves. nanos is
// the estimated time to find the splits, in nanoseconds. The tree is nil if ctx is cancelled.
func (g *grower) grow(ctx context.Context, sample []sampleRow, params growthParams, rng *rand.Rand) (t *forestTree, nanos int) {
	g.nanos = 0
	g.sample, g.params, g.rng = sample, params, rng
	g.minLeaf, g.sortsLevelsByClass = int64(max(params.minLeaf, 1)), params.sortsLevelsByClass
	for i := range g.features {
		g.features[i] = int32(i)
	}
	g.nodes = append(g.nodes[:0], node{hi: int32(len(sample)), bounds: unbounded})
	g.frontier.leaves = g.frontier.leaves[:0]
	g.considerLeaf(0)
	for leaves := 1; leaves < params.maxLeaves && len(g.frontier.leaves) > 0; leaves++ {
		if ctx.Err() != nil {
			return nil, 0
		}
		at := heap.Pop(&g.frontier).(int32)
		g.partition(at)
		g.considerLeaf(g.nodes[at].left)
		g.considerLeaf(g.nodes[at].right)
	}
	t = g.newForestTree()
	return t, g.nanos
}

// considerLeaf finds the best split of the leaf with the given index, and adds the leaf to the
// frontier if there is an allowed split. It tries params.maxFeatures random features, not counting
// features in which the leaf's rows are equal.
func (g *grower) considerLeaf(index int32) {
	leaf := &g.nodes[index]
	leaf.best = noSplit
	g.setLeaf(g.sample[leaf.lo:leaf.hi])
	g.bounds = leaf.bounds
	if g.isPure() || g.rows < 2*g.minLeaf {
		return
	}
	for tried, drawn := 0, 0; tried < g.params.maxFeatures && drawn < len(g.features); drawn++ {
		pick := drawn + g.rng.IntN(len(g.features)-drawn)
		g.features[drawn], g.features[pick] = g.features[pick], g.features[drawn]
		found, varies := g.findSplit(int(g.features[drawn]))
		if varies {
			tried++
		}
		if found.feature >= 0 && found.score > leaf.best.score {
			leaf.best = found
		}
	}
	if leaf.best.feature >= 0 {
		leaf.gain = leaf.best.score - g.leafScore()
		heap.Push(&g.frontier, index)
	}
}

// findSplit returns a random split by the feature if params.randomSplits is set, or the best split
// if it is not set. varies reports whether the feature varies among the rows of the leaf.
func (g *grower) findSplit(feature int) (found nodeSplit, varies bool) {
	if g.params.randomSplits {
		return g.randomSplit(feature, g.rng)
	}
	return g.bestSplit(feature, g.rng)
}

// partition splits the leaf with the given index: it adds two children and moves the rows
// of the leaf to them, in unchanged order:
//
//	sample = [ … | left… right… | … ]
//	              lo     mid     hi
func (g *grower) partition(index int32) {
	leaf := g.nodes[index]
	data := g.bins.Features[leaf.best.feature].Data
	rows := g.sample[leaf.lo:leaf.hi]
	left, right := 0, 0
	for _, e := range rows {
		if leaf.best.leftBins.contains(data[e.row()]) {
			rows[left] = e
			left++
		} else {
			g.scratch[right] = e
			right++
		}
	}
	copy(rows[left:], g.scratch[:right])
	mid := leaf.lo + int32(left)
	n := int32(len(g.nodes))
	g.nodes[index].left, g.nodes[index].right = n, n+1
	low, high := leaf.bounds, leaf.bounds
	if g.monotone != nil {
		low, high = g.childBounds(&leaf, mid)
	}
	g.nodes = append(g.nodes, node{lo: leaf.lo, hi: mid, bounds: low}, node{lo: mid, hi: leaf.hi, bounds: high})
}

// frontier is a heap of the leaves that can be split, highest gain first.
type frontier struct {
	nodes  *[]node
	leaves []int32
}

func (f *frontier) Len() int { return len(f.leaves) }

func (f *frontier) Less(i, j int) bool {
	a, b := f.leaves[i], f.leaves[j]
	if ga, gb := (*f.nodes)[a].gain, (*f.nodes)[b].gain; ga != gb {
		return ga > gb
	}
	return a < b
}

func (f *frontier) Swap(i, j int) { f.leaves[i], f.leaves[j] = f.leaves[j], f.leaves[i] }

func (f *frontier) Push(x any) { f.leaves = append(f.leaves, x.(int32)) }

func (f *frontier) Pop() any {
	last := len(f.leaves) - 1
	x := f.leaves[last]
	f.leaves = f.leaves[:last]
	return x
}
