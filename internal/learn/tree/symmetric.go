package tree

import "context"

// Test is the split of one level of a symmetric tree: bins from Low to High,
// and Also, are in.
type Test struct {
	Feature         int32
	Low, High, Also uint8
}

// In tells whether bin passes the test.
func (t *Test) In(bin uint8) bool {
	return bin-t.Low <= t.High-t.Low || bin == t.Also
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
type SymmetricGrower struct {
	depth   int
	limit   int // of the cells of all histograms
	l2      float64
	workers int
	offsets []int
	work    Work

	sample  SymmetricSample
	levels  int
	quads   []quad
	rows    []int32
	scratch []int32
	ordered [][]int64
	spans   []span // by leaf
	// counts holds the histograms of all leaves and outputs: that of leaf l
	// and output o begins at (l·outputs + o)·stride.
	counts []int64
	stride int
}

// MaxSymmetricDepth is the largest number of levels of a symmetric tree.
const MaxSymmetricDepth = 8

// NewSymmetricGrower returns a grower of trees of up to depth levels on bins
// cut like the given ones, with a penalty of l2 on the square of a leaf's
// value. Where the features are so many that the histograms of the last level
// would take more than half a gigabyte, trees have fewer levels. The trees do
// not depend on workers.
func NewSymmetricGrower(bins *Bins, depth int, l2 float64, workers int) *SymmetricGrower {
	depth = min(max(depth, 1), MaxSymmetricDepth)
	g := &SymmetricGrower{depth: depth, limit: 1 << 26, l2: l2, workers: workers, offsets: layout(bins)}
	g.stride = g.offsets[len(bins.Features)] + window
	return g
}

// Work returns the work done so far.
func (g *SymmetricGrower) Work() Work { return g.work }

// LeafRows returns the rows of a leaf of the tree grown last. They are the
// grower's own until it grows again.
func (g *SymmetricGrower) LeafRows(leaf int) []int32 {
	s := g.spans[leaf]
	return g.rows[s.lo:s.hi]
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
	}
	return tests, nil
}

// begin prepares for a new tree.
func (g *SymmetricGrower) begin(sample SymmetricSample) {
	g.sample = sample
	g.rows = append(g.rows[:0], sample.Rows...)
	if cap(g.scratch) < len(g.rows) || len(g.ordered) != len(sample.Gradients) {
		g.scratch = make([]int32, len(g.rows))
		g.ordered = make([][]int64, len(sample.Gradients))
		for o := range g.ordered {
			g.ordered[o] = make([]int64, len(g.rows))
		}
	}
	g.spans = append(g.spans[:0], span{0, len(g.rows)})
	g.quads = usable(sample.Bins, sample.Features)
	cells := g.stride * len(sample.Gradients)
	for g.levels = g.depth; g.levels > 1 && cells<<(g.levels-1) > g.limit; {
		g.levels--
	}
	if want := cells << (g.levels - 1); len(g.counts) < want {
		g.counts = make([]int64, want)
	}
}

// level finds the best test for the present leaves. Each group of four
// features is one task: every cell has one writer.
func (g *SymmetricGrower) level(ctx context.Context) (best Test, found bool, err error) {
	half := len(g.spans) / 2
	counted := 0
	for leaf := range max(half, 1) {
		s := g.counted(leaf, half)
		counted += s.len()
		for o, gradients := range g.sample.Gradients {
			gather(g.ordered[o][s.lo:s.hi], gradients, g.rows[s.lo:s.hi])
		}
	}
	scan := g.scan()
	results := make([]test, len(g.quads))
	workers := g.workers
	if g.tally(counted) < small {
		workers = 1
	}
	err = Parallel(ctx, workers, len(g.quads), func(_, i int) {
		q := &g.quads[i]
		for leaf := range max(half, 1) {
			g.count(q, leaf, half)
		}
		for _, feature := range q.active {
			g.consider(scan, feature, &results[i])
		}
	})
	top := scan.alone()
	for i := range results {
		if r := &results[i]; r.score > top*(1+1e-9) {
			top, best, found = r.score, r.Test, true
		}
	}
	return best, found, err
}

// tally adds a level to the work done and returns its size.
func (g *SymmetricGrower) tally(counted int) int {
	outputs := len(g.sample.Gradients)
	var features, bins int
	for _, q := range g.quads {
		features += len(q.active)
		for _, i := range q.active {
			bins += g.sample.Bins.Features[i].Bins
		}
	}
	g.work.Counted += int64(counted * features * outputs)
	g.work.Scanned += int64(len(g.spans) * bins * outputs)
	return (counted*features + len(g.spans)*bins) * outputs
}

// counted returns the span that is counted to find the histograms of leaf and
// its sibling leaf+half: the smaller one.
func (g *SymmetricGrower) counted(leaf, half int) span {
	s := g.spans[leaf]
	if half > 0 && g.spans[leaf+half].len() < s.len() {
		s = g.spans[leaf+half]
	}
	return s
}

// histogram returns the cells of a leaf and an output.
func (g *SymmetricGrower) histogram(leaf, output int) []int64 {
	at := (leaf*len(g.sample.Gradients) + output) * g.stride
	return g.counts[at : at+g.stride]
}

// count fills a group's cells of leaf and its sibling: the place of leaf holds
// those of both together from the level before.
func (g *SymmetricGrower) count(q *quad, leaf, half int) {
	s := g.counted(leaf, half)
	lo, hi := g.offsets[4*q.index], g.offsets[min(4*q.index+4, len(g.sample.Bins.Features))]
	for o := range g.sample.Gradients {
		to := g.histogram(leaf+half, o)
		clear(to[lo:hi])
		countGroup(g.sample.Bins, g.offsets, q, to, g.rows[s.lo:s.hi], g.ordered[o][s.lo:s.hi])
		if half == 0 {
			continue
		}
		from := g.histogram(leaf, o)
		if s == g.spans[leaf+half] {
			subtract(from[lo:hi], to[lo:hi])
			continue
		}
		for i := lo; i < hi; i++ {
			from[i], to[i] = to[i], from[i]-to[i]
		}
	}
}

// divide gives each leaf's rows to its two children.
func (g *SymmetricGrower) divide(ctx context.Context, test *Test) error {
	table := test.table()
	data := g.sample.Bins.Features[test.Feature].Data
	leaves := len(g.spans)
	g.spans = append(g.spans, g.spans...)
	for leaf := range leaves {
		s := g.spans[leaf]
		n, err := divideMany(ctx, g.workers, data, &table, g.rows[s.lo:s.hi], g.scratch)
		if err != nil {
			return err
		}
		g.spans[leaf] = span{s.lo, s.lo + n}
		g.spans[leaf+leaves] = span{s.lo + n, s.hi}
	}
	g.work.Moved += int64(len(g.rows))
	return nil
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
