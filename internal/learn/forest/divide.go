package forest

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"foretell/internal/learn/tree"
)

// division is a way to divide a leaf in two. The quality of one is measured by Gini's
// index: with n rows of which n_c are of class c, a leaf is worth
//
//	Σ_c n_c² / n
//
// and a split is the better the more its two leaves are worth together.
// (n minus this is n times the impurity.) The squares are integers, so the
// sums are exact.
type division struct {
	feature int // -1: none
	worth   float64
	left    binSet // the bins that go left
	cut     uint8  // the last bin on the left of a numeric feature
	also    uint8  // the missing bin if it goes left too, else cut again
	ordered bool   // whether the feature is numeric
}

var noDivision = division{feature: -1}

// splitter finds splits for one leaf after another. It belongs to one worker.
type splitter struct {
	bins    *tree.BinnedMatrix
	classes int
	minLeaf int64 // least rows of a leaf
	byClass bool  // see recipe

	entries []entry
	total   []int64 // rows of each class in the leaf
	rows    int64   // their sum
	squares int64   // the sum of their squares

	table *table
	left  []int64 // rows of each class on the left; zero between trials
	keys  [256]float64
	order []uint8

	spent int // nanoseconds, by the estimates below
}

func newSplitter(bins *tree.BinnedMatrix, classes, rows int) *splitter {
	return &splitter{
		bins:    bins,
		classes: classes,
		table:   newTable(rows, classes),
		left:    make([]int64, classes),
		total:   make([]int64, classes),
		order:   make([]uint8, 0, 256),
	}
}

// enter makes the leaf with the given entries the one to find splits for.
func (s *splitter) enter(entries []entry) {
	clear(s.total)
	s.entries, s.rows, s.squares = entries, int64(len(entries)), 0
	s.spent += 5 * len(entries) // to divide the leaf is in it, too
	for _, e := range entries {
		n := &s.total[e.class()]
		s.squares += 2**n + 1 // (n+1)² - n²
		*n++
	}
}

// pure tells whether the leaf has a single class.
func (s *splitter) pure() bool { return s.squares == s.rows*s.rows }

// worth is what the leaf is worth undivided.
func (s *splitter) worth() float64 { return float64(s.squares) / float64(s.rows) }

// best returns the best split on the feature; of a categorical one without
// byClass, the best along a random order of the levels. varies tells whether the leaf's
// rows differ in it at all.
func (s *splitter) best(feature int, rng *rand.Rand) (found division, varies bool) {
	f := &s.bins.Features[feature]
	s.spent += s.table.fill(s.entries, f.Data, f.NumBins, s.classes)
	if len(s.table.bins) < 2 {
		return noDivision, false
	}
	if f.Categorical {
		s.order = append(s.order[:0], s.table.bins...)
		if s.byClass {
			s.arrange(s.drawClass(rng))
		} else {
			rng.Shuffle(len(s.order), func(i, j int) { s.order[i], s.order[j] = s.order[j], s.order[i] })
		}
		return s.dividing(feature, s.sweep(s.order, nil)), true
	}
	values := s.table.bins
	if values[len(values)-1] != f.MissingBin {
		return s.cutting(feature, values, s.sweep(values, nil), false), true
	}
	values = values[:len(values)-1]
	found = s.cutting(feature, values, s.sweep(values, nil), false)
	if other := s.sweep(values, s.table.of(f.MissingBin)); other.worth > found.worth {
		found = s.cutting(feature, values, other, true)
	}
	return found, true
}

// boundary is a place in a list of bins: the first after bins go left.
type boundary struct {
	after int // 0: none allowed
	worth float64
	rows  int64 // on the left
}

// sweep moves the bins of the table from right to left in the given order,
// after those of first, and returns where both leaves are worth most. What is
// in neither list stays on the right.
func (s *splitter) sweep(order []uint8, first []item) boundary {
	var best boundary
	var rows, squares int64
	rest := s.squares
	items := first
	for after := 0; ; after++ {
		for _, it := range items {
			n := it.rows()
			l := s.left[it.class()]
			r := s.total[it.class()] - l
			squares += n * (2*l + n)
			rest -= n * (2*r - n)
			s.left[it.class()] = l + n
			rows += n
		}
		if after > 0 && rows >= s.minLeaf && s.rows-rows >= s.minLeaf {
			worth := float64(squares)/float64(rows) + float64(rest)/float64(s.rows-rows)
			if worth > best.worth {
				best = boundary{after, worth, rows}
			}
		}
		if after == len(order) {
			break
		}
		items = s.table.of(order[after])
	}
	clear(s.left)
	return best
}

// cutting makes a split of a boundary between values, the bins of a numeric
// feature that are present but for the missing one. The cut is halfway
// between its neighbours. missing tells that the missing cells are on the left.
func (s *splitter) cutting(feature int, values []uint8, b boundary, missing bool) division {
	if b.after == 0 {
		return noDivision
	}
	f := &s.bins.Features[feature]
	at := values[b.after-1]
	if b.after < len(values) {
		at = uint8((int(at) + int(values[b.after])) / 2)
	} else {
		at = f.MissingBin - 1 // values on the left, missing ones on the right
	}
	// Where the leaf has no missing cell to learn from, they go with the many.
	if s.table.bins[len(s.table.bins)-1] != f.MissingBin && 2*b.rows > s.rows {
		missing = true
	}
	found := division{feature: feature, worth: b.worth, ordered: true}
	found.cutAt(at, f.MissingBin, missing)
	return found
}

// cutAt sends the bins up to cut to the left, and the missing one if it is to.
func (s *division) cutAt(cut, missing uint8, left bool) {
	for bin := range int(cut) + 1 {
		s.left.add(uint8(bin))
	}
	s.cut, s.also = cut, cut
	if left {
		s.also = missing
		s.left.add(missing)
	}
}

// dividing makes a split of a boundary in the order of a categorical feature.
// Bins without a row in the leaf go with the many.
func (s *splitter) dividing(feature int, b boundary) division {
	if b.after == 0 {
		return noDivision
	}
	found := division{feature: feature, worth: b.worth}
	if 2*b.rows <= s.rows {
		for _, bin := range s.order[:b.after] {
			found.left.add(bin)
		}
		return found
	}
	for bin := range s.bins.Features[feature].NumBins {
		found.left.add(uint8(bin))
	}
	for _, bin := range s.order[b.after:] {
		found.left.remove(bin)
	}
	return found
}

// arrange orders the bins of the table by the share that the class has in
// them. Among all ways to divide the bins in two, the best one for two
// classes is a boundary in this order (Breiman et al. 1984, theorem 4.5);
// with more classes it is a good one against the rest.
func (s *splitter) arrange(class uint32) {
	for _, bin := range s.order {
		var of, all int64
		for _, it := range s.table.of(bin) {
			all += it.rows()
			if it.class() == class {
				of += it.rows()
			}
		}
		s.keys[bin] = float64(of) / float64(all)
	}
	slices.SortFunc(s.order, func(a, b uint8) int {
		return cmp.Or(cmp.Compare(s.keys[a], s.keys[b]), cmp.Compare(a, b))
	})
}

// drawClass returns the class of a row of the leaf drawn by lot; with two
// classes any will do.
func (s *splitter) drawClass(rng *rand.Rand) uint32 {
	if s.classes == 2 {
		return 1
	}
	u := rng.Int64N(s.rows)
	for class, n := range s.total {
		if u < n {
			return uint32(class)
		}
		u -= n
	}
	return 0
}
