package neural

import (
	"slices"

	"foretell/internal/learn/shapley"
	"foretell/internal/table/frame"
)

// encodedRows holds the input vectors of the encoded rows, row-major. It implements
// shapley.Rows.
type encodedRows struct {
	model *Model
	x     []float32
	// order holds the columns that change along the current path, in the order of their
	// steps.
	order []*inputColumn
}

// Encode encodes the rows of f for explanations. f must have the columns that the model
// was trained on; they may have unknown levels.
func (m *Model) Encode(f *frame.Frame) shapley.Rows {
	p := m.passes.Get().(*forwardPass)
	defer m.passes.Put(p)
	width := m.layout.inputs
	e := &encodedRows{model: m, x: make([]float32, f.Rows*width)}
	rows := make([]int32, 0, predictRows)
	for at := 0; at < f.Rows; at += len(rows) {
		rows = rows[:0]
		for i := at; i < min(at+predictRows, f.Rows); i++ {
			rows = append(rows, int32(i))
		}
		p.encoder.encode(p.x, p.lookups, f, rows, nil)
		p.embed(m.packed(), len(rows))
		copy(e.x[at*width:], p.x[:len(rows)*width])
	}
	return e
}

// inputRanges returns the two ranges of an input vector that are computed from a column. The first
// range contains the scaled value and the flag, and the second contains the embedding. A range is
// empty if the column has no such inputs.
func (e *encoder) inputRanges(in *inputColumn) [2][2]int {
	var spans [2][2]int
	if in.numeric {
		end := in.denseIndex + 1
		if in.missingFlag {
			end++
		}
		spans[0] = [2]int{in.denseIndex, end}
	}
	if in.tableRows > 0 {
		at := e.denseSize + in.embedIndex*e.embeddingSize
		spans[1] = [2]int{at, at + e.embeddingSize}
	}
	return spans
}

func (e *encodedRows) row(i int) []float32 {
	width := e.model.layout.inputs
	return e.x[i*width : (i+1)*width]
}

// MarkDifferent implements shapley.Rows.
func (e *encodedRows) MarkDifferent(different []bool, a, b int) {
	one, other := e.row(a), e.row(b)
	for i := range e.model.encoder.inputs {
		in := &e.model.encoder.inputs[i]
		for _, span := range e.model.encoder.inputRanges(in) {
			if !slices.Equal(one[span[0]:span[1]], other[span[0]:span[1]]) {
				different[in.column] = true
			}
		}
	}
}

// PredictPath implements shapley.Rows.
func (e *encodedRows) PredictPath(dst []float32, p *shapley.Path) {
	pass := e.model.passes.Get().(*forwardPass)
	defer e.model.passes.Put(pass)
	e.setChangingInputs(p)
	width, classes, params := e.model.layout.inputs, e.model.layout.classes, e.model.packed()
	now, next := slices.Clone(e.row(p.From)), 0
	to := e.row(p.To)
	for lo := 0; lo <= p.Steps; lo += predictRows {
		n := min(predictRows, p.Steps+1-lo)
		for i := range n {
			for ; next < len(e.order) && int(p.Step[e.order[next].column]) <= lo+i; next++ {
				for _, span := range e.model.encoder.inputRanges(e.order[next]) {
					copy(now[span[0]:span[1]], to[span[0]:span[1]])
				}
			}
			copy(pass.x[i*width:], now)
		}
		pass.propagate(params, n, nil)
		pass.averageProbabilities(dst[lo*classes:], n)
	}
}

// setChangingInputs sets e.order to the columns that change along the path p.
func (e *encodedRows) setChangingInputs(p *shapley.Path) {
	e.order = e.order[:0]
	for i := range e.model.encoder.inputs {
		if in := &e.model.encoder.inputs[i]; p.Step[in.column] > 0 {
			e.order = append(e.order, in)
		}
	}
	slices.SortFunc(e.order, func(a, b *inputColumn) int { return int(p.Step[a.column]) - int(p.Step[b.column]) })
}
