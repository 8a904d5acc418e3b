package boost

import (
	"slices"

	"foretell/internal/learn/tree"
	"foretell/internal/onnx"
)

// AddONNX adds the model to g and returns its class probabilities. The columns of x are the columns
// of the frame that the model was trained on. A categorical cell holds the code of its category.
// Missing cells are NaN.
func (m *Model) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	trees := onnx.NewBoostedTreesBuilder(m.base)
	x = m.ensemble.addONNX(g, trees, x)
	return g.ClassProbabilities(g.AddBoostedTrees(trees, x.Value), len(m.base))
}

// addONNX implements ensemble.
func (m *leafwiseModel) addONNX(_ *onnx.Graph, trees *onnx.BoostedTreesBuilder, x onnx.Matrix) onnx.Matrix {
	for round := range slices.Chunk(m.trees, m.outputs) {
		e, first := trees.NextRound()
		for k, t := range round {
			if t == nil {
				continue
			}
			t.tree.AddONNX(e, m.mappers, func(leaf int) []onnx.Weight {
				return []onnx.Weight{{Target: first + k, Value: float64(t.values[leaf])}}
			})
		}
	}
	return x
}

// addONNX implements ensemble. The result has the columns of x, followed by one column with
// the bins of each target statistic.
func (m *symmetricModel) addONNX(g *onnx.Graph, trees *onnx.BoostedTreesBuilder, x onnx.Matrix) (treeInput onnx.Matrix) {
	columns, statistics := make([]int, len(m.sources)), 0
	for i := range m.sources {
		columns[i] = int(m.sources[i].column)
		if columns[i] < 0 {
			columns[i] = x.Columns + statistics
			statistics++
		}
	}
	for i := range m.trees {
		e, first := trees.NextRound()
		t := onnxTree{model: m, ensemble: e, firstOutput: first, tree: &m.trees[i], columns: columns}
		e.EndTree(t.add(0, 0))
	}
	if statistics == 0 {
		return x
	}
	return onnx.Matrix{Value: g.Concat(x.Value, m.addONNXStatistics(g, x.Value)), Columns: x.Columns + statistics}
}

// addONNXStatistics returns a matrix with one column for each target statistic, which contains the
// bins of that statistic. The bins of all statistics are stored in one table. A row's bin has this
// index in the table:
//
//	index = first index of the statistic + (level₁ · levels₂ + level₂) mod size
//
// level₁ and level₂ are the levels of the row in the two columns of the statistic, and levels₂ is
// the number of levels of the second column. Without a second column, level₂ is 0 and levels₂ is 1.
// size is the number of categories; see categoryColumns.
func (m *symmetricModel) addONNXStatistics(g *onnx.Graph, x onnx.Value) onnx.Value {
	var keyed []*featureSource
	var columns, maxLevels []int // the columns of all statistics, and the highest level number of each
	at := map[int32]int{}        // index in columns, by column of the frame
	for i := range m.sources {
		s := &m.sources[i]
		if s.column >= 0 {
			continue
		}
		keyed = append(keyed, s)
		for k, column := range s.key.columns {
			if _, known := at[column]; !known && column >= 0 {
				at[column] = len(columns)
				columns, maxLevels = append(columns, int(column)), append(maxLevels, 0)
			}
			if column >= 0 {
				maxLevels[at[column]] = int(s.key.levels[k]) - 1
			}
		}
	}
	factors, offsets, sizes := make([]float64, len(columns)*len(keyed)), make([]int, len(keyed)), make([]int, len(keyed))
	var table []byte
	for i, s := range keyed {
		offsets[i], sizes[i] = len(table), s.key.numCategories()
		table = append(table, s.categoryBins...)
		first, second := s.key.columns[0], s.key.columns[1]
		factors[at[first]*len(keyed)+i] = float64(s.key.levels[1])
		if second >= 0 {
			factors[at[second]*len(keyed)+i] = 1
		}
	}
	levels := g.ToFloat64(g.CategoryLevels(g.SelectColumns(x, columns), maxLevels))
	index := g.ToInt64(g.Op("MatMul", levels, g.ConstFloat64s(factors, len(columns), len(keyed))))
	if slices.ContainsFunc(keyed, func(s *featureSource) bool { return s.key.isHashed() }) {
		index = g.Op("Mod", index, g.ConstInt64s(sizes, len(sizes)))
	}
	index = g.Op("Add", index, g.ConstInt64s(offsets, len(offsets)))
	return g.ToFloat64(g.Op("Gather", g.ConstBytes(table, len(table)), index))
}

// onnxTree is a symmetric tree that is added to an ensemble as a binary tree.
type onnxTree struct {
	model       *symmetricModel
	ensemble    *onnx.TreeEnsemble
	firstOutput int // output of the first score
	tree        *symmetricTree
	columns     []int // by source: the index of its column in the input of the trees
}

// add adds the subtree with the splits from the given level on. Bit d of leaf, for each earlier
// level d, is set if the rows of the subtree have passed the split of that level. If all leaves of
// the subtree have equal values, the subtree becomes a single leaf.
func (t *onnxTree) add(level, leaf int) onnx.TreeNode {
	if t.isUniform(level, leaf) {
		return t.ensemble.AddLeaf(t.weights(leaf)...)
	}
	split := &t.tree.splits[level]
	source := &t.model.sources[split.Feature]
	sides := source.onnxSplit(t.columns[split.Feature], split.Passes)
	if pass, ok := sides.OnlySide(); ok {
		if pass {
			leaf |= 1 << level
		}
		return t.add(level+1, leaf)
	}
	return t.ensemble.AddSplit(&sides, t.add(level+1, leaf|1<<level), t.add(level+1, leaf))
}

// isUniform reports whether all leaves of the subtree of add(level, leaf) have equal values.
func (t *onnxTree) isUniform(level, leaf int) bool {
	values := t.values(leaf)
	for other := leaf + 1<<level; other < 1<<len(t.tree.splits); other += 1 << level {
		if !slices.Equal(values, t.values(other)) {
			return false
		}
	}
	return true
}

// values returns the values of a leaf.
func (t *onnxTree) values(leaf int) []float32 {
	outputs := t.model.outputs
	if outputs > 1 {
		leaf = int(t.tree.valueIndex[leaf])
	}
	return t.tree.values[leaf*outputs:][:outputs]
}

func (t *onnxTree) weights(leaf int) (weights []onnx.Weight) {
	for k, v := range t.values(leaf) {
		if v != 0 {
			weights = append(weights, onnx.Weight{Target: t.firstOutput + k, Value: float64(v)})
		}
	}
	return weights
}

// onnxSplit returns an ONNX split by the feature s. column is the index of the feature's
// column; for a target statistic, this column holds bins. A row goes left if passes is
// true for its bin.
func (s *featureSource) onnxSplit(column int, passes func(bin uint8) bool) onnx.Split {
	if s.column >= 0 {
		return s.mapper.ONNXSplit(column, passes)
	}
	sides := onnx.Split{Column: column}
	for bin := range tree.MaxBins {
		sides.AddInterval(float64(bin)-0.5, passes(uint8(bin)))
	}
	sides.MissingLeft = sides.Left[0]
	return sides
}
