package boost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/frame"
	"foretell/internal/learn/tree"
)

// A target statistic replaces a category by the mean of a target over the rows
// of that category, smoothed towards the mean of all:
//
//	(Σ y + a·p) / (n + a)
//
// Taken over all rows it would tell a row its own label. Ordered statistics do
// not: the rows are put in a random order, and each is given the mean over some
// that come before it (Prokhorenkova et al. 2018, section 3). There the first
// rows have hardly any before them; here the order is a circle and each row is
// given the half of it that lies before it, so that all statistics are equally
// good, and of any two rows still only one sees the other:
//
//	… h [ a b c d ] e f g h …     e is told by a b c d
//
// Several orders are made and the trees take turns with them. A row that
// learning has not seen is given the mean over all rows learnt from.
type statistic struct {
	key category
	// codes is the bin of the statistic by category, all that prediction needs.
	codes []uint8
	cuts  tree.BinMapper
	// orders holds one bin a row for each order.
	orders [][]uint8
}

// category numbers the cells of a categorical column, or the combinations of
// those of two.
type category struct {
	columns [2]int32 // the second is -1 where there is one only
	// levels are the numbers of cells told apart: the levels, other, missing.
	levels [2]int32
}

// mostCombinations bounds the combinations of two columns.
const mostCombinations = 1 << 16

// newCategory returns the categories of one column.
func newCategory(f *frame.Frame, column int) category {
	n := int32(len(f.Schema.Columns[column].Levels))
	for _, code := range f.Columns[column].Codes {
		n = max(n, code)
	}
	return category{columns: [2]int32{int32(column), -1}, levels: [2]int32{n + 2, 1}}
}

// with returns the combinations of two columns' categories.
func (c *category) with(other category) category {
	return category{
		columns: [2]int32{c.columns[0], other.columns[0]},
		levels:  [2]int32{c.levels[0], other.levels[0]},
	}
}

// size returns the number of categories.
func (c *category) size() int { return int(c.levels[0]) * int(c.levels[1]) }

// fill writes the categories of f's rows lo…hi-1 to dst.
func (c *category) fill(dst []int32, f *frame.Frame, lo, hi int) {
	dst = dst[:hi-lo]
	clear(dst)
	for part, column := range c.columns {
		if column < 0 {
			break
		}
		levels := c.levels[part]
		for i := range dst {
			cell := frame.Missing
			if int(column) < len(f.Columns) && f.Columns[column].Codes != nil {
				cell = min(max(f.Columns[column].Codes[lo+i], frame.Missing), levels-2)
			}
			dst[i] = dst[i]*levels + cell + 1
		}
	}
}

// prior is the weight a of the mean of all rows.
const prior = 1

// encoder makes the statistics of one frame and its rows to learn from.
type encoder struct {
	frame  *frame.Frame
	train  []int32
	labels []int32
	// targets tell for each target which classes it holds.
	targets [][]bool
	// orders are permutations of train.
	orders  [][]int32
	buckets int
}

// tally is the sum of a target and the number of rows of a category.
type tally struct{ sum, n float32 }

func (t tally) mean(p float32) float32 { return (t.sum + prior*p) / (t.n + prior) }

// visit calls do with each row in order and its ordered statistic, and returns
// the tallies of all rows. cells are the rows' categories.
func (e *encoder) visit(order, cells []int32, size int, target []bool, do func(row int32, mean float32)) ([]tally, float32) {
	tallies := make([]tally, size)
	var all tally
	for _, row := range order {
		if target[e.labels[row]] {
			all.sum++
		}
		all.n++
	}
	p := all.sum / max(all.n, 1)
	half := len(order) / 2
	add := func(row int32, n float32) {
		t := &tallies[cells[row]]
		t.n += n
		if target[e.labels[row]] {
			t.sum += n
		}
	}
	for _, row := range order[len(order)-half:] {
		add(row, 1)
	}
	for i, row := range order {
		do(row, tallies[cells[row]].mean(p))
		add(row, 1)
		add(order[(i-half+len(order))%len(order)], -1)
	}
	clear(tallies)
	for _, row := range order {
		add(row, 1)
	}
	return tallies, p
}

