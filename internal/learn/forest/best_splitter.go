package forest

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/tree"
)

// nodeSplit is a split of a leaf. The best split has the highest score and thus the
// lowest Gini impurity. The score of a leaf with n rows, n_c of them of class c, is
//
//	Σ_c n_c² / n
//
// and the score of a split is the sum of the scores of its two leaves. (The impurity of a
// leaf is 1 − score/n.) The squares n_c² are integers, so their sums are exact.
type nodeSplit struct {
	feature    int // -1 if there is no split
	score      float64
	leftBins   binSet // the bins that go left
	threshold  uint8  // the last bin on the left of a split by a numeric feature
	missingBin uint8  // the bin of missing values if they go left, and otherwise equal to threshold
	numeric    bool   // whether the feature is numeric
}

var noSplit = nodeSplit{feature: -1}

// splitter finds the splits of one leaf after another. Each worker has its own splitter.
type splitter struct {
	bins               *tree.BinnedMatrix
	classes            int
	minLeaf            int64 // smallest number of rows of a leaf
	sortsLevelsByClass bool  // see growthParams
	// monotone holds the direction of each feature; it is nil if all are AnyOrder. bounds
	// are the bounds of the leaf.
	monotone []tree.Direction
	bounds   bounds

	leafRows    []sampleRow
	classTotals []int64 // number of rows of each class in the leaf
	rows        int64   // sum of classTotals
	squares     int64   // sum of the squares of classTotals

	histogram  *classHistogram
	leftCounts []int64      // number of rows of each class on the left of the split being scored; all 0 between scores
	keys       [256]float64 // by bin: the sort key of orderByClass
	order      []uint8      // the bins of a categorical feature, in the order in which splits are tried

	nanos int // estimated time of finding splits so far, in nanoseconds
}

func newSplitter(bins *tree.BinnedMatrix, classes, rows int) *splitter {
	return &splitter{
		bins:        bins,
		classes:     classes,
		histogram:   newClassHistogram(rows, classes),
		leftCounts:  make([]int64, classes),
		classTotals: make([]int64, classes),
		order:       make([]uint8, 0, 256),
	}
}

// setLeaf prepares s to find splits of the leaf with the given rows. It must be called
// before bestSplit and randomSplit.
func (s *splitter) setLeaf(rows []sampleRow) {
	clear(s.classTotals)
	s.leafRows, s.rows, s.squares = rows, int64(len(rows)), 0
	s.nanos += 5 * len(rows) // includes the time to partition the leaf later
	for _, e := range rows {
		n := &s.classTotals[e.class()]
		s.squares += 2**n + 1 // (n+1)² - n²
		*n++
	}
}

func (s *splitter) isPure() bool { return s.squares == s.rows*s.rows }

// leafScore returns the score of the leaf without a split.
func (s *splitter) leafScore() float64 { return float64(s.squares) / float64(s.rows) }

// bestSplit returns the best split of the leaf by the feature. varies reports whether the leaf's
// rows differ in the feature. The levels of a categorical feature are first ordered: by
// orderByClass if s.sortsLevelsByClass is set, otherwise at random. Only splits between neighbours
// in this order are considered.
func (s *splitter) bestSplit(feature int, rng *rand.Rand) (found nodeSplit, varies bool) {
	f := &s.bins.Features[feature]
	s.nanos += s.histogram.build(s.leafRows, f.Data, f.NumBins, s.classes)
	if len(s.histogram.bins) < 2 {
		return noSplit, false
	}
	if f.Categorical {
		s.order = append(s.order[:0], s.histogram.bins...)
		if s.sortsLevelsByClass {
			s.orderByClass(s.drawClass(rng))
		} else {
			rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		}
		return s.categoricalSplit(feature, s.findSplitPoint(feature, s.order, nil)), true
	}
	values := s.histogram.bins
	if values[len(values)-1] != f.MissingBin {
		return s.numericSplit(feature, values, s.findSplitPoint(feature, values, nil), false), true
	}
	values = values[:len(values)-1]
	found = s.numericSplit(feature, values, s.findSplitPoint(feature, values, nil), false)
	if other := s.findSplitPoint(feature, values, s.histogram.countsInBin(f.MissingBin)); other.score > found.score {
		found = s.numericSplit(feature, values, other, true)
	}
	return found, true
}

// splitPoint divides a list of bins into two: rows in the first bins of the list go left, and all
// other rows go right.
type splitPoint struct {
	end   int // number of bins that go left; 0 if no division is allowed
	score float64
	rows  int64 // number of rows on the left
}

