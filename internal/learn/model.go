package learn

import (
	"context"
	"iter"
	"slices"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// Model predicts the class of a row. It is immutable and safe for concurrent
// use. The model of an Outcome may be on Params.Disk, which must then stay open
// while the model is in use.
type Model struct {
	schema      *frame.Schema
	algorithm   string
	temperature metric.Temperature
	weights     []float64 // decision weights of the classes; nil if equal
	members     []member
	// background holds the rows with which explanations compare a row. It is nil in
	// models from old files.
	background *frame.Frame
}

// member is one of the predictors whose weighted mean is the prediction of a model. kind
// is the kind of its algorithm. A blend has members of different kinds.
type member struct {
	kind   uint8
	weight float64
	predictor
}

// Schema returns the columns and classes that the model was trained on. It must
// not be modified.
func (m *Model) Schema() *frame.Schema { return m.schema }

// Algorithm returns the name of the model's algorithm, or Blend.
func (m *Model) Algorithm() string { return m.algorithm }

func (m *Model) classes() int { return len(m.schema.Classes) }

// predict writes the calibrated class probabilities of f's rows lo…hi-1 to
// dst, row major.
func (m *Model) predict(dst []float32, f *frame.Frame, lo, hi int) {
	members := scoreTextsOnce(m.members)
	first := members[0]
	first.Predict(dst, f, lo, hi)
	if len(members) > 1 {
		for i := range dst {
			dst[i] *= float32(first.weight)
		}
		one := make([]float32, len(dst))
		for _, other := range members[1:] {
			other.Predict(one, f, lo, hi)
			for i, q := range one {
				dst[i] += float32(float32(other.weight) * q)
			}
		}
	}
	m.temperature.Apply(dst, m.classes())
}

// blockRows is the number of rows that are predicted at a time, few enough that
// a slow model responds to cancellation.
const blockRows = 128

// predictAll returns the calibrated class probabilities of all rows of f.
func (m *Model) predictAll(ctx context.Context, f *frame.Frame, workers int) ([]float32, error) {
	classes := m.classes()
	dst := make([]float32, f.Rows*classes)
	blocks := (f.Rows + blockRows - 1) / blockRows
	err := parallel.ForError(workers, blocks, func(i int) error {
		lo, hi := i*blockRows, min((i+1)*blockRows, f.Rows)
		m.predict(dst[lo*classes:hi*classes], f, lo, hi)
		return ctx.Err()
	})
	return dst, err
}

// predictMembers returns the calibrated class probabilities of all rows of f, predicted
// by a model with the given members instead of those of m. Only one member is in memory
// at a time.
func (m *Model) predictMembers(ctx context.Context, f *frame.Frame, members iter.Seq2[member, error], workers int) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := make([]float32, f.Rows*m.classes())
	memos := m.newTextMemos(f.Rows)
	for one, err := range members {
		if err != nil {
			return nil, err
		}
		if memos != nil {
			one = memos.remember(one)
		}
		single := m.withMembers(one)
		single.temperature = 1 // the temperature is applied later, to the mean of the members
		probabilities, err := single.predictAll(ctx, f, workers)
		if err != nil {
			return nil, err
		}
		for i, q := range probabilities {
			sum[i] += float32(float32(one.weight) * q)
		}
		if err := ctx.Err(); err != nil { // before the next member is loaded
			return nil, err
		}
	}
	m.temperature.Apply(sum, m.classes())
	return sum, nil
}

// withMembers returns a copy of the model with other members.
func (m *Model) withMembers(members ...member) *Model {
	other := *m
	other.members = members
	return &other
}

// newPredictions returns the input of a metric: probabilities, labels and the model's
// decision weights.
func (m *Model) newPredictions(probabilities []float32, labels []int32) metric.Predictions {
	return metric.Predictions{
		Probabilities: probabilities,
		Labels:        labels,
		Classes:       m.classes(),
		Weights:       slices.Clone(m.weights),
		Names:         m.schema.Classes,
	}
}
