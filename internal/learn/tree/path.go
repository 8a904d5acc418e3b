package tree

// pathNode is a node and the rows of a path that reach it, from row first to row last.
type pathNode struct{ node, first, last int32 }

// PathWalker finds the leaves of the rows of a path, see shapley.Path. It reuses
// its memory and is not safe for concurrent use.
type PathWalker struct {
	stack []pathNode
}

// Walk calls visit for each leaf that rows of a path fall into, with the first and the
// last of these rows. The slices from and to hold, by feature, the bins of the first and
// the last row of the path. If they differ in feature f, step[f] is the step at which the
// bin changes. steps is the number of steps.
//
// If the bins from and to go to different children of a node, the rows before the step of
// the node's feature go to one child and the other rows to the other child. Each node is
// therefore visited at most once.
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
