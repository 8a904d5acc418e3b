package boost

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"foretell/internal/learn/parallel"
	"foretell/internal/learn/tree"
	"foretell/internal/table/frame"
)

// targetStatistic replaces a category by the mean of a target over the rows of that category,
// smoothed towards the mean p of all rows:
//
//	(Σ y + a·p) / (n + a)
//
// If the statistic of a row were computed from all rows, it would leak the row's label. It is
// therefore computed only from the rows before that row in a random order (ordered target
// statistics: Prokhorenkova et al. 2018, section 3). Here the order is a circle, and the rows
// before a row are the preceding half of the circle. Even the first row then has many rows before
// it. The statistics of two rows are never computed from each other, unless the rows are exactly
// opposite:
//
//	… i [ a b c d ] e f g h i …     the statistic of e is computed from a b c d
//
// The statistic of a row also leaves out the other rows of its group. New rows do not belong to the
// groups of the training rows, so a statistic computed from a row's own group would predict
// training rows better than new rows. This matters most for copies of a row.
//
// There are several random permutations, which the trees use in turn. The statistic of a row that
// is not a training row is computed from all training rows.
type targetStatistic struct {
	key categoryColumns
	// categoryBins[category] is the bin of a category's statistic. Predictions use it.
	categoryBins []uint8
	mapper       tree.BinMapper
	// permutedBins[p][row] is the bin of row, computed with the p-th random permutation
	// of the rows.
	permutedBins [][]uint8
}

// priorWeight is the weight a of the mean p of all rows; see targetStatistic.
const priorWeight = 1

// targetEncoder computes the statistics of one frame from its training rows.
type targetEncoder struct {
	frame  *frame.Frame
	train  []int32
	labels []int32
	// targets are the targets whose means are computed. A target is 0 or 1 for each class:
	// targets[t][class] is true if target t is 1 for the rows of the class. See drawBinaryTargets.
	targets [][]bool
	// permutations are random permutations of the training rows.
	permutations [][]int32
	// buckets is the largest number of bins of a statistic, without the bin of missing values. It is
	// Options.Buckets.
	buckets int
	// groups holds one slice of training rows for each group of Options.Groups. Groups with only one
	// training row are left out.
	groups [][]int32
}

// targetSum is the sum of a target over n rows of a category. The sums are integers, because a
// float32 cannot count beyond 2²⁴ rows.
type targetSum struct{ sum, n int32 }

func (t targetSum) smoothedMean(prior float32) float32 {
	return (float32(t.sum) + priorWeight*prior) / (float32(t.n) + priorWeight)
}

// rowCategories holds the category of each row for one categoryColumns.
type rowCategories struct {
	// of[row] is the category of a row, from 0 to n-1.
	of []int32
	n  int
	// inGroup[row] numbers the row's pair of group and category, from 0 to numInGroup-1. It is -1
	// if no other training row is in the group. inGroup is nil if all its elements would be -1.
	inGroup    []int32
	numInGroup int
}

// categoriesOfRows returns the category of each row in the column or the two columns of key.
func (e *targetEncoder) categoriesOfRows(key categoryColumns) rowCategories {
	c := rowCategories{of: make([]int32, e.frame.Rows), n: key.numCategories()}
	key.fillCategories(c.of, e.frame, 0, e.frame.Rows)
	if e.groups == nil {
		return c
	}
	c.inGroup = slices.Repeat([]int32{-1}, e.frame.Rows)
	// latest holds, for each category, the last group so far with a row of this category, and the
	// number of this pair of group and category.
	latest := make([]struct{ group, number int32 }, c.n)
	for i, rows := range e.groups {
		for _, row := range rows {
			seen := &latest[c.of[row]]
			if group := int32(i + 1); seen.group != group {
				seen.group, seen.number = group, int32(c.numInGroup)
				c.numInGroup++
			}
			c.inGroup[row] = seen.number
		}
	}
	return c
}

