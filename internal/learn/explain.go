package learn

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

// ErrNoBackground is returned for a model without background rows, which was
// written by a version of the program that could not explain predictions.
var ErrNoBackground = errors.New("the model has no background rows to compare with: it was trained by an older version")

// ExplainOptions are the options of Explain. Zero values are defaults.
type ExplainOptions struct {
	// Class is the index of the class whose probability is explained, plus one. It
	// is an error if there is no such class. Defaults to the predicted class of
	// each row.
	Class int
	// Workers is the number of goroutines. It does not change the result.
	// Defaults to GOMAXPROCS.
	Workers int
}

// Explanation divides the difference between the probability of a row and that
// of the background among the columns.
type Explanation struct {
	// Class is the index of the class in the schema.
	Class int
	// Probability is the calibrated probability of the class. Base is its mean
	// over the background rows.
	Probability, Base float64
	// Contributions holds what each column of Model.Columns adds to Base. They add
	// up to Probability - Base.
	Contributions []float64
}

// Columns returns the names of the columns of a file that the model's features
// are extracted from.
func (m *Model) Columns() []string {
	groups := groupByColumn(m.schema)
	names := make([]string, len(groups))
	for i, group := range groups {
		names[i] = group.name
	}
	return names
}

// Explain explains the predictions of the rows of f, which must have the columns of the
// schema. The contributions are Shapley values, see package shapley. They are equal for
// equal rows, and do not depend on the other rows of f. Explain returns ErrNoBackground
// for a model from an old file.
func (m *Model) Explain(ctx context.Context, f *frame.Frame, opts ExplainOptions) ([]Explanation, error) {
	e, err := m.newExplainer(opts)
	if err != nil {
		return nil, err
	}
	return e.explain(ctx, f, 0, f.Rows)
}

// explainer explains predictions of a model. It is safe for concurrent use.
type explainer struct {
	model   *Model
	options ExplainOptions
	table   shapley.TableInfo
	orders  *shapley.Orders
	base    []float64 // by class
}

func (m *Model) newExplainer(opts ExplainOptions) (*explainer, error) {
	if m.background == nil {
		return nil, ErrNoBackground
	}
	if opts.Class < 0 || opts.Class > m.classes() {
		return nil, fmt.Errorf("class %d: must be 1 to %d, or 0 for the predicted class", opts.Class, m.classes())
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	e := &explainer{model: m, options: opts, base: make([]float64, m.classes())}
	e.table = shapley.TableInfo{Background: m.background.Rows, Features: len(m.schema.Columns), Classes: m.classes()}
	for _, group := range groupByColumn(m.schema) {
		e.table.Columns = append(e.table.Columns, group.features)
	}
	e.orders = shapley.NewOrders(e.table)
	probabilities := make([]float32, m.background.Rows*m.classes())
	err := parallel.Recover(func() error {
		m.predict(probabilities, m.background, 0, m.background.Rows)
		return nil
	})
	for i, q := range probabilities {
		e.base[i%m.classes()] += float64(q) / float64(m.background.Rows)
	}
	return e, err
}

// explainRows is the number of rows that are encoded at a time, together with the
// background.
const explainRows = 16

// explain explains the rows lo…hi-1 of f.
func (e *explainer) explain(ctx context.Context, f *frame.Frame, lo, hi int) ([]Explanation, error) {
	list := make([]Explanation, hi-lo)
	batches := (len(list) + explainRows - 1) / explainRows
	err := parallel.ForError(e.options.Workers, batches, func(batch int) error {
		first := batch * explainRows
		return e.explainBatch(ctx, list[first:min(first+explainRows, len(list))], f, lo+first)
	})
	return list, err
}

// explainBatch explains the rows of f from lo on.
func (e *explainer) explainBatch(ctx context.Context, list []Explanation, f *frame.Frame, lo int) error {
	m, classes := e.model, e.model.classes()
	probabilities := make([]float32, len(list)*classes)
	m.predict(probabilities, f, lo, lo+len(list))
	rows := m.encode(appendRows(m.background, f, lo, lo+len(list)))
	s := shapley.NewExplainer(e.table, rows, e.orders)
	for i := range list {
		q := probabilities[i*classes : (i+1)*classes]
		class := e.options.Class - 1
		if class < 0 {
			class = metric.Decide(q, m.weights)
		}
		list[i] = Explanation{
			Class: class, Probability: float64(q[class]), Base: e.base[class], Contributions: make([]float64, len(e.table.Columns)),
		}
		if err := s.Explain(ctx, list[i].Contributions, m.background.Rows+i, class); err != nil {
			return err
		}
		list[i].addRounding()
	}
	return nil
}

// addRounding adds the rounding error of the sum of the contributions to the largest
// of them, so that they add up to Probability - Base. The error is about a millionth,
// because the sum of many trees depends on its order.
func (x *Explanation) addRounding() {
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

// appendRows returns a frame with the rows of background and rows lo…hi-1 of f. Features
// without cells in background have no cells in the result.
func appendRows(background, f *frame.Frame, lo, hi int) *frame.Frame {
	joined := &frame.Frame{Schema: background.Schema, Rows: background.Rows + hi - lo, Columns: make([]frame.Column, len(background.Columns))}
	for i := range background.Columns {
		b, c, dst := &background.Columns[i], &f.Columns[i], &joined.Columns[i]
		switch {
		case b.Codes != nil:
			dst.Codes = append(append(make([]int32, 0, joined.Rows), b.Codes...), c.Codes[lo:hi]...)
		case b.Texts != nil:
			dst.Texts = append(append(make([]string, 0, joined.Rows), b.Texts...), c.Texts[lo:hi]...)
		case b.IsNumeric():
			dst.Floats = make([]float64, joined.Rows)
			copy(dst.Floats, b.Values(dst.Floats, 0, background.Rows))
			rest := dst.Floats[background.Rows:]
			copy(rest, c.Values(rest, lo, hi))
		}
	}
	return joined
}

// encode encodes the rows of f for all members.
func (m *Model) encode(f *frame.Frame) shapley.Rows {
	rows := &modelRows{model: m}
	for _, one := range m.members {
		rows.members = append(rows.members, one.Encode(f))
	}
	return rows
}

// modelRows are encoded rows of a model. The probabilities of a path are those of
// Model.predict up to rounding.
type modelRows struct {
	model   *Model
	members []shapley.Rows
	one     []float32
}

// MarkDifferent implements shapley.Rows.
func (r *modelRows) MarkDifferent(different []bool, a, b int) {
	for _, member := range r.members {
		member.MarkDifferent(different, a, b)
	}
}

// PredictPath implements shapley.Rows.
func (r *modelRows) PredictPath(dst []float32, p *shapley.Path) {
	clear(dst)
	if cap(r.one) < len(dst) {
		r.one = make([]float32, len(dst))
	}
	r.one = r.one[:len(dst)]
	for i, member := range r.members {
		member.PredictPath(r.one, p)
		weight := float32(r.model.members[i].weight)
		for k, q := range r.one {
			dst[k] += weight * q
		}
	}
	r.model.temperature.Apply(dst, r.model.classes())
}
