package learn

import (
	"context"
	"iter"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/metric"
)

// Model predicts the class of a row. It does not change and may be used by any
// number of goroutines. That of an Outcome may wait on the disk of the race,
// which must not be closed as long as it is used.
type Model struct {
	schema      *frame.Schema
	algorithm   string
	temperature metric.Temperature
	weights     []float64 // of the classes in decisions; nil if equal
	members     []member
}

// member is one of the predictors whose weighted mean is the model's
// prediction. Each tells its own method: those of a blend differ.
type member struct {
	kind   uint8
	weight float64
	predictor
}

// Schema returns the columns and classes the model was learnt from. It must
// not be changed.
func (m *Model) Schema() *frame.Schema { return m.schema }

// Algorithm returns the name of the algorithm that won, or Blend.
func (m *Model) Algorithm() string { return m.algorithm }

func (m *Model) classes() int { return len(m.schema.Classes) }

// predict writes the calibrated class probabilities of f's rows lo…hi-1 to
// dst, row major.
func (m *Model) predict(dst []float32, f *frame.Frame, lo, hi int) {
	first := m.members[0]
	first.Predict(dst, f, lo, hi)
	if len(m.members) > 1 {
		for i := range dst {
			dst[i] *= float32(first.weight)
		}
		one := make([]float32, len(dst))
		for _, other := range m.members[1:] {
			other.Predict(one, f, lo, hi)
			for i, q := range one {
				dst[i] += float32(other.weight) * q
			}
		}
	}
	m.temperature.Apply(dst, m.classes())
}

// blockRows is how many rows are predicted as one piece of work: few enough
// that the many trees of a slow model do not keep a stop waiting.
const blockRows = 128

// predictAll returns the calibrated class probabilities of all rows of f.
func (m *Model) predictAll(ctx context.Context, f *frame.Frame, workers int) ([]float32, error) {
	classes := m.classes()
	dst := make([]float32, f.Rows*classes)
	blocks := (f.Rows + blockRows - 1) / blockRows
	err := each(workers, blocks, func(i int) error {
		lo, hi := i*blockRows, min((i+1)*blockRows, f.Rows)
		m.predict(dst[lo*classes:hi*classes], f, lo, hi)
		return ctx.Err()
	})
	return dst, err
}

// predictEach is predictAll for the model with the given members, of which only
// one is in memory at a time.
func (m *Model) predictEach(ctx context.Context, f *frame.Frame, members iter.Seq2[member, error], workers int) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	sum := make([]float32, f.Rows*m.classes())
	for one, err := range members {
		if err != nil {
			return nil, err
		}
		alone := m.with(one)
		alone.temperature = 1
		probabilities, err := alone.predictAll(ctx, f, workers)
		if err != nil {
			return nil, err
		}
		for i, q := range probabilities {
			sum[i] += float32(one.weight) * q
		}
		if err := ctx.Err(); err != nil { // before the next is read
			return nil, err
		}
	}
	m.temperature.Apply(sum, m.classes())
	return sum, nil
}

// with returns a model that differs in its members.
func (m *Model) with(members ...member) *Model {
	other := *m
	other.members = members
	return &other
}

// decisions returns what the model would be scored on: probabilities beside
// the truth.
func (m *Model) decisions(probabilities []float32, labels []int32) metric.Predictions {
	return metric.Predictions{
		Probabilities: probabilities,
		Labels:        labels,
		Classes:       m.classes(),
		Weights:       slices.Clone(m.weights),
	}
}
