package forest

import "foretell/internal/learn/tree"

// member is one tree of the forest.
type member struct {
	tree.Tree
	// verdicts holds the number of each leaf's class distribution; leaves
	// with the same one share a number.
	verdicts []uint32
	// ends tells where the shares of each distribution end; those of number i
	// begin where those of i-1 end.
	ends   []uint32
	shares []share
}

// share is the probability of one class at a leaf, in parts of whole. The
// shares of a leaf add up to whole exactly, so sums over trees are sums of
// integers: exact, in whatever order.
type share struct {
	class, part uint16
}

const whole = 1<<16 - 1

// vote returns the shares of the leaf that a row, one bin a feature, ends in.
func (m *member) vote(row []uint8) []share {
	number, first := m.verdicts[m.Leaf(row)], uint32(0)
	if number > 0 {
		first = m.ends[number-1]
	}
	return m.shares[first:m.ends[number]]
}

// flatten turns the grown tree into an array, breadth first.
func (g *grower) flatten() *member {
	m := &member{Tree: tree.Tree{Nodes: make([]tree.Node, 1, len(g.branches))}}
	known := map[string]uint32{}
	queue := make([]int32, 1, len(g.branches)) // the branch of each node
	for i := 0; i < len(queue); i++ {
		b := &g.branches[queue[i]]
		if b.left == 0 {
			m.Nodes[i] = tree.Node{Feature: -1, Left: int32(m.Leaves)}
			m.Leaves++
			m.verdicts = append(m.verdicts, g.verdict(m, b, known))
			continue
		}
		n := tree.Node{Feature: int32(b.best.feature), Left: int32(len(queue)), Set: -1, Threshold: b.best.cut, MissingBin: b.best.also}
		if !b.best.ordered {
			n.Set = int32(len(m.Sets))
			m.Sets = append(m.Sets, tree.Set(b.best.left))
		}
		m.Nodes[i] = n
		m.Nodes = append(m.Nodes, tree.Node{}, tree.Node{})
		queue = append(queue, b.left, b.right)
	}
	return m
}

// verdict returns the number of a leaf's class distribution, a new one unless
// it is known.
func (g *grower) verdict(m *member, b *branch, known map[string]uint32) uint32 {
	g.enter(g.sample[b.lo:b.hi])
	shares := apportion(g.total, g.rows)
	key := make([]byte, 0, 64)
	for _, s := range shares {
		key = append(key, byte(s.class), byte(s.class>>8), byte(s.part), byte(s.part>>8))
	}
	number, ok := known[string(key)]
	if !ok {
		number = uint32(len(m.ends))
		known[string(key)] = number
		m.shares = append(m.shares, shares...)
		m.ends = append(m.ends, uint32(len(m.shares)))
	}
	return number
}

// apportion turns rows of each class into shares of exactly one whole. What the
// rounding loses goes to the largest class; classes that round to nothing are
// left out.
func apportion(rows []int64, total int64) []share {
	var shares []share
	largest, left := 0, int64(whole)
	for class, n := range rows {
		part := n * whole / total
		if part == 0 {
			continue
		}
		shares = append(shares, share{uint16(class), uint16(part)})
		if part > int64(shares[largest].part) {
			largest = len(shares) - 1
		}
		left -= part
	}
	shares[largest].part += uint16(left)
	return shares
}
