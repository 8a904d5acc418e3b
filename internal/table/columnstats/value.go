package columnstats

import (
	"iter"
	"slices"
	"sort"

	"foretell/internal/table/cells"
)

// Value is a distinct text of a column with the number of rows that have it.
type Value struct {
	Text   string
	hash   uint64 // hash of the text
	Rows   int
	first  uint32 // the first line that has the text
	Kind   cells.ValueKind
	Number float64 // the number, if Kind is cells.Number
}

// FirstLine returns the first line that has the text, or 0 if the value was not counted by a Column.
func (v *Value) FirstLine() int { return int(v.first) }

// Texts returns the texts of values.
func Texts(values []Value) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range values {
			if !yield(values[i].Text) {
				return
			}
		}
	}
}

// sortByRows sorts values by their numbers of rows, the largest first, and values with equally many
// rows by their texts.
func sortByRows(values []Value) {
	sort.Slice(values, func(i, j int) bool {
		a, b := &values[i], &values[j]
		return a.Rows > b.Rows || a.Rows == b.Rows && a.Text < b.Text
	})
}

// sortByNumber sorts values by their numbers.
func sortByNumber(values []Value) {
	sort.Slice(values, func(i, j int) bool { return values[i].Number < values[j].Number })
}

// WeightedMedian returns the median of the numbers, each weighted by its number of rows. It returns
// NaN if there are no numbers.
func WeightedMedian(values []Value) float64 {
	sorted := slices.Clone(values)
	sortByNumber(sorted)
	rows := 0
	for i := range sorted {
		rows += sorted[i].Rows
	}
	before := 0
	for i := range sorted {
		if before += sorted[i].Rows; 2*before > rows {
			return sorted[i].Number
		}
		if 2*before == rows {
			return sorted[i].Number/2 + sorted[i+1].Number/2
		}
	}
	return cells.NaN
}

// Occurrences is a number of rows, and the first value of these rows.
type Occurrences struct {
	Rows  int
	First Value
}

// Add adds the rows of a value to o.Rows. It sets o.First to the value if o was empty, or if the
// value appears in an earlier line than o.First.
func (o *Occurrences) Add(value *Value) {
	if o.Rows == 0 || value.first < o.First.first {
		o.First = *value
	}
	o.Rows += value.Rows
}
