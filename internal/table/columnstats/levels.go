package columnstats

import (
	"slices"
	"sort"
)

// These limits decide which texts of a column become levels of a category.
const (
	maxUnfilteredLevels = 40     // with more distinct texts, a text of a single row is not a level
	maxLevels           = 65_535 // with more distinct texts, only the most frequent texts are levels
)

// Levels returns the values that are levels if the column is read as a category, sorted by their
// texts. values must contain every distinct value of the column.
func Levels(values []Value) []Value { return selectLevels(values, len(values)) }

// selectLevels is like Levels, but values may be only some of the distinct values. distinct is the
// number of all distinct values.
func selectLevels(values []Value, distinct int) []Value {
	kept := slices.Clone(values)
	if distinct > maxUnfilteredLevels {
		kept = slices.DeleteFunc(kept, func(one Value) bool { return one.Rows < 2 })
	}
	sortByRows(kept)
	kept = kept[:min(len(kept), maxLevels)]
	sort.Slice(kept, func(i, j int) bool { return kept[i].Text < kept[j].Text })
	return kept
}
