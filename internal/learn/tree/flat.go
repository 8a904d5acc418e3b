package tree

// Node is one node of a flat tree. Children lie side by side behind their
// parent: the right one at Left+1.
type Node struct {
	// Feature is the feature looked at, or -1 in a leaf.
	Feature int32
	// Left is the index of the left child; in a leaf, the leaf's number.
	Left int32
	// Set is the index of the set of bins that go left, or -1 where bins are
	// compared with Bin.
	Set int32
	// Bin is the last bin that goes left; Also is one more, the bin of the
	// missing cells where they go left, else the same.
	Bin, Also uint8
}

// Tree is a grown tree as an array in breadth-first order. Leaves are numbered
// in that order from 0.
type Tree struct {
	Nodes []Node
	Sets  []Set
	// Leaves is the number of leaves.
	Leaves int
}

// left tells whether bin goes left at n, a node that is not a leaf.
func (t *Tree) left(n *Node, bin uint8) bool {
	if n.Set < 0 {
		return bin <= n.Bin || bin == n.Also
	}
	return t.Sets[n.Set].Has(bin)
}

// Leaf returns the number of the leaf that a row falls into; row holds one bin
// a feature.
func (t *Tree) Leaf(row []uint8) int {
	i := int32(0)
	for {
		n := &t.Nodes[i]
		if n.Feature < 0 {
			return int(n.Left)
		}
		i = n.Left
		if !t.left(n, row[n.Feature]) {
			i++
		}
	}
}

// Route divides rows of bins among the leaves: visit gets each leaf that any
// of them falls into and those rows, in their order. It permutes rows; scratch
// is at least as long.
func (t *Tree) Route(bins *Bins, rows, scratch []int32, visit func(leaf int, rows []int32)) {
	t.route(0, bins, rows, scratch, visit)
}

func (t *Tree) route(node int32, bins *Bins, rows, scratch []int32, visit func(int, []int32)) {
	if len(rows) == 0 {
		return
	}
	n := &t.Nodes[node]
	if n.Feature < 0 {
		visit(int(n.Left), rows)
		return
	}
	table := t.table(n)
	lefts := divide(bins.Features[n.Feature].Data, &table, rows, scratch)
	t.route(n.Left, bins, rows[:lefts], scratch, visit)
	t.route(n.Left+1, bins, rows[lefts:], scratch, visit)
}

// table returns 1 for the bins that go left at n.
func (t *Tree) table(n *Node) (table [window]uint8) {
	for bin := range table {
		if t.left(n, uint8(bin)) {
			table[bin] = 1
		}
	}
	return table
}
