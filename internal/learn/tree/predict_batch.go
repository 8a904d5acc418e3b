package tree

// BatchRows is the largest number of rows of a batch.
const BatchRows = 512

// BatchPredictor predicts batches of binned rows. All rows of a node are moved
// to its children at once, as lists:
//
//	root    [a b c d e f g h]
//	left    [a c f]   right  [h g e d b]
//
// The code that moves a row contains no branch that depends on the row's bin. A BatchPredictor
// reuses its memory for every tree. It is not safe for concurrent use.
type BatchPredictor struct {
	rows int
	// bins holds BatchRows bins for each feature.
	bins []uint8
	// lists[0] holds the rows of the nodes of even depth, lists[1] the rows of the nodes of odd
	// depth.
	lists  [2][BatchRows]uint16
	ranges []nodeRange
}

// nodeRange is the place of a node's rows: lists[list][lo:hi].
type nodeRange struct{ lo, hi, list int32 }

// NewBatchPredictor returns a predictor for rows with the given number of
// features.
func NewBatchPredictor(features int) *BatchPredictor {
	return &BatchPredictor{bins: make([]uint8, features*BatchRows)}
}

// BeginBatch begins a batch with the given number of rows, at most BatchRows.
func (p *BatchPredictor) BeginBatch(rows int) { p.rows = rows }

// Bins returns the bins of a feature for the rows of the batch. The caller fills them
// before it calls AddValues.
func (p *BatchPredictor) Bins(feature int) []uint8 {
	return p.bins[feature*BatchRows:][:p.rows]
}

// AddValues finds the leaf of t that each row of the batch falls into and adds
// values[leaf] to dst[i*stride] for the i-th row.
func (p *BatchPredictor) AddValues(t *Tree, values []float32, dst []float32, stride int) {
	if cap(p.ranges) < len(t.Nodes) {
		p.ranges = make([]nodeRange, len(t.Nodes))
	}
	ranges := p.ranges[:len(t.Nodes)]
	ranges[0] = nodeRange{0, int32(p.rows), 0}
	for row := range p.rows {
		p.lists[0][row] = uint16(row)
	}
	for i := range t.Nodes {
		n, r := &t.Nodes[i], ranges[i]
		if n.Feature < 0 {
			value := values[n.Left]
			for _, row := range p.lists[r.list][r.lo:r.hi] {
				dst[int(row)*stride] += value
			}
			continue
		}
		mid, other := r.lo, 1-r.list
		if r.lo < r.hi {
			mid += p.partition(t, n, r)
		}
		ranges[n.Left] = nodeRange{r.lo, mid, other}
		ranges[n.Left+1] = nodeRange{mid, r.hi, other}
	}
}

// partition moves the rows of node n from the range r of one list to the same range of the other
// list. Rows that go left are at the front of the range, and rows that go right at its end.
// partition returns the number of rows that go left.
func (p *BatchPredictor) partition(t *Tree, n *Node, r nodeRange) (numLeft int32) {
	from := p.lists[r.list][r.lo:r.hi]
	to := &p.lists[1-r.list]
	bins := (*[BatchRows]uint8)(p.bins[int(n.Feature)*BatchRows:])
	if n.Set >= 0 {
		return partitionSet(from, to, bins, &t.Sets[n.Set], r)
	}
	// The bins that go left are a range that wraps around if it includes the
	// bin of missing values: MissingBin … 255, 0 … Threshold.
	low := uint8(0)
	if n.MissingBin != n.Threshold {
		low = n.MissingBin
	}
	width := int(n.Threshold - low)
	left, right := int(r.lo), int(r.hi)-1
	for _, row := range from {
		bin := bins[row%BatchRows]
		to[uint(left)%BatchRows] = row
		to[uint(right)%BatchRows] = row
		goesLeft := int(uint(int(bin-low)-width-1) >> 63)
		left += goesLeft
		right += goesLeft - 1
	}
	return int32(left) - r.lo
}

// partitionSet does the same as partition for a node that compares bins with a set.
func partitionSet(from []uint16, to *[BatchRows]uint16, bins *[BatchRows]uint8, set *BinSet, r nodeRange) (numLeft int32) {
	left, right := int(r.lo), int(r.hi)-1
	for _, row := range from {
		bin := bins[row%BatchRows]
		to[uint(left)%BatchRows] = row
		to[uint(right)%BatchRows] = row
		goesLeft := int(set[bin>>6] >> (bin & 63) & 1)
		left += goesLeft
		right += goesLeft - 1
	}
	return int32(left) - r.lo
}
