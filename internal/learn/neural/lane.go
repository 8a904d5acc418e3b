package neural

import (
	"foretell/internal/frame"
	"foretell/internal/learn/kernel"
)

// lane is where one worker learns from shares of a batch, one after the other.
// Each has a gradient of its own, and the gradients are added in order: that is
// what makes the model independent of the workers.
type lane struct {
	pass
	grad        []float32 // of the share at hand, one a parameter
	delta, next []float32 // gradient of a layer's outputs and inputs
	operand     []float32 // packed right operand
}

// fit makes room for up to rows rows of a network.
func (a *lane) fit(l *layout, e *encoder, rows int) {
	widest := max(l.inputs, l.members*l.width)
	a.pass.fit(l, e, rows)
	a.delta = sized(a.delta, rows*widest)
	a.next = sized(a.next, rows*widest)
	a.operand = sized(a.operand, kernel.PackedLen(rows*l.members, max(l.width, l.classes)))
}

// batch is what a lane learns from: a share of the rows and the weight of each,
// one over the number of rows in the whole batch.
type batch struct {
	f      *frame.Frame
	rows   []int32
	weight float32
}

// learn sets grad to the gradient of the loss over b's rows: the mean over
// members of their cross entropy.
func (a *lane) learn(w *packed, b batch, n *noise) {
	clear(a.grad)
	if len(b.rows) == 0 {
		return
	}
	a.forward(w, b.f, b.rows, n)
	a.lossGradient(b)
	a.backHeads(w, len(b.rows))
	scale := 256 / (256 - float32(n.drop))
	for i := len(a.l.dense) - 1; i > 0; i-- {
		a.backDense(w, i, len(b.rows), scale)
	}
	a.backParting(w, len(b.rows), scale)
	a.backInput(len(b.rows))
}

// lossGradient turns the logits into the gradient of the loss: softmax minus
// target.
func (a *lane) lossGradient(b batch) {
	c := a.l.classes
	weight := b.weight / float32(a.l.members)
	for m := range a.l.members {
		for j, r := range b.rows {
			row := a.logits[(m*len(b.rows)+j)*c:][:c]
			kernel.Softmax(row)
			row[b.f.Labels[r]]--
			kernel.Scale(row, weight)
		}
	}
}

// backHeads goes back through the members' output layers; delta becomes the
// gradient of the last activations.
func (a *lane) backHeads(w *packed, b int) {
	l := a.l
	last := a.acts[len(a.acts)-1]
	clear(a.delta[:l.members*b*l.width])
	for m := range l.members {
		logits := a.logits[m*b*l.classes : (m+1)*b*l.classes]
		act := last[m*b*l.width : (m+1)*b*l.width]
		gw, gb := l.head(a.grad, m)
		kernel.SumRows(gb, logits)
		kernel.Pack(a.operand, logits, b, l.classes)
		kernel.MultiplyTransposed(gw, act, a.operand, kernel.Shape{Rows: l.width, Cols: l.classes, Depth: b})
		kernel.Multiply(a.delta[m*b*l.width:], logits, w.headsBack[m], kernel.Shape{Rows: b, Cols: l.width, Depth: l.classes})
	}
}

// backDense goes back through hidden layer i; delta becomes the gradient of
// its inputs.
func (a *lane) backDense(w *packed, i, b int, scale float32) {
	d, rows := a.l.dense[i], a.l.members*b
	delta := a.delta[:rows*d.out]
	kernel.RectifyBack(delta, a.acts[i], scale)
	kernel.SumRows(d.biasesOf(a.grad), delta)
	a.backProduct(w, i, rows, a.acts[i-1])
}

// backProduct goes back through the product of hidden layer i, on rows rows of
// the inputs in.
func (a *lane) backProduct(w *packed, i, rows int, in []float32) {
	d := a.l.dense[i]
	delta := a.delta[:rows*d.out]
	kernel.Pack(a.operand, delta, rows, d.out)
	kernel.MultiplyTransposed(d.weightsOf(a.grad), in, a.operand, kernel.Shape{Rows: d.in, Cols: d.out, Depth: rows})
	next := a.next[:rows*d.in]
	clear(next)
	kernel.Multiply(next, delta, w.backward[i], kernel.Shape{Rows: rows, Cols: d.in, Depth: d.out})
	a.delta, a.next = a.next, a.delta
}

// backParting goes back to where the members part, and through the product of
// the first layer before it.
func (a *lane) backParting(w *packed, b int, scale float32) {
	l := a.l
	n := b * l.width
	kernel.RectifyBack(a.delta[:l.members*n], a.acts[0], scale)
	together := a.next[:n]
	clear(together)
	for m := range l.members {
		scales, _ := l.member(w.flat, m)
		gs, gb := l.member(a.grad, m)
		delta := a.delta[m*n : (m+1)*n]
		kernel.SumRows(gb, delta)
		kernel.AffineBack(together, gs, delta, a.first[:n], scales)
	}
	a.delta, a.next = a.next, a.delta
	a.backProduct(w, 0, b, a.x)
}

// backInput goes back through the embeddings.
func (a *lane) backInput(b int) {
	l, e := a.l, a.e
	dx := a.delta[:b*l.inputs]
	tables := a.grad[l.tables:]
	for j := range b {
		a.scatter(tables, dx[j*l.inputs+e.dense:(j+1)*l.inputs], a.tokens[j*e.embeds:(j+1)*e.embeds])
	}
	for i := range e.inputs {
		if in := &e.inputs[i]; in.numeric {
			accumulateBack(tables[in.table*e.size:][:in.rows*e.size], e.size)
		}
	}
}

// accumulateBack goes back through accumulate: a row moved all those from its
// own on.
func accumulateBack(t []float32, size int) {
	for j := len(t) - 1; j >= size; j-- {
		t[j-size] += t[j]
	}
}

// scatter adds the gradient dx of one row's embeddings to the table rows they
// came from.
func (a *lane) scatter(tables, dx []float32, tokens []token) {
	size := a.e.size
	for i, t := range tokens {
		g := dx[i*size : (i+1)*size]
		low := tables[int(t.row)*size:]
		if t.frac == 0 {
			kernel.Axpy(low, g, 1)
			continue
		}
		kernel.Axpy(low, g, 1-t.frac)
		kernel.Axpy(low[size:], g, t.frac)
	}
}
