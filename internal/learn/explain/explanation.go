package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"foretell/internal/learn/metric"
	"foretell/internal/learn/parallel"
	"foretell/internal/learn/shapley"
	"foretell/internal/table/frame"
)

// ErrNoBackground is returned for a model without background rows. Such a model was
// written by a version of the program that could not explain predictions.
var ErrNoBackground = errors.New("the model has no background rows to compare with: it was trained by an earlier version of foretell")

// Model is a model whose predictions are explained.
type Model struct {
	Schema *frame.Schema
	// Background holds the rows with which the explained rows are compared. It is nil in
	// the models of old files.
	Background *frame.Frame
	// Weights are the decision weights of the classes, or nil if all are equal.
	Weights []float64
	// Predict writes the calibrated class probabilities of f's rows lo…hi-1 to dst,
	// row-major. It must be safe for concurrent use.
	Predict func(dst []float32, f *frame.Frame, lo, hi int)
	// Encode returns the rows of f in the form that Shapley values need. PredictPath of the result
	// must compute the same probabilities as Predict, up to rounding.
	Encode func(f *frame.Frame) shapley.Rows
}

func (m *Model) classes() int { return len(m.Schema.Classes) }

// Options are the options of an Explainer. The zero value of a field selects its default.
type Options struct {
	// Class is the index of the class whose probability is explained, plus one. If there is no such
	// class, NewExplainer returns an error. Defaults to the predicted class of each row.
	Class int
	// Workers is the number of goroutines. It does not change the result.
	// Defaults to GOMAXPROCS.
	Workers int
}

// Explanation describes how the columns contribute to the difference between the
// probability of a class for one row and the mean probability of the class over the
// background rows.
type Explanation struct {
	// Class is the index of the class in the schema.
	Class int
	// Probability is the calibrated probability of the class. Base is its mean
	// over the background rows.
	Probability, Base float64
	// Contributions[i] is what the i-th column of Schema.SourceColumns adds to Base. The
	// contributions add up to Probability - Base.
	Contributions []float64
}

// Explainer computes the contributions of the columns to predictions of a model. It is
// safe for concurrent use.
type Explainer struct {
	model   *Model
	options Options
	table   shapley.TableInfo
	orders  *shapley.ColumnOrders
	base    []float64 // by class
}

// NewExplainer returns an Explainer of m. The error is ErrNoBackground for a model from an
// old file. It is also an error if there is no class opts.Class.
func NewExplainer(m *Model, opts Options) (*Explainer, error) {
	if m.Background == nil {
		return nil, ErrNoBackground
	}
	if opts.Class < 0 || opts.Class > m.classes() {
		return nil, fmt.Errorf("class %d: must be between 1 and %d, or 0 for the predicted class", opts.Class, m.classes())
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	e := &Explainer{model: m, options: opts, base: make([]float64, m.classes())}
	e.table = shapley.TableInfo{Background: m.Background.Rows, Features: len(m.Schema.Columns), Classes: m.classes()}
	for _, group := range m.Schema.SourceColumns() {
		e.table.Columns = append(e.table.Columns, group.Features)
	}
	for _, d := range m.Schema.Differences() {
		e.table.Joint = append(e.table.Joint, shapley.JointFeature{Feature: d.Feature, Sources: [2]int{d.From, d.To}})
	}
	e.orders = shapley.NewColumnOrders(e.table)
	probabilities := make([]float32, m.Background.Rows*m.classes())
	err := parallel.Recover(func() error {
		m.Predict(probabilities, m.Background, 0, m.Background.Rows)
		return nil
	})
	for i, q := range probabilities {
		e.base[i%m.classes()] += float64(q) / float64(m.Background.Rows)
	}
	return e, err
}

// explainBatchRows is the number of rows that are encoded and explained at a time. They
// are encoded together with the background.
const explainBatchRows = 16

// Explain explains the predictions of the rows lo…hi-1 of f, which must have the columns of
// the schema. The contributions are Shapley values; see package shapley. Equal rows have equal
// contributions, which do not depend on the other rows of f.
func (e *Explainer) Explain(ctx context.Context, f *frame.Frame, lo, hi int) ([]Explanation, error) {
	list := make([]Explanation, hi-lo)
	batches := (len(list) + explainBatchRows - 1) / explainBatchRows
	err := parallel.ForError(e.options.Workers, batches, func(batch int) error {
		first := batch * explainBatchRows
		return e.explainBatch(ctx, list[first:min(first+explainBatchRows, len(list))], f, lo+first)
	})
	return list, err
}

// explainBatch sets list to the explanations of the rows lo … lo+len(list)-1 of f.
func (e *Explainer) explainBatch(ctx context.Context, list []Explanation, f *frame.Frame, lo int) error {
	m, classes := e.model, e.model.classes()
	probabilities := make([]float32, len(list)*classes)
	m.Predict(probabilities, f, lo, lo+len(list))
	joined := m.Background.Append(f, lo, lo+len(list))
	s := shapley.NewExplainer(e.table, withDates(m.Encode(joined), joined), e.orders)
	for i := range list {
		q := probabilities[i*classes : (i+1)*classes]
		class := e.options.Class - 1
		if class < 0 {
			class = metric.Decide(q, m.Weights)
		}
		list[i] = Explanation{
			Class: class, Probability: float64(q[class]), Base: e.base[class], Contributions: make([]float64, len(e.table.Columns)),
		}
		if err := s.Explain(ctx, list[i].Contributions, m.Background.Rows+i, class); err != nil {
			return err
		}
		list[i].addRoundingToLargest()
	}
	return nil
}

// addRoundingToLargest adds the rounding error of the contributions, about a millionth, to the
// largest contribution, so that the contributions add up to Probability - Base.
func (x *Explanation) addRoundingToLargest() {
	largest, missing := 0, x.Probability-x.Base
	for i, v := range x.Contributions {
		missing -= v
		if math.Abs(v) > math.Abs(x.Contributions[largest]) {
			largest = i
		}
	}
	if len(x.Contributions) > 0 && x.Contributions[largest] != 0 {
		x.Contributions[largest] += missing
	}
}
