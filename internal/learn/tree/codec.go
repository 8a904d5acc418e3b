package tree

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrMalformed tells that bytes are not the binary form of what is read.
var ErrMalformed = errors.New("malformed tree data")

// The binary form is little endian; numbers whose size varies are uvarints.
//
//	cuts   flags, then edges (count, float64 each)
//	                or codes (count, bins, one byte each)
//	tree   nodes (count), then each in breadth-first order:
//	       feature+1 (0 is a leaf), flags, then the last bin that goes left
//	                or four words of a set
//
// Children need no index: those of the k-th inner node are at 2k+1 and 2k+2.

// Flags of the binary form.
const (
	flagCategorical = 1
	flagMissingLeft = 2
)

// AppendBinary appends the binary form of c.
func (c *Cuts) AppendBinary(b []byte) ([]byte, error) {
	if c.Categorical {
		b = append(b, flagCategorical)
		b = binary.AppendUvarint(b, uint64(len(c.Codes)))
		b = append(b, uint8(c.Bins))
		return append(b, c.Codes...), nil
	}
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(len(c.Edges)))
	for _, e := range c.Edges {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e))
	}
	return b, nil
}

// ReadCuts reads the binary form of Cuts and returns what follows it.
func ReadCuts(b []byte) (Cuts, []byte, error) {
	if len(b) == 0 || b[0] > flagCategorical {
		return Cuts{}, nil, ErrMalformed
	}
	categorical := b[0] == flagCategorical
	n, b, err := readCount(b[1:])
	if err != nil {
		return Cuts{}, nil, err
	}
	if categorical {
		return readCodes(n, b)
	}
	if n > MaxBins-2 || len(b) < 8*n {
		return Cuts{}, nil, ErrMalformed
	}
	edges := make([]float64, n)
	for i := range edges {
		edges[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if i > 0 && !(edges[i-1] < edges[i]) {
			return Cuts{}, nil, ErrMalformed
		}
	}
	return numericCuts(edges), b[8*n:], nil
}

func readCodes(n int, b []byte) (Cuts, []byte, error) {
	if len(b) < 1+n || b[0] < 2 {
		return Cuts{}, nil, ErrMalformed
	}
	c := Cuts{Categorical: true, Bins: int(b[0]), Missing: b[0] - 1, Codes: append([]uint8{}, b[1:1+n]...)}
	for _, bin := range c.Codes {
		if bin >= c.Missing {
			return Cuts{}, nil, ErrMalformed
		}
	}
	return c, b[1+n:], nil
}

// AppendBinary appends the binary form of t; cuts are those of the bins it was
// grown on.
func (t *Tree) AppendBinary(b []byte, cuts []Cuts) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Nodes)))
	for i := range t.Nodes {
		n := &t.Nodes[i]
		b = binary.AppendUvarint(b, uint64(n.Feature+1))
		switch {
		case n.Feature < 0:
		case n.Set >= 0:
			b = append(b, flagCategorical)
			for _, word := range t.Sets[n.Set] {
				b = binary.LittleEndian.AppendUint64(b, word)
			}
		case n.Also != n.Bin && n.Also == cuts[n.Feature].Missing:
			b = append(b, flagMissingLeft, n.Bin)
		default:
			b = append(b, 0, n.Bin)
		}
	}
	return b
}

// ReadTree reads the binary form of a tree and returns what follows it.
func ReadTree(b []byte, cuts []Cuts) (*Tree, []byte, error) {
	count, b, err := readCount(b)
	if err != nil || count == 0 {
		return nil, nil, ErrMalformed
	}
	t := &Tree{Nodes: make([]Node, count)}
	inner := 0
	for i := range t.Nodes {
		var feature uint64
		if feature, b, err = readUvarint(b); err != nil {
			return nil, nil, err
		}
		n := &t.Nodes[i]
		if feature == 0 {
			*n = Node{Feature: -1, Left: int32(t.Leaves)}
			t.Leaves++
			continue
		}
		if feature > uint64(len(cuts)) || 2*inner+2 >= count || 2*inner+1 <= i {
			return nil, nil, ErrMalformed
		}
		*n = Node{Feature: int32(feature - 1), Left: int32(2*inner + 1), Set: -1}
		inner++
		if b, err = t.readTest(n, b, cuts[n.Feature].Missing); err != nil {
			return nil, nil, err
		}
	}
	if count != 2*inner+1 {
		return nil, nil, ErrMalformed
	}
	return t, b, nil
}

// readTest reads how n divides rows.
func (t *Tree) readTest(n *Node, b []byte, missing uint8) ([]byte, error) {
	if len(b) < 2 || b[0] > flagMissingLeft {
		return nil, ErrMalformed
	}
	flags := b[0]
	b = b[1:]
	if flags != flagCategorical {
		n.Bin, n.Also = b[0], b[0]
		if flags == flagMissingLeft {
			n.Also = missing
		}
		return b[1:], nil
	}
	var set Set
	if len(b) < 8*len(set) {
		return nil, ErrMalformed
	}
	for i := range set {
		set[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	n.Set = int32(len(t.Sets))
	t.Sets = append(t.Sets, set)
	return b[8*len(set):], nil
}

// readCount reads the number of things to follow, each of at least a byte.
func readCount(b []byte) (int, []byte, error) {
	n, b, err := readUvarint(b)
	if err != nil || n > uint64(len(b)) {
		return 0, nil, ErrMalformed
	}
	return int(n), b, nil
}

func readUvarint(b []byte) (uint64, []byte, error) {
	n, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, nil, ErrMalformed
	}
	return n, b[size:], nil
}
