package logistic

import (
	"slices"

	"foretell/internal/learn/shapley"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// encodedRows are rows of a frame, encoded as input vectors of model. x holds the vectors one after
// another. encodedRows implements shapley.Rows.
type encodedRows struct {
	model *Model
	x     []float64
}

// Encode encodes the rows of f for explanations. f must have the columns that the model
// was trained on; they may have unknown levels.
func (m *Model) Encode(f *frame.Frame) shapley.Rows {
	e := &encodedRows{model: m, x: make([]float64, f.Rows*m.encoder.width)}
	m.encoder.encode(e.x, f, split.Range(0, f.Rows))
	return e
}

// inputs returns the inputs that belong to a column in the given row.
func (e *encodedRows) inputs(row int, in *inputColumn) []float64 {
	at := row*e.model.encoder.width + in.first
	return e.x[at : at+in.size]
}

// MarkDifferent implements shapley.Rows.
func (e *encodedRows) MarkDifferent(different []bool, a, b int) {
	for i := range e.model.encoder.inputs {
		in := &e.model.encoder.inputs[i]
		if !slices.Equal(e.inputs(a, in), e.inputs(b, in)) {
			different[in.column] = true
		}
	}
}

// PredictPath implements shapley.Rows.
func (e *encodedRows) PredictPath(dst []float32, p *shapley.Path) {
	m := e.model
	width := m.encoder.width
	now := slices.Clone(e.x[p.From*width : (p.From+1)*width])
	s := m.newScratch()
	for step := range p.Steps + 1 {
		for i := range m.encoder.inputs {
			if in := &m.encoder.inputs[i]; step > 0 && int(p.Step[in.column]) == step {
				copy(now[in.first:in.first+in.size], e.inputs(p.To, in))
			}
		}
		m.predictFromInputs(dst[step*m.classes:(step+1)*m.classes], now, s)
	}
}
