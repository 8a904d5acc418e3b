package neural

import (
	"sync"

	"foretell/internal/table/frame"
)

// Model is a trained network. It is immutable and safe for concurrent use.
type Model struct {
	encoder *encoder
	layout  *layout
	params  []float32
	// packed returns the packed parameters. It packs them on the first call, because most
	// models of a race are never used.
	packed func() *packedParams
	passes *sync.Pool // of *forwardPass
}

// newModel returns a model that owns params.
func newModel(e *encoder, l *layout, params []float32) *Model {
	m := &Model{encoder: e, layout: l, params: params}
	m.packed = sync.OnceValue(func() *packedParams {
		p := &packedParams{flat: params}
		p.resize(l, false)
		for i := range p.numPieces() {
			p.packPiece(l, e, i)
		}
		return p
	})
	m.passes = &sync.Pool{New: func() any {
		p := &forwardPass{}
		p.resize(l, e, predictRows)
		return p
	}}
	return m
}

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major,
// (hi−lo) × classes. f must have the columns that the model was trained on; they may have
// unknown levels.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	p := m.passes.Get().(*forwardPass)
	defer m.passes.Put(p)
	packed := m.packed()
	var rows [predictRows]int32
	for at := lo; at < hi; at += predictRows {
		n := min(predictRows, hi-at)
		for i := range n {
			rows[i] = int32(at + i)
		}
		p.forward(packed, f, rows[:n], nil)
		p.averageProbabilities(dst[(at-lo)*m.layout.classes:], n)
	}
}
