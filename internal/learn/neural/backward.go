package neural

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/workspace"
	"foretell/internal/table/frame"
)

// backprop is the working memory of one worker for the forward and backward pass. A
// worker computes the gradients of some parts of a batch. The gradients of all parts are
// then added in the order of the parts, so that the model does not depend on the number
// of workers.
type backprop struct {
	forwardPass
	grad              []float32 // of the current part, one number for each parameter
	delta, inputDelta []float32 // gradients of the loss with respect to a layer's outputs and to its inputs
	operand           []float32 // packed right operand of a product
}

// resize sets the lengths of all slices for batch parts of up to the given number of
// rows.
func (bp *backprop) resize(l *layout, e *encoder, rows int) {
	width := max(l.inputs, l.members*l.width)
	bp.forwardPass.resize(l, e, rows)
	bp.delta = workspace.Resize(bp.delta, rows*width)
	bp.inputDelta = workspace.Resize(bp.inputDelta, rows*width)
	bp.operand = workspace.Resize(bp.operand, kernel.PackedLen(rows*l.members, max(l.width, l.classes)))
}

// batchPart is a part of the rows of a batch. weight is 1 divided by the number of rows
// of the whole batch.
type batchPart struct {
	frame  *frame.Frame
	rows   []int32
	weight float32
}

// computeGradient sets bp.grad to the gradient of the loss over the rows of part. The
// loss of a row is the mean of the members' cross entropies, times part.weight.
func (bp *backprop) computeGradient(params *packedParams, part batchPart, drop *dropout) {
	clear(bp.grad)
	if len(part.rows) == 0 {
		return
	}
	bp.forward(params, part.frame, part.rows, drop)
	bp.logitsToLossGradient(part)
	bp.headsBackward(params, len(part.rows))
	scale := 256 / (256 - float32(drop.dropRate))
	for i := len(bp.layout.dense) - 1; i > 0; i-- {
		bp.denseBackward(params, i, len(part.rows), scale)
	}
	bp.adapterBackward(params, len(part.rows), scale)
	bp.embeddingBackward(len(part.rows))
}

// logitsToLossGradient replaces the logits by the gradient of the loss with respect to them:
// probability minus target, times part.weight, divided by the number of members.
func (bp *backprop) logitsToLossGradient(part batchPart) {
	c := bp.layout.classes
	weight := part.weight / float32(bp.layout.members)
	for m := range bp.layout.members {
		for j, r := range part.rows {
			row := bp.logits[(m*len(part.rows)+j)*c:][:c]
			kernel.Softmax(row)
			row[part.frame.Labels[r]]--
			kernel.Scale(row, weight)
		}
	}
}

// headsBackward is the backward pass of the members' output layers. It adds their
// gradients to bp.grad and sets bp.delta to the gradient of their inputs.
func (bp *backprop) headsBackward(params *packedParams, rows int) {
	l := bp.layout
	last := bp.activations[len(bp.activations)-1]
	clear(bp.delta[:l.members*rows*l.width])
	for m := range l.members {
		logits := bp.logits[m*rows*l.classes : (m+1)*rows*l.classes]
		act := last[m*rows*l.width : (m+1)*rows*l.width]
		gw, gb := l.headParams(bp.grad, m)
		kernel.SumRows(gb, logits)
		kernel.Pack(bp.operand, logits, rows, l.classes)
		kernel.GemmTransposed(gw, act, bp.operand, kernel.Shape{Rows: l.width, Cols: l.classes, Depth: rows})
		kernel.Gemm(bp.delta[m*rows*l.width:], logits, params.headsBack[m], kernel.Shape{Rows: rows, Cols: l.width, Depth: l.classes})
	}
}

// denseBackward is the backward pass of hidden layer i. It adds the gradients of the
// layer's parameters to bp.grad and sets bp.delta to the gradient of the layer's inputs.
// scale is the factor by which dropout has multiplied the units that it did not drop.
func (bp *backprop) denseBackward(params *packedParams, i, batchRows int, scale float32) {
	d, rows := bp.layout.dense[i], bp.layout.members*batchRows
	delta := bp.delta[:rows*d.out]
	kernel.ReLUBackward(delta, bp.activations[i], scale)
	kernel.SumRows(d.biasVector(bp.grad), delta)
	bp.matMulBackward(params, i, rows, bp.activations[i-1])
}

