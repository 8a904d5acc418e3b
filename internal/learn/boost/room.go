package boost

import (
	"sync"

	"foretell/internal/learn/tree"
)

// Room is the memory that rounds of boosting need while they are at it.
// Fitters that share one hold a desk of it during a step only: there are as
// many desks as there are steps at a time, however many the fitters. The zero
// value is ready, and safe for concurrent use.
type Room struct {
	leafwise  shelf[leafwiseDesk]
	symmetric shelf[symmetricDesk]
}

// shelf keeps desks that nobody sits at.
type shelf[T any] struct {
	mu   sync.Mutex
	free []*T
}

// take returns a desk: one that was given back, whatever is on it, or a new one.
func (s *shelf[T]) take() *T {
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

// give takes a desk back.
func (s *shelf[T]) give(d *T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, d)
}

// leafwiseDesk is what leaf-wise trees are grown at.
type leafwiseDesk struct {
	// lots and growers belong to the workers that grow trees side by side.
	lots    []*lot
	growers []*tree.Grower
	bins    *tree.BinnedMatrix // of the growers
	params  tree.Params
	inner   int
	// tops and scales are those of loss.
	tops, scales []float32
}

// fit makes the desk one for side trees at a time, of inner workers each.
func (d *leafwiseDesk) fit(bins *tree.BinnedMatrix, params tree.Params, side, inner int) {
	if d.bins != bins || d.params != params || d.inner != inner || len(d.growers) != side {
		d.bins, d.params, d.inner, d.growers = bins, params, inner, nil
		for range side {
			d.growers = append(d.growers, tree.NewGrower(bins, params, inner))
		}
	}
	for len(d.lots) < side {
		d.lots = append(d.lots, &lot{})
	}
	d.lots = d.lots[:side]
}

// work returns the work done at the desk so far.
func (d *leafwiseDesk) work() (sum tree.Cost) {
	for _, g := range d.growers {
		sum = sum.Plus(g.Cost(), 1)
	}
	return sum
}

// symmetricDesk is what symmetric trees are grown at.
type symmetricDesk struct {
	grower *tree.SymmetricGrower
	// gradients hold raw gradients, then packed ones, by output of the sketch
	// and by row.
	gradients [][]int64
	// odds are the probabilities of a projection, row major, multiplied by
	// scales, a number a row.
	odds, scales []float32
	sums         []sums // by worker
	values       []float32
	eval         []int32
	scratch      []int32
}

// sized returns n things that hold anything, in the place of s if that has room
// for them.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
