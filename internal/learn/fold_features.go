package learn

import (
	"context"
	"slices"

	"foretell/internal/learn/shapley"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// foldFeatures are the features that a predictor was trained on, if they are not the
// columns of the schema: features selected by screening, and scores of texts. They are
// fitted to the training rows of a fold.
type foldFeatures struct {
	// columns are indices of columns of the schema, ascending.
	columns []int32
	// texts computes the scores of texts. These features follow the columns. texts is nil
	// if there are no scores of texts.
	texts *textModels
}

// mark sets used[c] to true for each column c of the schema from which a feature is
// computed.
func (v *foldFeatures) mark(used []bool) {
	for _, i := range v.columns {
		used[i] = true
	}
	if v.texts != nil {
		for _, i := range v.texts.columns {
			used[i] = true
		}
	}
}

// trainedData returns the data that the fitters of a fold are trained on: t itself, or
// data with features of the fold's own. These features are fitted to the given rows, which
// must be the fold's training rows.
func (t *trainingData) trainedData(ctx context.Context, foldIndex int, rows []int32) (*trainingData, error) {
	if t.numScreened() == 0 && len(t.Schema.TextColumns()) == 0 {
		return t, nil
	}
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	if known := t.foldData[foldIndex]; known != nil {
		return known, nil
	}
	columns := t.Schema.PlainColumns()
	if t.numScreened() > 0 {
		// A selection on all rows would leak the validation labels (Ambroise and
		// McLachlan 2002).
		var err error
		if columns, err = t.screener.Select(ctx, t.Frame, columns, rows, t.params.Workers); err != nil {
			return nil, err
		}
	}
	schema := *t.Schema
	schema.Columns = gather(schema.Columns, columns)
	f := selectColumns(t.Frame, columns)
	f.Schema, f.Labels = &schema, t.Labels
	features := &foldFeatures{columns: columns}
	var err error
	if features.texts, err = t.addTextScores(ctx, f, foldIndex, rows); err != nil {
		return nil, err
	}
	features = t.shareFeaturesLocked(foldIndex, features)
	monotone := gather(t.monotone, columns)
	if monotone != nil { // scores of texts have no direction
		monotone = append(monotone, make([]tree.Direction, len(f.Columns)-len(columns))...)
	}
	if t.foldData == nil {
		t.foldData = map[int]*trainingData{}
	}
	t.foldData[foldIndex] = &trainingData{Frame: f, params: t.params, features: features, monotone: monotone, siblings: &t.foldBins}
	return t.foldData[foldIndex], nil
}

// shareFeatures returns the features of a fold: those that are already known, if they are
// computed from the same columns, otherwise the given ones. Models that share features share
// their memory.
func (t *trainingData) shareFeatures(foldIndex int, features *foldFeatures) *foldFeatures {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	return t.shareFeaturesLocked(foldIndex, features)
}

// shareFeaturesLocked is shareFeatures for callers that hold foldMutex.
func (t *trainingData) shareFeaturesLocked(foldIndex int, features *foldFeatures) *foldFeatures {
	if known := t.foldFeatures[foldIndex]; known != nil {
		if !slices.Equal(known.columns, features.columns) { // selected on a machine that rounds differently
			return features
		}
		return known
	}
	if t.foldFeatures == nil {
		t.foldFeatures = map[int]*foldFeatures{}
	}
	t.foldFeatures[foldIndex] = features
	return features
}

// selectColumns returns f with the given features only.
func selectColumns(f *frame.Frame, columns []int32) *frame.Frame {
	return &frame.Frame{Rows: f.Rows, Columns: gather(f.Columns, columns)}
}

// newFoldFitter returns a fitter on the features of a fold.
func (a *algorithm) newFoldFitter(ctx context.Context, t fitTask) (fitter, error) {
	data, err := t.data.trainedData(ctx, t.foldIndex, t.fold.Train)
	if err != nil {
		return nil, err
	}
	t.data = data
	inner, err := a.newFitter(ctx, t)
	if err != nil || data.features == nil {
		return inner, err
	}
	return foldFitter{inner, data.features}, nil
}

// foldFitter is a fitter on the features of a fold.
type foldFitter struct {
	fitter
	features *foldFeatures
}

func (f foldFitter) Model() predictor { return foldModel{f.fitter.Model(), f.features} }

// foldModel is a predictor on the features of a fold.
type foldModel struct {
	predictor
	features *foldFeatures
}

// withFeatures returns p as a predictor on the given features, which may be nil.
func withFeatures(p predictor, features *foldFeatures) predictor {
	if features == nil {
		return p
	}
	return foldModel{p, features}
}

// unwrapFeatures returns the inner predictor and its features, or p and nil if its
// features are the columns of the schema.
func unwrapFeatures(p predictor) (inner predictor, features *foldFeatures) {
	if m, ok := p.(foldModel); ok {
		return m.predictor, m.features
	}
	return p, nil
}

func (m foldModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	if m.features.texts == nil {
		m.predictor.Predict(dst, selectColumns(f, m.features.columns), lo, hi)
		return
	}
	m.predictor.Predict(dst, m.features.scored(f, lo, hi), 0, hi-lo)
}

// scored returns a frame of the features of rows lo…hi-1 of f: the columns v.columns, then
// the scores of texts.
func (v *foldFeatures) scored(f *frame.Frame, lo, hi int) *frame.Frame {
	scored := &frame.Frame{Rows: hi - lo}
	for _, i := range v.columns {
		scored.Columns = append(scored.Columns, f.Columns[i].Slice(lo, hi))
	}
	v.texts.appendScores(scored, f, lo)
	return scored
}

// Encode implements predictor.
func (m foldModel) Encode(f *frame.Frame) shapley.Rows {
	sources := m.features.columns
	inner := selectColumns(f, sources)
	if m.features.texts != nil {
		inner = m.features.scored(f, 0, f.Rows)
		sources = m.features.texts.appendSources(sources)
	}
	return &foldRows{
		inner: m.predictor.Encode(inner), sources: sources,
		different: make([]bool, len(sources)), step: make([]int32, len(sources)),
	}
}

// foldRows are encoded rows of a foldModel.
type foldRows struct {
	inner     shapley.Rows
	sources   []int32 // the column of the schema that each feature is computed from
	different []bool
	step      []int32
}

// MarkDifferent implements shapley.Rows.
func (r *foldRows) MarkDifferent(different []bool, a, b int) {
	clear(r.different)
	r.inner.MarkDifferent(r.different, a, b)
	for i, source := range r.sources {
		if r.different[i] {
			different[source] = true
		}
	}
}

// PredictPath implements shapley.Rows.
func (r *foldRows) PredictPath(dst []float32, p *shapley.Path) {
	for i, source := range r.sources {
		r.step[i] = p.Step[source]
	}
	inner := *p
	inner.Step = r.step
	r.inner.PredictPath(dst, &inner)
}
