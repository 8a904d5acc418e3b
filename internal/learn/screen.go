package learn

import (
	"cmp"
	"context"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
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

// numScreened returns the number of features that a fitter is trained on, besides the
// scores of texts, or 0 if features are not screened.
func (t *trainingData) numScreened() int {
	if len(t.Columns)-len(t.textColumns()) <= maxFeatures {
		return 0
	}
	return maxFeatures
}

// screen returns the features that have the highest gain on rows, or all features that are
// not texts if there are at most maxFeatures.
func (t *trainingData) screen(ctx context.Context, rows []int32) ([]int32, error) {
	if t.numScreened() == 0 {
		return t.plainColumns(), nil
	}
	if err := t.binFeatures(ctx); err != nil {
		return nil, err
	}
	return t.selectBestFeatures(ctx, split.Subsample(rows, screenRows))
}

// binnedFeature is a binned feature, for screening.
type binnedFeature struct {
	data        []uint8
	bins        int
	categorical bool
}

// binFeatures sets binnedFeatures. It bins maxFeatures features at a time and drops the
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

// selectBestFeatures returns the features of highest gain on rows, ascending.
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
	columns := t.plainColumns()
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
	t.foldMutex.Lock()
	defer t.foldMutex.Unlock()
	if t.numScreened() == 0 || t.foldFeatures == nil {
		return t.Take(rows)
	}
	f := *t.Frame
	f.Columns = make([]frame.Column, len(t.Columns))
	for _, i := range t.textColumns() {
		f.Columns[i] = t.Columns[i]
	}
	for _, features := range t.foldFeatures {
		for _, i := range features.columns {
			f.Columns[i] = t.Columns[i]
		}
	}
	return f.Take(rows)
}

// usedFeatures reports for each feature whether it belongs to a column of the file that a
// fitter was trained on. No model depends on the other features.
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
	known := make([]bool, len(t.Columns))
	for _, i := range t.textColumns() {
		known[i] = true
	}
	for _, features := range t.foldFeatures {
		for _, i := range features.columns {
			known[i] = true
		}
	}
	for _, column := range t.Schema.SourceColumns() {
		if slices.ContainsFunc(column.Features, func(i int) bool { return known[i] }) {
			for _, i := range column.Features {
				used[i] = true
			}
		}
	}
	return used
}
