package boost

import (
	"encoding/binary"
	"math"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// leafwiseModel is an ensemble of leaf-wise trees.
type leafwiseModel struct {
	outputs int
	mappers []tree.BinMapper
	// trees are round-major, one an output; nil adds nothing.
	trees []*boostedTree
	// used reports for each feature whether a tree uses it.
	used []bool
}

// newLeafwiseModel returns the ensemble of the given trees.
func newLeafwiseModel(outputs int, mappers []tree.BinMapper, trees []*boostedTree) *leafwiseModel {
	e := &leafwiseModel{outputs: outputs, mappers: mappers, trees: trees, used: make([]bool, len(mappers))}
	for _, m := range trees {
		if m == nil {
			continue
		}
		for i := range m.tree.Nodes {
			if feature := m.tree.Nodes[i].Feature; feature >= 0 {
				e.used[feature] = true
			}
		}
	}
	return e
}

func (e *leafwiseModel) kind() byte { return kindLeafwise }

// score adds the scores of f's rows lo…hi-1 to dst, outputs a row.
func (e *leafwiseModel) score(dst []float32, f *frame.Frame, lo, hi int) {
	predictor := tree.NewBatchPredictor(len(e.mappers))
	for ; lo < hi; lo += tree.BatchRows {
		n := min(tree.BatchRows, hi-lo)
		predictor.Begin(n)
		for i := range e.mappers {
			if !e.used[i] {
				continue
			}
			var column frame.Column // cells of a column that f lacks are missing
			if i < len(f.Columns) {
				column = f.Columns[i]
			}
			e.mappers[i].Fill(predictor.Bins(i), 1, &column, lo, lo+n)
		}
		for i, m := range e.trees {
			if m != nil {
				predictor.Add(m.tree, m.values, dst[i%e.outputs:], e.outputs)
			}
		}
		dst = dst[n*e.outputs:]
	}
}

// appendBinary appends bin mappers (count, each) and trees (count, each a tree
// and float32 values, or a zero byte for nil).
func (e *leafwiseModel) appendBinary(b []byte) ([]byte, error) {
	b, err := appendMappers(b, e.mappers, len(e.trees))
	for _, m := range e.trees {
		b = m.appendBinary(b, e.mappers)
	}
	return b, err
}

// appendMappers appends the part that precedes the trees.
func appendMappers(b []byte, mappers []tree.BinMapper, trees int) ([]byte, error) {
	b = binary.AppendUvarint(b, uint64(len(mappers)))
	for i := range mappers {
		var err error
		if b, err = mappers[i].AppendBinary(b); err != nil {
			return nil, err
		}
	}
	return binary.AppendUvarint(b, uint64(trees)), nil
}

// readLeafwiseModel reads a model written by appendBinary.
func readLeafwiseModel(r *modelReader, outputs int) *leafwiseModel {
	mappers := r.mappers()
	var trees []*boostedTree
	for range r.count() {
		trees = append(trees, readBoostedTree(r, mappers))
		if r.err != nil {
			break
		}
	}
	return newLeafwiseModel(outputs, mappers, trees)
}

// appendBinary appends the tree's binary form; m may be nil.
func (m *boostedTree) appendBinary(b []byte, mappers []tree.BinMapper) []byte {
	if m == nil {
		return append(b, 0)
	}
	b = m.tree.AppendBinary(append(b, 1), mappers)
	return appendFloats(b, m.values)
}

// readBoostedTree reads a tree written by appendBinary.
func readBoostedTree(r *modelReader, mappers []tree.BinMapper) *boostedTree {
	if r.byte() == 0 {
		return nil
	}
	t := r.tree(mappers)
	if r.err != nil {
		return nil
	}
	return &boostedTree{tree: t, values: r.floats(t.Leaves)}
}

func appendFloats(b []byte, values []float32) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}