// orderedMeans calls visit with each row of order and its ordered target statistic. The statistic
// is the smoothed mean target over some of the len(order)/2 rows before the row: the rows of its
// category, except the rows of its group. order is a circle; see targetStatistic.
//
// categorySums holds the sum of the target over all rows of each category, and mean is the mean
// target of all rows.
func (e *targetEncoder) orderedMeans(order []int32, categories rowCategories, target []bool, visit func(row int32, mean float32)) (categorySums []targetSum, mean float32) {
	sums, groupSums := make([]targetSum, categories.n), make([]targetSum, categories.numInGroup)
	var all targetSum
	for _, row := range order {
		if target[e.labels[row]] {
			all.sum++
		}
		all.n++
	}
	p := float32(all.sum) / float32(max(all.n, 1))
	half := len(order) / 2
	// ownGroup returns the sum over the rows that have both the group and the category of the row,
	// or nil if no other training row is in the group.
	ownGroup := func(row int32) *targetSum {
		if categories.inGroup == nil || categories.inGroup[row] < 0 {
			return nil
		}
		return &groupSums[categories.inGroup[row]]
	}
	add := func(row, n int32) {
		y := int32(0)
		if target[e.labels[row]] {
			y = n
		}
		t := &sums[categories.of[row]]
		t.n += n
		t.sum += y
		if own := ownGroup(row); own != nil {
			own.n += n
			own.sum += y
		}
	}
	for _, row := range order[len(order)-half:] {
		add(row, 1)
	}
	for i, row := range order {
		t := sums[categories.of[row]]
		if own := ownGroup(row); own != nil {
			t.n -= own.n
			t.sum -= own.sum
		}
		visit(row, t.smoothedMean(p))
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
	categories := e.categoriesOfRows(key)
	s := targetStatistic{key: key, categoryBins: make([]uint8, categories.n)}
	rowMeans := make([]float32, e.frame.Rows)
	for i, order := range e.permutations {
		sums, p := e.orderedMeans(order, categories, target, func(row int32, mean float32) { rowMeans[row] = mean })
		if i == 0 {
			s.mapper = e.fitMapper(rowMeans, sums, p)
			for category, t := range sums {
				s.categoryBins[category] = s.mapper.BinOf(float64(t.smoothedMean(p)))
			}
		}
		bins := make([]uint8, e.frame.Rows)
		for row, category := range categories.of {
			bins[row] = s.categoryBins[category]
		}
		for _, row := range order {
			bins[row] = s.mapper.BinOf(float64(rowMeans[row]))
		}
		s.permutedBins = append(s.permutedBins, bins)
	}
	return s
}

// maxStatisticBins is the largest number of bins of a target statistic. More bins would only
// separate rows of the same category by their position in the random order.
const maxStatisticBins = 16

// fitMapper returns the bin mapper of a target statistic. rowMeans[row] is the statistic of a
// training row in one random order. sums[category] is the sum of the target over all rows of the
// category. prior is the mean of the target over all rows.
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

// targetGain measures how well the ordered statistics of key predict the targets. The gain of one
// target is the mean log likelihood of the statistics, minus the mean log likelihood of always
// predicting the mean of the target. targetGain returns the sum over the targets.
func (e *targetEncoder) targetGain(key categoryColumns) float64 {
	categories := e.categoriesOfRows(key)
	gain := 0.0
	for _, target := range e.targets {
		likelihood := 0.0
		_, p := e.orderedMeans(e.permutations[0], categories, target, func(row int32, mean float32) {
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

// maxPairedColumns is the largest number of columns that are combined in pairs. If there are more
// columns, only those with the highest targetGain are combined.
const maxPairedColumns = 12

// findPairs combines the columns of singles in pairs. It returns at most limit pairs: the pairs
// with the highest positive gains. The gain of a pair is its targetGain minus the larger targetGain
// of its two columns.
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
	sort.SliceStable(pairs, func(i, j int) bool { return cmp.Less(pairs[j].gain, pairs[i].gain) })
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
	e.targets = drawBinaryTargets(opts.Classes, draw)
	if opts.Groups != nil {
		e.groups = groupsWithSeveralRows(train, opts.Groups)
	}
	return e
}

// groupsWithSeveralRows divides the given rows by group. It returns one slice of rows for each
// group with at least two of these rows, in the order of the groups' first rows. groups[row] is
// negative if a row has no group.
func groupsWithSeveralRows(rows, groups []int32) (shared [][]int32) {
	ofGroup := make(map[int32][]int32)
	for _, row := range rows {
		if group := groups[row]; group >= 0 {
			ofGroup[group] = append(ofGroup[group], row)
		}
	}
	for _, row := range rows {
		if group := groups[row]; group >= 0 {
			if members := ofGroup[group]; members[0] == row && len(members) > 1 {
				shared = append(shared, members)
			}
		}
	}
	return shared
}

// maxTargets is the largest number of targets of a targetEncoder.
const maxTargets = 5

// drawBinaryTargets returns the targets. Each target is true for some of the classes. With two
// classes, the only target is the second class. With three to maxTargets classes, each class is a
// target. With more classes, each target is a random half of the classes.
func drawBinaryTargets(classes int, draw *rand.Rand) [][]bool {
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
