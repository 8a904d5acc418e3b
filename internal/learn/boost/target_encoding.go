package boost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// A target statistic replaces a category by the mean of a target over the rows
// of that category, smoothed towards the mean p of all rows:
//
//	(Σ y + a·p) / (n + a)
//
// If a row's statistic were computed from all rows, it would leak the row's own label.
// Ordered target statistics do not: the rows are put in a random order, and the statistic
// of a row is computed from the rows before it (Prokhorenkova et al. 2018, section 3).
// However, the first rows have few rows before them. Here the order is therefore a
// circle, and the statistic of a row is computed from the half of the circle before it,
// so all statistics are about equally accurate. If the statistic of e is computed from a,
// that of a is not computed from e, except if the two rows are exactly opposite:
//
//	… i [ a b c d ] e f g h i …     the statistic of e is computed from a b c d
//
// There are several random permutations, which the trees use in turn. The statistic of a
// row that is not a training row is computed from all training rows.
type targetStatistic struct {
	key categoryColumns
	// categoryBins[category] is the bin of a category's statistic. Predictions use it.
	categoryBins []uint8
	mapper       tree.BinMapper
	// permutedBins[p][row] is the bin of row, computed with the p-th random permutation
	// of the rows.
	permutedBins [][]uint8
}

// categoryColumns numbers the categories of a categorical column, or the combinations of the
// categories of two columns. Below, such a combination is also called a category. If there are more
// than maxCombinations combinations, they are numbered modulo maxCombinations, so several of them
// are one category (feature hashing: Weinberger et al. 2009).
type categoryColumns struct {
	columns [2]int32 // the second is -1 if there is one column
	// levels[i] is the number of categories of columns[i], including one for unknown
	// levels and one for missing values. levels[1] is 1 if there is one column.
	levels [2]int32
}

// maxCombinations is the largest number of categories of a pair of columns. It is a prime, so that
// combinations with the same number have no common pattern.
const maxCombinations = 65_521

// newCategoryColumns returns the categoryColumns of one column.
func newCategoryColumns(f *frame.Frame, column int) categoryColumns {
	n := int32(len(f.Schema.Columns[column].Levels))
	for _, code := range f.Columns[column].Codes {
		n = max(n, code)
	}
	return categoryColumns{columns: [2]int32{int32(column), -1}, levels: [2]int32{n + 2, 1}}
}

// cross returns the categoryColumns of two columns.
func (c *categoryColumns) cross(other categoryColumns) categoryColumns {
	return categoryColumns{
		columns: [2]int32{c.columns[0], other.columns[0]},
		levels:  [2]int32{c.levels[0], other.levels[0]},
	}
}

// numCombinations returns how many combinations of categories the columns can have.
func (c *categoryColumns) numCombinations() int64 { return int64(c.levels[0]) * int64(c.levels[1]) }

// isHashed reports whether several combinations may have the same number.
func (c *categoryColumns) isHashed() bool {
	return c.columns[1] >= 0 && c.numCombinations() > maxCombinations
}

// numCategories returns the number of categories.
func (c *categoryColumns) numCategories() int {
	if c.isHashed() {
		return maxCombinations
	}
	return int(c.numCombinations())
}

// category returns the category of the combination of the first and the second column's
// categories. If there is one column, second is 0.
func (c *categoryColumns) category(first, second int32) int32 {
	category := int64(first)*int64(c.levels[1]) + int64(second)
	if c.isHashed() {
		category %= maxCombinations
	}
	return int32(category)
}

// fillCategories writes the categories of f's rows lo…hi-1 to dst.
func (c *categoryColumns) fillCategories(dst []int32, f *frame.Frame, lo, hi int) {
	dst = dst[:hi-lo]
	for i, code := range f.Columns[c.columns[0]].Codes[lo:hi] {
		dst[i] = categoryOf(code, c.levels[0])
	}
	if c.columns[1] < 0 {
		return
	}
	for i, code := range f.Columns[c.columns[1]].Codes[lo:hi] {
		dst[i] = c.category(dst[i], categoryOf(code, c.levels[1]))
	}
}

// categoryOf returns the category of a code in a column with the given number of categories.
func categoryOf(code, levels int32) int32 { return min(max(code, frame.Missing), levels-2) + 1 }

