package model

import (
	"context"
	"iter"
	"slices"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/table/frame"
)

// Model predicts the class of a row. It is immutable and safe for concurrent
// use. If the model is the result of a race, its members may be on disk, in a file that must stay
// open while the model is in use.
type Model struct {
	schema      *frame.Schema
	algorithm   string
	temperature metric.Temperature
	weights     []float64 // decision weights of the classes; nil if equal
	members     []Member
	// background holds the rows with which explanations compare a row. It is nil in
	// models from old files.
	background *frame.Frame
}

// Parts are the parts of a new model. The model retains them, so they must not be
// modified.
type Parts struct {
	// Schema describes the columns and classes that the members were trained on.
	Schema *frame.Schema
	// Algorithm is the name of the algorithm, or Blend.
	Algorithm string
	// Members are the predictors; there must be at least one.
	Members []Member
	// Temperature calibrates the weighted mean of the members.
	Temperature metric.Temperature
	// Weights are the decision weights of the classes. The class with the highest product
	// of probability and weight is predicted. Weights is nil if all are equal.
	Weights []float64
	// Background holds the rows with which explanations compare a row. The model keeps only the
	// features that a member may use. If Background is nil, the model cannot explain its
	// predictions.
	Background *frame.Frame
}

// New returns a model of the given parts.
func New(p Parts) *Model {
	return &Model{
		schema:      p.Schema,
		algorithm:   p.Algorithm,
		temperature: p.Temperature,
		weights:     p.Weights,
		members:     p.Members,
		background:  newBackground(p.Background, p.Members),
	}
}

// newBackground returns a copy of rows without labels, and without the cells of features that no
// member uses. rows may be nil.
func newBackground(rows *frame.Frame, members []Member) *frame.Frame {
	if rows == nil {
		return nil
	}
	background := &frame.Frame{Schema: rows.Schema, Rows: rows.Rows, Columns: slices.Clone(rows.Columns)}
	if used := usedFeatures(members, rows.Schema); used != nil {
		for i := range background.Columns {
			if !used[i] {
				background.Columns[i] = frame.Column{}
			}
		}
	}
	return background
}

// BackgroundValues returns the values of a numeric feature in the rows of the background, NaN if a value is
// missing. It returns nil if the background does not have the feature.
func (m *Model) BackgroundValues(feature int) []float64 {
	if m.background == nil || !m.background.Columns[feature].IsNumeric() {
		return nil
	}
	return m.background.Columns[feature].Values(make([]float64, m.background.Rows), 0, m.background.Rows)
}

// BackgroundCodes returns the codes of a categorical feature in the rows of the background,
// frame.Missing if a value is missing. It returns nil if the background does not have the feature.
func (m *Model) BackgroundCodes(feature int) []int32 {
	if m.background == nil {
		return nil
	}
	return m.background.Columns[feature].Codes
}

// Schema returns the columns and classes that the model was trained on. It must
// not be modified.
func (m *Model) Schema() *frame.Schema { return m.schema }

// Algorithm returns the name of the model's algorithm, or Blend.
func (m *Model) Algorithm() string { return m.algorithm }

// Members returns the predictors whose weighted mean is the prediction. They must not be
// modified.
func (m *Model) Members() []Member { return m.members }

func (m *Model) classes() int { return len(m.schema.Classes) }

// predict writes the calibrated class probabilities of f's rows lo…hi-1 to
// dst, row major.
func (m *Model) predict(dst []float32, f *frame.Frame, lo, hi int) {
	members := scoreTextsOnce(m.members)
	first := members[0]
	first.Predict(dst, f, lo, hi)
	if len(members) > 1 {
		for i := range dst {
			dst[i] *= float32(first.Weight)
		}
		one := make([]float32, len(dst))
		for _, other := range members[1:] {
			other.Predict(one, f, lo, hi)
			for i, q := range one {
				dst[i] += float32(float32(other.Weight) * q)
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

// PredictMembers returns the calibrated class probabilities of all rows of f, row-major. It
// predicts like m, but with the given members instead of the members of m. Only one of the given
// members is in memory at a time. workers is the number of goroutines; it does not change the
// result. PredictMembers returns an error if a member cannot be loaded or ctx is cancelled.
func (m *Model) PredictMembers(ctx context.Context, f *frame.Frame, members iter.Seq2[Member, error], workers int) ([]float32, error) {
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
			one = memos.withMemo(one)
		}
		single := m.withMembers(one)
		single.temperature = 1 // the temperature is applied later, to the mean of the members
		probabilities, err := single.predictAll(ctx, f, workers)
		if err != nil {
			return nil, err
		}
		for i, q := range probabilities {
			sum[i] += float32(float32(one.Weight) * q)
		}
		if err := ctx.Err(); err != nil { // before the next member is loaded
			return nil, err
		}
	}
	m.temperature.Apply(sum, m.classes())
	return sum, nil
}

// withMembers returns a copy of the model with other members.
func (m *Model) withMembers(members ...Member) *Model {
	other := *m
	other.members = members
	return &other
}

// Predictions returns the input of a metric: probabilities, labels and the model's
// decision weights.
func (m *Model) Predictions(probabilities []float32, labels []int32) metric.Predictions {
	return metric.Predictions{
		Probabilities: probabilities,
		Labels:        labels,
		Classes:       m.classes(),
		Weights:       slices.Clone(m.weights),
		Names:         m.schema.Classes,
	}
}
