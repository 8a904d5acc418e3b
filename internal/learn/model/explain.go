package model

import (
	"context"
	"io"

	"foretell/internal/learn/explain"
	"foretell/internal/learn/shapley"
	"foretell/internal/table/frame"
)

// ExplainOptions are the options of [Model.Explain] and [Model.ExplainFile].
type ExplainOptions = explain.Options

// Explanation holds, for one row, what each column adds to the probability of a class.
type Explanation = explain.Explanation

// ExplainedRow is the explanation of one row of a file.
type ExplainedRow = explain.Row

// ErrNoBackground is the error for a model from an old file. Its predictions cannot be explained,
// because it has no background rows to compare a row with. The yield function of
// [Model.ExplainFile] returns ErrSkipAll to end the iteration. See package explain.
var (
	ErrNoBackground = explain.ErrNoBackground
	ErrSkipAll      = explain.ErrSkipAll
)

// Columns returns the names of the columns of a file from which the model's features are
// extracted.
func (m *Model) Columns() []string {
	columns := m.schema.SourceColumns()
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
	}
	return names
}

// Explain explains the predictions of the rows of f; see [explain.Explainer]. It returns
// ErrNoBackground for a model from an old file.
func (m *Model) Explain(ctx context.Context, f *frame.Frame, opts ExplainOptions) ([]Explanation, error) {
	e, err := explain.NewExplainer(m.explainModel(), opts)
	if err != nil {
		return nil, err
	}
	return e.Explain(ctx, f, 0, f.Rows)
}

// ExplainFile explains the predictions of the rows of a blind CSV, which has no label column; see
// [explain.File].
func (m *Model) ExplainFile(
	ctx context.Context, blind io.Reader, opts ExplainOptions, wanted func(row int) bool, yield func(ExplainedRow) error,
) error {
	return explain.File(ctx, m.explainModel(), blind, opts, wanted, yield)
}

// FindTrainingRows looks up a sample of the training rows in a CSV that has the columns
// of the model. It returns the number of rows found and the size of the sample; see
// [explain.FindTrainingRows].
func (m *Model) FindTrainingRows(ctx context.Context, file io.Reader) (found, sample int, err error) {
	return explain.FindTrainingRows(ctx, m.explainModel(), file)
}

// explainModel returns m in the form that package explain uses.
func (m *Model) explainModel() *explain.Model {
	return &explain.Model{Schema: m.schema, Background: m.background, Weights: m.weights, Predict: m.predict, Encode: m.encode}
}

// encode encodes the rows of f for each member of the model.
func (m *Model) encode(f *frame.Frame) shapley.Rows {
	rows := &modelRows{model: m}
	for _, one := range scoreTextsOnce(m.members) {
		rows.members = append(rows.members, one.Encode(f))
	}
	return rows
}

// modelRows holds the encoded rows of each member of a model. Except for rounding,
// PredictPath computes the same probabilities as Model.predict.
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
		weight := float32(r.model.members[i].Weight)
		for k, q := range r.one {
			dst[k] += float32(weight * q)
		}
	}
	r.model.temperature.Apply(dst, r.model.classes())
}

// FoldModel returns the model of a fold, in the form that package explain uses. The result has the
// given members instead of the members of m. It remembers the scores of texts, because explanations
// predict the same texts again for each column.
func (m *Model) FoldModel(members []Member) explain.FoldModel {
	members = textMemos{}.withMemos(members)
	return explain.FoldModel{Used: usedFeatures(members, m.schema), Predict: m.withMembers(members...).predict}
}
