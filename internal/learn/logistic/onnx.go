package logistic

import "foretell/internal/onnx"

// AddONNX adds the model to g and returns its class probabilities. The columns of x are the columns
// of the frame that the model was trained on. A categorical cell holds the code of its category.
// Missing cells are NaN.
func (m *Model) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	in, order := m.encoder.addONNX(g, x.Value)
	outputs := len(m.bias)
	var scores onnx.Value
	if m.IsLinear() {
		var coefficients []float64
		for _, input := range order {
			coefficients = append(coefficients, m.coefficients[input*outputs:(input+1)*outputs]...)
		}
		scores = g.Op("MatMul", in, g.ConstFloat64s(coefficients, len(order), outputs))
	} else {
		scores = g.Op("MatMul", m.addONNXKernels(g, in, order), g.ConstFloat64s(m.coefficients, len(m.centers)/m.encoder.width, outputs))
	}
	return g.ClassProbabilities(g.Op("Add", scores, g.ConstFloat64s(m.bias, outputs)), outputs)
}

// addONNXKernels adds to g the kernel between each row and each centre. in holds the inputs of the
// rows, and order is the order of these inputs; both are the results of encoder.addONNX.
//
// The squared distances are |x|² + |z|² − 2x·z, so that one product serves all centres z.
func (m *Model) addONNXKernels(g *onnx.Graph, in onnx.Value, order []int) onnx.Value {
	count := len(m.centers) / m.encoder.width
	centers, norms := make([]float64, len(m.centers)), make([]float64, count)
	for j := range count {
		for i, input := range order {
			z := m.centers[j*m.encoder.width+input]
			centers[i*count+j] = -2 * z
			norms[j] += z * z
		}
	}
	square := g.Op("ReduceSum", g.Op("Mul", in, in), g.ConstInt64s([]int{1}, 1))
	distance := g.Op("Add", g.Op("MatMul", in, g.ConstFloat64s(centers, m.encoder.width, count)), g.ConstFloat64s(norms, count))
	distance = g.Op("Add", distance, square)
	return g.Op("Exp", g.Op("Mul", distance, g.ScalarFloat64(-m.gamma)))
}

// addONNX adds the encoder to g and returns the inputs of the regression. The inputs are not in the
// order that encode uses: all numbers come first, then all flags of missing cells, then all levels
// of categories. order[i] is the index of input i in a vector of encode.
func (e *encoder) addONNX(g *onnx.Graph, x onnx.Value) (in onnx.Value, order []int) {
	var parts []onnx.Value
	var numbers, flagged, categories, flags []int
	var centers, scales []float64
	for i := range e.inputs {
		in := &e.inputs[i]
		if !in.numeric {
			categories = append(categories, i)
			continue
		}
		numbers, centers, scales = append(numbers, in.column), append(centers, in.scaler.Center), append(scales, in.scaler.Scale)
		order = append(order, in.first)
		if in.missingFlag {
			flagged, flags = append(flagged, in.column), append(flags, in.first+1)
		}
	}
	if len(numbers) > 0 {
		parts = append(parts, g.SmoothClip(g.FillMissing(g.SelectColumns(x, numbers), centers), centers, scales))
	}
	if len(flagged) > 0 {
		parts = append(parts, g.IsMissing(g.SelectColumns(x, flagged)))
		order = append(order, flags...)
	}
	if len(categories) > 0 {
		part, inputs := e.addONNXCategories(g, x, categories)
		parts, order = append(parts, part), append(order, inputs...)
	}
	return g.Concat(parts...), order
}

// addONNXCategories adds to g the one-hot inputs of the categorical columns e.inputs[i], for all i
// in indices, and returns these inputs. order[k] is the index of input k of the result in a vector
// of encode.
func (e *encoder) addONNXCategories(g *onnx.Graph, x onnx.Value, indices []int) (in onnx.Value, order []int) {
	var columns, highest, first, inputOfLevel, repeated []int
	var numbers []float64 // for each input, its number within its column, counted from 1
	for at, i := range indices {
		in := &e.inputs[i]
		columns, highest, first = append(columns, in.column), append(highest, len(in.inputOfLevel)-1), append(first, len(inputOfLevel))
		for _, input := range in.inputOfLevel {
			inputOfLevel = append(inputOfLevel, int(input))
		}
		for k := range in.size {
			repeated, numbers, order = append(repeated, at), append(numbers, float64(k+1)), append(order, in.first+k)
		}
	}
	found := g.Lookup(g.ConstInt64s(inputOfLevel, len(inputOfLevel)), g.CategoryLevels(g.SelectColumns(x, columns), highest), first)
	same := g.Op("Equal", g.SelectColumns(g.ToFloat64(found), repeated), g.ConstFloat64s(numbers, len(numbers)))
	return g.ToFloat64(same), order
}