// statistic makes the statistic of one category and target.
func (e *encoder) statistic(key category, target []bool) statistic {
	cells := make([]int32, e.frame.Rows)
	key.fill(cells, e.frame, 0, e.frame.Rows)
	s := statistic{key: key, codes: make([]uint8, key.size())}
	seen := make([]float32, e.frame.Rows)
	for i, order := range e.orders {
		tallies, p := e.visit(order, cells, key.size(), target, func(row int32, mean float32) { seen[row] = mean })
		if i == 0 {
			s.cuts = e.cuts(seen, tallies, p)
			for category, t := range tallies {
				s.codes[category] = s.cuts.BinOf(float64(t.mean(p)))
			}
		}
		bins := make([]uint8, e.frame.Rows)
		for row, cell := range cells {
			bins[row] = s.codes[cell]
		}
		for _, row := range order {
			bins[row] = s.cuts.BinOf(float64(seen[row]))
		}
		s.orders = append(s.orders, bins)
	}
	return s
}

// statisticBins is the most bins of a statistic: finer ones would tell rows
// apart by the noise of their order.
const statisticBins = 16

// cuts finds the bins of a statistic from its values in one order and over all
// rows.
func (e *encoder) cuts(seen []float32, tallies []tally, p float32) tree.BinMapper {
	const most = 50_000
	var values []float64
	step := len(e.train)/most + 1
	for i := 0; i < len(e.train); i += step {
		values = append(values, float64(seen[e.train[i]]))
	}
	for _, t := range tallies {
		if t.n > 0 {
			values = append(values, float64(t.mean(p)))
		}
	}
	return tree.NewNumericMapper(values, min(e.buckets, statisticBins))
}

// worth returns how much better a category's ordered statistics foretell the
// targets than their means do: the mean gain in log likelihood.
func (e *encoder) worth(key category) float64 {
	cells := make([]int32, e.frame.Rows)
	key.fill(cells, e.frame, 0, e.frame.Rows)
	gain := 0.0
	for _, target := range e.targets {
		likelihood := 0.0
		_, p := e.visit(e.orders[0], cells, key.size(), target, func(row int32, mean float32) {
			if !target[e.labels[row]] {
				mean = 1 - mean
			}
			likelihood += math.Log(float64(max(mean, 1e-4)))
		})
		q := min(max(float64(p), 1e-9), 1-1e-9)
		gain += likelihood/float64(len(e.train)) - q*math.Log(q) - (1-q)*math.Log(1-q)
	}
	return gain
}

// mostPaired is the number of columns that are tried in pairs: those that are
// worth most alone.
const mostPaired = 12

// pairs returns the most promising combinations of two of the categories: those
// that gain most over the better of the two alone.
func (e *encoder) pairs(ctx context.Context, singles []category, most, workers int) ([]category, error) {
	alone := make([]float64, len(singles))
	err := tree.Parallel(ctx, workers, len(singles), func(_, i int) { alone[i] = e.worth(singles[i]) })
	if err != nil {
		return nil, err
	}
	best := make([]int, len(singles))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(alone[j], alone[i]) })
	best = best[:min(len(best), mostPaired)]
	type pair struct {
		category
		better, gain float64
	}
	var pairs []pair
	for at, i := range best {
		for _, j := range best[:at] {
			a, b := min(i, j), max(i, j)
			if key := singles[a].with(singles[b]); key.size() <= mostCombinations {
				pairs = append(pairs, pair{category: key, better: max(alone[a], alone[b])})
			}
		}
	}
	err = tree.Parallel(ctx, workers, len(pairs), func(_, i int) {
		pairs[i].gain = e.worth(pairs[i].category) - pairs[i].better
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.gain, a.gain) })
	keys := make([]category, 0, most)
	for _, p := range pairs[:min(most, len(pairs))] {
		if p.gain > 0 {
			keys = append(keys, p.category)
		}
	}
	return keys, nil
}

// newEncoder prepares statistics of the rows train.
func newEncoder(f *frame.Frame, train []int32, opts *Options) *encoder {
	e := &encoder{frame: f, train: train, labels: f.Labels, buckets: opts.Buckets}
	draw := rand.New(rand.NewPCG(opts.Seed, 1<<63))
	for range orders {
		order := slices.Clone(train)
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		e.orders = append(e.orders, order)
	}
	e.targets = targets(opts.Classes, draw)
	return e
}

// mostTargets is the number of classes up to which each is a target.
const mostTargets = 5

// targets returns the sets of classes whose frequencies are statistics: the
// second of two classes, each of a few, and random halves of many.
func targets(classes int, draw *rand.Rand) [][]bool {
	var sets [][]bool
	switch {
	case classes == 2:
		return [][]bool{{false, true}}
	case classes <= mostTargets:
		for k := range classes {
			set := make([]bool, classes)
			set[k] = true
			sets = append(sets, set)
		}
	default:
		for range mostTargets {
			set := make([]bool, classes)
			for i, k := range draw.Perm(classes) {
				set[k] = i < classes/2
			}
			sets = append(sets, set)
		}
	}
	return sets
}
