package boost

import "foretell/internal/table/frame"

// categoryColumns numbers the categories of one categorical column, or the combinations of
// categories of two columns. A combination is also called a category. If there are more than
// maxCombinations combinations, they are numbered modulo maxCombinations, so that several
// combinations count as one category (feature hashing: Weinberger et al. 2009).
type categoryColumns struct {
	columns [2]int32 // the second is -1 if there is one column
	// levels[i] is the number of categories of columns[i], including one for unknown
	// levels and one for missing values. levels[1] is 1 if there is one column.
	levels [2]int32
}

// maxCombinations is the largest number of categories of a pair of columns. It is prime, so that
// combinations with the same number follow no pattern.
const maxCombinations = 65_521

// newCategoryColumns returns the numbering of the categories of one categorical column of f.
func newCategoryColumns(f *frame.Frame, column int) categoryColumns {
	n := int32(len(f.Schema.Columns[column].Levels))
	for _, code := range f.Columns[column].Codes {
		n = max(n, code)
	}
	return categoryColumns{columns: [2]int32{int32(column), -1}, levels: [2]int32{n + 2, 1}}
}

// cross returns the numbering for a pair of columns: the column of c and the column of the
// parameter other. Each combination of their categories is a category of the pair.
func (c *categoryColumns) cross(other categoryColumns) categoryColumns {
	return categoryColumns{
		columns: [2]int32{c.columns[0], other.columns[0]},
		levels:  [2]int32{c.levels[0], other.levels[0]},
	}
}

// numCombinations returns the number of possible combinations of the columns' categories.
func (c *categoryColumns) numCombinations() int64 { return int64(c.levels[0]) * int64(c.levels[1]) }

// isHashed reports whether several combinations may have the same number.
func (c *categoryColumns) isHashed() bool {
	return c.columns[1] >= 0 && c.numCombinations() > maxCombinations
}

// numCategories returns the number of categories: numCombinations, but at most maxCombinations for
// a pair of columns.
func (c *categoryColumns) numCategories() int {
	if c.isHashed() {
		return maxCombinations
	}
	return int(c.numCombinations())
}

// category returns the category of a row. The parameter first is the row's category in columns[0],
// and the parameter second is its category in columns[1], or 0 if there is one column.
func (c *categoryColumns) category(first, second int32) int32 {
	category := int64(first)*int64(c.levels[1]) + int64(second)
	if c.isHashed() {
		category %= maxCombinations
	}
	return int32(category)
}

// fillCategories writes the categories of f's rows lo…hi-1 to dst.
func (c *categoryColumns) fillCategories(dst []int32, f *frame.Frame, lo, hi int) {
	dst = dst[:hi-lo]
	for i, code := range f.Columns[c.columns[0]].Codes[lo:hi] {
		dst[i] = categoryOf(code, c.levels[0])
	}
	if c.columns[1] < 0 {
		return
	}
	for i, code := range f.Columns[c.columns[1]].Codes[lo:hi] {
		dst[i] = c.category(dst[i], categoryOf(code, c.levels[1]))
	}
}

// categoryOf returns the category of a code of a column: 0 for a missing value, code+1 for a known
// level, and levels-1 for an unknown level. levels is the number of categories of the column.
func categoryOf(code, levels int32) int32 { return min(max(code, frame.Missing), levels-2) + 1 }
