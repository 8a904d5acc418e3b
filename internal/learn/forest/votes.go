package forest

import (
	"context"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// maxCopiedFeatures is the largest number of features of a table whose bins are copied to
// votes.rowMajorBins.
const maxCopiedFeatures = 256

// votes holds the votes of trees on some rows. The trees read a row-major copy of the bins, because
// this is faster than reading columns. The bins of wide tables are not copied, because the copy
// would take much memory.
type votes struct {
	classes, features int
	rowMajorBins      []uint8        // bins, row-major; nil if they are not copied
	columns           []tree.Feature // nil if the bins are copied
	rows              []int32        // the rows, as indices in columns; nil if the bins are copied
	weights           []uint32       // row-major, one number for each class, in units of 1/unitWeight
	trees             []uint32       // number of trees that voted on each row
}

// newVotes returns votes on the given rows of bins, with all counts 0. It retains rows.
func newVotes(bins *tree.BinnedMatrix, rows []int32, classes int) *votes {
	v := &votes{classes: classes, features: len(bins.Features)}
	if v.features > maxCopiedFeatures {
		v.columns, v.rows = bins.Features, rows
		return v.newEmpty(len(rows))
	}
	v.rowMajorBins = make([]uint8, len(rows)*v.features)
	for f := range bins.Features {
		data := bins.Features[f].Data
		for i, row := range rows {
			v.rowMajorBins[i*v.features+f] = data[row]
		}
	}
	return v.newEmpty(len(rows))
}

// newEmpty returns votes on the first rows of v, with all counts 0. rows is the number of
// these rows.
func (v *votes) newEmpty(rows int) *votes {
	empty := *v
	empty.weights = make([]uint32, rows*v.classes)
	empty.trees = make([]uint32, rows)
	return &empty
}

// blockRows is the number of rows of a task. All trees vote on these rows while their bins are in
// the cache.
const blockRows = 256

// addTrees adds the votes of trees. A tree does not vote on a row for which inBag returns
// true. If inBag is nil, all trees vote on all rows.
func (v *votes) addTrees(ctx context.Context, workers int, trees []*forestTree, inBag func(tree, row int) bool) error {
	rows := len(v.trees)
	return parallel.ForContext(ctx, workers, (rows+blockRows-1)/blockRows, func(_, block int) {
		for i, t := range trees {
			for row := block * blockRows; row < min((block+1)*blockRows, rows); row++ {
				if inBag == nil || !inBag(i, row) {
					v.addRow(row, v.leafDistribution(t, row))
				}
			}
		}
	})
}

// leafDistribution returns the class distribution of the leaf of t that a row falls into.
func (v *votes) leafDistribution(t *forestTree, row int) []classProbability {
	if v.rowMajorBins == nil {
		return t.distribution(t.LeafOf(v.columns, v.rows[row]))
	}
	return t.leafDistribution(v.rowMajorBins[row*v.features : (row+1)*v.features])
}

func (v *votes) addRow(row int, weights []classProbability) {
	sums := v.rowVotes(row)
	for _, s := range weights {
		sums[s.class] += uint32(s.weight)
	}
	v.trees[row]++
}

// merge adds the votes in the parameter other, which must have the same rows as v.
func (v *votes) merge(other *votes) {
	for i, weight := range other.weights {
		v.weights[i] += weight
	}
	for i, n := range other.trees {
		v.trees[i] += n
	}
}

// rowVotes returns the sums of the votes on a row, one number for each class.
func (v *votes) rowVotes(row int) []uint32 { return v.weights[row*v.classes : (row+1)*v.classes] }
