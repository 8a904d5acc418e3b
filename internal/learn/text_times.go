package learn

import (
	"cmp"
	"math"
	"slices"
)

// timeUnit holds rows that divideByTime does not divide: the rows of a group, or a row
// without a group.
type timeUnit struct {
	rows  []int // indices of rows
	timed int   // number of rows with a time
	sum   float64
}

// time returns the mean time of the rows that have one, or +Inf if no row has one.
func (u *timeUnit) time() float64 {
	if u.timed == 0 {
		return math.Inf(1)
	}
	return u.sum / float64(u.timed)
}

// divideByTime returns the part of each row, from 0 to parts-1. The parts are ranges of
// time with about the same number of rows. Rows of a group are in one part, by their mean
// time. Units of the same time are in one part. Rows without a time are in the last part.
// The result is nil if all units have the same time.
func (t *trainingData) divideByTime(rows []int32, parts int) []int {
	units := t.timeUnits(rows)
	slices.SortStableFunc(units, func(a, b *timeUnit) int { return cmp.Compare(a.time(), b.time()) })
	var changes []int // the numbers of rows before each change of time
	before := 0
	for i, u := range units {
		if i > 0 && units[i-1].time() < u.time() {
			changes = append(changes, before)
		}
		before += len(u.rows)
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
	for _, u := range units {
		for part < len(ends) && before >= ends[part] {
			part++
		}
		for _, i := range u.rows {
			list[i] = part
		}
		before += len(u.rows)
	}
	return list
}

// timeUnits returns the units of rows, in the order of their first rows.
func (t *trainingData) timeUnits(rows []int32) []*timeUnit {
	var units []*timeUnit
	ofGroup := make(map[int32]*timeUnit)
	for i, row := range rows {
		u := new(timeUnit)
		if t.params.Groups != nil && t.params.Groups[row] >= 0 {
			if known := ofGroup[t.params.Groups[row]]; known != nil {
				u = known
			}
			ofGroup[t.params.Groups[row]] = u
		}
		if len(u.rows) == 0 {
			units = append(units, u)
		}
		u.rows = append(u.rows, i)
		if at := t.params.Times[row]; !math.IsNaN(at) {
			u.sum += at
			u.timed++
		}
	}
	return units
}

// nearest returns the value nearest to want in the ascending slice sorted, or the lower of
// two equally near values.
func nearest(sorted []int, want int) int {
	at, _ := slices.BinarySearch(sorted, want)
	if at == len(sorted) || at > 0 && want-sorted[at-1] <= sorted[at]-want {
		return sorted[at-1]
	}
	return sorted[at]
}
