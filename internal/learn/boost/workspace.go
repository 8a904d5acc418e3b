package boost

import (
	"sync"

	"foretell/internal/learn/tree"
)

// WorkspacePool is the working memory of boosting. Fitters that share it hold a
// workspace during a step only, so there are as many workspaces as concurrent
// steps, however many fitters there are. The zero value is ready to use. It is
// safe for concurrent use.
type WorkspacePool struct {
	leafwise  freeList[leafwiseWorkspace]
	symmetric freeList[symmetricWorkspace]
}

// freeList keeps workspaces that are not in use.
type freeList[T any] struct {
	mu   sync.Mutex
	free []*T
}

// acquire returns a released workspace with undefined contents, or a new one.
func (s *freeList[T]) acquire() *T {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.free) - 1
	if last < 0 {
		return new(T)
	}
	d := s.free[last]
	s.free = s.free[:last]
	return d
}

// release puts a workspace back.
func (s *freeList[T]) release(d *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, d)
}

// leafwiseWorkspace is the working memory of a round of leaf-wise trees.
type leafwiseWorkspace struct {
	// samplers and growers are by worker: each grows one tree at a time.
	samplers       []*rowSampler
	growers        []*tree.Grower
	bins           *tree.BinnedMatrix // of the growers
	params         tree.Params
	workersPerTree int
	// maxScores and normalizers are those of outputScores.
	maxScores, normalizers []float32
}

// prepare sets up the workspace for parallelTrees trees at a time, each grown
// by workersPerTree workers.
func (d *leafwiseWorkspace) prepare(bins *tree.BinnedMatrix, params tree.Params, parallelTrees, workersPerTree int) {
	if d.bins != bins || d.params != params || d.workersPerTree != workersPerTree || len(d.growers) != parallelTrees {
		d.bins, d.params, d.workersPerTree, d.growers = bins, params, workersPerTree, nil
		for range parallelTrees {
			d.growers = append(d.growers, tree.NewGrower(bins, params, workersPerTree))
		}
	}
	for len(d.samplers) < parallelTrees {
		d.samplers = append(d.samplers, &rowSampler{})
	}
	d.samplers = d.samplers[:parallelTrees]
}

// cost returns the cost of the growers so far.
func (d *leafwiseWorkspace) cost() (sum tree.Cost) {
	for _, g := range d.growers {
		sum = sum.Plus(g.Cost(), 1)
	}
	return sum
}

// symmetricWorkspace is the working memory of a round of symmetric trees.
type symmetricWorkspace struct {
	grower *tree.SymmetricGrower
	// gradients hold derivatives by output of the sketch, then by row: from
	// PackGradHess, then quantised.
	gradients [][]int64
	// odds holds the odds of a projection, row-major. Times scales, by row,
	// they are probabilities.
	odds, scales []float32
	gradSums     []gradSums // by worker
	values       []float32
	eval         []int32
	scratch      []int32
}

// resize returns a slice of length n with undefined contents, which reuses s if
// it is large enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