// priorWeight is the weight a of the mean p of all rows; see targetStatistic.
const priorWeight = 1

// targetEncoder computes the statistics of one frame from its training rows.
type targetEncoder struct {
	frame  *frame.Frame
	train  []int32
	labels []int32
	// targets[t][class] reports whether the t-th target is 1 for the rows of a class. For
	// the rows of other classes, the target is 0. See drawTargets.
	targets [][]bool
	// permutations are random permutations of the training rows.
	permutations [][]int32
	buckets      int
}

// targetSum is the sum of a target over n rows of a category. The sums are integers,
// because a float32 stops counting at 2²⁴ rows.
type targetSum struct{ sum, n int32 }

func (t targetSum) smoothedMean(prior float32) float32 {
	return (float32(t.sum) + priorWeight*prior) / (float32(t.n) + priorWeight)
}

// orderedMeans calls visit with each row in the slice order and its ordered target
// statistic. The statistic of a row is computed from the len(order)/2 rows before it. It is
// the smoothed mean target of those rows that have the same category. order is a circle; see
// targetStatistic. categories holds the category of each row, from 0 to numCategories-1.
//
// categorySums holds the sum of the target over all rows of each category, and mean is
// the mean target of all rows.
func (e *targetEncoder) orderedMeans(order, categories []int32, numCategories int, target []bool, visit func(row int32, mean float32)) (categorySums []targetSum, mean float32) {
	sums := make([]targetSum, numCategories)
	var all targetSum
	for _, row := range order {
		if target[e.labels[row]] {
			all.sum++
		}
		all.n++
	}
	p := float32(all.sum) / float32(max(all.n, 1))
	half := len(order) / 2
	add := func(row, n int32) {
		t := &sums[categories[row]]
		t.n += n
		if target[e.labels[row]] {
			t.sum += n
		}
	}
	for _, row := range order[len(order)-half:] {
		add(row, 1)
	}
	for i, row := range order {
		visit(row, sums[categories[row]].smoothedMean(p))
		add(row, 1)
		add(order[(i-half+len(order))%len(order)], -1)
	}
	clear(sums)
	for _, row := range order {
		add(row, 1)
	}
	return sums, p
}

func (e *targetEncoder) computeStatistic(key categoryColumns, target []bool) targetStatistic {
	cells := make([]int32, e.frame.Rows)
	key.fillCategories(cells, e.frame, 0, e.frame.Rows)
	s := targetStatistic{key: key, categoryBins: make([]uint8, key.numCategories())}
	rowMeans := make([]float32, e.frame.Rows)
	for i, order := range e.permutations {
		sums, p := e.orderedMeans(order, cells, key.numCategories(), target, func(row int32, mean float32) { rowMeans[row] = mean })
		if i == 0 {
			s.mapper = e.fitMapper(rowMeans, sums, p)
			for category, t := range sums {
				s.categoryBins[category] = s.mapper.BinOf(float64(t.smoothedMean(p)))
			}
		}
		bins := make([]uint8, e.frame.Rows)
		for row, cell := range cells {
			bins[row] = s.categoryBins[cell]
		}
		for _, row := range order {
			bins[row] = s.mapper.BinOf(float64(rowMeans[row]))
		}
		s.permutedBins = append(s.permutedBins, bins)
	}
	return s
}

// maxStatisticBins is the largest number of bins of a target statistic. With more bins,
// rows of the same category would be in different bins only because of the random order.
const maxStatisticBins = 16

// fitMapper returns the bin mapper of a target statistic. rowMeans[row] is the statistic of a
// training row in one random order. sums[category] is the sum of the target over all rows
// of the category. prior is the mean of the target over all rows.
func (e *targetEncoder) fitMapper(rowMeans []float32, sums []targetSum, prior float32) tree.BinMapper {
	const maxValues = 50_000
	var values []float64
	step := len(e.train)/maxValues + 1
	for i := 0; i < len(e.train); i += step {
		values = append(values, float64(rowMeans[e.train[i]]))
	}
	for _, t := range sums {
		if t.n > 0 {
			values = append(values, float64(t.smoothedMean(prior)))
		}
	}
	return tree.NewNumericMapper(values, min(e.buckets, maxStatisticBins))
}

