package smooth

import (
	"errors"
	"fmt"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/logistic"
	"foretell/internal/learn/neural"
	"foretell/internal/learn/shapley"
	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// Predictor is a model of neural networks. Its methods do the same as the methods of neural.Model.
type Predictor interface {
	Predict(dst []float32, f *frame.Frame, lo, hi int)
	Encode(f *frame.Frame) shapley.Rows
	AppendBinary(b []byte) ([]byte, error)
	AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value
}

// Model is the weighted mean of neural networks and a logistic regression, the smooth part.
// It is immutable and safe for concurrent use.
type Model struct {
	networks Predictor
	smooth   *logistic.Model
	weight   float64 // of smooth
}

// NewModel returns a model whose predictions are the weighted mean of the predictions of
// networks and smooth. weight is the weight of smooth, above 0 and at most 1.
func NewModel(networks Predictor, smooth *logistic.Model, weight float64) *Model {
	return &Model{networks, smooth, weight}
}

// IsLinear reports whether the smooth part of m, the logistic regression, has no kernel. The scores
// of a smooth part without a kernel are linear functions of its inputs.
func (m *Model) IsLinear() bool { return m.smooth.IsLinear() }

// Predict writes the class probabilities of f's rows lo…hi-1 to dst, row-major.
func (m *Model) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	m.networks.Predict(dst, f, lo, hi)
	other := make([]float32, len(dst))
	m.smooth.Predict(other, f, lo, hi)
	mixProbabilities(dst, other, m.weight)
}

// mixProbabilities sets dst to the weighted mean of dst and smooth. weight is the weight
// of smooth.
func mixProbabilities(dst, smooth []float32, weight float64) {
	for i, q := range smooth {
		dst[i] = float32(float32(1-weight)*dst[i]) + float32(float32(weight)*q)
	}
}

// Encode encodes the rows of f for explanations by Shapley values.
func (m *Model) Encode(f *frame.Frame) shapley.Rows {
	return &encodedRows{networks: m.networks.Encode(f), smooth: m.smooth.Encode(f), weight: m.weight}
}

// encodedRows are encoded rows of a Model.
type encodedRows struct {
	networks, smooth shapley.Rows
	weight           float64
	other            []float32 // scratch
}

// MarkDifferent implements shapley.Rows.
func (r *encodedRows) MarkDifferent(different []bool, a, b int) {
	r.networks.MarkDifferent(different, a, b)
	r.smooth.MarkDifferent(different, a, b)
}

// PredictPath implements shapley.Rows.
func (r *encodedRows) PredictPath(dst []float32, p *shapley.Path) {
	r.networks.PredictPath(dst, p)
	if len(r.other) < len(dst) {
		r.other = make([]float32, len(dst))
	}
	r.smooth.PredictPath(r.other[:len(dst)], p)
	mixProbabilities(dst, r.other[:len(dst)], r.weight)
}

// version is the first byte of the binary form of a Model. The binary form of networks
// without a smooth part begins with 1, the version of package neural.
const version = 2

// IsModel reports whether b begins like the binary form of a Model, and not like the binary form of
// networks without a smooth part.
func IsModel(b []byte) bool { return len(b) > 0 && b[0] == version }

// AppendBinary appends the binary form of m to b: the version, the weight, the length of
// the networks, the networks, and the smooth part.
func (m *Model) AppendBinary(b []byte) ([]byte, error) {
	networks, err := m.networks.AppendBinary(nil)
	if err != nil {
		return b, err
	}
	w := codec.NewWriter(b)
	w.Bytes(version)
	w.Float64(m.weight)
	w.Uvarint(len(networks))
	w.Bytes(networks...)
	w.Append(m.smooth.AppendBinary)
	return w.Result()
}

// UnmarshalBinary sets m to the model with the binary form b. It does not retain b.
func (m *Model) UnmarshalBinary(b []byte) error {
	if !IsModel(b) {
		return errors.New("not a model with a smooth part")
	}
	r := codec.NewReader(b[1:])
	weight := r.FiniteFloat64()
	networks := r.Next(r.Count(1))
	if !(weight > 0 && weight <= 1) {
		r.Fail("invalid weight")
	}
	rest := r.Next(int(r.Remaining()))
	if err := r.End(); err != nil {
		return fmt.Errorf("smooth part: %w", err)
	}
	var network neural.Model
	if err := network.UnmarshalBinary(networks); err != nil {
		return err
	}
	var smooth logistic.Model
	if err := smooth.UnmarshalBinary(rest); err != nil {
		return err
	}
	*m = Model{&network, &smooth, weight}
	return nil
}

// AddONNX adds the model to g and returns its class probabilities. The columns of x are the columns
// that the model was trained on.
func (m *Model) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	parts := []onnx.Value{m.networks.AddONNX(g, x), m.smooth.AddONNX(g, x)}
	return g.WeightedSum(parts, []float64{float64(float32(1 - m.weight)), float64(float32(m.weight))})
}
