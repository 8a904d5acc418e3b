package neural

import (
	"slices"

	"foretell/internal/onnx"
)

// AddONNX adds the network to g and returns its class probabilities. The columns of x are the
// columns of the frame that the network was trained on. A categorical cell holds the code of its
// category. Missing cells are NaN.
//
// These are the shapes; in the second and third line, the first dimension is the member:
//
//	rows × inputs · first layer          rows × width
//	⊙ scales of members × 1 × width      members × rows × width
//	· layer … · heads                    members × rows × classes
func (m *Model) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	l := m.layout
	weights := func(values []float32, dims ...int) onnx.Value { return g.ToFloat64(g.ConstFloat32s(values, dims...)) }
	in, rows := m.addONNXInputs(g, x.Value)
	first, inputs := l.dense[0].weightMatrix(m.params), make([]float32, 0, max(len(rows), 1)*l.width)
	for _, row := range rows {
		inputs = append(inputs, first[row*l.width:(row+1)*l.width]...)
	}
	if len(rows) == 0 { // no column varied
		in, inputs = g.ZerosLike(x.Value), make([]float32, l.width*x.Columns)
	}
	h := g.Op("MatMul", in, weights(inputs, len(inputs)/l.width, l.width))
	adapters := l.members * l.width
	h = g.Op("Mul", h, weights(m.params[:adapters], l.members, 1, l.width))
	h = g.Op("Relu", g.Op("Add", h, weights(m.params[adapters:2*adapters], l.members, 1, l.width)))
	for _, d := range l.dense[1:] {
		h = g.Op("MatMul", h, weights(d.weightMatrix(m.params), d.in, d.out))
		h = g.Op("Relu", g.Op("Add", h, weights(d.biasVector(m.params), d.out)))
	}
	logits := g.Op("MatMul", h, weights(m.params[l.heads:l.headBias], l.members, l.width, l.classes))
	logits = g.Op("Add", logits, weights(m.params[l.headBias:l.tables], l.members, 1, l.classes))
	return g.MeanOverFirstAxis(g.Softmax(logits))
}

// addONNXInputs returns the inputs of the first layer in this order: numbers, flags of
// missing cells, embeddings of numbers, embeddings of categories. rows holds, for each input, the
// index of its row in the weight matrix of the layer.
func (m *Model) addONNXInputs(g *onnx.Graph, x onnx.Value) (in onnx.Value, rows []int) {
	var parts []onnx.Value
	var numbers, flagged, embedded, categories []*inputColumn
	for i := range m.encoder.inputs {
		switch c := &m.encoder.inputs[i]; {
		case !c.numeric:
			categories = append(categories, c)
		default:
			numbers = append(numbers, c)
			rows = append(rows, c.denseIndex)
			if c.missingFlag {
				flagged = append(flagged, c)
			}
			if c.tableRows > 0 {
				embedded = append(embedded, c)
			}
		}
	}
	if len(numbers) > 0 {
		scales := make([]float64, len(numbers))
		for i, c := range numbers {
			scales[i] = c.scaler.Scale
		}
		centers := columnCenters(numbers)
		parts = append(parts, g.SmoothClip(g.FillMissing(g.SelectColumns(x, columnIndices(numbers)), centers), centers, scales))
	}
	if len(flagged) > 0 {
		parts = append(parts, g.IsMissing(g.SelectColumns(x, columnIndices(flagged))))
		for _, c := range flagged {
			rows = append(rows, c.denseIndex+1)
		}
	}
	if len(embedded) > 0 {
		parts = append(parts, m.addONNXNumbers(g, x, embedded))
	}
	if len(categories) > 0 {
		parts = append(parts, m.addONNXCategories(g, x, categories))
	}
	size := m.encoder.embeddingSize
	for _, c := range slices.Concat(embedded, categories) {
		for k := range size {
			rows = append(rows, m.encoder.denseSize+c.embedIndex*size+k)
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	return g.Concat(parts...), rows
}

// addONNXNumbers returns the embeddings of the given numeric columns. With the rows Tᵢ of
// a column's table, the embedding is T₀ + Σ fractionᵢ · (Tᵢ₊₁ − Tᵢ). fractionᵢ is the position of
// the number between knots i and i+1: 0 if the number is below both, and 1 if it is above both.
func (m *Model) addONNXNumbers(g *onnx.Graph, x onnx.Value, columns []*inputColumn) onnx.Value {
	size, tables, pairs := m.encoder.embeddingSize, m.packed().tables, 0
	for _, c := range columns {
		pairs = max(pairs, len(c.knots)-1)
	}
	low, width := make([]float64, len(columns)*pairs), make([]float64, len(columns)*pairs)
	first, steps := make([]float64, len(columns)*size), make([]float64, len(columns)*pairs*size)
	for i, c := range columns {
		rows := tables[c.firstRow*size:]
		for k := range size {
			first[i*size+k] = float64(rows[k])
		}
		for pair := range pairs {
			at := i*pairs + pair
			if width[at] = 1; pair >= len(c.knots)-1 {
				continue // a column with fewer knots: the remaining differences are 0
			}
			low[at], width[at] = c.knots[pair], c.knots[pair+1]-c.knots[pair]
			for k := range size {
				steps[at*size+k] = float64(rows[(pair+1)*size+k]) - float64(rows[pair*size+k])
			}
		}
	}
	numbers := g.FillMissing(g.SelectColumns(x, columnIndices(columns)), columnCenters(columns))
	sums := g.ToMatrix(g.PiecewiseLinearEmbedding(numbers, len(columns), low, width, steps), len(columns)*size)
	return g.Op("Add", sums, g.ConstFloat64s(first, len(first)))
}

// addONNXCategories adds the embeddings of the given categorical columns to g. Row i of the result
// holds the embeddings for row i of x, column by column.
func (m *Model) addONNXCategories(g *onnx.Graph, x onnx.Value, columns []*inputColumn) onnx.Value {
	size, tables := m.encoder.embeddingSize, m.packed().tables
	var rows []float32 // the table rows of all levels, column by column
	var first, highest []int
	for _, c := range columns {
		first, highest = append(first, len(rows)/size), append(highest, len(c.rowOfLevel)-1)
		for _, row := range c.rowOfLevel {
			rows = append(rows, tables[(c.firstRow+int(row))*size:][:size]...)
		}
	}
	levels := g.CategoryLevels(g.SelectColumns(x, columnIndices(columns)), highest)
	found := g.Lookup(g.ConstFloat32s(rows, len(rows)/size, size), levels, first)
	return g.ToMatrix(g.ToFloat64(found), len(columns)*size)
}

func columnIndices(inputs []*inputColumn) []int {
	columns := make([]int, len(inputs))
	for i, c := range inputs {
		columns[i] = c.column
	}
	return columns
}

func columnCenters(inputs []*inputColumn) []float64 {
	centers := make([]float64, len(inputs))
	for i, c := range inputs {
		centers[i] = c.scaler.Center
	}
	return centers
}
