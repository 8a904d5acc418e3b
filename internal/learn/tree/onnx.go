package tree

import "foretell/internal/onnx"

// ONNXSplit returns a split of an ONNX tree by the given column. m must be the mapper of this
// column. A cell goes left if goesLeft returns true for its bin. The cells of a categorical column
// are codes of levels.
func (m *BinMapper) ONNXSplit(column int, goesLeft func(bin uint8) bool) onnx.Split {
	s := onnx.Split{Column: column, MissingLeft: goesLeft(m.MissingBin)}
	if m.Categorical {
		for code, bin := range m.CodeBins {
			s.AddInterval(float64(code)-0.5, goesLeft(bin))
		}
		s.AddInterval(float64(len(m.CodeBins))-0.5, goesLeft(m.BinOfCode(int32(len(m.CodeBins)))))
		return s
	}
	s.AddInterval(0, goesLeft(0))
	for i, threshold := range m.Thresholds {
		s.AddInterval(threshold, goesLeft(uint8(i+1)))
	}
	return s
}

// AddONNX adds the tree to e. Feature i of the tree is column i of the input of e. mappers must be
// the mappers of the matrix that t was grown on. weights returns the values that a leaf adds to the
// outputs.
func (t *Tree) AddONNX(e *onnx.TreeEnsemble, mappers []BinMapper, weights func(leaf int) []onnx.Weight) {
	e.EndTree(t.addONNXNode(e, 0, mappers, weights))
}

func (t *Tree) addONNXNode(e *onnx.TreeEnsemble, node int32, mappers []BinMapper, weights func(leaf int) []onnx.Weight) onnx.TreeNode {
	n := &t.Nodes[node]
	if n.Feature < 0 {
		return e.AddLeaf(weights(int(n.Left))...)
	}
	split := mappers[n.Feature].ONNXSplit(int(n.Feature), func(bin uint8) bool { return t.goesLeft(n, bin) })
	if left, ok := split.OnlySide(); ok { // no row goes to the other side
		if left {
			return t.addONNXNode(e, n.Left, mappers, weights)
		}
		return t.addONNXNode(e, n.Left+1, mappers, weights)
	}
	left := t.addONNXNode(e, n.Left, mappers, weights)
	right := t.addONNXNode(e, n.Left+1, mappers, weights)
	return e.AddSplit(&split, left, right)
}
