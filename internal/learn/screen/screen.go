// Package screen selects the features of a wide table that are individually most
// predictive of the label (sure independence screening: Fan and Lv 2008).
package screen

import (
	"cmp"
	"context"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/split"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// MaxFeatures is the number of features that are selected. A table of at most that many
// features need not be screened.
const MaxFeatures = 1000

// maxBins is the largest number of bins of a numeric feature. maxRows is the largest
// number of rows from which gains are computed.
const (
	maxBins = 32
	maxRows = 20_000
)

// Screener selects features of a table. It stores the bins of all features between calls.
// The zero value is ready to use. It must not be used by several goroutines at a time.
type Screener struct{ features []feature }

// feature is a binned feature.
type feature struct {
	data        []uint8
	bins        int
	categorical bool
}

// Select returns the indices of the MaxFeatures features of f with the highest Gini gain on rows,
// in ascending order. It chooses among the given features; there must be at least MaxFeatures. If
// there are many rows, it uses a sample. The bins are chosen from binRows, or from all rows if
// binRows is nil. f and binRows must be the same in every call. Select returns an error only if ctx
// is cancelled.
func (s *Screener) Select(ctx context.Context, f *frame.Frame, binRows, features, rows []int32, workers int) (selected []int32, err error) {
	if err := s.binFeatures(ctx, f, binRows, workers); err != nil {
		return nil, err
	}
	rows = split.Subsample(rows, maxRows)
	gains, classes, bins := make([]float64, len(s.features)), len(f.Schema.Classes), 0
	for i := range s.features {
		bins = max(bins, s.features[i].bins)
	}
	scratch := make([][]int, workers)
	err = parallel.ForContext(ctx, workers, len(gains), func(worker, i int) {
		if scratch[worker] == nil {
			scratch[worker] = make([]int, (bins+2)*classes)
		}
		gains[i] = s.features[i].giniGain(f.Labels, classes, rows, scratch[worker])
	})
	if err != nil {
		return nil, err
	}
	best := slices.Clone(features)
	slices.SortStableFunc(best, func(a, b int32) int { return cmp.Compare(gains[b], gains[a]) })
	best = best[:MaxFeatures]
	slices.Sort(best)
	return best, nil
}

// binFeatures sets s.features to the binned columns of f; see Select. It bins MaxFeatures features at
// a time, and drops the bin mappers, which may take more memory than the bins.
func (s *Screener) binFeatures(ctx context.Context, f *frame.Frame, binRows []int32, workers int) error {
	for lo := len(s.features); lo < len(f.Columns); lo = len(s.features) {
		some := *f
		hi := min(lo+MaxFeatures, len(f.Columns))
		some.Columns = f.Columns[lo:hi]
		schema := *f.Schema
		schema.Columns = schema.Columns[lo:hi]
		some.Schema = &schema
		bins, err := tree.NewBinnedMatrixFromRows(ctx, &some, binRows, maxBins, workers)
		if err != nil {
			return err
		}
		for i := range bins.Features {
			binned := &bins.Features[i]
			s.features = append(s.features, feature{binned.Data, binned.NumBins, binned.Categorical})
		}
	}
	return nil
}

// giniGain returns the relative decrease of the label's Gini impurity when the feature divides the
// rows: at the best split for a numeric feature, and by level for a categorical feature. The gain
// is adjusted for the number of groups, like adjusted R², so that it is about 0 for an independent
// feature. scratch must have at least (bins+2)·classes elements, whose values do not matter.
func (f *feature) giniGain(labels []int32, classes int, rows []int32, scratch []int) float64 {
	scratch = scratch[:(f.bins+2)*classes] // most features have far fewer bins than the feature with the most
	clear(scratch)
	counts := scratch[2*classes:]
	for _, row := range rows {
		counts[int(f.data[row])*classes+int(labels[row])]++
	}
	left, right := scratch[:classes], scratch[classes:2*classes]
	for i, n := range counts {
		right[i%classes] += n
	}
	whole := purity(right)
	best, groups := whole, 1
	if f.categorical {
		best, groups = 0, 0
		for level := range slices.Chunk(counts, classes) {
			if p := purity(level); p > 0 {
				best += p
				groups++
			}
		}
	} else {
		for bin := range f.bins - 1 {
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
