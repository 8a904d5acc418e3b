package boost

import (
	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
)

// symmetricTree is a tree with its leaf values, one for each output.
//
// About half of the leaves have no rows, so their values are 0. With several outputs, these leaves
// share the first elements of values:
//
//	leaves      0  1  2  3  4  5  6  7
//	valueIndex  1  0  0  2  0  3  0  0
//	values      0  a  b  c
type symmetricTree struct {
	splits []tree.LevelSplit
	values []float32
	// valueIndex[i] is the position of leaf i in values: its first value is
	// values[valueIndex[i]*outputs]. If there is only one output, valueIndex is nil and the value
	// of leaf i is values[i].
	valueIndex []uint8
}

// newSymmetricTree returns a tree with the given leaf values, which it copies.
func newSymmetricTree(splits []tree.LevelSplit, values []float32, outputs int) symmetricTree {
	values = values[:outputs<<len(splits)]
	if outputs == 1 {
		return symmetricTree{splits: splits, values: append([]float32(nil), values...)}
	}
	used := make([]bool, 1<<len(splits))
	for leaf := range used {
		used[leaf] = anyNonZero(values[leaf*outputs:][:outputs])
	}
	valueIndex, n := assignValueIndices(used)
	t := symmetricTree{splits: splits, values: make([]float32, n*outputs), valueIndex: valueIndex}
	for leaf, at := range valueIndex {
		if used[leaf] {
			copy(t.values[int(at)*outputs:], values[leaf*outputs:][:outputs])
		}
	}
	return t
}

func anyNonZero(values []float32) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}

// assignValueIndices returns the valueIndex of each leaf and the number n of different indices.
// used[leaf] reports whether any value of the leaf is not 0. The index of all other leaves is 0.
func assignValueIndices(used []bool) (index []uint8, n int) {
	index = make([]uint8, len(used))
	for _, isUsed := range used {
		if !isUsed {
			n = 1
		}
	}
	for leaf, isUsed := range used {
		if isUsed {
			index[leaf] = uint8(n)
			n++
		}
	}
	return index, n
}

// applySplit applies the split of the given level to rows: if the i-th row passes the
// split, it sets the bit of the level in leaves[i]. bins[i] is the bin of that row. The loop
// contains no branch, because the processor could not predict it.
func (t *symmetricTree) applySplit(leaves []uint8, level int, bins []uint8) {
	split := t.splits[level]
	width := int(split.High - split.Low)
	bins = bins[:len(leaves)]
	for i, bin := range bins {
		passes := uint8(uint(int(bin-split.Low)-width-1) >> 63)
		leaves[i] |= passes << (level & 7)
	}
}

// add adds the values of the leaf leaves[i] to the i-th row of dst. dst is row-major and
// has a column for each output.
func (t *symmetricTree) add(dst []float32, outputs int, leaves []uint8) {
	if outputs == 1 {
		for i, leaf := range leaves {
			dst[i] += t.values[leaf]
		}
		return
	}
	for i, leaf := range leaves {
		values := t.values[int(t.valueIndex[leaf])*outputs:][:outputs]
		row := dst[i*outputs:][:outputs]
		for k, v := range values {
			row[k] += v
		}
	}
}

// write writes the number of levels and, for each split, the feature, Low and High. With several
// outputs, one bit per leaf follows: 0 if all values of the leaf are 0, otherwise 1. The values
// come last; leaves with the bit 0 have none.
func (t *symmetricTree) write(w *codec.Writer, outputs int) {
	w.Bytes(uint8(len(t.splits)))
	for _, split := range t.splits {
		w.Uvarint(int(split.Feature))
		w.Bytes(split.Low, split.High)
	}
	if outputs == 1 {
		w.Float32s(t.values)
		return
	}
	zeros := 0
	if !anyNonZero(t.values[:outputs]) {
		zeros = 1
	}
	bits := make([]uint8, (len(t.valueIndex)+7)/8)
	for leaf, at := range t.valueIndex {
		if int(at) >= zeros {
			bits[leaf/8] |= 1 << (leaf % 8)
		}
	}
	w.Bytes(bits...)
	w.Float32s(t.values[zeros*outputs:])
}

// readSymmetricTree reads a tree written by symmetricTree.write. features is the number
// of features of the ensemble. The result is undefined if r.Err is not nil afterwards.
func readSymmetricTree(r *codec.Reader, features, outputs int) symmetricTree {
	depth := int(r.Byte())
	if depth > tree.MaxSymmetricDepth {
		r.Fail("tree is too deep")
	}
	var t symmetricTree
	for range depth {
		feature := r.Uvarint(0, features-1)
		t.splits = append(t.splits, tree.LevelSplit{Feature: int32(feature), Low: r.Byte(), High: r.Byte()})
	}
	if features == 0 && depth > 0 {
		r.Fail("split of a model without features")
	}
	if r.Err() != nil {
		return t
	}
	if outputs == 1 {
		t.values = r.FiniteFloat32s(1 << depth)
		return t
	}
	bits := r.Next((1<<depth + 7) / 8)
	if bits == nil {
		return t
	}
	used := make([]bool, 1<<depth)
	count := 0
	for leaf := range used {
		if used[leaf] = bits[leaf/8]>>(leaf%8)&1 == 1; used[leaf] {
			count++
		}
	}
	var n int
	t.valueIndex, n = assignValueIndices(used)
	t.values = append(make([]float32, (n-count)*outputs), r.FiniteFloat32s(count*outputs)...)
	return t
}
