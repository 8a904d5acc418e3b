package check

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// LacksHeader reports whether the header looks like a row of data: whether at least half of the
// features' names could be values of their columns, such as a number above numbers. In a file with
// a label, the name of the label column must also be one of the labels. In a file without a label,
// at least two names must look like values, and the numbers among the names must not be ascending
// integers. id and label are the positions of the ID and the label, or -1.
func LacksHeader(names []string, columns []columnstats.Column, id, label int) bool {
	matching, features := 0, 0
	for i := range columns {
		if i == id || i == label {
			continue
		}
		features++
		if couldContain(&columns[i], names[i]) {
			matching++
		}
	}
	if label >= 0 {
		isClass := columns[label].HasText(names[label])
		return isClass && 2*matching >= features
	}
	return 2*matching >= features && matching > 1 && !areAscendingIntegers(names)
}

// couldContain reports whether the name in the header could be a value of the column.
func couldContain(t *columnstats.Column, name string) bool {
	if t.Kind() == frame.Numeric {
		kind, _ := cells.Classify([]byte(name))
		return kind == cells.Number && t.Rows(cells.Number) > 0
	}
	return t.HasText(name)
}

// areAscendingIntegers reports whether the numbers among the names are ascending integers,
// such as years or positions.
func areAscendingIntegers(names []string) bool {
	last, any := 0.0, false
	for _, name := range names {
		value, ok := cells.ParseNumber([]byte(name))
		if !ok {
			continue
		}
		if value != float64(int64(value)) || (any && value <= last) {
			return false
		}
		last, any = value, true
	}
	return any
}
