package neural

import (
	"math"
	"sort"

	"foretell/internal/frame"
)

// token is one looked-up embedding: the table's row and how far to go
// towards the next.
type token struct {
	row  int32
	frac float32
}

// noise hides cells from the network as it learns, so that the row of unknown
// levels is learnt too.
type noise struct {
	state uint64
	share uint32 // of 2³²
}

// hide tells whether to hide the next cell.
func (n *noise) hide() bool {
	if n == nil {
		return false
	}
	n.state = n.state*6364136223846793005 + 1442695040888963407
	return uint32(n.state>>32) < n.share
}

// encode writes the dense inputs of f's rows to x, row major with width()
// columns, and the tokens of the embedded columns to tokens, row major with
// embeds columns. It goes column by column, as the frame is stored.
func (e *encoder) encode(x []float32, tokens []token, f *frame.Frame, rows []int32, n *noise) {
	width := e.width()
	clear(x[:len(rows)*width])
	for i := range e.inputs {
		in := &e.inputs[i]
		slotOf := (in.embed - e.dense) / max(1, e.size)
		switch in.form {
		case numeric:
			values := f.Columns[in.column].Floats
			for j, r := range rows {
				v, missing := in.value(values[r])
				x[j*width+in.dense] = v
				if missing && in.flag {
					x[j*width+in.dense+1] = 1
				}
				if in.rows > 0 {
					t := in.position(values[r])
					t.row += int32(in.table)
					tokens[j*e.embeds+slotOf] = t
				}
			}
		default:
			codes := f.Columns[in.column].Codes
			for j, r := range rows {
				level := in.level[slot(codes[r], len(in.level)-2)]
				if n.hide() {
					level = 0
				}
				if in.form == oneHot {
					x[j*width+in.dense+int(level)] = 1
				} else {
					tokens[j*e.embeds+slotOf] = token{row: int32(in.table) + level}
				}
			}
		}
	}
}

// value scales v and bends it smoothly into ±3 (Holzmüller et al. 2024).
// A missing value becomes 0, the median's place.
func (in *input) value(v float64) (scaled float32, missing bool) {
	if math.IsNaN(v) {
		return 0, true
	}
	z := (v - in.center) * in.scale
	if math.Abs(z) > 1e6 {
		return float32(math.Copysign(3, z)), false
	}
	return float32(z / math.Sqrt(1+z*z/9)), false
}

// position finds v among the knots: piecewise linear encoding (Gorishniy et
// al. 2022, "On embeddings for numerical features in tabular deep learning").
// Values beyond the knots take the nearest, missing ones the median's place.
func (in *input) position(v float64) token {
	if math.IsNaN(v) {
		v = in.center
	}
	last := len(in.knots) - 1
	i := sort.SearchFloat64s(in.knots, v)
	switch {
	case i == 0:
		return token{}
	case i > last:
		return token{row: int32(last - 1), frac: 1}
	}
	low, high := in.knots[i-1], in.knots[i]
	frac := float32((v - low) / (high - low))
	if !(frac <= 1) {
		frac = 1
	}
	return token{row: int32(i - 1), frac: frac}
}
