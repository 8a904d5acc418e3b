package boost

import (
	"foretell/internal/learn/codec"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// leafwiseModel is an ensemble of leaf-wise trees.
type leafwiseModel struct {
	outputs int
	mappers []tree.BinMapper
	// trees holds a tree for each output of the first round, then for each output of the
	// second, and so on. A tree is nil if the output had converged.
	trees []*boostedTree
	// used reports for each feature whether a tree uses it.
	used []bool
}

func newLeafwiseModel(outputs int, mappers []tree.BinMapper, trees []*boostedTree) *leafwiseModel {
	m := &leafwiseModel{outputs: outputs, mappers: mappers, trees: trees, used: make([]bool, len(mappers))}
	for _, t := range trees {
		if t == nil {
			continue
		}
		for i := range t.tree.Nodes {
			if feature := t.tree.Nodes[i].Feature; feature >= 0 {
				m.used[feature] = true
			}
		}
	}
	return m
}

func (m *leafwiseModel) kind() byte { return kindLeafwise }

// score adds the scores of f's rows lo…hi-1 to dst, which is row-major.
func (m *leafwiseModel) score(dst []float32, f *frame.Frame, lo, hi int) {
	predictor := tree.NewBatchPredictor(len(m.mappers))
	for ; lo < hi; lo += tree.BatchRows {
		n := min(tree.BatchRows, hi-lo)
		predictor.BeginBatch(n)
		for i := range m.mappers {
			if m.used[i] {
				m.mappers[i].Fill(predictor.Bins(i), 1, &f.Columns[i], lo, lo+n)
			}
		}
		for i, t := range m.trees {
			if t != nil {
				predictor.AddValues(t.tree, t.values, dst[i%m.outputs:], m.outputs)
			}
		}
		dst = dst[n*m.outputs:]
	}
}

// write writes the number of bin mappers and each bin mapper, then the number of trees
// and each tree.
func (m *leafwiseModel) write(w *codec.Writer) {
	writeMappersAndTreeCount(w, m.mappers, len(m.trees))
	for _, t := range m.trees {
		t.write(w, m.mappers)
	}
}

// writeMappersAndTreeCount writes the beginning of the binary form: the bin mappers and
// the number of trees.
func writeMappersAndTreeCount(w *codec.Writer, mappers []tree.BinMapper, trees int) {
	w.Uvarint(len(mappers))
	for i := range mappers {
		mappers[i].Write(w)
	}
	w.Uvarint(trees)
}

func readLeafwiseModel(r *codec.Reader, outputs int) *leafwiseModel {
	var mappers []tree.BinMapper
	for range r.Count(1) {
		mappers = append(mappers, tree.ReadBinMapper(r))
		if r.Err() != nil {
			return nil
		}
	}
	var trees []*boostedTree
	for range r.Count(1) {
		trees = append(trees, readBoostedTree(r, mappers))
		if r.Err() != nil {
			return nil
		}
	}
	return newLeafwiseModel(outputs, mappers, trees)
}

// write writes the byte 1, the tree and its float32 values, or the byte 0 if t
// is nil.
func (t *boostedTree) write(w *codec.Writer, mappers []tree.BinMapper) {
	w.Bool(t != nil)
	if t != nil {
		t.tree.Write(w, mappers)
		w.Float32s(t.values)
	}
}

// readBoostedTree reads what boostedTree.write has written. It returns nil for a nil tree, and also
// if the tree cannot be read; only in the second case is r.Err not nil.
func readBoostedTree(r *codec.Reader, mappers []tree.BinMapper) *boostedTree {
	if r.Byte() == 0 {
		return nil
	}
	t := tree.ReadTree(r, mappers)
	if t == nil {
		return nil
	}
	return &boostedTree{tree: t, values: r.FiniteFloat32s(t.Leaves)}
}
