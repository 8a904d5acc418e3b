package forest

import (
	"math"

	"foretell/internal/learn/tree"
	"foretell/internal/spill"
)

// Options are the hyperparameters of a forest. The zero value of every field selects its default,
// except that Classes and Bins are required.
type Options struct {
	// Classes is the number of classes, from 2 to 65,535.
	Classes int
	// Seed seeds the random choices.
	Seed uint64
	// Workers is the number of goroutines. The result does not depend on it.
	// Defaults to 1.
	Workers int
	// Bins holds the bins of the frame.
	Bins *tree.BinnedMatrix
	// Groups holds the group of each row of the frame; a negative number means no group. For each
	// tree, either all rows of a group are drawn or none. If Groups is nil, rows are drawn one by
	// one.
	Groups []int32
	// Disk is the temporary file that holds the trees until the model is used. If Disk is
	// nil, they are held in memory.
	Disk *spill.File
	// Monotone holds, for each column, the direction in which the probability of class 1 may change
	// when the value in the column increases and all other columns stay the same. It requires two
	// classes. Categorical columns must have AnyOrder. Defaults to AnyOrder for all columns.
	Monotone []tree.Direction

	// LeavesPerThousand is the largest number of leaves of a tree per thousand training rows. Fewer
	// than a thousand rows count as a thousand. If it is 4, for example, a leaf contains at least
	// 250 training rows on average. Defaults to no limit. In any case, all trees together have at
	// most two million leaves.
	LeavesPerThousand int
	// The fields below have their defaults, except in tests.

	// trees is the number of trees of the forest, at most 65,537. Defaults to 500 for up to 20,000
	// rows of the frame, 300 for up to 100,000, and 150 for more. Fitter.growOnAllRows halves this
	// number.
	trees int
	// minLeaf is the smallest number of rows of a leaf. By default, Step searches for the
	// number with the smallest out-of-bag error.
	minLeaf int
	// usesExtraTrees reports whether the search tries extremely randomised trees and trees with
	// random splits are finally trained on all rows. setDefaults sets it.
	usesExtraTrees bool

	batchTrees int // number of trees grown in one step
	pilotHalf  int // half the number of trees of a pilot forest
}

// maxTrees is the largest number of trees whose votes on one class, at most unitWeight each, add up
// to a number that fits in a uint32.
const maxTrees = math.MaxUint32 / unitWeight

// setDefaults sets the defaults that depend only on the number of rows. rows is the number of all
// rows of the frame, not only of the training rows. A refit on all rows therefore grows as many
// trees as a fold, in the same batches.
func (o *Options) setDefaults(rows int) {
	o.Workers = max(o.Workers, 1)
	switch {
	case o.trees > 0:
	case rows > 100_000:
		o.trees = 150
	case rows > 20_000:
		o.trees = 300
	default:
		o.trees = 500
	}
	o.trees = min(o.trees, maxTrees)
	o.usesExtraTrees = rows >= minExtraTreesRows && rows <= maxExtraTreesRows && rows*o.Classes <= maxExtraTreesVotes
	o.batchTrees = 16
	if rows > 100_000 {
		o.batchTrees = 8
	}
	// With fewer rows, the estimate of the error needs more votes on each row, so the pilot has
	// more trees.
	o.pilotHalf = o.batchTrees
	for o.pilotHalf < 4*o.batchTrees && o.pilotHalf*rows < 64_000 {
		o.pilotHalf *= 2
	}
	o.pilotHalf = min(o.pilotHalf, max(o.trees/2, 1))
}

// Limits of Options.usesExtraTrees. On smaller tables, extremely randomised trees did not improve
// races. On larger tables they were not measured. See docs/experiments.md.
const (
	minExtraTreesRows, maxExtraTreesRows = 2_000, 20_000 // rows of the frame
	maxExtraTreesVotes                   = 100_000       // rows of the frame × classes
)

// maxForestLeaves limits the leaves of a forest, and so its memory. A leaf
// takes about 50 bytes.
const maxForestLeaves = 2_000_000

// initialParams returns the growth parameters of the first trees, and the changes of
// these parameters that the search will try.
func (o *Options) initialParams(space searchSpace) (params growthParams, moves []paramMove) {
	p := growthParams{maxLeaves: max(maxForestLeaves/o.trees, 2), minLeaf: o.minLeaf, maxFeatures: int(math.Round(math.Sqrt(float64(space.features))))}
	if o.LeavesPerThousand > 0 {
		p.maxLeaves = min(p.maxLeaves, max(o.LeavesPerThousand, o.LeavesPerThousand*space.rows/1000))
	}
	if o.minLeaf <= 0 {
		p.minLeaf = 1
		moves = append(moves, increaseMinLeaf)
	}
	moves = append(moves, increaseMaxFeatures, enableClassOrder)
	if o.minLeaf <= 0 && o.usesExtraTrees {
		moves = append(moves, enableExtraTrees, increaseMinLeafOfExtraTrees)
	}
	moves = append(moves, enableRandomSplits, increaseMaxFeatures)
	return p, moves
}