// findSplitPoint returns the split point with the highest score. order lists bins of the feature.
// Rows in the bins before the split point go left, and all other rows go right. missing holds the
// class counts of the rows with missing values if they go left, and is nil if they go right.
func (s *splitter) findSplitPoint(feature int, order []uint8, missing []classCount) splitPoint {
	var best splitPoint
	direction := s.direction(feature)
	var rows, squares int64
	rest := s.squares
	counts := missing
	for end := 0; ; end++ {
		for _, count := range counts {
			n := count.rows()
			l := s.leftCounts[count.class()]
			r := s.classTotals[count.class()] - l
			squares += n * (2*l + n)
			rest -= n * (2*r - n)
			s.leftCounts[count.class()] = l + n
			rows += n
		}
		if end > 0 && rows >= s.minLeaf && s.rows-rows >= s.minLeaf {
			score := float64(squares)/float64(rows) + float64(rest)/float64(s.rows-rows)
			if score > best.score && (s.monotone == nil || s.satisfiesMonotone(direction, rows, end < len(order))) {
				best = splitPoint{end, score, rows}
			}
		}
		if end == len(order) {
			break
		}
		counts = s.histogram.countsInBin(order[end])
	}
	clear(s.leftCounts)
	return best
}

// numericSplit converts point to a split by a numeric feature. values are the bins that point
// divides: the bins of the leaf's rows, except the bin of missing values. The threshold is halfway
// between the last bin on the left and the first bin on the right. missingLeft reports whether
// missing values go left.
func (s *splitter) numericSplit(feature int, values []uint8, point splitPoint, missingLeft bool) nodeSplit {
	if point.end == 0 {
		return noSplit
	}
	f := &s.bins.Features[feature]
	threshold := values[point.end-1]
	if point.end < len(values) {
		threshold = uint8((int(threshold) + int(values[point.end])) / 2)
	} else {
		threshold = f.MissingBin - 1 // all values go left, missing values right
	}
	// If no row of the leaf has a missing value, missing values in predictions go to the
	// side with more rows.
	if s.histogram.bins[len(s.histogram.bins)-1] != f.MissingBin && 2*point.rows > s.rows {
		missingLeft = true
	}
	found := nodeSplit{feature: feature, score: point.score, numeric: true}
	found.setThreshold(threshold, f.MissingBin, missingLeft)
	return found
}

// setThreshold sets s to a split that sends the bins 0 … threshold to the left and, if
// missingLeft is true, also missingBin, the bin of missing values.
func (s *nodeSplit) setThreshold(threshold, missingBin uint8, missingLeft bool) {
	for bin := range int(threshold) + 1 {
		s.leftBins.add(uint8(bin))
	}
	s.threshold, s.missingBin = threshold, threshold
	if missingLeft {
		s.missingBin = missingBin
		s.leftBins.add(missingBin)
	}
}

// categoricalSplit converts point, which divides s.order, to a split by a categorical feature. Bins
// without rows in the leaf go to the side with more rows.
func (s *splitter) categoricalSplit(feature int, point splitPoint) nodeSplit {
	if point.end == 0 {
		return noSplit
	}
	found := nodeSplit{feature: feature, score: point.score}
	if 2*point.rows <= s.rows {
		for _, bin := range s.order[:point.end] {
			found.leftBins.add(bin)
		}
		return found
	}
	for bin := range s.bins.Features[feature].NumBins {
		found.leftBins.add(uint8(bin))
	}
	for _, bin := range s.order[point.end:] {
		found.leftBins.remove(bin)
	}
	return found
}

// orderByClass sorts the bins in s.order by the fraction of their rows that are of the given class.
// With two classes, this makes the left side of the best split a prefix of the list (Breiman et al.
// 1984, theorem 4.5). With more classes, the prefixes include splits that separate the given class
// well from the other classes.
func (s *splitter) orderByClass(class uint32) {
	for _, bin := range s.order {
		var inClass, all int64
		for _, count := range s.histogram.countsInBin(bin) {
			all += count.rows()
			if count.class() == class {
				inClass += count.rows()
			}
		}
		s.keys[bin] = float64(inClass) / float64(all)
	}
	slices.SortFunc(s.order, func(a, b uint8) int {
		return cmp.Or(cmp.Compare(s.keys[a], s.keys[b]), cmp.Compare(a, b))
	})
}

// drawClass returns the class for orderByClass: the class of a random row of the leaf. With two
// classes, it always returns 1, because the orders by either class yield the same splits.
func (s *splitter) drawClass(rng *rand.Rand) uint32 {
	if s.classes == 2 {
		return 1
	}
	u := rng.Int64N(s.rows)
	for class, n := range s.classTotals {
		if u < n {
			return uint32(class)
		}
		u -= n
	}
	return 0
}
