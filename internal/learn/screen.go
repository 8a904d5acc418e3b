package learn

import (
	"cmp"
	"context"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/shapley"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// If a frame has more than maxFeatures features, the algorithms are trained on
// the maxFeatures of them that are individually most predictive of the label
// (sure independence screening: Fan and Lv 2008). They are selected for each
// fold on its training rows only, because a selection on all rows would leak
// the validation labels (Ambroise and McLachlan 2002).
const (
	maxFeatures = 1000
	// screenBins is the largest number of bins of a numeric feature, and
	// screenRows the largest number of rows, from which gains are computed.
	screenBins = 32
	screenRows = 20_000
)

// numScreened returns the number of features that a fitter is trained on, or 0
// if it is trained on all.
func (t *trainingData) numScreened() int {
	if len(t.Columns) <= maxFeatures {
		return 0
	}
	return maxFeatures
}

// screenedData returns the data that the fitters of a fold are trained on: t, or
// only the features selected on rows, which must be the fold's training rows.
func (t *trainingData) screenedData(ctx context.Context, foldIndex int, rows []int32) (*trainingData, error) {
	if t.numScreened() == 0 {
		return t, nil
	}
	t.screenMutex.Lock()
	defer t.screenMutex.Unlock()
	if known := t.screenedFolds[foldIndex]; known != nil {
		return known, nil
	}
	if err := t.binFeatures(ctx); err != nil {
		return nil, err
	}
	columns, err := t.selectBestFeatures(ctx, subsample(rows, screenRows))
	if err != nil {
		return nil, err
	}
	if t.screenedFolds == nil {
		t.screenedFolds = map[int]*trainingData{}
	}
	schema := *t.Schema
	schema.Columns = gather(schema.Columns, columns)
	f := selectColumns(t.Frame, columns)
	f.Schema, f.Labels = &schema, t.Labels
	t.screenedFolds[foldIndex] = &trainingData{Frame: f, params: t.params, columns: columns}
	return t.screenedFolds[foldIndex], nil
}

// binnedFeature is a binned feature, for screening.
type binnedFeature struct {
	data        []uint8
	bins        int
	categorical bool
}

// binFeatures sets binnedFeatures. It bins maxFeatures at a time and drops the
// bin mappers, which for few rows take several times the memory of the bins.
func (t *trainingData) binFeatures(ctx context.Context) error {
	for lo := len(t.binnedFeatures); lo < len(t.Columns); lo = len(t.binnedFeatures) {
		some := *t.Frame
		hi := min(lo+maxFeatures, len(t.Columns))
		some.Columns = t.Columns[lo:hi]
		schema := *t.Schema
		schema.Columns = schema.Columns[lo:hi]
		some.Schema = &schema
		bins, err := tree.NewBinnedMatrix(ctx, &some, screenBins, t.params.Workers)
		if err != nil {
			return err
		}
		for i := range bins.Features {
			f := &bins.Features[i]
			t.binnedFeatures = append(t.binnedFeatures, binnedFeature{f.Data, f.NumBins, f.Categorical})
		}
	}
	return nil
}

// selectBestFeatures returns the features of highest gain, ascending.
func (t *trainingData) selectBestFeatures(ctx context.Context, rows []int32) ([]int32, error) {
	gains := make([]float64, len(t.binnedFeatures))
	workspaces := make([][]int, t.params.Workers)
	err := parallel.ForContext(ctx, t.params.Workers, len(gains), func(worker, i int) {
		if workspaces[worker] == nil {
			workspaces[worker] = make([]int, (tree.MaxBins+2)*t.classes())
		}
		gains[i] = t.giniGain(&t.binnedFeatures[i], rows, workspaces[worker])
	})
	if err != nil {
		return nil, err
	}
	columns := make([]int32, len(gains))
	for i := range columns {
		columns[i] = int32(i)
	}
	slices.SortStableFunc(columns, func(a, b int32) int { return cmp.Compare(gains[b], gains[a]) })
	columns = columns[:maxFeatures]
	slices.Sort(columns)
	return columns, nil
}

// giniGain returns the relative decrease of the label's Gini impurity if the
// rows are divided by a feature: at the best split if it is numeric, by its
// levels if it is categorical. The gain is adjusted for the number of groups,
// as R² is, so that it is about 0 for an independent feature. scratch must have
// the length (bins+2)·classes.
func (t *trainingData) giniGain(feature *binnedFeature, rows []int32, scratch []int) float64 {
	classes := t.classes()
	clear(scratch)
	counts := scratch[2*classes:]
	for _, row := range rows {
		counts[int(feature.data[row])*classes+int(t.Labels[row])]++
	}
	left, right := scratch[:classes], scratch[classes:2*classes]
	for i, n := range counts {
		right[i%classes] += n
	}
	whole := purity(right)
	best, groups := whole, 1
	if feature.categorical {
		best, groups = 0, 0
		for level := range slices.Chunk(counts, classes) {
			if p := purity(level); p > 0 {
				best += p
				groups++
			}
		}
	} else {
		for bin := range feature.bins - 1 {
			for class, n := range counts[bin*classes : (bin+1)*classes] {
				left[class] += n
				right[class] -= n
			}
			if p := purity(left) + purity(right); p > best {
				best, groups = p, 2
			}
		}
	}
	n := float64(len(rows))
	if n <= float64(groups) || whole >= n {
		return 0
	}
	return 1 - (n-best)/(n-whole)*(n-1)/(n-float64(groups))
}

// purity returns the sum of the squared counts of the classes, divided by the
// number of rows. This is the number of rows times (1 − Gini impurity).
func purity(counts []int) float64 {
	sum, squares := 0.0, 0.0
	for _, n := range counts {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	if sum == 0 {
		return 0
	}
	return squares / sum
}

// selectRows returns a frame of the given rows, in their order. Features that
// no fitter was trained on have no cells.
func (t *trainingData) selectRows(rows []int32) *frame.Frame {
	t.screenMutex.Lock()
	defer t.screenMutex.Unlock()
	if t.screenedFolds == nil {
		return selectRows(t.Frame, rows)
	}
	f := *t.Frame
	f.Columns = make([]frame.Column, len(t.Columns))
	for _, fold := range t.screenedFolds {
		for _, i := range fold.columns {
			f.Columns[i] = t.Columns[i]
		}
	}
	return selectRows(&f, rows)
}

// splitByUse divides the columns of the file into those that a fitter was
// trained on and the others, on which no model depends.
func (t *trainingData) splitByUse(columns []inputColumn) (used, unused []inputColumn) {
	t.screenMutex.Lock()
	defer t.screenMutex.Unlock()
	if t.screenedFolds == nil {
		return columns, nil
	}
	known := make([]bool, len(t.Columns))
	for _, fold := range t.screenedFolds {
		for _, i := range fold.columns {
			known[i] = true
		}
	}
	for _, column := range columns {
		if slices.ContainsFunc(column.features, func(i int) bool { return known[i] }) {
			used = append(used, column)
		} else {
			unused = append(unused, column)
		}
	}
	return used, unused
}

// selectColumns returns f with the given features only.
func selectColumns(f *frame.Frame, columns []int32) *frame.Frame {
	return &frame.Frame{Rows: f.Rows, Columns: gather(f.Columns, columns)}
}

// newScreenedFitter returns a fitter on the features that screening selects.
func (a *algorithm) newScreenedFitter(ctx context.Context, t fitTask) (fitter, error) {
	selected, err := t.data.screenedData(ctx, t.foldIndex, t.fold.Train)
	if err != nil {
		return nil, err
	}
	t.data = selected
	inner, err := a.newFitter(ctx, t)
	if err != nil || selected.columns == nil {
		return inner, err
	}
	return screenedFitter{inner, selected.columns}, nil
}

// screenedFitter is a fitter on selected features.
type screenedFitter struct {
	fitter
	columns []int32
}

func (f screenedFitter) Model() predictor { return screenedModel{f.fitter.Model(), f.columns} }

// screenedModel is a predictor on selected features of a frame. columns are
// their indices, ascending.
type screenedModel struct {
	predictor
	columns []int32
}

func (m screenedModel) Predict(dst []float32, f *frame.Frame, lo, hi int) {
	m.predictor.Predict(dst, selectColumns(f, m.columns), lo, hi)
}

// Encode implements predictor.
func (m screenedModel) Encode(f *frame.Frame) shapley.Rows {
	return &screenedRows{
		inner: m.predictor.Encode(selectColumns(f, m.columns)), columns: m.columns,
		different: make([]bool, len(m.columns)), step: make([]int32, len(m.columns)),
	}
}

// screenedRows are encoded rows of a screenedModel.
type screenedRows struct {
	inner     shapley.Rows
	columns   []int32
	different []bool
	step      []int32
}

// MarkDifferent implements shapley.Rows.
func (r *screenedRows) MarkDifferent(different []bool, a, b int) {
	clear(r.different)
	r.inner.MarkDifferent(r.different, a, b)
	for i, column := range r.columns {
		if r.different[i] {
			different[column] = true
		}
	}
}

// PredictPath implements shapley.Rows.
func (r *screenedRows) PredictPath(dst []float32, p *shapley.Path) {
	for i, column := range r.columns {
		r.step[i] = p.Step[column]
	}
	inner := *p
	inner.Step = r.step
	r.inner.PredictPath(dst, &inner)
}

// unwrapScreened returns the inner predictor and its columns, or p and nil if
// it uses all columns.
func unwrapScreened(p predictor) (inner predictor, columns []int32) {
	if m, ok := p.(screenedModel); ok {
		return m.predictor, m.columns
	}
	return p, nil
}
