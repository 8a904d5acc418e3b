package boost

import (
	"context"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// featureSet holds the features of symmetric trees: the binned columns and the target
// statistics; see targetStatistic.
type featureSet struct {
	// bins holds one matrix for each random permutation of the training rows: the binned
	// columns, followed by the target statistics computed with that permutation.
	bins []*tree.BinnedMatrix
	// usable holds the indices of the features that trees may use: all columns and all
	// statistics. Features without data, which tree.BinnedMatrix.Append may add, are not
	// usable.
	usable         []int32
	statistics     []targetStatistic
	firstStatistic int // index of the first feature that is a statistic
}

const (
	// maxPermutations is the largest number of random permutations of the rows for target
	// statistics. There are fewer permutations if their statistics would need more than
	// maxPermutationBytes bytes.
	maxPermutations     = 4
	maxPermutationBytes = 256 << 20
	// maxPlainLevels is the largest number of levels of a categorical column for which no target
	// statistics are computed. Trees can separate this number of levels by splits on the column
	// itself, without the noise of a statistic.
	maxPlainLevels = 24
	// maxStatistics limits the number of target statistics. The limit may be exceeded, because each
	// column with more than maxPlainLevels levels gets at least one statistic.
	maxStatistics = 48
)

// newFeatureSet returns the features of f: its columns and target statistics. Target statistics are
// computed for each categorical column with more than maxPlainLevels levels, and for the most
// useful pairs of such columns. train holds the training rows, from which the statistics are
// computed. bins holds the binned columns of f.
func newFeatureSet(ctx context.Context, f *frame.Frame, train []int32, bins *tree.BinnedMatrix, opts *Options) (*featureSet, error) {
	set := &featureSet{firstStatistic: len(f.Columns)}
	var keys []categoryColumns
	for i := range f.Columns {
		set.usable = append(set.usable, int32(i))
		if f.Columns[i].Codes == nil {
			continue
		}
		if key := newCategoryColumns(f, i); key.levels[0]-2 > maxPlainLevels {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		set.bins = []*tree.BinnedMatrix{bins}
		return set, nil
	}
	e := newTargetEncoder(f, train, opts)
	e.targets = e.targets[:min(max(maxStatistics/len(keys), 1), len(e.targets))]
	pairs, err := e.findPairs(ctx, keys, max(maxStatistics/len(e.targets)-len(keys), 0), opts.Workers)
	if err != nil {
		return nil, err
	}
	keys = append(keys, pairs...)
	set.statistics = make([]targetStatistic, len(keys)*len(e.targets))
	e.permutations = e.permutations[:min(max(maxPermutationBytes/(f.Rows*len(set.statistics)), 1), maxPermutations)]
	err = parallel.ForContext(ctx, opts.Workers, len(set.statistics), func(_, i int) {
		set.statistics[i] = e.computeStatistic(keys[i/len(e.targets)], e.targets[i%len(e.targets)])
	})
	if err != nil {
		return nil, err
	}
	set.setBinsWithStatistics(bins, len(e.permutations))
	return set, nil
}

// setBinsWithStatistics sets set.bins to one matrix for each random permutation of the rows:
// the binned columns, followed by the statistics.
func (set *featureSet) setBinsWithStatistics(bins *tree.BinnedMatrix, permutations int) {
	for order := range permutations {
		features := make([]tree.Feature, len(set.statistics))
		for i := range set.statistics {
			statistic := &set.statistics[i]
			features[i] = tree.Feature{BinMapper: statistic.mapper, Data: statistic.permutedBins[order]}
		}
		ordered, first := bins.Append(features)
		set.bins, set.firstStatistic = append(set.bins, ordered), first
	}
	for i := range set.statistics {
		set.usable = append(set.usable, int32(set.firstStatistic+i))
	}
}
