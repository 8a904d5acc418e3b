package neural

import (
	"math"

	"foretell/internal/frame"
)

// token is one looked-up embedding: the table's row and how far to go
// towards the next.
type token struct {
	row  int32
	frac float32
}

// encode writes the dense inputs of f's rows to x, row major with width()
// columns, and the tokens of the embedded columns to tokens, row major with
// embeds columns. It goes column by column, as the frame is stored.
func (e *encoder) encode(x []float32, tokens []token, f *frame.Frame, rows []int32, n *noise) {
	clear(x[:len(rows)*e.width()])
	for i := range e.inputs {
		in := &e.inputs[i]
		var column frame.Column // without any cells, should f lack it: all missing
		if in.column < len(f.Columns) {
			column = f.Columns[in.column]
		}
		if in.numeric {
			e.encodeNumbers(x, tokens, in, &column, rows)
		} else {
			e.encodeLevels(tokens, in, column.Codes, rows, n)
		}
	}
}

// encodeNumbers encodes one numeric column.
func (e *encoder) encodeNumbers(x []float32, tokens []token, in *input, column *frame.Column, rows []int32) {
	width := e.width()
	var room [256]float64
	for lo := 0; lo < len(rows); lo += len(room) {
		some := rows[lo:min(lo+len(room), len(rows))]
		values := room[:len(some)]
		column.Gather(values, some)
		for i, v := range values {
			j := lo + i
			scaled, missing := in.value(v)
			x[j*width+in.dense] = scaled
			if missing && in.flag {
				x[j*width+in.dense+1] = 1
			}
			if in.rows > 0 {
				tokens[j*e.embeds+in.token] = in.position(v)
			}
		}
	}
}

// encodeLevels encodes one category column; codes is nil if it is not there.
func (e *encoder) encodeLevels(tokens []token, in *input, codes []int32, rows []int32, n *noise) {
	levels := len(in.level) - 2
	for j, r := range rows {
		code := frame.Missing
		if codes != nil {
			code = codes[r]
		}
		level := in.level[slot(code, levels)]
		if n != nil && n.hide() {
			level = unknown
		}
		tokens[j*e.embeds+in.token] = token{row: int32(in.table) + level}
	}
}

// value scales v and bends it smoothly into ±3 (Holzmüller et al. 2024).
// A missing value becomes 0, the median's place.
func (in *input) value(v float64) (scaled float32, missing bool) {
	if math.IsNaN(v) {
		return 0, true
	}
	z := (v - in.center) * in.scale
	if math.Abs(z) > 1e6 { // its square might overflow
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
	i, end := 0, len(in.knots) // the first knot that is not below v
	for i < end {
		if mid := (i + end) / 2; in.knots[mid] < v {
			i = mid + 1
		} else {
			end = mid
		}
	}
	switch {
	case i == 0:
		return token{row: int32(in.table)}
	case i > last:
		return token{row: int32(in.table + last - 1), frac: 1}
	}
	low, high := in.knots[i-1], in.knots[i]
	frac := float32((v - low) / (high - low))
	if !(frac <= 1) {
		frac = 1
	}
	return token{row: int32(in.table + i - 1), frac: frac}
}
