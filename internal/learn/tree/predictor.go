package tree

// Node is a node of a Tree. Its left child is at index Left, its right child at
// Left+1.
type Node struct {
	// Feature is the feature of the split, or -1 in a leaf.
	Feature int32
	// Left is the index of the left child. In a leaf, it is the number of the leaf.
	Left int32
	// Set is the index of the set of bins that go left, or -1 if bins are
	// compared with Threshold.
	Set int32
	// Threshold is the last bin that goes left. If missing values also go left, MissingBin is their
	// bin; otherwise it equals Threshold.
	Threshold, MissingBin uint8
}

// Tree is a grown tree. Its nodes are stored in breadth-first order, and its leaves are
// numbered from 0 in the same order. Sets are the sets that nodes refer to.
type Tree struct {
	Nodes []Node
	Sets  []BinSet
	// Leaves is the number of leaves.
	Leaves int
}

// goesLeft reports whether bin goes left at n, which must not be a leaf.
func (t *Tree) goesLeft(n *Node, bin uint8) bool {
	if n.Set < 0 {
		return bin <= n.Threshold || bin == n.MissingBin
	}
	return t.Sets[n.Set].Has(bin)
}

// Leaf returns the number of the leaf that a row falls into. row holds one bin
// for each feature.
func (t *Tree) Leaf(row []uint8) int {
	i := int32(0)
	for {
		n := &t.Nodes[i]
		if n.Feature < 0 {
			return int(n.Left)
		}
		i = n.Left
		if !t.goesLeft(n, row[n.Feature]) {
			i++
		}
	}
}

// LeafOf returns the number of the leaf that a row of binned columns falls into.
func (t *Tree) LeafOf(columns []Feature, row int32) int {
	i := int32(0)
	for {
		n := &t.Nodes[i]
		if n.Feature < 0 {
			return int(n.Left)
		}
		i = n.Left
		if !t.goesLeft(n, columns[n.Feature].Data[row]) {
			i++
		}
	}
}

// PartitionByLeaf partitions rows by the leaves of the tree. It calls visit with the
// number and the rows of each leaf that is not empty; the rows of a leaf keep
// their order. PartitionByLeaf permutes rows. scratch must be at least as long as rows.
func (t *Tree) PartitionByLeaf(bins *BinnedMatrix, rows, scratch []int32, visit func(leaf int, rows []int32)) {
	t.visitLeaves(0, bins, rows, scratch, visit)
}

func (t *Tree) visitLeaves(node int32, bins *BinnedMatrix, rows, scratch []int32, visit func(leaf int, rows []int32)) {
	if len(rows) == 0 {
		return
	}
	n := &t.Nodes[node]
	if n.Feature < 0 {
		visit(int(n.Left), rows)
		return
	}
	table := t.leftTable(n)
	leftCount := partition(bins.Features[n.Feature].Data, &table, rows, scratch)
	t.visitLeaves(n.Left, bins, rows[:leftCount], scratch, visit)
	t.visitLeaves(n.Left+1, bins, rows[leftCount:], scratch, visit)
}

// leftTable returns a table that is 1 for the bins that go left at n, and 0 for all other bins.
func (t *Tree) leftTable(n *Node) (table [histWidth]uint8) {
	for bin := range table {
		if t.goesLeft(n, uint8(bin)) {
			table[bin] = 1
		}
	}
	return table
}
