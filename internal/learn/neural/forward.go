package neural

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/workspace"
	"foretell/internal/table/frame"
)

// forwardPass is the working memory of one goroutine that runs rows through the
// network. Rows of different members follow one another: member m's rows are
// m·rows … (m+1)·rows−1, so that one product serves all members.
//
//	x ──W₁──▶ first ──⊙ scale + bias──▶ act₁ ──W₂──▶ act₂ … ──heads──▶ logits
//	rows × …                            members·rows × …      members·rows × classes
type forwardPass struct {
	l       *layout
	e       *encoder
	x       []float32
	lookups []embeddingLookup
	first   []float32
	acts    [][]float32
	logits  []float32
}

// predictRows is the number of rows predicted at once.
const predictRows = 128

// resize sets the lengths for up to rows rows of a network.
func (p *forwardPass) resize(l *layout, e *encoder, rows int) {
	p.l, p.e = l, e
	p.x = workspace.Resize(p.x, rows*l.inputs)
	p.lookups = workspace.Resize(p.lookups, rows*e.embeddings)
	p.first = workspace.Resize(p.first, rows*l.width)
	p.logits = workspace.Resize(p.logits, rows*l.members*l.classes)
	p.acts = workspace.Resize(p.acts, len(l.dense))
	for i, d := range l.dense {
		p.acts[i] = workspace.Resize(p.acts[i], rows*l.members*d.out)
	}
}

// forward computes the logits of f's rows. drop is nil except in training.
func (p *forwardPass) forward(w *packedParams, f *frame.Frame, rows []int32, drop *dropout) {
	l, b := p.l, len(rows)
	p.e.encode(p.x, p.lookups, f, rows, drop)
	p.embed(w, b)
	var in []float32
	for i, d := range l.dense {
		act := p.acts[i][:l.members*b*d.out]
		if i == 0 {
			p.adapter(w, act, b)
		} else {
			kernel.Broadcast(act, d.biasesOf(w.flat))
			kernel.Gemm(act, in, w.forward[i], kernel.Shape{Rows: l.members * b, Cols: d.out, Depth: d.in})
		}
		kernel.ReLU(act)
		if drop != nil {
			kernel.Dropout(act, drop.dropRate, drop.unitState+uint64(i)*layerStateStep)
		}
		in = act
	}
	for m := range l.members {
		_, bias := l.head(w.flat, m)
		logits := p.logits[m*b*l.classes : (m+1)*b*l.classes]
		kernel.Broadcast(logits, bias)
		kernel.Gemm(logits, in[m*b*l.width:], w.heads[m], kernel.Shape{Rows: b, Cols: l.classes, Depth: l.width})
	}
}

// adapter computes the first layer of b rows. It writes a copy for each member,
// with the member's scale and bias applied, to act.
func (p *forwardPass) adapter(w *packedParams, act []float32, b int) {
	l, d := p.l, p.l.dense[0]
	first := p.first[:b*d.out]
	clear(first)
	kernel.Gemm(first, p.x, w.forward[0], kernel.Shape{Rows: b, Cols: d.out, Depth: d.in})
	for m := range l.members {
		scale, bias := l.member(w.flat, m)
		kernel.ScaleShift(act[m*len(first):], first, scale, bias)
	}
}

// embed writes the embeddings in the lookups of the first b rows after the
// dense inputs.
func (p *forwardPass) embed(w *packedParams, b int) {
	size, width := p.e.embeddingSize, p.l.inputs
	for j := range b {
		out := p.x[j*width+p.e.denseSize : (j+1)*width]
		for i, t := range p.lookups[j*p.e.embeddings : (j+1)*p.e.embeddings] {
			o := out[i*size : (i+1)*size]
			low := w.tables[int(t.row)*size:]
			copy(o, low[:size])
			if t.frac == 0 {
				continue
			}
			high := low[size : 2*size]
			for c := range o {
				o[c] += float32(t.frac * (high[c] - o[c]))
			}
		}
	}
}

// probabilities writes the mean of the members' probabilities for the last b
// rows of forward to dst, b × classes. It overwrites the logits.
func (p *forwardPass) probabilities(dst []float32, b int) {
	n := b * p.l.classes
	dst = dst[:n]
	clear(dst)
	for m := range p.l.members {
		logits := p.logits[m*n : (m+1)*n]
		for i := 0; i < n; i += p.l.classes {
			kernel.Softmax(logits[i : i+p.l.classes])
		}
		kernel.Axpy(dst, logits, 1/float32(p.l.members))
	}
}
