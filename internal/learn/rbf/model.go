package rbf

import (
	"foretell/internal/learn/kernel"
	"foretell/internal/table/frame"
)

// Model is a fitted kernel logistic regression. It is immutable and safe for
// concurrent use.
type Model struct {
	encoder *encoder
	classes int
	gamma   float64
	centers []float64 // the input vectors of the centres, row-major
	alpha   []float64 // the coefficients of the centres, row-major, one for each output
	bias    []float64 // by output
}

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major,
// (hi−lo) × classes. f must have the columns that the model was trained on;
// unknown levels are allowed.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	rows := make([]int32, hi-lo)
	for i := range rows {
		rows[i] = int32(lo + i)
	}
	m.predictRows(dst, f, rows)
}

// blockRows is the number of rows that are encoded at once.
const blockRows = 128

// predictRows writes the class probabilities of the given rows of f to dst, row-major.
func (m *Model) predictRows(dst []float32, f *frame.Frame, rows []int32) {
	x := make([]float64, min(len(rows), blockRows)*m.encoder.width)
	scores := make([]float64, len(m.bias))
	for lo := 0; lo < len(rows); lo += blockRows {
		block := rows[lo:min(lo+blockRows, len(rows))]
		m.encoder.encode(x, f, block)
		for i := range block {
			m.predictInputs(dst[(lo+i)*m.classes:(lo+i+1)*m.classes], x[i*m.encoder.width:(i+1)*m.encoder.width], scores)
		}
	}
}

// predictInputs writes the class probabilities of a row with the inputs x to dst. scratch
// must have one element for each output.
func (m *Model) predictInputs(dst []float32, x, scratch []float64) {
	copy(scratch, m.bias)
	width := m.encoder.width
	for j := range len(m.centers) / width {
		axpy(scratch, m.alpha[j*len(scratch):], gaussian(x, m.centers[j*width:(j+1)*width], m.gamma))
	}
	dst[0] = 0 // the score of the first of two classes
	for c, v := range scratch {
		dst[m.classes-len(scratch)+c] = float32(v)
	}
	kernel.Softmax(dst)
}
