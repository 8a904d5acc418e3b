package neural

import (
	"math"
	"math/rand/v2"
)

// layout describes the slice that holds all parameters: the sizes of the network, and the index at
// which each kind of parameter begins. The optimiser and the model file process the slice as a
// whole. The slice contains, in this order:
//
//	scale    members × width, then members × width biases: for the first layer
//	dense    in × out, then out biases: for each hidden layer; the first has no
//	         biases here
//	heads    members × (width × classes), then members × classes biases
//	tables   rows × size: the embeddings
type layout struct {
	inputs, width, members, classes  int
	dense                            []denseLayer
	heads, headBias                  int
	tables, tableRows, embeddingSize int
	params                           int
}

// denseLayer is one hidden layer. The fields in and out are the numbers of inputs and
// outputs. weights is the index of the first weight in the slice of parameters; the
// weights are row-major, in × out. bias is the index of the first bias.
type denseLayer struct{ in, out, weights, bias int }

// newLayout returns the layout of a network whose inputs are the outputs of the encoder e.
func newLayout(e *encoder, o Options) *layout {
	l := &layout{inputs: e.width(), width: o.width, members: o.members, classes: o.Classes}
	at := 2 * l.members * l.width
	in := l.inputs
	for i := range o.layers {
		d := denseLayer{in, l.width, at, at + in*l.width}
		at = d.bias
		if i > 0 {
			at += l.width
		}
		l.dense = append(l.dense, d)
		in = l.width
	}
	l.heads = at
	l.headBias = at + l.members*l.width*l.classes
	l.tables = l.headBias + l.members*l.classes
	l.tableRows, l.embeddingSize = e.tableRows, e.embeddingSize
	l.params = l.tables + e.tableRows*e.embeddingSize
	return l
}

func (d denseLayer) weightMatrix(params []float32) []float32 {
	return params[d.weights : d.weights+d.in*d.out]
}

func (d denseLayer) biasVector(params []float32) []float32 { return params[d.bias : d.bias+d.out] }

// memberParams returns the parameters of the first layer that belong to one member: the
// scale and the bias of each unit.
func (l *layout) memberParams(params []float32, member int) (scale, bias []float32) {
	at, bt := member*l.width, (l.members+member)*l.width
	return params[at : at+l.width], params[bt : bt+l.width]
}

// headParams returns the weights, width × classes, and the biases of a member's
// output layer.
func (l *layout) headParams(params []float32, member int) (weights, bias []float32) {
	n := l.width * l.classes
	at, bt := l.heads+member*n, l.headBias+member*l.classes
	return params[at : at+n], params[bt : bt+l.classes]
}

// paramRange is the range lo…hi-1 of the parameters. decay reports whether weight decay applies to
// the range. Weight decay applies to the weights of matrix products, but not to biases, scales and
// embeddings.
type paramRange struct {
	lo, hi int
	decay  bool
}

// splitParams divides the parameters into ranges. size is the largest number of parameters
// in a range. The optimiser updates each range in one task.
func (l *layout) splitParams(size int) []paramRange {
	var list []paramRange
	at := 0
	upTo := func(end int, decays bool) {
		for ; at < end; at = list[len(list)-1].hi {
			list = append(list, paramRange{at, min(at+size, end), decays})
		}
	}
	for _, d := range l.dense {
		upTo(d.weights, false)
		upTo(d.bias, true)
	}
	upTo(l.heads, false)
	upTo(l.headBias, true)
	upTo(l.params, false)
	return list
}

// initialParams returns the initial parameters. Weights and biases are uniform with variance
// 1/(3·inputs), where inputs is the number of inputs of the layer. The members' scales are normally
// distributed around 1; a single member has scales of exactly 1. Embeddings of numbers are zero, so
// that the network at first sees only the scaled numbers. Embeddings of levels are random.
func (l *layout) initialParams(e *encoder, rng *rand.Rand) []float32 {
	p := make([]float32, l.params)
	fill := func(x []float32, in int) {
		bound := 1 / math.Sqrt(float64(max(1, in)))
		for i := range x {
			x[i] = float32((2*rng.Float64() - 1) * bound)
		}
	}
	for m := range l.members {
		scale, bias := l.memberParams(p, m)
		for i := range scale {
			scale[i] = 1
			if l.members > 1 {
				scale[i] += float32(scaleDeviation * rng.NormFloat64())
			}
		}
		fill(bias, l.inputs)
	}
	for i, d := range l.dense {
		fill(d.weightMatrix(p), d.in)
		if i > 0 {
			fill(d.biasVector(p), d.in)
		}
	}
	for m := range l.members {
		w, b := l.headParams(p, m)
		fill(w, l.width)
		fill(b, l.width)
	}
	for i := range e.inputs {
		if in := &e.inputs[i]; !in.numeric {
			fill(p[l.tables+in.firstRow*e.embeddingSize:][:in.tableRows*e.embeddingSize], 1)
		}
	}
	return p
}

// scaleDeviation is the standard deviation of the members' initial scales. TabM (see the package
// comment) initialises scales to random signs, but has wider networks. With only 192 units, random
// signs would reduce the capacity of the network too much.
const scaleDeviation = 0.5
