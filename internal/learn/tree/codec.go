package tree

import "foretell/internal/learn/codec"

// The binary form:
//
//	bin mapper  flags, then thresholds (count, float64 each)
//	                     or code bins (count, NumBins, one byte each)
//	tree        nodes (count), then each in breadth-first order:
//	            feature+1 (0 is a leaf), flags, then the last bin that goes
//	            left, or the set of bins that go left
//
// The indices of children are not stored: the children of the k-th inner node, counted
// from 0, are at 2k+1 and 2k+2.

// The first byte of a bin mapper is flagCategorical for a categorical column, and otherwise 0. The
// flag byte of a split with a set of bins is flagCategorical. The flag byte of a split with a
// threshold is flagMissingLeft if missing values go left, and otherwise 0.
const (
	flagCategorical = 1
	flagMissingLeft = 2
)

// Write writes the binary form of m.
func (m *BinMapper) Write(w *codec.Writer) {
	if m.Categorical {
		w.Bytes(flagCategorical)
		w.Uvarint(len(m.CodeBins))
		w.Bytes(uint8(m.NumBins))
		w.Bytes(m.CodeBins...)
		return
	}
	w.Bytes(0)
	w.Uvarint(len(m.Thresholds))
	for _, threshold := range m.Thresholds {
		w.Float64(threshold)
	}
}

// ReadBinMapper reads a bin mapper. If r.Err is not nil afterwards, the result is the zero
// value.
func ReadBinMapper(r *codec.Reader) BinMapper {
	if r.Bool() { // flagCategorical
		return readCodeBins(r)
	}
	n := r.Count(8)
	if n > MaxBins-2 {
		r.Fail("too many thresholds")
		return BinMapper{}
	}
	thresholds := make([]float64, n)
	for i := range thresholds {
		thresholds[i] = r.Float64()
		if i > 0 && !(thresholds[i-1] < thresholds[i]) {
			r.Fail("thresholds are not ascending")
		}
	}
	if r.Err() != nil {
		return BinMapper{}
	}
	return numericMapper(thresholds)
}

func readCodeBins(r *codec.Reader) BinMapper {
	n := r.Count(1)
	bins := r.Byte()
	if bins < 2 {
		r.Fail("fewer than two bins")
	}
	m := BinMapper{Categorical: true, NumBins: int(bins), MissingBin: bins - 1, CodeBins: append([]uint8{}, r.Next(n)...)}
	for _, bin := range m.CodeBins {
		if bin >= m.MissingBin {
			r.Fail("bin out of range")
		}
	}
	if r.Err() != nil {
		return BinMapper{}
	}
	return m
}

// Write writes the binary form of t. mappers must be the mappers of the matrix
// that t was grown on.
func (t *Tree) Write(w *codec.Writer, mappers []BinMapper) {
	w.Uvarint(len(t.Nodes))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		w.Uvarint(int(n.Feature + 1))
		switch {
		case n.Feature < 0:
		case n.Set >= 0:
			w.Bytes(flagCategorical)
			for _, word := range t.Sets[n.Set] {
				w.Uint64(word)
			}
		case n.MissingBin != n.Threshold && n.MissingBin == mappers[n.Feature].MissingBin:
			w.Bytes(flagMissingLeft, n.Threshold)
		default:
			w.Bytes(0, n.Threshold)
		}
	}
}

// ReadTree reads a tree. mappers must be the mappers that were passed to Write. ReadTree returns
// nil if r.Err is not nil afterwards.
func ReadTree(r *codec.Reader, mappers []BinMapper) *Tree {
	count := r.Count(1)
	t := &Tree{Nodes: make([]Node, count)}
	inner := 0
	for i := range t.Nodes {
		feature := r.Uvarint(0, len(mappers))
		if r.Err() != nil {
			return nil
		}
		n := &t.Nodes[i]
		if feature == 0 {
			*n = Node{Feature: -1, Left: int32(t.Leaves)}
			t.Leaves++
			continue
		}
		if 2*inner+2 >= count || 2*inner+1 <= i {
			r.Fail("nodes are not a tree")
			return nil
		}
		*n = Node{Feature: int32(feature - 1), Left: int32(2*inner + 1), Set: -1}
		inner++
		t.readSplit(n, r, mappers[n.Feature].MissingBin)
	}
	if count != 2*inner+1 {
		r.Fail("nodes are not a tree")
	}
	if r.Err() != nil {
		return nil
	}
	return t
}

func (t *Tree) readSplit(n *Node, r *codec.Reader, missing uint8) {
	switch r.Byte() {
	case 0:
		n.Threshold = r.Byte()
		n.MissingBin = n.Threshold
	case flagMissingLeft:
		n.Threshold, n.MissingBin = r.Byte(), missing
	case flagCategorical:
		var set BinSet
		for i := range set {
			set[i] = r.Uint64()
		}
		n.Set = int32(len(t.Sets))
		t.Sets = append(t.Sets, set)
	default:
		r.Fail("invalid split")
	}
}
