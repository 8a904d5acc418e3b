package neural

import (
	"foretell/internal/frame"
	"foretell/internal/learn/kernel"
)

// pass is the working memory of one goroutine that runs rows through the
// network. Rows of different members lie one after the other: member m's rows
// are m·rows … (m+1)·rows−1, so that one product serves all members.
//
//	x ──W₁──▶ first ──⊙ scale + bias──▶ act₁ ──W₂──▶ act₂ … ──heads──▶ logits
//	rows × …                            members·rows × …      members·rows × classes
type pass struct {
	l      *layout
	e      *encoder
	x      []float32
	tokens []token
	first  []float32
	acts   [][]float32
	logits []float32
}

// block is the number of rows run through the network at once to predict.
const block = 128

// fit makes room for up to rows rows of a network.
func (p *pass) fit(l *layout, e *encoder, rows int) {
	p.l, p.e = l, e
	p.x = sized(p.x, rows*l.inputs)
	p.tokens = sized(p.tokens, rows*e.embeds)
	p.first = sized(p.first, rows*l.width)
	p.logits = sized(p.logits, rows*l.members*l.classes)
	p.acts = sized(p.acts, len(l.dense))
	for i, d := range l.dense {
		p.acts[i] = sized(p.acts[i], rows*l.members*d.out)
	}
}

// forward computes the logits of f's rows; n is nil but in learning.
func (p *pass) forward(w *packed, f *frame.Frame, rows []int32, n *noise) {
	l, b := p.l, len(rows)
	p.e.encode(p.x, p.tokens, f, rows, n)
	p.embed(w, b)
	var in []float32
	for i, d := range l.dense {
		act := p.acts[i][:l.members*b*d.out]
		if i == 0 {
			p.part(w, act, b)
		} else {
			kernel.Broadcast(act, d.biasesOf(w.flat))
			kernel.Multiply(act, in, w.forward[i], kernel.Shape{Rows: l.members * b, Cols: d.out, Depth: d.in})
		}
		kernel.Rectify(act)
		if n != nil {
			kernel.Drop(act, n.drop, n.units+uint64(i)*noiseStep)
		}
		in = act
	}
	for m := range l.members {
		_, bias := l.head(w.flat, m)
		logits := p.logits[m*b*l.classes : (m+1)*b*l.classes]
		kernel.Broadcast(logits, bias)
		kernel.Multiply(logits, in[m*b*l.width:], w.heads[m], kernel.Shape{Rows: b, Cols: l.classes, Depth: l.width})
	}
}

// part computes the first layer of b rows, up to where the members part, and
// writes what each makes of it to act.
func (p *pass) part(w *packed, act []float32, b int) {
	l, d := p.l, p.l.dense[0]
	first := p.first[:b*d.out]
	clear(first)
	kernel.Multiply(first, p.x, w.forward[0], kernel.Shape{Rows: b, Cols: d.out, Depth: d.in})
	for m := range l.members {
		scale, bias := l.member(w.flat, m)
		kernel.AffineRows(act[m*len(first):], first, scale, bias)
	}
}

// embed looks the tokens of the first b rows up and writes their embeddings
// behind the dense inputs.
func (p *pass) embed(w *packed, b int) {
	size, width := p.e.size, p.l.inputs
	for j := range b {
		out := p.x[j*width+p.e.dense : (j+1)*width]
		for i, t := range p.tokens[j*p.e.embeds : (j+1)*p.e.embeds] {
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

// probabilities writes the members' mean probabilities of the b rows last
// passed forward to dst, b × classes. It uses up the logits.
func (p *pass) probabilities(dst []float32, b int) {
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
