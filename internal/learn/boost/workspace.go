package boost

import (
	"foretell/internal/learn/tree"
	"foretell/internal/learn/workspace"
)

// WorkspacePool is a pool of working memory for boosting. Several fitters may share it.
// The zero value is ready to use. It is safe for concurrent use.
type WorkspacePool struct {
	leafwise  workspace.Pool[leafwiseWorkspace]
	symmetric workspace.Pool[symmetricWorkspace]
}

// leafwiseWorkspace is the working memory of a round of leaf-wise trees.
type leafwiseWorkspace struct {
	// samplers and growers have one element for each tree that is grown at the same time.
	samplers       []*rowSampler
	growers        []*tree.Grower
	bins           *tree.BinnedMatrix // the matrix of the growers
	params         tree.Params
	workersPerTree int
	// maxScores and normalizers are the memory of the fields of outputScores with the
	// same names.
	maxScores, normalizers []float32
}

// prepare sets up the workspace to grow numParallelTrees trees at a time, each
// with workersPerTree workers.
func (w *leafwiseWorkspace) prepare(bins *tree.BinnedMatrix, params tree.Params, numParallelTrees, workersPerTree int) {
	if w.bins != bins || w.params != params || w.workersPerTree != workersPerTree || len(w.growers) != numParallelTrees {
		w.bins, w.params, w.workersPerTree, w.growers = bins, params, workersPerTree, nil
		for range numParallelTrees {
			w.growers = append(w.growers, tree.NewGrower(bins, params, workersPerTree))
		}
	}
	for len(w.samplers) < numParallelTrees {
		w.samplers = append(w.samplers, &rowSampler{})
	}
	w.samplers = w.samplers[:numParallelTrees]
}

// cost returns the total cost of the growers so far.
func (w *leafwiseWorkspace) cost() (sum tree.Cost) {
	for _, g := range w.growers {
		sum = sum.AddScaled(g.Cost(), 1)
	}
	return sum
}

// symmetricWorkspace is the working memory of a round of symmetric trees.
type symmetricWorkspace struct {
	grower *tree.SymmetricGrower
	// gradients holds the derivatives that decide the splits, by output and
	// then by row. They are packed by PackGradHess, then quantised in place.
	gradients [][]int64
	// odds holds the odds that computeProjectedGradientsAndOdds stores, row-major. The
	// probabilities of a row are its odds times scales[row].
	odds, scales   []float32
	gradSums       []gradSums // by worker
	values         []float32
	validationRows []int32
	scratch        []int32
}
