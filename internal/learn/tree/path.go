package tree

// pathNode is a node of a tree that the rows first … last of a path reach.
type pathNode struct{ node, first, last int32 }

// PathWalker finds the leaf of each row of a [shapley.Path], which is a sequence of rows and
// not a path in a tree. A PathWalker reuses its memory and is not safe for concurrent use.
type PathWalker struct {
	stack []pathNode
}

// Walk calls visit for each leaf that rows of a path fall into; first … last are the rows in this
// leaf. The path has the rows 0 … steps. from[f] is the bin of feature f in row 0, and to[f] its
// bin in the last row. If they differ, the bin changes at row step[f].
//
// A node that splits by feature f sends all rows before step[f] to one child, and all rows from
// step[f] on to the other or the same child. The rows that reach a node are therefore consecutive,
// so each node is visited at most once.
func (w *PathWalker) Walk(t *Tree, from, to []uint8, step []int32, steps int, visit func(leaf, first, last int32)) {
	stack := append(w.stack[:0], pathNode{0, 0, int32(steps)})
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for {
			n := &t.Nodes[at.node]
			if n.Feature < 0 {
				visit(n.Left, at.first, at.last)
				break
			}
			before, after := n.Left, n.Left
			a, b := from[n.Feature], to[n.Feature]
			if !t.goesLeft(n, a) {
				before++
			}
			if a == b || t.goesLeft(n, b) == (before == n.Left) {
				at.node = before
				continue
			}
			if before == n.Left {
				after++
			}
			switch s := step[n.Feature]; {
			case s <= at.first:
				at.node = after
			case s > at.last:
				at.node = before
			default:
				stack = append(stack, pathNode{after, s, at.last})
				at.node, at.last = before, s-1
			}
		}
	}
	w.stack = stack
}
