package boost

// board holds the scores of a problem row by row, as trees of all outputs want
// them.
type board struct {
	problem
	// scores are row major.
	scores []float32
}

func newBoard(p problem, rows int) board {
	b := board{problem: p, scores: make([]float32, rows*len(p.base))}
	for i := 0; i < len(b.scores); i += len(p.base) {
		copy(b.scores[i:], p.base)
	}
	return b
}

// row returns the scores of a row.
func (b *board) row(row int32) []float32 {
	width := len(b.base)
	return b.scores[int(row)*width:][:width]
}

// add adds values to the scores of each of rows.
func (b *board) add(rows []int32, values []float32) {
	for _, row := range rows {
		scores := b.row(row)
		scores = scores[:len(values)]
		for k, v := range values {
			scores[k] += v
		}
	}
}

// evaluate writes the probabilities of the rows to evaluate to dst, row major.
func (b *board) evaluate(dst []float32) {
	for i, row := range b.eval {
		probabilities(dst[i*b.classes:(i+1)*b.classes], b.row(row))
	}
}
