package onnx

// FillMissing returns x with each NaN replaced by the replacement of its column.
func (g *Graph) FillMissing(x Value, replacement []float64) Value {
	return g.Op("Where", g.Op("IsNaN", x), g.ConstFloat64s(replacement, len(replacement)), x)
}

// SmoothClip returns the numbers z = (x − center) · scale, smoothly clipped to ±3:
// z / √(1 + z²/9) (Holzmüller et al. 2024). x has no NaN.
func (g *Graph) SmoothClip(x Value, center, scale []float64) Value {
	z := g.Op("Sub", x, g.ConstFloat64s(center, len(center)))
	z = g.Op("Mul", z, g.ConstFloat64s(scale, len(scale)))
	const limit = 1e6 // so that the square of z does not overflow; for larger z, the result is 3 to within 2·10⁻¹¹
	z = g.Op("Clip", z, g.ScalarFloat64(-limit), g.ScalarFloat64(limit))
	square := g.Op("Div", g.Op("Mul", z, z), g.ScalarFloat64(9))
	return g.Op("Div", z, g.Op("Sqrt", g.Op("Add", square, g.ScalarFloat64(1))))
}

// IsMissing returns 1 for each NaN of x, and 0 for each number.
func (g *Graph) IsMissing(x Value) Value { return g.ToFloat64(g.Op("IsNaN", x)) }

// PiecewiseLinearEmbedding returns the piecewise linear embeddings of the numbers x, as rows ×
// columns × 1 × size. The embedding of a number is a sum over the pairs of neighbouring knots of
// its column: Σ fraction · step, where step is a vector of the pair. fraction is 0 for a number
// below the pair, 1 for a number above it, and rises linearly in between.
//
// Every column has the same number of pairs. low, width and steps describe the pairs, column by
// column. low holds the lower knot of each pair, width the distance to its higher knot, and steps
// its step, which has size elements. x has no NaN.
func (g *Graph) PiecewiseLinearEmbedding(x Value, columns int, low, width, steps []float64) Value {
	pairs := len(low) / columns
	x = g.Op("Unsqueeze", x, g.ConstInt64s([]int{2, 3}, 2))
	fraction := g.Op("Div", g.Op("Sub", x, g.ConstFloat64s(low, columns, 1, pairs)), g.ConstFloat64s(width, columns, 1, pairs))
	fraction = g.Op("Clip", fraction, g.ScalarFloat64(0), g.ScalarFloat64(1))
	return g.Op("MatMul", fraction, g.ConstFloat64s(steps, columns, pairs, len(steps)/len(low)))
}

// ToMatrix returns x as a matrix with the given number of columns.
func (g *Graph) ToMatrix(x Value, columns int) Value {
	return g.Op("Reshape", x, g.ConstInt64s([]int{-1, columns}, 2))
}
