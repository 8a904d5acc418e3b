package model

import (
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/text"
	"foretell/internal/table/frame"
)

// Features are the inputs of a predictor that differ from the columns of the schema: irrelevant
// columns and columns that screening did not select are left out, and text columns are replaced by
// the scores of text models.
type Features struct {
	// Columns are indices of columns of the schema, ascending.
	Columns []int32
	// texts are the text models, whose scores follow the columns. It is nil if there are none.
	texts *textModels
}

// NewFeatures returns features that consist of the given columns of the schema, followed by the
// scores that texts[i] computes from the column textColumns[i]. Both lists hold ascending indices.
// texts may be empty.
func NewFeatures(columns, textColumns []int32, texts []*text.Model) *Features {
	if len(texts) == 0 {
		return &Features{Columns: columns}
	}
	return &Features{columns, &textModels{columns: textColumns, models: texts}}
}

// markUsed sets used[c] to true for each column c of the schema that the features use.
func (v *Features) markUsed(used []bool) {
	for _, i := range v.Columns {
		used[i] = true
	}
	if v.texts != nil {
		for _, i := range v.texts.columns {
			used[i] = true
		}
	}
}

// compute returns a frame with the features of rows lo…hi-1 of f: the columns v.Columns,
// then the scores of texts.
func (v *Features) compute(f *frame.Frame, lo, hi int) *frame.Frame {
	scored := &frame.Frame{Rows: hi - lo}
	for _, i := range v.Columns {
		scored.Columns = append(scored.Columns, f.Columns[i].Slice(lo, hi))
	}
	v.texts.appendScores(scored, f, lo)
	return scored
}

// usedFeatures reports for each feature of schema whether a member may use it, directly or through
// a feature that is computed from it. If a member may use all features, the result is nil.
func usedFeatures(members []Member, schema *frame.Schema) []bool {
	used := make([]bool, len(schema.Columns))
	for _, one := range members {
		_, own := UnwrapFeatures(one.Predictor)
		if own == nil {
			return nil
		}
		own.markUsed(used)
	}
	schema.MarkDifferenceDates(used)
	return used
}

// featurePredictor is a predictor whose inputs differ from the columns of the schema. Its methods
// take a frame with the columns of the schema. They compute the features from this frame and pass
// them to the embedded Predictor.
type featurePredictor struct {
	Predictor
	features *Features
}

// WithFeatures returns a predictor that computes the given features and passes them to p.
// It returns p if features is nil.
func WithFeatures(p Predictor, features *Features) Predictor {
	if features == nil {
		return p
	}
	return featurePredictor{p, features}
}

// UnwrapFeatures returns the arguments of WithFeatures. If p is not a result of
// WithFeatures, it returns p and nil.
func UnwrapFeatures(p Predictor) (inner Predictor, features *Features) {
	if m, ok := p.(featurePredictor); ok {
		return m.Predictor, m.features
	}
	return p, nil
}

// Predict implements Predictor.
func (p featurePredictor) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	if p.features.texts == nil {
		p.Predictor.Predict(dst, selectColumns(f, p.features.Columns), lo, hi)
		return
	}
	p.Predictor.Predict(dst, p.features.compute(f, lo, hi), 0, hi-lo)
}

// Encode implements Predictor.
func (p featurePredictor) Encode(f *frame.Frame) shapley.Rows {
	sources := p.features.Columns
	inner := selectColumns(f, sources)
	if p.features.texts != nil {
		inner = p.features.compute(f, 0, f.Rows)
		sources = p.features.texts.appendSources(sources)
	}
	return &featureRows{
		inner: p.Predictor.Encode(inner), sources: sources,
		different: make([]bool, len(sources)), step: make([]int32, len(sources)),
	}
}

// selectColumns returns a frame with only the given columns of f.
func selectColumns(f *frame.Frame, columns []int32) *frame.Frame {
	selected := &frame.Frame{Rows: f.Rows, Columns: make([]frame.Column, len(columns))}
	for i, column := range columns {
		selected.Columns[i] = f.Columns[column]
	}
	return selected
}

// featureRows are encoded rows of a featurePredictor.
type featureRows struct {
	inner     shapley.Rows
	sources   []int32 // by feature: the column of the schema from which it is computed
	different []bool
	step      []int32
}

// MarkDifferent implements shapley.Rows.
func (r *featureRows) MarkDifferent(different []bool, a, b int) {
	clear(r.different)
	r.inner.MarkDifferent(r.different, a, b)
	for i, source := range r.sources {
		if r.different[i] {
			different[source] = true
		}
	}
}

// PredictPath implements shapley.Rows.
func (r *featureRows) PredictPath(dst []float32, p *shapley.Path) {
	for i, source := range r.sources {
		r.step[i] = p.Step[source]
	}
	inner := *p
	inner.Step = r.step
	r.inner.PredictPath(dst, &inner)
}