// matMulBackward is the backward pass of the matrix product of hidden layer i. It adds the
// gradient of the weights to bp.grad, and replaces bp.delta, the gradient of the product, by
// the gradient of the inputs. The parameter in holds the inputs of the layer: the given number
// of rows, row-major.
func (bp *backprop) matMulBackward(params *packedParams, i, rows int, in []float32) {
	d := bp.layout.dense[i]
	delta := bp.delta[:rows*d.out]
	kernel.Pack(bp.operand, delta, rows, d.out)
	kernel.GemmTransposed(d.weightMatrix(bp.grad), in, bp.operand, kernel.Shape{Rows: d.in, Cols: d.out, Depth: rows})
	next := bp.inputDelta[:rows*d.in]
	clear(next)
	kernel.Gemm(next, delta, params.backward[i], kernel.Shape{Rows: rows, Cols: d.in, Depth: d.out})
	bp.delta, bp.inputDelta = bp.inputDelta, bp.delta
}

// adapterBackward is the backward pass of the first layer: of the scales and biases of
// each member, and of the matrix product that all members share. It adds the gradients of
// their parameters to bp.grad and sets bp.delta to the gradient of the input vectors.
func (bp *backprop) adapterBackward(params *packedParams, rows int, scale float32) {
	l := bp.layout
	n := rows * l.width
	kernel.ReLUBackward(bp.delta[:l.members*n], bp.activations[0], scale)
	sum := bp.inputDelta[:n]
	clear(sum)
	for m := range l.members {
		scales, _ := l.memberParams(params.flat, m)
		gs, gb := l.memberParams(bp.grad, m)
		delta := bp.delta[m*n : (m+1)*n]
		kernel.SumRows(gb, delta)
		kernel.ScaleShiftBackward(sum, gs, delta, bp.first[:n], scales)
	}
	bp.delta, bp.inputDelta = bp.inputDelta, bp.delta
	bp.matMulBackward(params, 0, rows, bp.x)
}

// embeddingBackward is the backward pass of the embeddings. It adds the gradients of the
// embedding tables to bp.grad. bp.delta must hold the gradient of the input vectors. rows is the
// number of input vectors.
func (bp *backprop) embeddingBackward(rows int) {
	l, e := bp.layout, bp.encoder
	dx := bp.delta[:rows*l.inputs]
	tables := bp.grad[l.tables:]
	for j := range rows {
		bp.scatterGradient(tables, dx[j*l.inputs+e.denseSize:(j+1)*l.inputs], bp.lookups[j*e.embeddings:(j+1)*e.embeddings])
	}
	for i := range e.inputs {
		if in := &e.inputs[i]; in.numeric {
			cumSumRowsBackward(tables[in.firstRow*e.embeddingSize:][:in.tableRows*e.embeddingSize], e.embeddingSize)
		}
	}
}

// cumSumRowsBackward is the backward pass of cumSumRowsInPlace. It replaces each row of grad by the
// sum of this row and all later rows, because cumSumRowsInPlace adds a row to all later rows.
func cumSumRowsBackward(grad []float32, width int) {
	for j := len(grad) - 1; j >= width; j-- {
		grad[j-width] += grad[j]
	}
}

// scatterGradient adds the gradient of one row's embeddings, grad, to the gradients of
// the table rows that were looked up. tables holds the gradients of all tables.
func (bp *backprop) scatterGradient(tables, grad []float32, lookups []embeddingLookup) {
	size := bp.encoder.embeddingSize
	for i, t := range lookups {
		g := grad[i*size : (i+1)*size]
		low := tables[int(t.row)*size:]
		if t.frac == 0 {
			kernel.Axpy(low, g, 1)
			continue
		}
		kernel.Axpy(low, g, 1-t.frac)
		kernel.Axpy(low[size:], g, t.frac)
	}
}
