package onnx

// ToFloat64 converts x to float64.
func (g *Graph) ToFloat64(x Value) Value {
	return g.OpWithAttributes("Cast", []Attribute{IntAttribute("to", int(Float64))}, x)
}

// ToFloat32 converts x to float32.
func (g *Graph) ToFloat32(x Value) Value {
	return g.OpWithAttributes("Cast", []Attribute{IntAttribute("to", int(Float32))}, x)
}

// ToInt64 converts x to int64 and rounds towards 0.
func (g *Graph) ToInt64(x Value) Value {
	return g.OpWithAttributes("Cast", []Attribute{IntAttribute("to", int(Int64))}, x)
}

// SelectColumns returns the given columns of x.
func (g *Graph) SelectColumns(x Value, columns []int) Value {
	return g.OpWithAttributes("Gather", []Attribute{IntAttribute("axis", 1)}, x, g.ConstInt64s(columns, len(columns)))
}

// Concat joins matrices along their columns.
func (g *Graph) Concat(matrices ...Value) Value {
	if len(matrices) == 1 {
		return matrices[0]
	}
	return g.OpWithAttributes("Concat", []Attribute{IntAttribute("axis", 1)}, matrices...)
}

// Softmax returns the softmax of the last dimension of scores.
func (g *Graph) Softmax(scores Value) Value {
	return g.OpWithAttributes("Softmax", []Attribute{IntAttribute("axis", -1)}, scores)
}

// ClassProbabilities returns the class probabilities of scores. If scores has one column, it holds
// the scores of the second of two classes, and the score of the first class is 0.
func (g *Graph) ClassProbabilities(scores Value, columns int) Value {
	if columns == 1 {
		scores = g.Concat(g.Op("Mul", scores, g.ScalarFloat64(0)), scores)
	}
	return g.Softmax(scores)
}

// PowerNormalized raises the numbers of p to the given exponent and then divides each row by its
// sum. The numbers must not be negative. If the exponent is 1, PowerNormalized returns p.
func (g *Graph) PowerNormalized(p Value, exponent float64) Value {
	if exponent == 1 {
		return p
	}
	last := []Attribute{axisAttribute(-1)}
	ratio := g.Op("Div", p, g.OpWithAttributes("ReduceMax", last, p))
	power := g.Op("Pow", ratio, g.ScalarFloat64(exponent))
	return g.Op("Div", power, g.Op("ReduceSum", power, g.ConstInt64s([]int{-1}, 1)))
}

// WeightedSum returns the sum of the tensors, each multiplied by its weight.
func (g *Graph) WeightedSum(tensors []Value, weights []float64) Value {
	var sum Value
	for i, v := range tensors {
		if weights[i] != 1 {
			v = g.Op("Mul", v, g.ScalarFloat64(weights[i]))
		}
		if i == 0 {
			sum = v
		} else {
			sum = g.Op("Add", sum, v)
		}
	}
	return sum
}

// Lookup returns a row of table for each element of levels: for the level l in column c,
// the row first[c]+l. levels is rows × columns. If table has one dimension, the result is
// rows × columns. If table has two, the result is rows × columns × the number of columns
// of table.
func (g *Graph) Lookup(table, levels Value, first []int) Value {
	return g.Op("Gather", table, g.Op("Add", levels, g.ConstInt64s(first, len(first))))
}

// CategoryLevels converts the categories x to int64: the code of a category plus 1, or 0 if it is
// missing. In column i, a result above max[i] is replaced by max[i].
func (g *Graph) CategoryLevels(x Value, max []int) Value {
	limits := make([]float64, len(max))
	for i, n := range max {
		limits[i] = float64(n)
	}
	level := g.Op("Add", x, g.ScalarFloat64(1))
	level = g.Op("Where", g.Op("IsNaN", x), g.ScalarFloat64(0), level)
	level = g.Op("Min", g.Op("Max", level, g.ScalarFloat64(0)), g.ConstFloat64s(limits, len(limits)))
	return g.ToInt64(level)
}

// ZerosLike returns zeros in the shape of x.
func (g *Graph) ZerosLike(x Value) Value {
	return g.Op("Where", g.Op("IsNaN", x), g.ScalarFloat64(0), g.ScalarFloat64(0))
}

// MeanOverFirstAxis returns the mean along the first dimension of p.
func (g *Graph) MeanOverFirstAxis(p Value) Value {
	return g.OpWithAttributes("ReduceMean", []Attribute{axisAttribute(0), IntAttribute("keepdims", 0)}, p)
}
