package forest

import (
	"container/heap"
	"context"
	"math/rand/v2"

	"foretell/internal/learn/tree"
)

// branch is a node of a growing tree.
type branch struct {
	lo, hi      int32    // its entries
	left, right int32    // its children, 0 while it is a leaf
	best        division // feature -1: it stays a leaf
	gain        float64
}

// grower grows one tree after another. It belongs to one worker.
type grower struct {
	*splitter
	rng      *rand.Rand
	recipe   recipe
	sample   []entry // the rows of the tree; those of a branch lie together
	spare    []entry
	drawn    []bool // of all rows to learn from, those in the sample
	branches []branch
	frontier frontier
	features []int32 // a permutation
	packing  []byte  // of a tree
}

// newGrower makes a grower for trees of up to rows rows.
func newGrower(bins *tree.BinnedMatrix, classes, rows int) *grower {
	g := &grower{
		splitter: newSplitter(bins, classes, rows),
		sample:   make([]entry, 0, rows),
		spare:    make([]entry, rows),
		features: make([]int32, len(bins.Features)),
	}
	g.frontier.of = &g.branches
	return g
}

// grow divides the sample, most promising leaf first, until every leaf is
// pure or too small or there are as many as allowed. The sample is reordered.
// spent is about how many nanoseconds it took. The member is nil once ctx is
// cancelled.
func (g *grower) grow(ctx context.Context, sample []entry, how recipe, rng *rand.Rand) (m *member, spent int) {
	g.spent = 0
	g.sample, g.recipe, g.rng = sample, how, rng
	g.minLeaf, g.byClass = int64(max(how.minLeaf, 1)), how.byClass
	for i := range g.features {
		g.features[i] = int32(i)
	}
	g.branches = append(g.branches[:0], branch{hi: int32(len(sample))})
	g.frontier.nodes = g.frontier.nodes[:0]
	g.consider(0)
	for leaves := 1; leaves < how.leaves && len(g.frontier.nodes) > 0; leaves++ {
		if ctx.Err() != nil {
			return nil, 0
		}
		at := heap.Pop(&g.frontier).(int32)
		g.divide(at)
		g.consider(g.branches[at].left)
		g.consider(g.branches[at].right)
	}
	m = g.flatten()
	return m, g.spent
}

// consider looks for the best split of a leaf among a few features drawn by
// lot. Features in which the leaf's rows do not differ do not count as tried.
func (g *grower) consider(at int32) {
	b := &g.branches[at]
	b.best = noDivision
	g.enter(g.sample[b.lo:b.hi])
	if g.pure() || g.rows < 2*g.minLeaf {
		return
	}
	for tried, drawn := 0, 0; tried < g.recipe.candidates && drawn < len(g.features); drawn++ {
		pick := drawn + g.rng.IntN(len(g.features)-drawn)
		g.features[drawn], g.features[pick] = g.features[pick], g.features[drawn]
		found, varies := g.try(int(g.features[drawn]))
		if varies {
			tried++
		}
		if found.feature >= 0 && found.worth > b.best.worth {
			b.best = found
		}
	}
	if b.best.feature >= 0 {
		b.gain = b.best.worth - g.worth()
		heap.Push(&g.frontier, at)
	}
}

func (g *grower) try(feature int) (division, bool) {
	if g.recipe.drawn {
		return g.random(feature, g.rng)
	}
	return g.best(feature, g.rng)
}

// divide gives a leaf two children and their entries, in unchanged order:
//
//	sample = [ … | left… right… | … ]
//	              lo     mid     hi
func (g *grower) divide(at int32) {
	b := g.branches[at]
	data := g.bins.Features[b.best.feature].Data
	entries := g.sample[b.lo:b.hi]
	left, right := 0, 0
	for _, e := range entries {
		if b.best.left.has(data[e.row()]) {
			entries[left] = e
			left++
		} else {
			g.spare[right] = e
			right++
		}
	}
	copy(entries[left:], g.spare[:right])
	mid := b.lo + int32(left)
	n := int32(len(g.branches))
	g.branches[at].left, g.branches[at].right = n, n+1
	g.branches = append(g.branches, branch{lo: b.lo, hi: mid}, branch{lo: mid, hi: b.hi})
}

// frontier is a heap of the leaves that can be divided, the greatest gain on
// top.
type frontier struct {
	of    *[]branch
	nodes []int32
}

func (f *frontier) Len() int { return len(f.nodes) }

func (f *frontier) Less(i, j int) bool {
	a, b := f.nodes[i], f.nodes[j]
	if ga, gb := (*f.of)[a].gain, (*f.of)[b].gain; ga != gb {
		return ga > gb
	}
	return a < b
}

func (f *frontier) Swap(i, j int) { f.nodes[i], f.nodes[j] = f.nodes[j], f.nodes[i] }

func (f *frontier) Push(x any) { f.nodes = append(f.nodes, x.(int32)) }

func (f *frontier) Pop() any {
	last := len(f.nodes) - 1
	x := f.nodes[last]
	f.nodes = f.nodes[:last]
	return x
}
