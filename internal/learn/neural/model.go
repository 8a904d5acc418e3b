package neural

import (
	"sync"

	"foretell/internal/frame"
)

// Model is a learnt network. It does not change and may be used by any number
// of goroutines.
type Model struct {
	e      *encoder
	l      *layout
	params []float32
	// packed returns the parameters as the network reads them: made when they
	// are first asked for, because most models of a race never predict.
	packed func() *packed
	passes *sync.Pool // of *pass
}

// newModel takes over params.
func newModel(e *encoder, l *layout, params []float32) *Model {
	m := &Model{e: e, l: l, params: params}
	m.packed = sync.OnceValue(func() *packed {
		p := &packed{flat: params}
		p.fit(l, false)
		for i := range p.tasks() {
			p.pack(l, e, i)
		}
		return p
	})
	m.passes = &sync.Pool{New: func() any {
		p := &pass{}
		p.fit(l, e, block)
		return p
	}}
	return m
}

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row major,
// (hi−lo) × classes. f has the columns the model was trained on; cells never
// seen in training are taken for unknown.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	p := m.passes.Get().(*pass)
	defer m.passes.Put(p)
	packed := m.packed()
	var rows [block]int32
	for at := lo; at < hi; at += block {
		n := min(block, hi-at)
		for i := range n {
			rows[i] = int32(at + i)
		}
		p.forward(packed, f, rows[:n], nil)
		p.probabilities(dst[(at-lo)*m.l.classes:], n)
	}
}
