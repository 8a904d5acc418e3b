package split

import (
	"context"
	"math"
	"slices"
	"sort"
)

// timeFolds is the number of folds of a sample with Times.
const timeFolds = 5

// newTimePlan returns the validation plan of a sample with Times. Every row of Test is
// later than every row of Rest, and in each fold every row of Validation is later than
// every row of Train:
//
//	earliest ─────────────────────────────▶ latest
//	fold 1  │ train            │ val │
//	fold 2  │ train                  │ val │
//	fold 3  │ train                        │ val │
//	test    │ rest                               │ test │
//
// Rows with the same time are never divided. Rows without a time are not used. If the sample also
// has Groups and a group has rows on both sides of a split point, its rows before the split point
// are dropped. If tested is false, there are no test rows.
func newTimePlan(ctx context.Context, s Sample, tested bool) (ValidationPlan, error) {
	rows := s.rowsByTime()
	n, held := len(rows), 0
	if tested {
		held = int(math.Round(holdoutFraction(n, enoughTestRows) * float64(n)))
	}
	rest, test := s.splitAtTimes(rows, s.testBegin(rows, held), n)
	plan := ValidationPlan{Rest: rest, Test: test, Dropped: n - len(rest) - len(test)}
	isRest := make([]bool, len(s.Labels))
	for _, row := range rest {
		isRest[row] = true
	}
	ordered := slices.DeleteFunc(slices.Clone(rows[:n-len(test)]), func(row int32) bool { return !isRest[row] })
	n = len(ordered)
	blocks, first := timeFolds, n/2
	if n >= crossValidationBelow {
		held = int(math.Round(holdoutFraction(n, enoughValidationRows) * float64(n)))
		blocks, first = 1, s.holdoutBegin(ordered, held, n/minTrainPart)
		if first == n && !tested {
			first = s.holdoutBegin(ordered, held, 1)
		}
	}
	for i := range blocks {
		if err := ctx.Err(); err != nil {
			return ValidationPlan{}, err
		}
		train, validation := s.splitAtTimes(ordered, first+i*(n-first)/blocks, first+(i+1)*(n-first)/blocks)
		if len(train) > 0 && len(validation) > 0 {
			plan.Folds = append(plan.Folds, Fold{Train: train, Validation: validation})
		}
	}
	if plan.Folds == nil && n > 0 {
		plan.Folds = []Fold{{Train: rest}}
	}
	return plan, nil
}

// testBegin returns the index in rows at which the test rows begin; wanted is the approximate
// number of test rows. If the times allow no test rows, the result is len(rows). rows must be in
// the order of time.
func (s Sample) testBegin(rows []int32, wanted int) int {
	n := len(rows)
	if n < 2 {
		return n
	}
	second := s.nearestTimeChange(rows, 1) // the index of the second time
	begin := s.holdoutBegin(rows, wanted, max(n/2, second+1))
	if n-begin < minTestRows && isFarBelow(n-begin, float64(wanted)) {
		return n
	}
	return begin
}

// holdoutBegin returns the index in rows at which the held out rows begin; wanted is their
// approximate number. It is the nearest index at which the time changes. If many rows have the same
// time, far fewer rows than wanted may be held out in this way. The result is then the previous
// index at which the time changes, unless that index is below least. rows must be in the order of
// time.
func (s Sample) holdoutBegin(rows []int32, wanted, least int) int {
	begin := s.nearestTimeChange(rows, len(rows)-wanted)
	if !isFarBelow(len(rows)-begin, float64(wanted)) {
		return begin
	}
	for i := begin - 1; i >= max(least, 1); i-- {
		if s.Times[rows[i-1]] < s.Times[rows[i]] {
			return i
		}
	}
	return begin
}

// rowsByTime returns the rows that have a time, the earliest first. Rows with the same time are in
// ascending order.
func (s Sample) rowsByTime() []int32 {
	type timedRow struct { // a slice of these is sorted several times as fast as indices in Times
		time float64
		row  int32
	}
	var timed []timedRow
	for _, row := range s.sortedRows() {
		if time := s.Times[row]; !math.IsNaN(time) {
			timed = append(timed, timedRow{time, row})
		}
	}
	sort.Slice(timed, func(i, j int) bool { // slices.SortFunc would make the program larger
		a, b := timed[i], timed[j]
		return a.time < b.time || a.time == b.time && a.row < b.row
	})
	rows := make([]int32, len(timed))
	for i, t := range timed {
		rows[i] = t.row
	}
	return rows
}

// splitAtTimes returns rows[:begin] as earlier and rows[begin:end] as later, both in ascending
// order of the row indices. rows must be in the order of time. begin and end are first moved to the
// nearest indices at which the time changes. If one of the two ranges is then empty, earlier holds
// all rows and later is nil. Rows whose group also has rows in later are left out of earlier.
func (s Sample) splitAtTimes(rows []int32, begin, end int) (earlier, later []int32) {
	begin, end = s.nearestTimeChange(rows, begin), s.nearestTimeChange(rows, end)
	if begin == 0 || begin >= end {
		return slices.Sorted(slices.Values(rows)), nil
	}
	earlier, later = slices.Clone(rows[:begin]), slices.Clone(rows[begin:end])
	if s.Groups != nil {
		inLater := make([]bool, max(slices.Max(s.Groups), -1)+1)
		for _, row := range later {
			if group := s.Groups[row]; group >= 0 {
				inLater[group] = true
			}
		}
		earlier = slices.DeleteFunc(earlier, func(row int32) bool { return s.Groups[row] >= 0 && inLater[s.Groups[row]] })
	}
	slices.Sort(earlier)
	slices.Sort(later)
	return earlier, later
}

// nearestTimeChange returns the index nearest to wanted at which rows may be split without
// separating equal times. For such an index i, rows[i] is later than rows[i-1], or i is len(rows).
// The result is 0 only if wanted is 0.
func (s Sample) nearestTimeChange(rows []int32, wanted int) int {
	isChange := func(i int) bool { return i == 0 || i == len(rows) || s.Times[rows[i-1]] < s.Times[rows[i]] }
	for distance := range len(rows) + 1 {
		if i := wanted - distance; i > 0 && isChange(i) {
			return i
		}
		if i := wanted + distance; i <= len(rows) && isChange(i) {
			return i
		}
	}
	return 0
}
