package boost

import (
	"fmt"

	"foretell/internal/learn/codec"
	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// Model is a trained classifier. It is immutable and safe for concurrent use. If a Fitter
// returned the model, the trees are read from Options.Disk on first use. If the disk
// fails, Predict panics, and AppendBinary returns an error.
type Model struct {
	classes  int
	base     []float32
	ensemble ensemble
}

// ensemble holds the trees of a model. All trees are leaf-wise, or all are symmetric.
type ensemble interface {
	// score adds the scores of f's rows lo…hi-1 to dst, which is row-major. The base
	// scores are not included.
	score(dst []float32, f *frame.Frame, lo, hi int)
	// encode returns the rows of f in the form that explanations by Shapley values need.
	encode(f *frame.Frame) encodedEnsemble
	// addONNX adds one ONNX tree ensemble for each round to trees. x has the columns of
	// the frame. addONNX returns the matrix that is the input of the trees: x, or x with
	// additional columns.
	addONNX(g *onnx.Graph, trees *onnx.BoostedTreesBuilder, x onnx.Matrix) onnx.Matrix
	// kind returns the second byte of the binary form.
	kind() byte
	write(w *codec.Writer)
}

// The first bytes of the binary form: its version and the kind of ensemble.
const (
	version             = 1
	kindLeafwise        = 0
	kindSymmetric       = 1
	kindSymmetricHashed = 2 // with a statistic of a hashed pair; see categoryColumns
)

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major;
// each row sums to 1. f must have the columns of the frame that the model was
// trained on, in the same order.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	width := len(m.base)
	raw := make([]float32, (hi-lo)*width)
	for i := 0; i < len(raw); i += width {
		copy(raw[i:], m.base)
	}
	m.ensemble.score(raw, f, lo, hi)
	for i := range hi - lo {
		scoresToProbabilities(dst[i*m.classes:(i+1)*m.classes], raw[i*width:(i+1)*width])
	}
}

// AppendBinary appends the model's binary form to b: a version, the kind of
// ensemble, the number of classes, the base scores, then the ensemble.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	w := codec.NewWriter(b)
	w.Bytes(version, m.ensemble.kind())
	w.Uint16(uint16(m.classes))
	w.Float32s(m.base)
	m.ensemble.write(w)
	return w.Result()
}

// UnmarshalBinary sets m to the model with the binary form b. It changes m only
// if the error is nil.
func (m *Model) UnmarshalBinary(b []byte) error {
	r := codec.NewReader(b)
	if r.Byte() != version {
		r.Fail("unsupported version")
	}
	kind, classes := r.Byte(), int(r.Uint16())
	if classes < 2 {
		r.Fail("fewer than two classes")
	}
	read := Model{classes: classes, base: r.FiniteFloat32s(numOutputs(classes))}
	switch kind {
	case kindLeafwise:
		read.ensemble = readLeafwiseModel(r, numOutputs(classes))
	case kindSymmetric, kindSymmetricHashed:
		read.ensemble = readSymmetricModel(r, numOutputs(classes))
	default:
		r.Fail("unknown kind of ensemble")
	}
	if r.Err() == nil && read.ensemble.kind() != kind {
		r.Fail("the kind of ensemble does not match its target statistics")
	}
	if err := r.End(); err != nil {
		return fmt.Errorf("boost: %w", err)
	}
	*m = read
	return nil
}
