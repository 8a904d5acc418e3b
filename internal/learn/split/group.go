package split

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// groupFolds divides a sample with Groups into k folds; see Folds. All rows of a group are in the
// Validation of one fold. A group that contains all rows of a class is in every Train, because
// otherwise the class could not be learned. If only one other group is left, there is only one
// fold, whose Validation is this group.
//
// Groups are assigned one by one, the largest first; see groupAssigner.
func groupFolds(s Sample, k int, seed uint64) []Fold {
	groups, pinned := s.shuffledGroups(newGenerator(seed, foldStream))
	if len(groups) == 1 && len(pinned) > 0 && k > 1 {
		return []Fold{{Train: s.rowsWithout(groups[0]), Validation: groups[0]}}
	}
	if k = min(k, len(groups)); k < 2 {
		return []Fold{{Train: s.sortedRows()}}
	}
	slices.SortStableFunc(groups, func(a, b []int32) int { return cmp.Compare(len(b), len(a)) })
	folds, assigner := make([]Fold, k), s.newGroupAssigner(k)
	for _, rows := range groups {
		assigned := assigner.assign(rows)
		for i := range folds {
			if i == assigned {
				folds[i].Validation = append(folds[i].Validation, rows...)
			} else {
				folds[i].Train = append(folds[i].Train, rows...)
			}
		}
	}
	for i := range folds {
		folds[i].Train = append(folds[i].Train, pinned...)
		slices.Sort(folds[i].Train)
		slices.Sort(folds[i].Validation)
	}
	return folds
}

// groupAssigner assigns groups to folds.
type groupAssigner struct {
	order  []int         // of the folds; see assignmentOrder
	counts []classCounts // by fold
	spans  []classSpan   // by class
}

// classSpan describes where the rows of a class are.
type classSpan struct {
	first, last int // the lowest and the highest index of the folds with rows of the class
	left        int // number of rows that are not yet assigned
}

func (s Sample) newGroupAssigner(k int) *groupAssigner {
	a := &groupAssigner{order: assignmentOrder(k), counts: make([]classCounts, k), spans: make([]classSpan, s.Classes)}
	for i := range a.counts {
		a.counts[i] = s.newClassCounts()
	}
	for class, n := range a.counts[0].total {
		a.spans[class] = classSpan{first: k, last: -1, left: n}
	}
	return a
}

// assign assigns a group to a fold, and returns the index of the fold. It chooses the fold in which
// the fewest classes would be confined; see confined. Among several such folds, it chooses the fold
// with the fewest validation rows of the group's classes so far; see addedFraction. This makes the
// sizes and class proportions of the folds about equal.
func (a *groupAssigner) assign(rows []int32) int {
	var ending []int32 // the classes whose last rows are in the group
	for _, row := range rows {
		class := a.counts[0].labels[row]
		if a.spans[class].left--; a.spans[class].left == 0 {
			ending = append(ending, class)
		}
	}
	best := a.order[0]
	for _, i := range a.order[1:] {
		if cmp.Or(cmp.Compare(a.confined(ending, i), a.confined(ending, best)),
			cmp.Compare(a.counts[i].addedFraction(rows), a.counts[best].addedFraction(rows)),
			cmp.Compare(a.counts[i].rows, a.counts[best].rows)) < 0 {
			best = i
		}
	}
	a.counts[best].add(rows)
	for _, row := range rows {
		span := &a.spans[a.counts[0].labels[row]]
		span.first, span.last = min(span.first, best), max(span.last, best)
	}
	return best
}

// confined returns how many of the classes in ending would be in a single fold if their last rows
// were assigned to the given fold. Folds that MergeFolds may merge count as one fold.
func (a *groupAssigner) confined(ending []int32, fold int) int {
	n := 0
	for _, class := range ending {
		span := a.spans[class]
		if max(span.last, fold)-min(span.first, fold) < maxFoldsInMerged(len(a.order)) {
			n++
		}
	}
	return n
}

// groupHoldout holds out a fraction of a sample with Groups; see Holdout. It visits the groups in
// random order and holds out a group if this brings the class counts closer to the wanted fraction;
// see gain. If the other groups are so large that far too few rows are held out in this way, it
// holds out one more group: the group that brings the class counts nearest to the wanted fraction.
// It does this only if at least keep groups are then left.
func groupHoldout(s Sample, fraction float64, keep int, seed uint64) (rest, held []int32) {
	groups, pinned := s.shuffledGroups(newGenerator(seed, holdoutStream))
	counts := s.newClassCounts()
	total := len(pinned)
	var large [][]int32 // the groups that are not held out
	for _, rows := range groups {
		total += len(rows)
		if counts.gain(rows, fraction) > 0 {
			counts.add(rows)
			held = append(held, rows...)
		} else {
			large = append(large, rows)
		}
	}
	left := len(large)
	if len(pinned) > 0 {
		left++
	}
	if isFarBelow(len(held), fraction*float64(total)) && len(large) > 0 && left > keep {
		nearest := slices.MaxFunc(large, func(a, b []int32) int { return cmp.Compare(counts.gain(a, fraction), counts.gain(b, fraction)) })
		held = append(held, nearest...)
	}
	slices.Sort(held)
	return s.rowsWithout(held), held
}

