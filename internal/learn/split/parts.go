package split

import (
	"cmp"
	"math"
	"slices"
)

// AssignCrossFitFolds assigns each row of the sample to one of k folds, so that a model trained on
// the other folds can predict it. It returns the fold of each row, from 0 to k-1, in the order of
// s.Rows. All rows of a group are in the same fold; see spreadConfinedClasses for an exception.
//
// If rows have times, the folds are ranges of time (Bergmeir & Benítez, On the use of
// cross-validation for time series predictor evaluation, 2012). If rows have no times, or all have
// the same time, the folds are stratified by class.
func AssignCrossFitFolds(s Sample, k int, seed uint64) []int {
	rows := s.Rows
	if rows == nil {
		rows = s.sortedRows()
	}
	var list []int
	if s.Times != nil {
		list = s.crossFitFoldsByTime(rows, k)
	}
	if list == nil {
		list = s.stratifiedCrossFitFolds(rows, k, seed)
	}
	s.spreadConfinedClasses(rows, list, k)
	return list
}

// stratifiedCrossFitFolds returns, for each row of rows, the index of the fold of Folds that has
// the row in its Validation, from 0 to k-1.
func (s Sample) stratifiedCrossFitFolds(rows []int32, k int, seed uint64) []int {
	partOf := make(map[int32]int, len(rows))
	for part, fold := range Folds(s, k, seed) {
		for _, row := range fold.Validation {
			partOf[row] = part
		}
	}
	list := make([]int, len(rows))
	for i, row := range rows {
		part, known := partOf[row]
		if !known { // no fold validates the row, because no other row, or no other group, has its class
			part = i % k
			if s.Groups != nil && s.Groups[row] >= 0 {
				part = int(s.Groups[row]) % k
			}
		}
		list[i] = part
	}
	return list
}

// spreadConfinedClasses finds the classes with at least nine tenths of their rows in one of the k
// parts, for example because these rows are in one group. It distributes the rows of these classes
// among all parts. parts holds the part of each row. The rows of classes with fewer than ten rows
// are not moved.
//
// Without this, the model that predicts such rows would have seen hardly any other rows of their
// class. A low probability of the class would then become a sign of the class.
func (s Sample) spreadConfinedClasses(rows []int32, parts []int, k int) {
	const minRows = 10
	counts := make([]int, s.Classes*k) // by class, then by part
	for i, row := range rows {
		counts[int(s.Labels[row])*k+parts[i]]++
	}
	next := make([]int, s.Classes) // the next part of a confined class; -1 for other classes
	for class := range next {
		total, largest := 0, 0
		for _, n := range counts[class*k:][:k] {
			total, largest = total+n, max(largest, n)
		}
		if total < minRows || 10*largest < 9*total {
			next[class] = -1
		}
	}
	for i, row := range rows {
		if class := s.Labels[row]; next[class] >= 0 {
			parts[i] = next[class]
			next[class] = (next[class] + 1) % k
		}
	}
}

// timedGroup holds rows that crossFitFoldsByTime assigns to the same part: the rows of a group, or
// a single row without a group.
type timedGroup struct {
	rows  []int   // indices of rows
	timed int     // number of rows with a time
	sum   float64 // sum of these times
}

// time returns the mean time of the rows that have one, or +Inf if no row has one.
func (g *timedGroup) time() float64 {
	if g.timed == 0 {
		return math.Inf(1)
	}
	return g.sum / float64(g.timed)
}

// crossFitFoldsByTime returns the part of each row, from 0 to parts-1. The parts are ranges of
// time with about the same number of rows. The time of a group is the mean time of its
// rows. Rows or groups with the same time are in the same part. Rows without a time are
// in the last part. The result is nil if all times are equal.
func (s Sample) crossFitFoldsByTime(rows []int32, parts int) []int {
	groups := s.timedGroups(rows)
	slices.SortStableFunc(groups, func(a, b *timedGroup) int { return cmp.Compare(a.time(), b.time()) })
	var changes []int // the numbers of rows before each change of time
	before := 0
	for i, g := range groups {
		if i > 0 && groups[i-1].time() < g.time() {
			changes = append(changes, before)
		}
		before += len(g.rows)
	}
	if changes == nil {
		return nil
	}
	ends := make([]int, parts-1)
	for part := range ends {
		ends[part] = nearest(changes, (part+1)*len(rows)/parts)
	}
	list, part := make([]int, len(rows)), 0
	before = 0
	for _, g := range groups {
		for part < len(ends) && before >= ends[part] {
			part++
		}
		for _, i := range g.rows {
			list[i] = part
		}
		before += len(g.rows)
	}
	return list
}

// timedGroups returns the groups of rows, in the order of their first rows. A row without a group is a
// group of its own.
func (s Sample) timedGroups(rows []int32) []*timedGroup {
	var groups []*timedGroup
	known := make(map[int32]*timedGroup) // by group of the sample
	for i, row := range rows {
		g := new(timedGroup)
		if s.Groups != nil && s.Groups[row] >= 0 {
			if known[s.Groups[row]] != nil {
				g = known[s.Groups[row]]
			}
			known[s.Groups[row]] = g
		}
		if len(g.rows) == 0 {
			groups = append(groups, g)
		}
		g.rows = append(g.rows, i)
		if at := s.Times[row]; !math.IsNaN(at) {
			g.sum += at
			g.timed++
		}
	}
	return groups
}

// nearest returns the value of sorted that is nearest to want, or the lower of two
// equally near values. sorted must be ascending and not empty.
func nearest(sorted []int, want int) int {
	at, _ := slices.BinarySearch(sorted, want)
	if at == len(sorted) || at > 0 && want-sorted[at-1] <= sorted[at]-want {
		return sorted[at-1]
	}
	return sorted[at]
}
