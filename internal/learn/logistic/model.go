package logistic

import (
	"slices"

	"foretell/internal/learn/kernel"
	"foretell/internal/learn/split"
	"foretell/internal/table/frame"
)

// Model is a fitted logistic regression. It is immutable and safe for concurrent use.
type Model struct {
	encoder *encoder
	classes int
	gamma   float64
	centers []float64 // the input vectors of the centres, row-major; none if the scores are linear
	// coefficients holds one number for each centre and output, or for each input and output if the
	// scores are linear. It is row-major: the numbers of a centre or input are adjacent.
	coefficients []float64
	bias         []float64 // by output
}

// IsLinear reports whether the scores are linear functions of the inputs.
func (m *Model) IsLinear() bool { return len(m.centers) == 0 }

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major,
// (hi−lo) × classes. f must have the columns that the model was trained on;
// unknown levels are allowed.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	predictAll([][]float32{dst}, []*Model{m}, f, split.Range(lo, hi))
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
			one.computeFeatures(scratch.features, x[i*one.encoder.width:(i+1)*one.encoder.width])
			for j, m := range models {
				if m != nil {
					m.predictFromFeatures(dst[j][(lo+i)*classes:(lo+i+1)*classes], scratch)
				}
			}
		}
	}
}

// scratch holds intermediate results of the prediction of a row.
type scratch struct {
	features []float64 // for each centre, the kernel between the row and the centre; the inputs if the scores are linear
	scores   []float64 // for each output
}

func (m *Model) newScratch() *scratch {
	return &scratch{make([]float64, len(m.coefficients)/len(m.bias)), make([]float64, len(m.bias))}
}

// predictFromInputs writes the class probabilities of a row with the inputs x to dst.
func (m *Model) predictFromInputs(dst []float32, x []float64, s *scratch) {
	m.computeFeatures(s.features, x)
	m.predictFromFeatures(dst, s)
}

// computeFeatures writes the kernel between a row with the inputs x and each centre to dst. If
// the scores are linear, it writes x to dst.
func (m *Model) computeFeatures(dst, x []float64) {
	if m.IsLinear() {
		copy(dst, x)
		return
	}
	width := m.encoder.width
	for j := range dst {
		dst[j] = gaussian(x, m.centers[j*width:(j+1)*width], m.gamma)
	}
}

// predictFromFeatures writes the class probabilities of the row with the features s.features to dst.
func (m *Model) predictFromFeatures(dst []float32, s *scratch) {
	scores := s.scores
	copy(scores, m.bias)
	for j, k := range s.features {
		axpy(scores, m.coefficients[j*len(scores):], k)
	}
	dst[0] = 0 // the score of the first of two classes
	for c, v := range scores {
		dst[m.classes-len(scores)+c] = float32(v)
	}
	kernel.Softmax(dst)
}