// shuffledGroups returns the rows of each group that may be held out, with the groups in an order
// drawn from rng. A group that contains all rows of a class must not be held out, so its rows are
// in pinned. A row with a negative group is a group of its own.
func (s Sample) shuffledGroups(rng *rand.Rand) (groups [][]int32, pinned []int32) {
	rows, ends := s.sortByGroup()
	total, count := make([]int, s.Classes), make([]int, s.Classes)
	for _, row := range rows {
		total[s.Labels[row]]++
	}
	groups = make([][]int32, 0, len(ends))
	begin := int32(0)
	for _, end := range ends {
		group := rows[begin:end:end]
		begin = end
		hasClass := false
		for _, row := range group {
			class := s.Labels[row]
			count[class]++
			hasClass = hasClass || count[class] == total[class]
		}
		for _, row := range group {
			count[s.Labels[row]] = 0
		}
		if hasClass {
			pinned = append(pinned, group...)
		} else {
			groups = append(groups, group)
		}
	}
	rng.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	return groups, pinned
}

// sortByGroup returns the rows of the sample group by group, and the index at which each group
// ends. The rows of a group are ascending.
func (s Sample) sortByGroup() (rows, ends []int32) {
	sorted := s.sortedRows()
	top := int32(-1)
	for _, row := range sorted {
		top = max(top, s.Groups[row])
	}
	ends = make([]int32, top+1)
	for _, row := range sorted {
		if group := s.Groups[row]; group >= 0 {
			ends[group]++
		}
	}
	next := make([]int32, top+1)
	end := int32(0)
	for group, n := range ends {
		next[group] = end
		end += n
		ends[group] = end
	}
	ends = slices.Compact(ends) // removes groups without rows; if the first has no rows, the next line removes it
	if len(ends) > 0 && ends[0] == 0 {
		ends = ends[1:]
	}
	rows = make([]int32, len(sorted))
	for _, row := range sorted {
		if group := s.Groups[row]; group >= 0 {
			rows[next[group]] = row
			next[group]++
			continue
		}
		rows[end] = row
		end++
		ends = append(ends, end)
	}
	return rows, ends
}

// classCounts counts rows by class. The method add adds rows to the counts.
type classCounts struct {
	labels  []int32
	total   []int // number of rows of the sample, by class
	count   []int
	rows    int
	newRows []int // scratch space of gain: the number of rows that would be added, by class
}

func (s Sample) newClassCounts() classCounts {
	c := classCounts{labels: s.Labels, total: make([]int, s.Classes), count: make([]int, s.Classes), newRows: make([]int, s.Classes)}
	for _, row := range s.sortedRows() {
		c.total[s.Labels[row]]++
	}
	return c
}

func (c *classCounts) add(rows []int32) {
	for _, row := range rows {
		c.count[c.labels[row]]++
	}
	c.rows += len(rows)
}

// addedFraction returns the fraction of a row's class that was already added, as a mean over the
// given rows. The result is 0 if no row of these rows' classes was added, and 1 if all were.
func (c *classCounts) addedFraction(rows []int32) float64 {
	sum := 0.0
	for _, row := range rows {
		class := c.labels[row]
		sum += float64(c.count[class]) / float64(c.total[class])
	}
	return sum / float64(len(rows))
}

// gain returns how much closer the class counts come to the given fraction of all rows if rows are
// added. The distance is Σ (count − fraction·total)² / total over the classes, where count is the
// number of added rows of a class and total is the number of all rows of the class.
func (c *classCounts) gain(rows []int32, fraction float64) float64 {
	for _, row := range rows {
		c.newRows[c.labels[row]]++
	}
	gain := 0.0
	for _, row := range rows {
		class := c.labels[row]
		n := float64(c.newRows[class])
		c.newRows[class] = 0 // the class is counted once, at its first row
		lacking := fraction*float64(c.total[class]) - float64(c.count[class])
		gain += n * (2*lacking - n) / float64(c.total[class])
	}
	return gain
}
