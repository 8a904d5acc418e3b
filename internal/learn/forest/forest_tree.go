package forest

import "foretell/internal/learn/tree"

// forestTree is one tree of the forest.
type forestTree struct {
	tree.Tree
	// distributions holds the index of each leaf's class distribution. Leaves with equal
	// distributions have the same index.
	distributions []uint32
	// Distribution i is weights[ends[i-1]:ends[i]]; the first begins at 0.
	ends    []uint32
	weights []classProbability
}

// classProbability is the probability of one class at a leaf, in units of 1/unitWeight. The weights
// of a leaf add up to exactly unitWeight. Votes are sums of weights: sums of integers, which
// are exact in any order.
type classProbability struct {
	class, weight uint16
}

// unitWeight is the weight that represents the probability 1.
const unitWeight = 1<<16 - 1

// leafDistribution returns the class distribution of the leaf that a row falls
// into. row holds one bin for each feature.
func (t *forestTree) leafDistribution(row []uint8) []classProbability {
	return t.distribution(t.Leaf(row))
}

// distribution returns the class distribution of a leaf.
func (t *forestTree) distribution(leaf int) []classProbability {
	number, first := t.distributions[leaf], uint32(0)
	if number > 0 {
		first = t.ends[number-1]
	}
	return t.weights[first:t.ends[number]]
}

// newForestTree returns the tree that g has grown, as an array in breadth-first order.
func (g *grower) newForestTree() *forestTree {
	t := &forestTree{Tree: tree.Tree{Nodes: make([]tree.Node, 1, len(g.nodes))}}
	known := map[string]uint32{}
	queue := make([]int32, 1, len(g.nodes)) // queue[i] is the index in g.nodes of t.Nodes[i]
	for i := 0; i < len(queue); i++ {
		grown := &g.nodes[queue[i]]
		if grown.left == 0 {
			t.Nodes[i] = tree.Node{Feature: -1, Left: int32(t.Leaves)}
			t.Leaves++
			t.distributions = append(t.distributions, g.findOrAddDistribution(t, grown, known))
			continue
		}
		n := tree.Node{Feature: int32(grown.best.feature), Left: int32(len(queue)), Set: -1, Threshold: grown.best.threshold, MissingBin: grown.best.missingBin}
		if !grown.best.numeric {
			n.Set = int32(len(t.Sets))
			t.Sets = append(t.Sets, tree.BinSet(grown.best.leftBins))
		}
		t.Nodes[i] = n
		t.Nodes = append(t.Nodes, tree.Node{}, tree.Node{})
		queue = append(queue, grown.left, grown.right)
	}
	return t
}

// findOrAddDistribution returns the index of a leaf's class distribution in t. It adds the
// distribution if t does not contain it yet. known maps the distributions of t to their indices.
func (g *grower) findOrAddDistribution(t *forestTree, leaf *node, known map[string]uint32) uint32 {
	g.setLeaf(g.sample[leaf.lo:leaf.hi])
	weights := newDistribution(g.classTotals, g.rows)
	key := make([]byte, 0, 64)
	for _, s := range weights {
		key = append(key, byte(s.class), byte(s.class>>8), byte(s.weight), byte(s.weight>>8))
	}
	number, ok := known[string(key)]
	if !ok {
		number = uint32(len(t.ends))
		known[string(key)] = number
		t.weights = append(t.weights, weights...)
		t.ends = append(t.ends, uint32(len(t.weights)))
	}
	return number
}

// newDistribution converts the numbers of rows of the classes to weights in units of 1/unitWeight, which
// add up to unitWeight. total is the number of rows of all classes. Weights are rounded down, and the
// remainder is added to the weight of the largest class. Classes with weight 0 are left
// out.
func newDistribution(rows []int64, total int64) []classProbability {
	var weights []classProbability
	largest, left := 0, int64(unitWeight)
	for class, n := range rows {
		share := n * unitWeight / total
		if share == 0 {
			continue
		}
		weights = append(weights, classProbability{uint16(class), uint16(share)})
		if share > int64(weights[largest].weight) {
			largest = len(weights) - 1
		}
		left -= share
	}
	weights[largest].weight += uint16(left)
	return weights
}
