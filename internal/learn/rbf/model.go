package rbf

import (
	"slices"

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
	predictAll([][]float32{dst}, []*Model{m}, f, rows)
}

// blockRows is the number of rows that are encoded at once.
const blockRows = 128

// predictAll writes the class probabilities of the given rows of f for several models. The models
// may differ only in their coefficients. The probabilities of models[i] are written to dst[i],
// which is row-major, len(rows) × classes. If models[i] is nil, dst[i] is left unchanged.
func predictAll(dst [][]float32, models []*Model, f *frame.Frame, rows []int32) {
	at := slices.IndexFunc(models, func(m *Model) bool { return m != nil })
	if at < 0 {
		return
	}
	one, classes := models[at], models[at].classes
	x := make([]float64, min(len(rows), blockRows)*one.encoder.width)
	scratch := one.newScratch()
	for lo := 0; lo < len(rows); lo += blockRows {
		block := rows[lo:min(lo+blockRows, len(rows))]
		one.encoder.encode(x, f, block)
		for i := range block {
			one.computeKernels(scratch.kernels, x[i*one.encoder.width:(i+1)*one.encoder.width])
			for j, m := range models {
				if m != nil {
					m.predictFromKernels(dst[j][(lo+i)*classes:(lo+i+1)*classes], scratch)
				}
			}
		}
	}
}

// scratch holds intermediate results of the prediction of a row.
type scratch struct {
	kernels []float64 // for each centre, the kernel between the row and the centre
	scores  []float64 // for each output
}

func (m *Model) newScratch() *scratch {
	return &scratch{make([]float64, len(m.centers)/m.encoder.width), make([]float64, len(m.bias))}
}

// predictFromInputs writes the class probabilities of a row with the inputs x to dst.
func (m *Model) predictFromInputs(dst []float32, x []float64, s *scratch) {
	m.computeKernels(s.kernels, x)
	m.predictFromKernels(dst, s)
}

// computeKernels writes the kernel between a row with the inputs x and each centre to dst.
func (m *Model) computeKernels(dst, x []float64) {
	width := m.encoder.width
	for j := range dst {
		dst[j] = gaussian(x, m.centers[j*width:(j+1)*width], m.gamma)
	}
}

// predictFromKernels writes the class probabilities of the row with the kernels s.kernels to dst.
func (m *Model) predictFromKernels(dst []float32, s *scratch) {
	scores := s.scores
	copy(scores, m.bias)
	for j, k := range s.kernels {
		axpy(scores, m.alpha[j*len(scores):], k)
	}
	dst[0] = 0 // the score of the first of two classes
	for c, v := range scores {
		dst[m.classes-len(scores)+c] = float32(v)
	}
	kernel.Softmax(dst)
}
