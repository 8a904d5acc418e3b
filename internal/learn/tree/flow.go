package tree

// FlowRows is the number of rows that go through a tree together.
const FlowRows = 512

// Flow takes rows through trees. They stream from node to node in lists, none
// of them waiting for its own path:
//
//	root    [a b c d e f g h]
//	left    [a c f]   right  [h g e d b]
//
// Every step is without a branch that depends on the data. A Flow is not safe
// for concurrent use; its room is used again for every tree.
type Flow struct {
	rows int
	// bins holds one column of FlowRows bins a feature.
	bins []uint8
	// lists hold the rows of the nodes of even and of odd depth.
	lists [2][FlowRows]uint16
	spans []part
}

// part is a node's part of one of the lists.
type part struct{ lo, hi, list int32 }

// NewFlow returns a flow for rows of so many features.
func NewFlow(features int) *Flow {
	return &Flow{bins: make([]uint8, features*FlowRows)}
}

// Begin says how many the next rows are, FlowRows at most.
func (f *Flow) Begin(rows int) { f.rows = rows }

// Bins returns the place for the bins of a feature of the next rows.
func (f *Flow) Bins(feature int) []uint8 {
	return f.bins[feature*FlowRows:][:f.rows]
}

// Add adds the value of each row's leaf to every stride-th number of dst, in
// the order of the rows.
func (f *Flow) Add(t *Tree, values []float32, dst []float32, stride int) {
	if cap(f.spans) < len(t.Nodes) {
		f.spans = make([]part, len(t.Nodes))
	}
	spans := f.spans[:len(t.Nodes)]
	spans[0] = part{0, int32(f.rows), 0}
	for row := range f.rows {
		f.lists[0][row] = uint16(row)
	}
	for i := range t.Nodes {
		n, s := &t.Nodes[i], spans[i]
		if n.Feature < 0 {
			value := values[n.Left]
			for _, row := range f.lists[s.list][s.lo:s.hi] {
				dst[int(row)*stride] += value
			}
			continue
		}
		middle, other := s.lo, 1-s.list
		if s.lo < s.hi {
			middle += f.divide(t, n, s)
		}
		spans[n.Left] = part{s.lo, middle, other}
		spans[n.Left+1] = part{middle, s.hi, other}
	}
}

// divide writes the rows of one list that go left at n to the front of the
// other's part, the others to its end, and returns the number of the former.
func (f *Flow) divide(t *Tree, n *Node, s part) int32 {
	from := f.lists[s.list][s.lo:s.hi]
	to := &f.lists[1-s.list]
	bins := (*[FlowRows]uint8)(f.bins[int(n.Feature)*FlowRows:])
	if n.Set >= 0 {
		return divideSet(from, to, bins, &t.Sets[n.Set], s)
	}
	// The bins that go left are a range, going around if that of the missing
	// cells is among them: Also … 255, 0 … Bin.
	low := uint8(0)
	if n.Also != n.Bin {
		low = n.Also
	}
	width := int(n.Bin - low)
	left, right := int(s.lo), int(s.hi)-1
	for _, row := range from {
		bin := bins[row%FlowRows]
		to[uint(left)%FlowRows] = row
		to[uint(right)%FlowRows] = row
		goes := int(uint(int(bin-low)-width-1) >> 63)
		left += goes
		right += goes - 1
	}
	return int32(left) - s.lo
}

// divideSet is divide by a set of bins.
func divideSet(from []uint16, to *[FlowRows]uint16, bins *[FlowRows]uint8, set *Set, s part) int32 {
	left, right := int(s.lo), int(s.hi)-1
	for _, row := range from {
		bin := bins[row%FlowRows]
		to[uint(left)%FlowRows] = row
		to[uint(right)%FlowRows] = row
		goes := int(set[bin>>6] >> (bin & 63) & 1)
		left += goes
		right += goes - 1
	}
	return int32(left) - s.lo
}
