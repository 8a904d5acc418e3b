package learn

import (
	"errors"
	"fmt"

	"foretell/internal/learn/codec"
	"foretell/internal/learn/neural"
	"foretell/internal/learn/rbf"
	"foretell/internal/learn/shapley"
	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// smoothedModel is the weighted mean of neural networks and a smooth part, which
// has the given weight, above 0 and at most 1.
type smoothedModel struct {
	networks, smooth predictor
	weight           float64
}

// Predict implements predictor.
func (m smoothedModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	m.mix(dst, func(p predictor, dst []float32) { p.Predict(dst, f, lo, hi) })
}

// mix sets dst to the weighted mean of the probabilities that predict writes for
// each part.
func (m smoothedModel) mix(dst []float32, predict func(p predictor, dst []float32)) {
	predict(m.networks, dst)
	other := make([]float32, len(dst))
	predict(m.smooth, other)
	mixProbabilities(dst, other, m.weight)
}

// mixProbabilities sets dst to the weighted mean of dst and smooth. weight is the weight
// of smooth.
func mixProbabilities(dst, smooth []float32, weight float64) {
	for i, q := range smooth {
		dst[i] = float32(float32(1-weight)*dst[i]) + float32(float32(weight)*q)
	}
}

// Encode implements predictor.
func (m smoothedModel) Encode(f *frame.Frame) shapley.Rows {
	return &smoothedRows{networks: m.networks.Encode(f), smooth: m.smooth.Encode(f), weight: m.weight}
}

// smoothedRows are encoded rows of a smoothedModel.
type smoothedRows struct {
	networks, smooth shapley.Rows
	weight           float64
	other            []float32 // scratch
}

// MarkDifferent implements shapley.Rows.
func (r *smoothedRows) MarkDifferent(different []bool, a, b int) {
	r.networks.MarkDifferent(different, a, b)
	r.smooth.MarkDifferent(different, a, b)
}

// PredictPath implements shapley.Rows.
func (r *smoothedRows) PredictPath(dst []float32, p *shapley.Path) {
	r.networks.PredictPath(dst, p)
	if len(r.other) < len(dst) {
		r.other = make([]float32, len(dst))
	}
	r.smooth.PredictPath(r.other[:len(dst)], p)
	mixProbabilities(dst, r.other[:len(dst)], r.weight)
}

// smoothedVersion is the first byte of the binary form of a smoothedModel. The binary form
// of networks without a smooth part begins with 1, the version of package neural.
const smoothedVersion = 2

// AppendBinary implements predictor. The binary form is smoothedVersion, the
// weight, the length of the networks, the networks, and the smooth part.
func (m smoothedModel) AppendBinary(b []byte) ([]byte, error) {
	networks, err := m.networks.AppendBinary(nil)
	if err != nil {
		return b, err
	}
	w := codec.NewWriter(b)
	w.Bytes(smoothedVersion)
	w.Float64(m.weight)
	w.Uvarint(len(networks))
	w.Bytes(networks...)
	w.Append(m.smooth.AppendBinary)
	return w.Result()
}

// readNetworks reads a model of SEV01, with or without a smooth part.
func readNetworks(b []byte) (predictor, error) {
	if len(b) == 0 || b[0] != smoothedVersion {
		return readPredictor[neural.Model](b)
	}
	r := codec.NewReader(b[1:])
	weight := r.FiniteFloat64()
	networks := r.Next(r.Count(1))
	if !(weight > 0 && weight <= 1) {
		r.Fail("invalid weight")
	}
	rest := r.Next(int(r.Remaining()))
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("smooth part: %w", err)
	}
	m := smoothedModel{weight: weight}
	var err error
	if m.networks, err = readPredictor[neural.Model](networks); err != nil {
		return nil, err
	}
	m.smooth, err = readPredictor[rbf.Model](rest)
	return m, err
}

// isSmoothed reports whether p has a smooth part.
func isSmoothed(p predictor) bool {
	if recorded, ok := p.(recordedModel); ok {
		p = recorded.decode()
	}
	_, ok := p.(smoothedModel)
	return ok
}

// AddONNX adds the model to g and returns its class probabilities, see onnxModel.
func (m smoothedModel) AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value {
	parts, weights := []onnx.Value{}, []float64{float64(float32(1 - m.weight)), float64(float32(m.weight))}
	for _, p := range []predictor{m.networks, m.smooth} {
		exported, ok := p.(onnxModel)
		if !ok {
			g.Fail(errors.New("the model has a smooth part that cannot be written as ONNX"))
			return ""
		}
		parts = append(parts, exported.AddONNX(g, x))
	}
	return g.WeightedSum(parts, weights)
}
