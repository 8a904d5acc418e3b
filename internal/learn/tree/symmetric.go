package tree

import (
	"context"
	"errors"
)

// Test is the split of one level of a symmetric tree: bins from Low to High are
// in.
type Test struct {
	Feature   int32
	Low, High uint8
}

// In tells whether bin passes the test.
func (t *Test) In(bin uint8) bool {
	return bin-t.Low <= t.High-t.Low
}

// table returns 1 for the bins that fail the test: they come first.
func (t *Test) table() (table [window]uint8) {
	for bin := range table {
		if !t.In(uint8(bin)) {
			table[bin] = 1
		}
	}
	return table
}

// SymmetricSample is what a symmetric tree is grown on.
type SymmetricSample struct {
	// Bins are cut like those the grower was made for.
	Bins *Bins
	// Rows are the rows to learn from.
	Rows []int32
	// Gradients hold packed gradients by row for each of the outputs whose
	// loss the tree is to reduce at once, and Scales their units.
	Gradients [][]int64
	Scales    []Scale
	// Features are the features that may be used, ascending; nil is all.
	Features []int32
}

// SymmetricGrower grows trees that ask the same question of all the leaves of
// a level. Leaf numbers are made of the answers: bit d is set where the test
// of level d was passed.
//
//	level 0  [ 0               ]
//	level 1  [ 0      | 1      ]
//	level 2  [ 0 | 2  | 1 | 3  ]   rows of a leaf side by side
//
// The rows fall into the leaves very unevenly. A leaf of a handful of rows has
// no histogram: they are summed up anew for each feature, see handful.
type SymmetricGrower struct {
	depth   int
	limit   int // of the cells of all histograms
	l2      float64
	workers int
	bins    *Bins
	whole   int   // cells of a histogram of all features
	offsets []int // of the features in use
	work    Work

	sample  SymmetricSample
	levels  int
	groups  []group
	octs    bool // whether so many features are in use that octs pay
	rows    []int32
	scratch []int32
	ordered ordered
	rooms   []room     // by worker
	scans   []scanRoom // by worker
	spans   []span     // by leaf
	totals  [][]int64  // by output, then leaf
	// few is the number of rows below which a leaf has no histogram, slots are
	// the histograms' numbers by leaf, below zero for none, and taken is the
	// number of those given out.
	few   int
	slots []int32
	taken int32
	// counts holds the histograms: that of slot s and output o begins at
	// (s·outputs + o)·stride.
	counts []int64
	stride int
	// sides are those of each feature in use.
	sides []sides
}

// MaxSymmetricDepth is the largest number of levels of a symmetric tree.
const MaxSymmetricDepth = 8

// leastL2 keeps the score of an empty leaf a number.
const leastL2 = 1e-9

// NewSymmetricGrower returns a grower of trees of up to depth levels on bins
// cut like the given ones, with a penalty of l2 on the square of a leaf's
// value. Where the features are so many that the histograms of the last level
// would take more than half a gigabyte, trees have fewer levels. The trees do
// not depend on workers.
func NewSymmetricGrower(bins *Bins, depth int, l2 float64, workers int) *SymmetricGrower {
	depth = min(max(depth, 1), MaxSymmetricDepth)
	g := &SymmetricGrower{depth: depth, limit: 1 << 26, l2: max(l2, leastL2), workers: max(workers, 1)}
	g.rooms = make([]room, g.workers)
	g.scans = make([]scanRoom, g.workers)
	g.Use(bins)
	return g
}

// Use makes the grower one of trees on bins cut like the given ones.
func (g *SymmetricGrower) Use(bins *Bins) {
	if g.bins == bins {
		return
	}
	g.bins, g.offsets = bins, layout(bins)
	g.whole = g.offsets[len(bins.Features)] + window
	g.sides = make([]sides, len(bins.Features))
	g.few = few(bins)
}

// Work returns the work done so far.
func (g *SymmetricGrower) Work() Work { return g.work }

// LeafRows returns the rows of a leaf of the tree grown last. They are the
// grower's own until it grows again.
func (g *SymmetricGrower) LeafRows(leaf int) []int32 {
	s := g.spans[leaf]
	return g.rows[s.lo:s.hi]
}

// LeafSum returns the sums of an output's derivatives over a leaf's rows.
func (g *SymmetricGrower) LeafSum(leaf, output int) (gradient, hessian float64) {
	gradient, hessian = halves(g.totals[output][leaf])
	scale := g.sample.Scales[output]
	return gradient * scale.Gradient, hessian * scale.Hessian
}

