package model

import (
	"foretell/internal/learn/shapley"
	"foretell/internal/onnx"
	"foretell/internal/table/frame"
)

// Predictor is a trained model of one algorithm, such as a forest. It is immutable and safe for
// concurrent use.
type Predictor interface {
	// Predict writes the class probabilities of f's rows lo…hi-1 to dst,
	// row-major.
	Predict(dst []float32, f *frame.Frame, lo, hi int)
	// Encode encodes the rows of f for explanations by Shapley values.
	Encode(f *frame.Frame) shapley.Rows
	// AppendBinary appends the predictor's binary form to b.
	AppendBinary(b []byte) ([]byte, error)
	// AddONNX adds the predictor to g and returns its class probabilities. The columns of x are the
	// columns that the predictor was trained on.
	AddONNX(g *onnx.Graph, x onnx.Matrix) onnx.Value
}

// Member is one of the predictors whose weighted mean is the prediction of a model. A
// blend has members of different algorithms.
type Member struct {
	Algorithm *Algorithm
	Weight    float64 // the weights of the members of a model add up to 1
	Predictor
}

// Clone returns a copy of m, made by encoding and decoding its predictor. When a predictor
// predicts, it allocates memory and keeps it. To free this memory, predict with a copy and drop the
// copy.
func (m Member) Clone() (Member, error) {
	inner, features := UnwrapFeatures(m.Predictor)
	b, err := inner.AppendBinary(nil)
	if err != nil {
		return Member{}, err
	}
	m.Predictor, err = m.Algorithm.Read(b)
	m.Predictor = WithFeatures(m.Predictor, features)
	return m, err
}
