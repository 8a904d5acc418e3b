package neural

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/learn/workspace"
)

// packedParams holds the parameters packed for matrix products; see kernel.Pack. All
// goroutines that use the network share it.
type packedParams struct {
	flat []float32 // the parameters in the order of layout, not packed
	// forward and heads hold the packed weights. backward and headsBack hold
	// their transposes, which only training needs.
	forward, backward [][]float32
	heads, headsBack  [][]float32
	// tables holds the rows of the embedding tables. For a numeric column, each row is the sum of
	// the parameters up to this row, so a parameter is the difference between neighbouring knots.
	// The gradient for one value therefore changes all knots above this value equally.
	tables []float32
}

// resize sets the lengths of all slices for the parameters of l. The transposes are
// resized only if training is true.
func (p *packedParams) resize(l *layout, training bool) {
	p.tables = workspace.Resize(p.tables, l.tableRows*l.embeddingSize)
	p.forward = workspace.Resize(p.forward, len(l.dense))
	p.heads = workspace.Resize(p.heads, l.members)
	for i, d := range l.dense {
		p.forward[i] = workspace.Resize(p.forward[i], kernel.PackedLen(d.in, d.out))
	}
	for m := range p.heads {
		p.heads[m] = workspace.Resize(p.heads[m], kernel.PackedLen(l.width, l.classes))
	}
	if !training {
		return
	}
	p.backward = workspace.Resize(p.backward, len(l.dense))
	p.headsBack = workspace.Resize(p.headsBack, l.members)
	for i, d := range l.dense {
		p.backward[i] = workspace.Resize(p.backward[i], kernel.PackedLen(d.out, d.in))
	}
	for m := range p.headsBack {
		p.headsBack[m] = workspace.Resize(p.headsBack[m], kernel.PackedLen(l.classes, l.width))
	}
}

// numPieces returns the number of pieces that packPiece packs. Different pieces may be
// packed at the same time.
func (p *packedParams) numPieces() int { return len(p.forward) + len(p.heads) + 1 }

// packPiece packs one piece of p.flat: a hidden layer, an output layer, or the embedding
// tables. piece is the number of the piece, below numPieces.
func (p *packedParams) packPiece(layout *layout, encoder *encoder, piece int) {
	layers := len(p.forward)
	switch {
	case piece < layers:
		d := layout.dense[piece]
		kernel.Pack(p.forward[piece], d.weightMatrix(p.flat), d.in, d.out)
		if p.backward != nil {
			kernel.PackTransposed(p.backward[piece], d.weightMatrix(p.flat), d.out, d.in)
		}
	case piece < layers+layout.members:
		m := piece - layers
		w, _ := layout.headParams(p.flat, m)
		kernel.Pack(p.heads[m], w, layout.width, layout.classes)
		if p.headsBack != nil {
			kernel.PackTransposed(p.headsBack[m], w, layout.classes, layout.width)
		}
	default:
		copy(p.tables, p.flat[layout.tables:])
		for i := range encoder.inputs {
			if in := &encoder.inputs[i]; in.numeric {
				cumSumRowsInPlace(p.tables[in.firstRow*encoder.embeddingSize:][:in.tableRows*encoder.embeddingSize], encoder.embeddingSize)
			}
		}
	}
}

// cumSumRowsInPlace replaces each row of table by the sum of this row and all rows before it.
// width is the number of columns.
func cumSumRowsInPlace(table []float32, width int) {
	for j := width; j < len(table); j++ {
		table[j] += table[j-width]
	}
}
