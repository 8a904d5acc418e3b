package forest

import "foretell/internal/onnx"

// AddONNX adds the model to g and returns its class probabilities. The columns of x are the columns
// of the frame that the forest was trained on. A categorical cell holds the code of its category.
// Missing cells are NaN.
func (m *Model) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	base := make([]float64, len(m.prior))
	for c, frequency := range m.prior {
		base[c] = float64(frequency) * unitWeight // the frequencies count as the vote of one tree
	}
	e, trees := onnx.NewTreeEnsemble(len(base)), m.trees()
	for _, t := range trees {
		t.AddONNX(e, m.mappers, func(leaf int) (weights []onnx.Weight) {
			for _, s := range t.distribution(leaf) {
				weights = append(weights, onnx.Weight{Target: int(s.class), Value: float64(s.weight)})
			}
			return weights
		})
	}
	votes := g.ToFloat64(g.AddTrees(e, x.Value))
	p := g.Op("Div", g.Op("Add", votes, g.ConstFloat64s(base, len(base))), g.ScalarFloat64(float64(len(trees)+1)*unitWeight))
	return g.PowerNormalized(p, 1/float64(m.temperature))
}
