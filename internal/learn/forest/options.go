package forest

import (
	"math"

	"foretell/internal/learn/tree"
	"foretell/internal/scratch"
)

// Options are the hyperparameters of a forest. The zero value of each field
// but Classes is a good default.
type Options struct {
	// Classes is the number of classes: 2 to 65,535.
	Classes int
	// Seed determines the forest, together with the data.
	Seed uint64
	// Workers is how many goroutines may work at a time. The result does not
	// depend on it. Defaults to 1.
	Workers int
	// Bins is the frame in bins. Defaults to bins of its own, which the first
	// Step makes.
	Bins *tree.BinnedMatrix
	// Disk is where trees wait until the model is used. Defaults to memory.
	Disk *scratch.Disk

	// Cells is the number of leaves a tree may have for each thousand training
	// rows (and at least so many): with 4, a leaf stands for 250 rows
	// on average; 400 is nearly one leaf a row. Defaults to no limit but that
	// of two million leaves in all trees.
	Cells int
	// Trees is the number of trees after which the forest is done. Defaults
	// to 500, 300 for more than 20,000 rows, 150 for more than 100,000; at most
	// 65,537.
	Trees int
	// MinLeaf is the least number of rows of a leaf. Defaults to what has the
	// least out-of-bag error in a few small forests.
	MinLeaf int
	// Candidates is the number of features tried at each leaf. Defaults to
	// what has the least out-of-bag error, starting from the rounded square
	// root of their number.
	Candidates int

	group int // trees a step
	half  int // half the trees of an audition
}

// mostTrees is how many votes of one whole a uint32 can hold.
const mostTrees = math.MaxUint32 / whole

// setDefaults fills in what is zero and has no better choice.
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
	o.Trees = min(o.Trees, mostTrees)
	o.group = 16
	if rows > 100_000 {
		o.group = 8
	}
	// The fewer rows there are to judge by, the more votes on each are needed.
	o.half = o.group
	for o.half < 4*o.group && o.half*rows < 64_000 {
		o.half *= 2
	}
	o.half = min(o.half, max(o.Trees/2, 1))
}

// mostLeaves bounds the leaves of a forest, and so the memory it takes: about
// 50 bytes each.
const mostLeaves = 2_000_000

// start returns the recipe of the first trees and the moves to try from it.
func (o *Options) start(in scope) (recipe, []move) {
	r := recipe{leaves: max(mostLeaves/o.Trees, 2), minLeaf: o.MinLeaf, candidates: o.Candidates}
	if o.Cells > 0 {
		r.leaves = min(r.leaves, max(o.Cells, o.Cells*in.rows/1000))
	}
	var try []move
	if o.MinLeaf <= 0 {
		r.minLeaf = 1
		try = append(try, coarser)
	}
	if o.Candidates <= 0 {
		r.candidates = int(math.Round(math.Sqrt(float64(in.features))))
		try = append(try, wider)
	}
	try = append(try, informed, byChance)
	if o.Candidates <= 0 {
		try = append(try, wider)
	}
	return r, try
}
