package learn

import (
	"context"
	"maps"
	"slices"

	"foretell/internal/learn/forest"
	"foretell/internal/learn/model"
	"foretell/internal/learn/screen"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// dataOfFold returns the data with which the fitters of a fold are trained. If the table contains
// text columns, or if its columns are selected, each fold has its own features. They are fitted to
// rows, the training rows of the fold. If the fold uses exactly the features of t, dataOfFold
// returns t itself.
func (t *trainingData) dataOfFold(ctx context.Context, foldIndex int, rows []int32) (*trainingData, error) {
	if t.numScreened() == 0 && len(t.Schema.TextColumns()) == 0 && !t.dropsFeatures() {
		return t, nil
	}
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	if known := t.foldData[foldIndex]; known != nil {
		return known, nil
	}
	columns, err := t.selectColumnsLocked(ctx, foldIndex, rows)
	if err != nil {
		return nil, err
	}
	if len(columns) == len(t.Columns) {
		return t, nil
	}
	schema := *t.Schema
	schema.Columns = split.Gather(schema.Columns, columns)
	f := &frame.Frame{Schema: &schema, Rows: t.Rows, Columns: split.Gather(t.Columns, columns), Labels: t.Labels}
	texts, err := t.addTextScores(ctx, f, foldIndex, rows)
	if err != nil {
		return nil, err
	}
	features := t.internFeaturesLocked(foldIndex, model.NewFeatures(columns, t.Schema.TextColumns(), texts))
	monotone := split.Gather(t.monotone, columns)
	if monotone != nil { // the direction of scores of texts is AnyOrder
		monotone = append(monotone, make([]tree.Direction, len(f.Columns)-len(columns))...)
	}
	if t.foldData == nil {
		t.foldData = map[int]*trainingData{}
	}
	t.foldData[foldIndex] = &trainingData{Frame: f, params: t.params, binRows: t.binRows, features: features, monotone: monotone, sharedBins: &t.foldBins}
	return t.foldData[foldIndex], nil
}

// selectColumnsLocked returns the columns, except text columns, that the fitters of a fold with the
// given training rows use. The caller must hold foldMutex.
func (t *trainingData) selectColumnsLocked(ctx context.Context, foldIndex int, rows []int32) ([]int32, error) {
	// A selection on all rows would leak the validation labels (Ambroise and McLachlan 2002).
	switch {
	case t.numScreened() > 0:
		return t.screenLocked(ctx, foldIndex, rows)
	case t.dropsFeatures():
		return t.relevantColumnsLocked(ctx, foldIndex, rows)
	}
	return t.Schema.NonTextColumns(), nil
}

// relevanceSeed makes the random numbers for the importance of features different from other random
// numbers of the race.
const relevanceSeed = 0x5e1ec7

// maxImportanceRows is the largest number of rows on which the importance of features is estimated.
// Estimates on more rows take longer, and this number is enough to find the clearly irrelevant
// features.
const maxImportanceRows = 5_000

// Limits of dropsFeatures. On tables with fewer rows, the importance of features is too uncertain.
// On tables with more rows, splits by irrelevant features are rare and weak features are useful.
// With more features, estimating the importance takes too long. If a class has fewer rows, a
// feature that only distinguishes this class seems irrelevant.
const (
	minRelevanceRows, maxRelevanceRows = 1_000, 20_000
	maxRelevanceFeatures               = 100
	minRelevanceClassRows              = 50
)

// dropsFeatures reports whether each fold drops the features that seem irrelevant.
func (t *trainingData) dropsFeatures() bool {
	return t.Rows >= minRelevanceRows && t.Rows <= maxRelevanceRows && len(t.Columns) <= maxRelevanceFeatures &&
		len(t.Schema.TextColumns()) == 0 && t.params.ClassWeights == nil &&
		slices.Min(countLabels(t.Labels, t.classes())) >= minRelevanceClassRows
}

// relevantColumnsLocked returns the columns that a fold with the given training rows uses if
// dropsFeatures is true. The caller must hold foldMutex.
func (t *trainingData) relevantColumnsLocked(ctx context.Context, foldIndex int, rows []int32) ([]int32, error) {
	if known := t.relevant[foldIndex]; known != nil {
		return known, nil
	}
	bins, err := t.binnedMatrix(ctx, tree.MaxBins)
	if err != nil {
		return nil, err
	}
	defer t.trainingTime.start(t.params.clock)()
	importance, err := forest.Importance(ctx, t.Frame, split.Subsample(rows, maxImportanceRows), forest.Options{
		Classes: t.classes(), Seed: t.params.Seed ^ relevanceSeed, Workers: t.params.Workers, Bins: bins, Groups: t.params.Groups,
	})
	if err != nil {
		return nil, err
	}
	all := t.Schema.NonTextColumns()
	t.foldBins.add(tree.MaxBins, &model.Features{Columns: all}, bins)
	columns := relevantColumns(importance)
	if columns == nil {
		columns = all
	}
	if t.relevant == nil {
		t.relevant = map[int][]int32{}
	}
	t.relevant[foldIndex] = columns
	return columns, nil
}

// relevantOfRefit returns the columns that the refit used, provided that dropsFeatures is true. It
// returns nil if there was no refit.
func (t *trainingData) relevantOfRefit() []int32 {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	return t.relevant[refitFold]
}

// relevantColumns returns the indices of the relevant columns, or nil if all columns should be kept.
// importance holds the importance of each column, in standard errors; see forest.Importance. A
// column is irrelevant if its importance is at most 2. Columns are dropped only if
//
//   - at least one column is relevant,
//   - at least a quarter of all columns are irrelevant, and
//   - at most a sixth of the relevant columns have an importance below 4.
//
// If more columns have an importance between 2 and 4, some of these columns probably seem relevant
// only by chance. If the irrelevant columns were dropped, models would rely more on these columns
// and predict worse.
func relevantColumns(importance []float64) []int32 {
	var relevant []int32
	weak := 0
	for i, x := range importance {
		if x > 2 {
			relevant = append(relevant, int32(i))
			if x < 4 {
				weak++
			}
		}
	}
	if len(relevant) == 0 || 4*len(relevant) > 3*len(importance) || 6*weak > len(relevant) {
		return nil
	}
	return relevant
}

// screenLocked returns the columns that screening selects for a fold with the given training rows.
// The caller must hold foldMutex.
//
// The first call selects the columns of all folds. The bins of all columns, which take much memory,
// can then be freed.
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
		if selected[index], err = screener.Select(ctx, t.Frame, t.binRows, columns, rows, t.params.Workers); err != nil {
			return nil, err
		}
	}
	t.screened = selected
	return selected[foldIndex], nil
}

// internFeatures returns the features that are already stored for the fold, if they have the same
// columns as the parameter features. Otherwise it returns features, and stores them if none are
// stored yet. Sharing features between models saves memory.
func (t *trainingData) internFeatures(foldIndex int, features *model.Features) *model.Features {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	return t.internFeaturesLocked(foldIndex, features)
}

// internFeaturesLocked does the same as internFeatures. The caller must hold foldMutex.
func (t *trainingData) internFeaturesLocked(foldIndex int, features *model.Features) *model.Features {
	if known := t.foldFeatures[foldIndex]; known != nil {
		if !slices.Equal(known.Columns, features.Columns) { // other columns were selected by another machine, which rounds differently
			return features
		}
		return known
	}
	if t.foldFeatures == nil {
		t.foldFeatures = map[int]*model.Features{}
	}
	t.foldFeatures[foldIndex] = features
	return features
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
	features *model.Features
}

func (f foldFitter) Model() model.Predictor { return model.WithFeatures(f.fitter.Model(), f.features) }
