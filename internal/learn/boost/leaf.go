package boost

import (
	"encoding/binary"

	"foretell/internal/learn/tree"
)

// symmetricTree is a tree with its leaves' values, outputs to a leaf.
//
// No row falls into about half of the leaves, whose values are 0. Where there are
// several outputs they share one place, the first:
//
//	leaves  0  1  2  3  4  5  6  7
//	places  1  0  0  2  0  3  0  0
//	values  0  a  b  c
type symmetricTree struct {
	tests  []tree.LevelSplit
	values []float32
	// places tells whose values, counted in leaves, are those of each leaf;
	// nil where each leaf has its own.
	places []uint8
}

// newSymmetricTree returns a tree whose leaves have the given values, of which
// it keeps a copy.
func newSymmetricTree(tests []tree.LevelSplit, values []float32, outputs int) symmetricTree {
	values = values[:outputs<<len(tests)]
	if outputs == 1 {
		return symmetricTree{tests: tests, values: append([]float32(nil), values...)}
	}
	used := make([]bool, 1<<len(tests))
	for leaf := range used {
		used[leaf] = anyOf(values[leaf*outputs:][:outputs])
	}
	places, n := placesOf(used)
	t := symmetricTree{tests: tests, values: make([]float32, n*outputs), places: places}
	for leaf, place := range places {
		if used[leaf] {
			copy(t.values[int(place)*outputs:], values[leaf*outputs:][:outputs])
		}
	}
	return t
}

func anyOf(values []float32) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}

// placesOf returns the place of each leaf's values and the number of places,
// with the first for all that are not used.
func placesOf(used []bool) (places []uint8, n int) {
	places = make([]uint8, len(used))
	for _, is := range used {
		if !is {
			n = 1
		}
	}
	for leaf, is := range used {
		if is {
			places[leaf] = uint8(n)
			n++
		}
	}
	return places, n
}

// ask sets bit d of the leaves of the rows that pass test d, without a branch.
func (t *symmetricTree) ask(leaves []uint8, d int, cells []uint8) {
	test := t.tests[d]
	width := int(test.High - test.Low)
	cells = cells[:len(leaves)]
	for i, bin := range cells {
		in := uint8(uint(int(bin-test.Low)-width-1) >> 63)
		leaves[i] |= in << (d & 7)
	}
}

// add adds the values of the rows' leaves to dst, outputs to a row.
func (t *symmetricTree) add(dst []float32, outputs int, leaves []uint8) {
	if outputs == 1 {
		for i, leaf := range leaves {
			dst[i] += t.values[leaf]
		}
		return
	}
	for i, leaf := range leaves {
		values := t.values[int(t.places[leaf])*outputs:][:outputs]
		row := dst[i*outputs:][:outputs]
		for k, v := range values {
			row[k] += v
		}
	}
}

// appendBinary appends the depth, three numbers a test, with several outputs a
// bit for each leaf that has values, and float32 values.
func (t *symmetricTree) appendBinary(b []byte, outputs int) []byte {
	b = append(b, uint8(len(t.tests)))
	for _, test := range t.tests {
		b = binary.AppendUvarint(b, uint64(test.Feature))
		b = append(b, test.Low, test.High)
	}
	if outputs == 1 {
		return appendFloats(b, t.values)
	}
	zeros := 0
	if !anyOf(t.values[:outputs]) {
		zeros = 1
	}
	bits := make([]uint8, (len(t.places)+7)/8)
	for leaf, place := range t.places {
		if int(place) >= zeros {
			bits[leaf/8] |= 1 << (leaf % 8)
		}
	}
	return appendFloats(append(b, bits...), t.values[zeros*outputs:])
}

// readSymmetricTree reads what appendBinary wrote of a tree that asks about so
// many inputs.
func readSymmetricTree(r *reader, inputs, outputs int) symmetricTree {
	depth := int(r.byte())
	if depth > tree.MaxSymmetricDepth {
		r.fail()
	}
	var t symmetricTree
	for range depth {
		feature := r.number(inputs)
		t.tests = append(t.tests, tree.LevelSplit{Feature: int32(feature), Low: r.byte(), High: r.byte()})
	}
	if r.err != nil {
		return t
	}
	if outputs == 1 {
		t.values = r.floats(1 << depth)
		return t
	}
	bits := r.take((1<<depth + 7) / 8)
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
	t.places, n = placesOf(used)
	t.values = append(make([]float32, (n-count)*outputs), r.floats(count*outputs)...)
	return t
}
