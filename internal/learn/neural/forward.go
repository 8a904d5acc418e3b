package neural

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/workspace"
	"foretell/internal/table/frame"
)

// forwardPass is the working memory of one goroutine for the forward pass. From act₁ on, each row
// occurs once for each member, with m·rows … (m+1)·rows−1 being the rows of member m. One matrix
// product can then compute a layer of all members.
//
//	x ──W₁──▶ first ──⊙ scale + bias──▶ act₁ ──W₂──▶ act₂ … ──heads──▶ logits
//	rows × …                            members·rows × …      members·rows × classes
type forwardPass struct {
	layout      *layout
	encoder     *encoder
	x           []float32
	lookups     []embeddingLookup
	first       []float32
	activations [][]float32
	logits      []float32
}

// predictRows is the number of rows predicted at once.
const predictRows = 128

// resize sets the lengths of all slices for passes of up to the given number of rows.
func (p *forwardPass) resize(l *layout, e *encoder, rows int) {
	p.layout, p.encoder = l, e
	p.x = workspace.Resize(p.x, rows*l.inputs)
	p.lookups = workspace.Resize(p.lookups, rows*e.embeddings)
	p.first = workspace.Resize(p.first, rows*l.width)
	p.logits = workspace.Resize(p.logits, rows*l.members*l.classes)
	p.activations = workspace.Resize(p.activations, len(l.dense))
	for i, d := range l.dense {
		p.activations[i] = workspace.Resize(p.activations[i], rows*l.members*d.out)
	}
}

// forward sets p.logits to the logits of the given rows of f. drop is nil except in training.
func (p *forwardPass) forward(params *packedParams, f *frame.Frame, rows []int32, drop *dropout) {
	p.encoder.encode(p.x, p.lookups, f, rows, drop)
	p.embed(params, len(rows))
	p.propagate(params, len(rows), drop)
}

// propagate sets p.logits to the logits of the first batchRows rows of p.x. drop is nil except in
// training.
func (p *forwardPass) propagate(params *packedParams, batchRows int, drop *dropout) {
	l := p.layout
	var in []float32
	for i, d := range l.dense {
		act := p.activations[i][:l.members*batchRows*d.out]
		if i == 0 {
			p.applyAdapter(params, act, batchRows)
		} else {
			kernel.Broadcast(act, d.biasVector(params.flat))
			kernel.Gemm(act, in, params.forward[i], kernel.Shape{Rows: l.members * batchRows, Cols: d.out, Depth: d.in})
		}
		kernel.ReLU(act)
		if drop != nil {
			kernel.Dropout(act, drop.dropRate, drop.unitState+uint64(i)*layerStateStep)
		}
		in = act
	}
	for m := range l.members {
		_, bias := l.headParams(params.flat, m)
		logits := p.logits[m*batchRows*l.classes : (m+1)*batchRows*l.classes]
		kernel.Broadcast(logits, bias)
		kernel.Gemm(logits, in[m*batchRows*l.width:], params.heads[m], kernel.Shape{Rows: batchRows, Cols: l.classes, Depth: l.width})
	}
}

// applyAdapter computes the first layer for the given number of rows. All members share one
// matrix product. The output of a member is this product, multiplied by the scales of the member,
// plus the member's biases. applyAdapter writes the outputs of all members to act, one member after
// another.
func (p *forwardPass) applyAdapter(params *packedParams, act []float32, rows int) {
	l, d := p.layout, p.layout.dense[0]
	first := p.first[:rows*d.out]
	clear(first)
	kernel.Gemm(first, p.x, params.forward[0], kernel.Shape{Rows: rows, Cols: d.out, Depth: d.in})
	for m := range l.members {
		scale, bias := l.memberParams(params.flat, m)
		kernel.ScaleShift(act[m*len(first):], first, scale, bias)
	}
}

// embed looks up the embeddings of the given number of rows. It writes them to p.x, where
// they follow the scaled values and flags of each row.
func (p *forwardPass) embed(params *packedParams, rows int) {
	size, width := p.encoder.embeddingSize, p.layout.inputs
	for j := range rows {
		out := p.x[j*width+p.encoder.denseSize : (j+1)*width]
		for i, t := range p.lookups[j*p.encoder.embeddings : (j+1)*p.encoder.embeddings] {
			o := out[i*size : (i+1)*size]
			low := params.tables[int(t.row)*size:]
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

// averageProbabilities writes the mean of the members' probabilities to dst, rows ×
// classes. rows must be the number of rows of the last call of forward or propagate.
// p.logits is overwritten.
func (p *forwardPass) averageProbabilities(dst []float32, rows int) {
	n := rows * p.layout.classes
	dst = dst[:n]
	clear(dst)
	for m := range p.layout.members {
		logits := p.logits[m*n : (m+1)*n]
		for i := 0; i < n; i += p.layout.classes {
			kernel.Softmax(logits[i : i+p.layout.classes])
		}
		kernel.Axpy(dst, logits, 1/float32(p.layout.members))
	}
}
