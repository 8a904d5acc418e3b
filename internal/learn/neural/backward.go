package neural

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/workspace"
	"foretell/internal/table/frame"
)

// backprop is the working memory of one worker that computes the gradients of
// parts of a batch. Each part has its own gradient, and these are added in
// order, so that the model does not depend on the number of workers.
type backprop struct {
	forwardPass
	grad              []float32 // of the current part, one number for each parameter
	delta, inputDelta []float32 // gradients of a layer's outputs and inputs
	operand           []float32 // packed right operand of a product
}

// resize sets the lengths for up to rows rows of a network.
func (a *backprop) resize(l *layout, e *encoder, rows int) {
	width := max(l.inputs, l.members*l.width)
	a.forwardPass.resize(l, e, rows)
	a.delta = workspace.Resize(a.delta, rows*width)
	a.inputDelta = workspace.Resize(a.inputDelta, rows*width)
	a.operand = workspace.Resize(a.operand, kernel.PackedLen(rows*l.members, max(l.width, l.classes)))
}

// batchPart is a part of the rows of a batch. weight is one over the number of
// rows of the whole batch.
type batchPart struct {
	f      *frame.Frame
	rows   []int32
	weight float32
}

// gradient sets grad to the gradient of the loss over b's rows. The loss is the
// mean over members of their cross entropy. drop may be nil.
func (a *backprop) gradient(w *packedParams, b batchPart, drop *dropout) {
	clear(a.grad)
	if len(b.rows) == 0 {
		return
	}
	a.forward(w, b.f, b.rows, drop)
	a.lossGradient(b)
	a.headsBackward(w, len(b.rows))
	scale := 256 / (256 - float32(drop.dropRate))
	for i := len(a.l.dense) - 1; i > 0; i-- {
		a.denseBackward(w, i, len(b.rows), scale)
	}
	a.adapterBackward(w, len(b.rows), scale)
	a.inputBackward(len(b.rows))
}

// lossGradient replaces the logits by the gradient of the loss: softmax minus
// target.
func (a *backprop) lossGradient(b batchPart) {
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

// headsBackward propagates delta through the members' output layers. It sets
// delta to the gradient of the last activations.
func (a *backprop) headsBackward(w *packedParams, b int) {
	l := a.l
	last := a.acts[len(a.acts)-1]
	clear(a.delta[:l.members*b*l.width])
	for m := range l.members {
		logits := a.logits[m*b*l.classes : (m+1)*b*l.classes]
		act := last[m*b*l.width : (m+1)*b*l.width]
		gw, gb := l.head(a.grad, m)
		kernel.SumRows(gb, logits)
		kernel.Pack(a.operand, logits, b, l.classes)
		kernel.GemmTransposed(gw, act, a.operand, kernel.Shape{Rows: l.width, Cols: l.classes, Depth: b})
		kernel.Gemm(a.delta[m*b*l.width:], logits, w.headsBack[m], kernel.Shape{Rows: b, Cols: l.width, Depth: l.classes})
	}
}

// denseBackward propagates delta through hidden layer i. It sets delta to the
// gradient of the layer's inputs.
func (a *backprop) denseBackward(w *packedParams, i, b int, scale float32) {
	d, rows := a.l.dense[i], a.l.members*b
	delta := a.delta[:rows*d.out]
	kernel.ReLUBackward(delta, a.acts[i], scale)
	kernel.SumRows(d.biasesOf(a.grad), delta)
	a.productBackward(w, i, rows, a.acts[i-1])
}

// productBackward propagates delta through the matrix product of hidden layer
// i. in holds the layer's inputs, rows × its width.
func (a *backprop) productBackward(w *packedParams, i, rows int, in []float32) {
	d := a.l.dense[i]
	delta := a.delta[:rows*d.out]
	kernel.Pack(a.operand, delta, rows, d.out)
	kernel.GemmTransposed(d.weightsOf(a.grad), in, a.operand, kernel.Shape{Rows: d.in, Cols: d.out, Depth: rows})
	next := a.inputDelta[:rows*d.in]
	clear(next)
	kernel.Gemm(next, delta, w.backward[i], kernel.Shape{Rows: rows, Cols: d.in, Depth: d.out})
	a.delta, a.inputDelta = a.inputDelta, a.delta
}

// adapterBackward propagates delta through the members' scales and biases and
// the matrix product of the first layer.
func (a *backprop) adapterBackward(w *packedParams, b int, scale float32) {
	l := a.l
	n := b * l.width
	kernel.ReLUBackward(a.delta[:l.members*n], a.acts[0], scale)
	sum := a.inputDelta[:n]
	clear(sum)
	for m := range l.members {
		scales, _ := l.member(w.flat, m)
		gs, gb := l.member(a.grad, m)
		delta := a.delta[m*n : (m+1)*n]
		kernel.SumRows(gb, delta)
		kernel.ScaleShiftBackward(sum, gs, delta, a.first[:n], scales)
	}
	a.delta, a.inputDelta = a.inputDelta, a.delta
	a.productBackward(w, 0, b, a.x)
}

// inputBackward propagates delta of b rows through the embeddings.
func (a *backprop) inputBackward(b int) {
	l, e := a.l, a.e
	dx := a.delta[:b*l.inputs]
	tables := a.grad[l.tables:]
	for j := range b {
		a.scatter(tables, dx[j*l.inputs+e.denseSize:(j+1)*l.inputs], a.lookups[j*e.embeddings:(j+1)*e.embeddings])
	}
	for i := range e.inputs {
		if in := &e.inputs[i]; in.numeric {
			cumulateBackward(tables[in.firstRow*e.embeddingSize:][:in.tableRows*e.embeddingSize], e.embeddingSize)
		}
	}
}

// cumulateBackward propagates the gradient t through cumulate. A row's gradient
// is the sum of those from this row on, because the row is part of these sums.
func cumulateBackward(t []float32, size int) {
	for j := len(t) - 1; j >= size; j-- {
		t[j-size] += t[j]
	}
}

// scatter adds the gradient dx of one row's embeddings to the table rows in
// tables.
func (a *backprop) scatter(tables, dx []float32, tokens []embeddingLookup) {
	size := a.e.embeddingSize
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
