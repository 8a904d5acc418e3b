package split

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Holdout sets a fraction of the sample's rows aside, with the class proportions of the sample. The
// list held contains these rows, and the list rest contains the other rows. Both are ascending.
// held contains ⌊fraction·rows + ½⌋ rows, or fewer, because at least one row of each class stays in
// rest. A fraction below 0 or NaN is treated as 0, and a fraction above 1 as 1.
//
// If the sample has Groups, all rows of a group are in the same list. The number of held rows and
// their class proportions are then only approximate. If every group is large, many more rows may be
// held, but never all groups.
func Holdout(s Sample, fraction float64, seed uint64) (rest, held []int32) {
	if s.Groups != nil {
		return groupHoldout(s, fraction, 1, seed)
	}
	rng := newGenerator(seed, holdoutStream)
	lists := s.shuffledRowsByClass(rng)
	total := 0
	for _, rows := range lists {
		total += len(rows)
	}
	want := 0
	if fraction > 0 { // false for NaN
		want = int(math.Floor(min(fraction, 1)*float64(total) + 0.5))
	}
	take := allocateByClass(lists, want, rng)
	for class, rows := range lists {
		held = append(held, rows[:take[class]]...)
	}
	slices.Sort(held)
	return s.rowsWithout(held), held
}

// holdoutForTest holds out test rows; see Holdout. If the sample has Groups, at least two groups
// are left in rest. If far too few rows can then be held out, there are no test rows; see
// minTestRows.
func (s Sample) holdoutForTest(fraction float64, seed uint64) (rest, test []int32) {
	if s.Groups == nil {
		return Holdout(s, fraction, seed)
	}
	rest, test = groupHoldout(s, fraction, 2, seed)
	if len(test) < minTestRows && isFarBelow(len(test), fraction*float64(len(rest)+len(test))) {
		return s.sortedRows(), nil
	}
	return rest, test
}

// isFarBelow reports whether rows, the number of rows that can be held out without dividing groups
// or times, is less than a quarter of the wanted number.
func isFarBelow(rows int, wanted float64) bool { return float64(rows) < wanted/4 }

// rowsWithout returns the rows of the sample that are not in held, in ascending order. held
// must be ascending.
func (s Sample) rowsWithout(held []int32) (rest []int32) {
	for _, row := range s.sortedRows() {
		if len(held) > 0 && held[0] == row {
			held = held[1:]
			continue
		}
		rest = append(rest, row)
	}
	return rest
}

// allocateByClass returns how many rows to hold out from each class, want in total. lists holds the
// rows of each class. Each class gets the integer part of its proportional share of want. The
// classes that lost the most by rounding get one more row each (the largest remainder method of
// Hamilton). Ties are broken at random. At least one row of each class is not held out.
func allocateByClass(lists [][]int32, want int, rng *rand.Rand) (counts []int) {
	take := make([]int, len(lists))
	lost := make([]float64, len(lists))
	total := 0
	for _, rows := range lists {
		total += len(rows)
	}
	for class, rows := range lists {
		share := float64(want) * float64(len(rows)) / float64(max(total, 1))
		take[class] = max(0, min(int(share), len(rows)-1))
		lost[class] = share - float64(take[class])
	}
	missing := want
	for _, n := range take {
		missing -= n
	}
	order := rng.Perm(len(lists))
	for missing > 0 {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lost[b], lost[a]) })
		before := missing
		for _, class := range order {
			if missing > 0 && take[class] < len(lists[class])-1 {
				take[class]++
				lost[class]--
				missing--
			}
		}
		if missing == before {
			break
		}
	}
	return take
}
