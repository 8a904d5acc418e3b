package forest

import (
	"math"

	"foretell/internal/learn/tree"
	"foretell/internal/spill"
)

// Options are the hyperparameters of a forest. The zero value of every field
// but Classes selects its default.
type Options struct {
	// Classes is the number of classes, from 2 to 65,535.
	Classes int
	// Seed seeds the random choices.
	Seed uint64
	// Workers is the number of goroutines. The result does not depend on it.
	// Defaults to 1.
	Workers int
	// Bins holds the bins of the frame. Defaults to a matrix that the first Step builds
	// for this fitter.
	Bins *tree.BinnedMatrix
	// Groups holds the group of each row of the frame, negative if a row has none. The
	// rows of a group are either all in the sample of a tree or all outside it. If Groups
	// is nil, rows are drawn one by one.
	Groups []int32
	// Disk is the temporary file that holds the trees until the model is used. Defaults to
	// memory.
	Disk *spill.File
	// Monotone holds the direction of each column: how the probability of class 1 may
	// depend on the column if all other columns are equal. Monotone requires two classes,
	// and numeric columns where the direction is not AnyOrder. Defaults to AnyOrder for
	// all.
	Monotone []tree.Direction

	// LeavesPerThousand is the largest number of leaves of a tree for each thousand
	// training rows. With fewer than a thousand rows, it is the largest number of leaves
	// of a tree. With 4, a leaf has 250 rows on average; with 400, a leaf has hardly more
	// than one row. Defaults to no limit, but all trees together have at most two million
	// leaves.
	LeavesPerThousand int
	// Trees is the number of trees of the forest, at most 65,537. Defaults to
	// 500, to 300 if the frame has more than 20,000 rows and to 150 if it has
	// more than 100,000.
	Trees int
	// MinLeaf is the smallest number of rows of a leaf. Defaults to the number
	// with the smallest out-of-bag error in a few small forests.
	MinLeaf int
	// MaxFeatures is the number of features tried at each leaf. Defaults to the
	// number with the smallest out-of-bag error. The search starts at the
	// rounded square root of the number of features.
	MaxFeatures int

	batchTrees int // number of trees grown in one step
	pilotHalf  int // half the number of trees of a pilot forest
}

// maxTrees is the largest number of trees whose votes on one class, at most one16 each,
// add up to a number that fits in a uint32.
const maxTrees = math.MaxUint32 / one16

// setDefaults sets the defaults that depend only on the number of rows. rows is
// the number of rows of the whole frame, not of the training rows, so that a
// refit on all rows grows as many trees as the folds, in the same batches.
func (o *Options) setDefaults(rows int) {
	o.Workers = max(o.Workers, 1)
	switch {
	case o.Trees > 0:
	case rows > 100_000:
		o.Trees = 150
	case rows > 20_000:
		o.Trees = 300
	default:
		o.Trees = 500
	}
	o.Trees = min(o.Trees, maxTrees)
	o.batchTrees = 16
	if rows > 100_000 {
		o.batchTrees = 8
	}
	// The fewer rows there are to estimate the error from, the more votes each row needs.
	o.pilotHalf = o.batchTrees
	for o.pilotHalf < 4*o.batchTrees && o.pilotHalf*rows < 64_000 {
		o.pilotHalf *= 2
	}
	o.pilotHalf = min(o.pilotHalf, max(o.Trees/2, 1))
}

// maxForestLeaves limits the leaves of a forest, and so its memory. A leaf
// takes about 50 bytes.
const maxForestLeaves = 2_000_000

// initialParams returns the parameters of the first trees and the changes of
// these parameters to try.
func (o *Options) initialParams(space searchSpace) (growthParams, []paramMove) {
	p := growthParams{maxLeaves: max(maxForestLeaves/o.Trees, 2), minLeaf: o.MinLeaf, maxFeatures: o.MaxFeatures}
	if o.LeavesPerThousand > 0 {
		p.maxLeaves = min(p.maxLeaves, max(o.LeavesPerThousand, o.LeavesPerThousand*space.rows/1000))
	}
	var moves []paramMove
	if o.MinLeaf <= 0 {
		p.minLeaf = 1
		moves = append(moves, increaseMinLeaf)
	}
	if o.MaxFeatures <= 0 {
		p.maxFeatures = int(math.Round(math.Sqrt(float64(space.features))))
		moves = append(moves, increaseMaxFeatures)
	}
	moves = append(moves, enableClassOrder, enableRandomSplits)
	if o.MaxFeatures <= 0 {
		moves = append(moves, increaseMaxFeatures)
	}
	return p, moves
}