// Grow grows a tree: the tests of its levels, fewer than asked for where no
// test is worth its cost. It has 1 << len(tests) leaves.
func (g *SymmetricGrower) Grow(ctx context.Context, sample SymmetricSample) ([]Test, error) {
	g.begin(sample)
	tests := make([]Test, 0, g.depth)
	for range g.levels {
		test, found, err := g.level(ctx)
		if err != nil {
			return nil, err
		}
		if !found {
			break
		}
		tests = append(tests, test)
		if err := g.divide(ctx, &test); err != nil {
			return nil, err
		}
		g.share(&test)
	}
	return tests, nil
}

// octsPay is how many times as many features as a tree may use there are at most
// where octs are made. They take a byte a cell, in memory for as long as the bins
// are, and of a third of the features few are ever beside one another.
const octsPay = 2.5

// begin prepares for a new tree.
func (g *SymmetricGrower) begin(sample SymmetricSample) {
	g.sample = sample
	g.rows = append(g.rows[:0], sample.Rows...)
	if cap(g.scratch) < len(g.rows) {
		g.scratch = make([]int32, len(g.rows))
	}
	g.spans = append(g.spans[:0], span{0, len(g.rows)})
	g.slots, g.taken = append(g.slots[:0], 0), 1
	g.sumUp()
	g.groups = usable(sample.Bins, sample.Features)
	g.octs = sample.Features == nil || octsPay*float64(len(sample.Features)) >= float64(len(sample.Bins.Features))
	outputs := len(sample.Gradients)
	for g.levels = g.depth; g.levels > 1 && g.whole*outputs<<(g.levels-1) > g.limit; {
		g.levels--
	}
	g.arrange()
	if want := g.stride * outputs * min(1<<(g.levels-1), len(g.rows)/g.few+1); len(g.counts) < want {
		g.counts = make([]int64, want)
	}
}

// arrange lays the cells of the features in use side by side: of a wide table a
// tree uses a part only.
func (g *SymmetricGrower) arrange() {
	at, next := 0, 0
	for _, of := range g.groups {
		for _, i := range of.active {
			for ; next <= i; next++ {
				g.offsets[next] = at
			}
			at += g.sample.Bins.Features[i].Bins
		}
	}
	for ; next < len(g.offsets); next++ {
		g.offsets[next] = at
	}
	g.stride = at + window
}

// level finds the best test for the present leaves.
func (g *SymmetricGrower) level(ctx context.Context) (best Test, found bool, err error) {
	if len(g.spans) > 1 {
		g.allot()
	}
	workers := g.workers
	if g.tally() < small {
		workers = 1
	}
	if err := g.count(ctx, workers); err != nil {
		return Test{}, false, err
	}
	scan := g.scan()
	results := make([]test, len(g.groups))
	err = Parallel(ctx, workers, len(g.groups), func(worker, i int) {
		of := &g.groups[i]
		for _, feature := range of.active {
			g.consider(scan, feature, &g.scans[worker], &results[i])
		}
	})
	top := scan.alone
	for i := range results {
		if r := &results[i]; r.score > top*(1+1e-9) {
			top, best, found = r.score, r.Test, true
		}
	}
	return best, found, err
}

// divide gives each leaf's rows to its two children: several leaves at a time,
// or several stretches of one while leaves are few.
func (g *SymmetricGrower) divide(ctx context.Context, test *Test) error {
	table := test.table()
	data := g.sample.Bins.Features[test.Feature].Data
	leaves, within, across := len(g.spans), g.workers, 1
	if leaves >= g.workers {
		within, across = 1, g.workers
	}
	if len(g.rows) < stretch {
		across = 1
	}
	g.spans = append(g.spans, g.spans...)
	failed := make([]error, leaves)
	err := Parallel(ctx, across, leaves, func(_, leaf int) {
		s := g.spans[leaf]
		n, err := divideMany(ctx, within, data, &table, g.rows[s.lo:s.hi], g.scratch[s.lo:s.hi])
		failed[leaf] = err
		g.spans[leaf] = span{s.lo, s.lo + n}
		g.spans[leaf+leaves] = span{s.lo + n, s.hi}
	})
	g.work.Moved += int64(len(g.rows))
	return errors.Join(append(failed, err)...)
}

// RouteSymmetric divides rows among the leaves of a symmetric tree: visit gets
// each leaf that any of them falls into and those rows, in their order. It
// permutes rows; scratch is at least as long.
func RouteSymmetric(tests []Test, bins *Bins, rows, scratch []int32, visit func(leaf int, rows []int32)) {
	tables := make([][window]uint8, len(tests))
	for i := range tests {
		tables[i] = tests[i].table()
	}
	var route func(level, leaf int, rows []int32)
	route = func(level, leaf int, rows []int32) {
		if len(rows) == 0 {
			return
		}
		if level == len(tests) {
			visit(leaf, rows)
			return
		}
		n := divide(bins.Features[tests[level].Feature].Data, &tables[level], rows, scratch)
		route(level+1, leaf, rows[:n])
		route(level+1, leaf|1<<level, rows[n:])
	}
	route(0, 0, rows)
}
