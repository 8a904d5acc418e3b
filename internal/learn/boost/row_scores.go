package boost

// rowScores holds raw scores row by row, for trees that score all outputs.
type rowScores struct {
	objective
	// values are row-major.
	values []float32
}

func newRowScores(p objective, rows int) rowScores {
	b := rowScores{objective: p, values: make([]float32, rows*len(p.base))}
	for i := 0; i < len(b.values); i += len(p.base) {
		copy(b.values[i:], p.base)
	}
	return b
}

// row returns the scores of a row.
func (b *rowScores) row(row int32) []float32 {
	width := len(b.base)
	return b.values[int(row)*width:][:width]
}

// add adds values, one for each output, to the scores of each of rows.
func (b *rowScores) add(rows []int32, values []float32) {
	for _, row := range rows {
		scores := b.row(row)
		scores = scores[:len(values)]
		for k, v := range values {
			scores[k] += v
		}
	}
}

// predictValidation writes the class probabilities of the validation rows to
// dst, row-major.
func (b *rowScores) predictValidation(dst []float32) {
	for i, row := range b.validation {
		probabilities(dst[i*b.classes:(i+1)*b.classes], b.row(row))
	}
}
