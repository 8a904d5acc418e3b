package neural

import (
	"math"
	"math/rand/v2"
)

// layout says where each parameter lies in the one flat slice that holds them
// all, so that the optimiser, the average and the model file need not know
// what they are:
//
//	scale    members × inputs             one row a member
//	dense    in × out, then out biases    one a hidden layer
//	heads    members × (width × classes), then members × classes biases
//	tables   rows × size                  the embeddings
type layout struct {
	inputs, width, members, classes int
	dense                           []dense
	heads, headBias                 int
	tables, tableRows, tableSize    int
	params                          int
}

// dense is one hidden layer: its weights begin at weights, row major in × out,
// its biases at bias.
type dense struct{ in, out, weights, bias int }

// newLayout counts the parameters of a network over e's inputs.
func newLayout(e *encoder, o Options) *layout {
	l := &layout{inputs: e.width(), width: o.Width, members: o.Members, classes: o.Classes}
	at := l.members * l.inputs
	in := l.inputs
	for range o.Layers {
		l.dense = append(l.dense, dense{in, l.width, at, at + in*l.width})
		at += in*l.width + l.width
		in = l.width
	}
	l.heads = at
	l.headBias = at + l.members*l.width*l.classes
	l.tables = l.headBias + l.members*l.classes
	l.tableRows, l.tableSize = e.rows, e.size
	l.params = l.tables + e.rows*e.size
	return l
}

// weightsOf returns the weight matrix of d.
func (d dense) weightsOf(params []float32) []float32 {
	return params[d.weights : d.weights+d.in*d.out]
}

// biasesOf returns the biases of d.
func (d dense) biasesOf(params []float32) []float32 { return params[d.bias : d.bias+d.out] }

// head returns the weight matrix, width × classes, and the biases of a
// member's output layer.
func (l *layout) head(params []float32, member int) (weights, bias []float32) {
	n := l.width * l.classes
	at, bt := l.heads+member*n, l.headBias+member*l.classes
	return params[at : at+n], params[bt : bt+l.classes]
}

// initialise draws the parameters to start from: weights and biases uniform
// with variance 1/(3·inputs), the members' scales around 1, a single member's
// all 1. Embeddings of numbers start at zero, so that the network starts linear
// in them; those of levels start random.
func (l *layout) initialise(e *encoder, rng *rand.Rand) []float32 {
	p := make([]float32, l.params)
	for i := range p[:l.members*l.inputs] {
		p[i] = 1
		if l.members > 1 {
			p[i] += float32(spread * rng.NormFloat64())
		}
	}
	fill := func(x []float32, in int) {
		bound := 1 / math.Sqrt(float64(max(1, in)))
		for i := range x {
			x[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
	for _, d := range l.dense {
		fill(d.weightsOf(p), d.in)
		fill(d.biasesOf(p), d.in)
	}
	for m := range l.members {
		w, b := l.head(p, m)
		fill(w, l.width)
		fill(b, l.width)
	}
	for i := range e.inputs {
		if in := &e.inputs[i]; !in.numeric {
			fill(p[l.tables+in.table*e.size:][:in.rows*e.size], 1)
		}
	}
	return p
}

// spread is the standard deviation of the members' scales at the start. Random
// signs, TabM's choice for wide networks, cost a network of 128 or 192 units too much
// of its capacity.
const spread = 0.5
