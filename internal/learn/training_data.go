package learn

import (
	"context"
	"maps"
	"slices"
	"sync"

	"foretell/internal/learn/model"
	"foretell/internal/learn/screen"
	"foretell/internal/learn/split"
	"foretell/internal/learn/text"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// trainingData is the labelled frame of a race and the state that its fitters
// share.
type trainingData struct {
	*frame.Frame
	params Params

	// binRows are the rows from which bins are chosen; nil means all rows. See
	// duplicate.Copies.DistinctRows.
	binRows []int32

	mu   sync.Mutex
	bins map[int]*tree.BinnedMatrix

	// monotone holds the direction of each column; see Params.Monotone. It is nil if there
	// are no directions.
	monotone []tree.Direction

	// features are the features of the fold if the data belongs to one fold; see dataOfFold. It is
	// nil if the data belongs to the race.
	features *model.Features
	// sharedBins holds the bins that the folds share if the data belongs to one fold. It is nil if
	// the data belongs to the race.
	sharedBins *sharedBins

	// trainingTime measures the time in which this machine trains runs, except their text models.
	// Only the data of the race uses it.
	trainingTime stopwatch

	foldMutex sync.Mutex // guards the fields below
	// foldRows holds the training rows of the folds of all runs and of the refit, by fold
	// index. It is nil if features are not screened.
	foldRows map[int][]int32
	// screened holds the columns that screening has selected, by fold index.
	screened map[int][]int32
	// relevant holds the columns that are kept if irrelevant features are dropped, by fold index.
	relevant map[int][]int32
	corpora  []*text.Corpus        // one for each text column of the schema
	foldData map[int]*trainingData // by fold index; folds that use all features have no entry
	// foldFeatures holds the features of each fold, by fold index. They were fitted on this machine
	// or read from the recording of another machine.
	foldFeatures map[int]*model.Features
	textTimer    text.Timer
	foldBins     sharedBins
}

// sharedBins holds the bins of the schema's columns, which the matrices of all folds share. Scores
// of text models are not shared, because they differ between folds.
type sharedBins struct {
	mu sync.Mutex
	// features holds the binned columns, by the maximum number of bins and then by the column of
	// the schema.
	features map[int]map[int32]tree.Feature
}

// asMatrices returns the shared bins as matrices, so that a new matrix can reuse them. The result
// contains one matrix for each maximum number of bins. Each matrix has numFeatures features,
// beginning with the columns of fold. Features without shared bins have their zero value. s may be
// nil.
func (s *sharedBins) asMatrices(fold *model.Features, numFeatures int) []*tree.BinnedMatrix {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []*tree.BinnedMatrix
	for _, shared := range s.features {
		b := &tree.BinnedMatrix{Features: make([]tree.Feature, numFeatures)}
		for i, column := range fold.Columns {
			b.Features[i] = shared[column]
		}
		list = append(list, b)
	}
	return list
}

// add stores those bins of b that belong to columns of the schema. b is the matrix of a fold, and
// the parameter fold holds the features of this fold. bins is the maximum number of bins of a
// feature. s may be nil.
func (s *sharedBins) add(bins int, fold *model.Features, b *tree.BinnedMatrix) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.features == nil {
		s.features = map[int]map[int32]tree.Feature{}
	}
	if s.features[bins] == nil {
		s.features[bins] = map[int32]tree.Feature{}
	}
	for i, column := range fold.Columns {
		if _, known := s.features[bins][column]; !known {
			s.features[bins][column] = b.Features[i]
		}
	}
}

// binnedMatrix returns the matrix whose features have at most the given number of bins; 0 means the
// default. Each matrix is built only once, while concurrent callers wait. If a feature has the same
// bins in several matrices, the matrices share the memory of these bins.
func (t *trainingData) binnedMatrix(ctx context.Context, bins int) (*tree.BinnedMatrix, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.bins[bins]; b != nil {
		return b, nil
	}
	reuse := append(slices.Collect(maps.Values(t.bins)), t.sharedBins.asMatrices(t.features, len(t.Columns))...)
	b, err := tree.NewBinnedMatrixFromRows(ctx, t.Frame, t.binRows, bins, t.params.Workers, reuse...)
	if err != nil {
		return nil, err
	}
	t.sharedBins.add(bins, t.features, b)
	if t.bins == nil {
		t.bins = map[int]*tree.BinnedMatrix{}
	}
	t.bins[bins] = b
	return b, nil
}

// dropRowMajor frees the row-major copies of all bins; see tree.BinnedMatrix.DropRowMajor.
func (t *trainingData) dropRowMajor() {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	t.dropOwnRowMajor()
	for _, fold := range t.foldData {
		fold.dropOwnRowMajor()
	}
}

// dropOwnRowMajor frees the row-major copies of t's own bins, but not the copies of the folds.
func (t *trainingData) dropOwnRowMajor() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, b := range t.bins {
		b.DropRowMajor()
	}
}

// dropFoldBins frees the binned matrices of the folds. Only fitters read these matrices, so they
// are not needed after the runs have ended. The shared bins are kept for the refit.
func (t *trainingData) dropFoldBins() {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	for _, fold := range t.foldData {
		fold.mu.Lock()
		fold.bins = nil
		fold.mu.Unlock()
	}
}

// dropBins frees all binned matrices. After the refits nothing reads them.
func (t *trainingData) dropBins() {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	t.foldData, t.foldBins.features = nil, nil
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bins = nil
}

func (t *trainingData) classes() int { return len(t.Schema.Classes) }

// numScreened returns the number of features that screening selects, not counting scores of
// texts. It returns 0 if features are not screened.
func (t *trainingData) numScreened() int {
	if len(t.Columns)-len(t.Schema.TextColumns()) <= screen.MaxFeatures {
		return 0
	}
	return screen.MaxFeatures
}

// allRows returns the indices of all rows.
func (t *trainingData) allRows() []int32 { return split.Range(0, t.Rows) }

// selectRows returns a frame of the given rows, in their order. Features on which no fitter was
// trained have no cells.
func (t *trainingData) selectRows(rows []int32) *frame.Frame {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	if t.numScreened() == 0 || t.foldFeatures == nil {
		return t.Take(rows)
	}
	f := *t.Frame
	f.Columns = make([]frame.Column, len(t.Columns))
	for i, known := range t.trainedFeaturesLocked() {
		if known {
			f.Columns[i] = t.Columns[i]
		}
	}
	return f.Take(rows)
}

// trainedFeatures reports for each feature whether a fitter was trained on this feature or on a
// feature computed from it. Texts always count as trained on.
func (t *trainingData) trainedFeaturesLocked() []bool {
	known := make([]bool, len(t.Columns))
	for _, i := range t.Schema.TextColumns() {
		known[i] = true
	}
	for _, features := range t.foldFeatures {
		for _, i := range features.Columns {
			known[i] = true
		}
	}
	t.Schema.MarkDifferenceDates(known)
	return known
}

// usedFeatures reports for each feature whether a fitter was trained on it or on another feature of
// the same column of the file. If the table is not wide, all features count as used.
func (t *trainingData) usedFeatures() []bool {
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	used := make([]bool, len(t.Columns))
	if t.numScreened() == 0 || t.foldFeatures == nil {
		for i := range used {
			used[i] = true
		}
		return used
	}
	known := t.trainedFeaturesLocked()
	copy(used, known) // for the differences of dates, which belong to no single column
	for _, column := range t.Schema.SourceColumns() {
		if slices.ContainsFunc(column.Features, func(i int) bool { return known[i] }) {
			for _, i := range column.Features {
				used[i] = true
			}
		}
	}
	return used
}
