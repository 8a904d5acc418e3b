package neural

import (
	"math"
	"math/rand/v2"

	"foretell/internal/learn/kernel"
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
func newLayout(e *encoder, members, layers, width, classes int) *layout {
	l := &layout{inputs: e.width(), width: width, members: members, classes: classes}
	at := members * l.inputs
	in := l.inputs
	for range layers {
		l.dense = append(l.dense, dense{in, width, at, at + in*width})
		at += in*width + width
		in = width
	}
	l.heads = at
	l.headBias = at + members*width*classes
	l.tables = l.headBias + members*classes
	l.tableRows, l.tableSize = e.rows, e.size
	l.params = l.tables + e.rows*e.size
	return l
}

// weights returns the weight matrix of d.
func (d dense) weightsOf(params []float32) []float32 {
	return params[d.weights : d.weights+d.in*d.out]
}

// biases returns the biases of d.
func (d dense) biasesOf(params []float32) []float32 { return params[d.bias : d.bias+d.out] }

// head returns the weight matrix, width × classes, and the biases of a
// member's output layer.
func (l *layout) head(params []float32, member int) (weights, bias []float32) {
	n := l.width * l.classes
	at, bt := l.heads+member*n, l.headBias+member*l.classes
	return params[at : at+n], params[bt : bt+l.classes]
}

// initialise draws the parameters to start from. Every member sees the inputs
// with signs of its own (Gorishniy et al. 2025, TabM); a single one sees them
// as they are. Embeddings of numbers start at zero, so that the network starts
// linear in them; those of levels start random.
func (l *layout) initialise(e *encoder, rng *rand.Rand) []float32 {
	p := make([]float32, l.params)
	for i := range p[:l.members*l.inputs] {
		p[i] = 1
		if l.members > 1 {
			switch Init {
			case "one":
			case "normal":
				p[i] = float32(1 + 0.5*rng.NormFloat64())
			case "gauss":
				p[i] = float32(rng.NormFloat64())
			case "mask":
				if rng.Uint32()&3 == 0 {
					p[i] = 0
				}
			default:
				if rng.Uint32()&1 == 0 {
					p[i] = -1
				}
			}
		}
	}
	fill := func(x []float32, in int) {
		bound := math.Sqrt(initGain / float64(max(1, in)))
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
		if in := &e.inputs[i]; in.form == embedded {
			fill(p[l.tables+in.table*e.size:][:in.rows*e.size], 1)
		}
	}
	return p
}

var initGain = 1.0
var Init string

func SetGain(g float64) { initGain = g }

// packed is a set of parameters in the form the products read them, shared by
// all goroutines that run the network.
type packed struct {
	flat []float32
	// forward and heads hold the packed weights, backward and headsBack their
	// transposes, which only learning needs.
	forward, backward [][]float32
	heads, headsBack  [][]float32
	// tables holds the embeddings' rows: those of numbers are the running sums
	// of the parameters, so that learning moves all knots beyond one together.
	tables []float32
}

// newPacked makes room for l's parameters; learning says whether the transposes
// are wanted.
func newPacked(l *layout, flat []float32, learning bool) *packed {
	p := &packed{flat: flat, tables: make([]float32, l.tableRows*l.tableSize)}
	for i, d := range l.dense {
		p.forward = append(p.forward, make([]float32, kernel.PackedLen(d.in, d.out)))
		if learning {
			p.backward = append(p.backward, make([]float32, kernel.PackedLen(d.out, d.in)))
			_ = i
		}
	}
	for range l.members {
		p.heads = append(p.heads, make([]float32, kernel.PackedLen(l.width, l.classes)))
		if learning {
			p.headsBack = append(p.headsBack, make([]float32, kernel.PackedLen(l.classes, l.width)))
		}
	}
	return p
}

// tasks is the number of independent parts of pack.
func (p *packed) tasks() int { return len(p.forward) + len(p.heads) + 1 }

// pack does one part of the copying from flat.
func (p *packed) pack(l *layout, e *encoder, task int) {
	if n := len(p.forward); task < n {
		d := l.dense[task]
		kernel.Pack(p.forward[task], d.weightsOf(p.flat), d.in, d.out)
		if p.backward != nil {
			kernel.PackTransposed(p.backward[task], d.weightsOf(p.flat), d.out, d.in)
		}
		return
	} else {
		task -= n
	}
	if task < len(p.heads) {
		w, _ := l.head(p.flat, task)
		kernel.Pack(p.heads[task], w, l.width, l.classes)
		if p.headsBack != nil {
			kernel.PackTransposed(p.headsBack[task], w, l.classes, l.width)
		}
		return
	}
	copy(p.tables, p.flat[l.tables:])
	size := e.size
	for i := range e.inputs {
		if in := &e.inputs[i]; in.form == numeric {
			t := p.tables[in.table*size : (in.table+in.rows)*size]
			for j := size; j < len(t); j++ {
				t[j] += t[j-size]
			}
		}
	}
}
