package tree

import (
	"encoding/binary"
	"errors"
	"math"
)

// ErrMalformed reports that bytes are not a valid binary form.
var ErrMalformed = errors.New("malformed tree data")

// The binary form is little endian; numbers of variable size are uvarints.
//
//	bin mapper  flags, then thresholds (count, float64 each)
//	                     or code bins (count, bins, one byte each)
//	tree        nodes (count), then each in breadth-first order:
//	            feature+1 (0 is a leaf), flags, then the last bin that goes
//	            left or four words of a set
//
// The children need no index: those of the k-th inner node are at 2k+1 and
// 2k+2.

// Flags of the binary form.
const (
	flagCategorical = 1
	flagMissingLeft = 2
)

// AppendBinary appends the binary form of c.
func (c *BinMapper) AppendBinary(b []byte) ([]byte, error) {
	if c.Categorical {
		b = append(b, flagCategorical)
		b = binary.AppendUvarint(b, uint64(len(c.CodeBins)))
		b = append(b, uint8(c.NumBins))
		return append(b, c.CodeBins...), nil
	}
	b = append(b, 0)
	b = binary.AppendUvarint(b, uint64(len(c.Thresholds)))
	for _, e := range c.Thresholds {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(e))
	}
	return b, nil
}

// ReadBinMapper reads a bin mapper and returns the rest of b.
func ReadBinMapper(b []byte) (BinMapper, []byte, error) {
	if len(b) == 0 || b[0] > flagCategorical {
		return BinMapper{}, nil, ErrMalformed
	}
	categorical := b[0] == flagCategorical
	n, b, err := readCount(b[1:])
	if err != nil {
		return BinMapper{}, nil, err
	}
	if categorical {
		return readCodeBins(n, b)
	}
	if n > MaxBins-2 || len(b) < 8*n {
		return BinMapper{}, nil, ErrMalformed
	}
	thresholds := make([]float64, n)
	for i := range thresholds {
		thresholds[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		if i > 0 && !(thresholds[i-1] < thresholds[i]) {
			return BinMapper{}, nil, ErrMalformed
		}
	}
	return numericMapper(thresholds), b[8*n:], nil
}

func readCodeBins(n int, b []byte) (BinMapper, []byte, error) {
	if len(b) < 1+n || b[0] < 2 {
		return BinMapper{}, nil, ErrMalformed
	}
	c := BinMapper{Categorical: true, NumBins: int(b[0]), MissingBin: b[0] - 1, CodeBins: append([]uint8{}, b[1:1+n]...)}
	for _, bin := range c.CodeBins {
		if bin >= c.MissingBin {
			return BinMapper{}, nil, ErrMalformed
		}
	}
	return c, b[1+n:], nil
}

// AppendBinary appends the binary form of t. mappers must be those of the
// matrix that it was grown on.
func (t *Tree) AppendBinary(b []byte, mappers []BinMapper) []byte {
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
		case n.MissingBin != n.Threshold && n.MissingBin == mappers[n.Feature].MissingBin:
			b = append(b, flagMissingLeft, n.Threshold)
		default:
			b = append(b, 0, n.Threshold)
		}
	}
	return b
}

// ReadTree reads a tree and returns the rest of b.
func ReadTree(b []byte, mappers []BinMapper) (*Tree, []byte, error) {
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
		if feature > uint64(len(mappers)) || 2*inner+2 >= count || 2*inner+1 <= i {
			return nil, nil, ErrMalformed
		}
		*n = Node{Feature: int32(feature - 1), Left: int32(2*inner + 1), Set: -1}
		inner++
		if b, err = t.readSplit(n, b, mappers[n.Feature].MissingBin); err != nil {
			return nil, nil, err
		}
	}
	if count != 2*inner+1 {
		return nil, nil, ErrMalformed
	}
	return t, b, nil
}

// readSplit reads the split of n.
func (t *Tree) readSplit(n *Node, b []byte, missing uint8) ([]byte, error) {
	if len(b) < 2 || b[0] > flagMissingLeft {
		return nil, ErrMalformed
	}
	flags := b[0]
	b = b[1:]
	if flags != flagCategorical {
		n.Threshold, n.MissingBin = b[0], b[0]
		if flags == flagMissingLeft {
			n.MissingBin = missing
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

// readCount reads the number of elements that follow, each of at least one
// byte.
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