// targetGain measures how well the ordered statistics of key predict the targets. The
// gain of one target is the mean log likelihood of the statistics as predictions, minus
// the mean log likelihood if every row were predicted by the mean of the target.
// targetGain returns the sum of the gains of all targets.
func (e *targetEncoder) targetGain(key categoryColumns) float64 {
	cells := make([]int32, e.frame.Rows)
	key.fillCategories(cells, e.frame, 0, e.frame.Rows)
	gain := 0.0
	for _, target := range e.targets {
		likelihood := 0.0
		_, p := e.orderedMeans(e.permutations[0], cells, key.numCategories(), target, func(row int32, mean float32) {
			if !target[e.labels[row]] {
				mean = 1 - mean
			}
			likelihood += math.Log(float64(max(mean, 1e-4)))
		})
		q := min(max(float64(p), 1e-9), 1-1e-9)
		gain += likelihood/float64(len(e.train)) - float64(q*math.Log(q)) - float64((1-q)*math.Log(1-q))
	}
	return gain
}

// maxPairedColumns is the largest number of columns that are combined in pairs. If there
// are more, those with the highest targetGain are combined.
const maxPairedColumns = 12

// findPairs combines pairs of the columns in singles. The gain of a pair is its
// targetGain minus the larger targetGain of its two columns. findPairs returns the pairs
// with the highest positive gains, at most limit of them.
func (e *targetEncoder) findPairs(ctx context.Context, singles []categoryColumns, limit, workers int) ([]categoryColumns, error) {
	gains := make([]float64, len(singles))
	err := parallel.ForContext(ctx, workers, len(singles), func(_, i int) { gains[i] = e.targetGain(singles[i]) })
	if err != nil {
		return nil, err
	}
	best := make([]int, len(singles))
	for i := range best {
		best[i] = i
	}
	slices.SortStableFunc(best, func(i, j int) int { return cmp.Compare(gains[j], gains[i]) })
	best = best[:min(len(best), maxPairedColumns)]
	type pair struct {
		categoryColumns
		better, gain float64
	}
	var pairs []pair
	for at, i := range best {
		for _, j := range best[:at] {
			a, b := min(i, j), max(i, j)
			pairs = append(pairs, pair{categoryColumns: singles[a].cross(singles[b]), better: max(gains[a], gains[b])})
		}
	}
	err = parallel.ForContext(ctx, workers, len(pairs), func(_, i int) {
		pairs[i].gain = e.targetGain(pairs[i].categoryColumns) - pairs[i].better
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.gain, a.gain) })
	keys := make([]categoryColumns, 0, limit)
	for _, p := range pairs[:min(limit, len(pairs))] {
		if p.gain > 0 {
			keys = append(keys, p.categoryColumns)
		}
	}
	return keys, nil
}

// newTargetEncoder returns an encoder that computes statistics from the training rows,
// whose indices are in train.
func newTargetEncoder(f *frame.Frame, train []int32, opts *Options) *targetEncoder {
	e := &targetEncoder{frame: f, train: train, labels: f.Labels, buckets: opts.Buckets}
	draw := rand.New(rand.NewPCG(opts.Seed, 1<<63))
	for range maxPermutations {
		order := slices.Clone(train)
		draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		e.permutations = append(e.permutations, order)
	}
	e.targets = drawTargets(opts.Classes, draw)
	return e
}

// maxTargets is the largest number of targets.
const maxTargets = 5

// drawTargets returns the targets. Each target is the set of classes for which the target
// is 1. For two classes, the only target is the second class. For at most maxTargets
// classes, each class is a target. For more, each target is a random half of the classes.
func drawTargets(classes int, draw *rand.Rand) [][]bool {
	var sets [][]bool
	switch {
	case classes == 2:
		return [][]bool{{false, true}}
	case classes <= maxTargets:
		for k := range classes {
			set := make([]bool, classes)
			set[k] = true
			sets = append(sets, set)
		}
	default:
		for range maxTargets {
			set := make([]bool, classes)
			for i, k := range draw.Perm(classes) {
				set[k] = i < classes/2
			}
			sets = append(sets, set)
		}
	}
	return sets
}
