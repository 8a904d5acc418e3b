package boost

import "foretell/internal/learn/kernel"

// rowScores holds the raw scores of all rows, row by row. It is used for symmetric trees, because
// their leaves have a value for each output.
type rowScores struct {
	objective
	// values holds the scores, row-major.
	values []float32
}

func newRowScores(objective objective, rows int) rowScores {
	s := rowScores{objective: objective, values: make([]float32, rows*len(objective.base))}
	for i := 0; i < len(s.values); i += len(objective.base) {
		copy(s.values[i:], objective.base)
	}
	return s
}

func (s *rowScores) row(row int32) []float32 {
	width := len(s.base)
	return s.values[int(row)*width:][:width]
}

// add adds values, one for each output, to the scores of each row in rows.
func (s *rowScores) add(rows []int32, values []float32) {
	for _, row := range rows {
		scores := s.row(row)
		if len(values) >= minVector {
			kernel.Axpy(scores, values, 1)
			continue
		}
		scores = scores[:len(values)]
		for k, v := range values {
			scores[k] += v
		}
	}
}

// predictValidation writes the class probabilities of the validation rows to
// dst, row-major.
func (s *rowScores) predictValidation(dst []float32) {
	for i, row := range s.validation {
		scoresToProbabilities(dst[i*s.classes:(i+1)*s.classes], s.row(row))
	}
}
