package forest

import (
	"context"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
)

// votes holds rows and the votes of trees on them.
type votes struct {
	classes, features int
	rows              []uint8  // bins, row-major
	weights           []uint32 // row-major, one number for each class, in units of 1/one16
	trees             []uint32 // number of trees that voted on each row
}

func newVotes(bins *tree.BinnedMatrix, rows []int32, classes int) *votes {
	j := &votes{classes: classes, features: len(bins.Features)}
	j.rows = make([]uint8, len(rows)*j.features)
	for f := range bins.Features {
		data := bins.Features[f].Data
		for i, row := range rows {
			j.rows[i*j.features+f] = data[row]
		}
	}
	return j.emptied(len(rows))
}

// emptied returns votes on the first rows of j, without any vote counted.
func (j *votes) emptied(rows int) *votes {
	fresh := *j
	fresh.weights = make([]uint32, rows*j.classes)
	fresh.trees = make([]uint32, rows)
	return &fresh
}

// blockRows is the number of rows that one worker handles at a time, few enough
// that their bins stay in the cache for all trees.
const blockRows = 256

// add adds the votes of trees. A tree does not vote on the rows for which inBag
// returns true. If inBag is nil, all trees vote on all rows.
func (j *votes) add(ctx context.Context, workers int, trees []*forestTree, inBag func(tree, row int) bool) error {
	rows := len(j.trees)
	return parallel.ForContext(ctx, workers, (rows+blockRows-1)/blockRows, func(_, block int) {
		for i, m := range trees {
			for row := block * blockRows; row < min((block+1)*blockRows, rows); row++ {
				if inBag == nil || !inBag(i, row) {
					j.addRow(row, m.vote(j.rows[row*j.features:(row+1)*j.features]))
				}
			}
		}
	})
}

// addRow adds one tree's vote on a row.
func (j *votes) addRow(row int, weights []classWeight) {
	sums := j.of(row)
	for _, s := range weights {
		sums[s.class] += uint32(s.weight)
	}
	j.trees[row]++
}

// merge adds the votes that other holds on the same rows.
func (j *votes) merge(other *votes) {
	for i, v := range other.weights {
		j.weights[i] += v
	}
	for i, n := range other.trees {
		j.trees[i] += n
	}
}

// of returns the votes on a row, one number for each class.
func (j *votes) of(row int) []uint32 { return j.weights[row*j.classes : (row+1)*j.classes] }
