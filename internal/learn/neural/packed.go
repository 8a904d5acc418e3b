package neural

import "foretell/internal/learn/kernel"

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

// fit makes room for l's parameters; learning says whether the transposes are
// wanted.
func (p *packed) fit(l *layout, learning bool) {
	p.tables = sized(p.tables, l.tableRows*l.tableSize)
	p.forward = sized(p.forward, len(l.dense))
	p.heads = sized(p.heads, l.members)
	for i, d := range l.dense {
		p.forward[i] = sized(p.forward[i], kernel.PackedLen(d.in, d.out))
	}
	for m := range p.heads {
		p.heads[m] = sized(p.heads[m], kernel.PackedLen(l.width, l.classes))
	}
	if !learning {
		return
	}
	p.backward = sized(p.backward, len(l.dense))
	p.headsBack = sized(p.headsBack, l.members)
	for i, d := range l.dense {
		p.backward[i] = sized(p.backward[i], kernel.PackedLen(d.out, d.in))
	}
	for m := range p.headsBack {
		p.headsBack[m] = sized(p.headsBack[m], kernel.PackedLen(l.classes, l.width))
	}
}

// tasks is the number of independent parts of pack.
func (p *packed) tasks() int { return len(p.forward) + len(p.heads) + 1 }

// pack does one part of the copying from flat: a layer, a head or the tables.
func (p *packed) pack(l *layout, e *encoder, task int) {
	layers := len(p.forward)
	switch {
	case task < layers:
		d := l.dense[task]
		kernel.Pack(p.forward[task], d.weightsOf(p.flat), d.in, d.out)
		if p.backward != nil {
			kernel.PackTransposed(p.backward[task], d.weightsOf(p.flat), d.out, d.in)
		}
	case task < layers+l.members:
		m := task - layers
		w, _ := l.head(p.flat, m)
		kernel.Pack(p.heads[m], w, l.width, l.classes)
		if p.headsBack != nil {
			kernel.PackTransposed(p.headsBack[m], w, l.classes, l.width)
		}
	default:
		copy(p.tables, p.flat[l.tables:])
		for i := range e.inputs {
			if in := &e.inputs[i]; in.numeric {
				accumulate(p.tables[in.table*e.size:][:in.rows*e.size], e.size)
			}
		}
	}
}

// accumulate turns the rows of t, size numbers each, into their running sums.
func accumulate(t []float32, size int) {
	for j := size; j < len(t); j++ {
		t[j] += t[j-size]
	}
}
