package learn

import (
	"context"
	"maps"
	"slices"

	"foretell/internal/learn/screen"
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// foldFeatures describes the features of a predictor that was not trained on the columns
// of the schema as they are. Columns may be left out by screening, and scores replace
// the columns of texts. The features are fitted to the training rows of a fold.
type foldFeatures struct {
	// columns are indices of columns of the schema, ascending.
	columns []int32
	// texts computes the scores of texts. These features follow the columns. texts is nil
	// if there are no scores of texts.
	texts *textModels
}

// markUsed sets used[c] to true for each column c of the schema from which a feature is
// computed.
func (v *foldFeatures) markUsed(used []bool) {
	for _, i := range v.columns {
		used[i] = true
	}
	if v.texts != nil {
		for _, i := range v.texts.columns {
			used[i] = true
		}
	}
}

// dataOfFold returns the data that the fitters of a fold are trained on. It returns t if
// all folds have the same features. Otherwise the result has features that are fitted to
// the given rows, which must be the training rows of the fold.
func (t *trainingData) dataOfFold(ctx context.Context, foldIndex int, rows []int32) (*trainingData, error) {
	if t.numScreened() == 0 && len(t.Schema.TextColumns()) == 0 {
		return t, nil
	}
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	if known := t.foldData[foldIndex]; known != nil {
		return known, nil
	}
	columns := t.Schema.NonTextColumns()
	if t.numScreened() > 0 {
		// A selection on all rows would leak the validation labels (Ambroise and
		// McLachlan 2002).
		var err error
		if columns, err = t.screenLocked(ctx, foldIndex, rows); err != nil {
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
	if monotone != nil { // the direction of scores of texts is AnyOrder
		monotone = append(monotone, make([]tree.Direction, len(f.Columns)-len(columns))...)
	}
	if t.foldData == nil {
		t.foldData = map[int]*trainingData{}
	}
	t.foldData[foldIndex] = &trainingData{Frame: f, params: t.params, features: features, monotone: monotone, sharedBins: &t.foldBins}
	return t.foldData[foldIndex], nil
}

// screenLocked returns the columns that screening selects for a fold with the given training
// rows. The first call selects the columns of all folds. Otherwise the bins of all columns
// would be needed until the refit, and they take much memory. The caller must hold
// foldMutex.
func (t *trainingData) screenLocked(ctx context.Context, foldIndex int, rows []int32) ([]int32, error) {
	if known := t.screened[foldIndex]; known != nil {
		return known, nil
	}
	defer t.trainingTime.start(t.params.clock)()
	folds := maps.Clone(t.foldRows)
	if folds == nil {
		folds = map[int][]int32{}
	}
	folds[foldIndex] = rows
	var screener screen.Screener
	selected, columns := map[int][]int32{}, t.Schema.NonTextColumns()
	for index, rows := range folds {
		var err error
		if selected[index], err = screener.Select(ctx, t.Frame, columns, rows, t.params.Workers); err != nil {
			return nil, err
		}
	}
	t.screened = selected
	return selected[foldIndex], nil
}

// shareFeatures returns the known features of the fold if they have the same columns as
// the given features. Otherwise it returns the given features. It stores them if no
// features of the fold are known. Models with shared features use less memory.
func (t *trainingData) shareFeatures(foldIndex int, features *foldFeatures) *foldFeatures {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	return t.shareFeaturesLocked(foldIndex, features)
}

// shareFeaturesLocked does the same as shareFeatures. The caller must hold foldMutex.
func (t *trainingData) shareFeaturesLocked(foldIndex int, features *foldFeatures) *foldFeatures {
	if known := t.foldFeatures[foldIndex]; known != nil {
		if !slices.Equal(known.columns, features.columns) { // another machine, which rounds differently, has selected other columns
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

// selectColumns returns a frame with only the given columns of f.
func selectColumns(f *frame.Frame, columns []int32) *frame.Frame {
	return &frame.Frame{Rows: f.Rows, Columns: gather(f.Columns, columns)}
}

// newFoldFitter returns a fitter that is trained on the features of t's fold.
func (a *algorithm) newFoldFitter(ctx context.Context, t fitTask) (fitter, error) {
	data, err := t.data.dataOfFold(ctx, t.foldIndex, t.fold.Train)
	if err != nil {
		return nil, err
	}
	defer t.data.trainingTime.start(t.data.params.clock)()
	t.data = data
	inner, err := a.newFitter(ctx, t)
	if err != nil || data.features == nil {
		return inner, err
	}
	return foldFitter{inner, data.features}, nil
}

// foldFitter is a fitter that is trained on the features of a fold.
type foldFitter struct {
	fitter
	features *foldFeatures
}

func (f foldFitter) Model() predictor { return foldModel{f.fitter.Model(), f.features} }

// foldModel computes the fold-specific features (see foldFeatures) and passes them to its
// predictor. The frame passed to Predict has the columns of the schema.
type foldModel struct {
	predictor
	features *foldFeatures
}

// withFeatures returns a foldModel of p and the given features, or p if features is nil.
func withFeatures(p predictor, features *foldFeatures) predictor {
	if features == nil {
		return p
	}
	return foldModel{p, features}
}

// unwrapFeatures returns the predictor and the features of a foldModel. If p is not a
// foldModel, it returns p and nil.
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
	m.predictor.Predict(dst, m.features.compute(f, lo, hi), 0, hi-lo)
}

// compute returns a frame with the features of rows lo…hi-1 of f: the columns v.columns,
// then the scores of texts.
func (v *foldFeatures) compute(f *frame.Frame, lo, hi int) *frame.Frame {
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
		inner = m.features.compute(f, 0, f.Rows)
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
	sources   []int32 // by feature: the column of the schema from which it is computed
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
