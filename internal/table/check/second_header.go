package check

import (
	"math"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// SecondHeaderLines returns the lines of the first rows below the header that look like a second
// header or a line of units, at most two lines. In such a row, nearly every column of numbers
// contains a text, and at least half of the columns contain a text that no other row has. In a file
// with a label, the label of the row must also be unique. In a file without a label, at least two
// columns of numbers must contain a text. id and label are the positions of the ID and the label,
// or -1.
func SecondHeaderLines(columns []columnstats.Column, id, label int) (lines []int) {
	const most = 2
	after := -1
	for len(lines) < most {
		line := firstLineWithNewText(columns, after)
		if !isSecondHeader(columns, id, label, line) {
			break
		}
		lines, after = append(lines, line), line
	}
	return lines
}

// firstLineWithNewText returns the first line, greater than the argument after, that contains a
// text which its column has in no earlier line. If there is no such line, it returns math.MaxInt.
func firstLineWithNewText(columns []columnstats.Column, after int) int {
	first := math.MaxInt
	for i := range columns {
		values := columns[i].Values()
		for j := range values {
			if line := values[j].FirstLine(); line > after {
				first = min(first, line)
			}
		}
	}
	return first
}

func isSecondHeader(columns []columnstats.Column, id, label, line int) bool {
	features, unique, numeric, matching := 0, 0, 0, 0
	for i := range columns {
		t := &columns[i]
		if i == id {
			continue
		}
		found := uniqueValueIn(t, line)
		if i == label {
			if found == nil {
				return false
			}
			continue
		}
		features++
		hasText := found != nil && found.Kind == cells.Text
		if hasText {
			unique++
		}
		if t.Rows(cells.Number) > 3*t.Rows(cells.Text) {
			if numeric++; hasText {
				matching++
			}
		}
	}
	fewest := 1
	if label < 0 {
		fewest = 2
	}
	return matching >= fewest && matching*5 >= numeric*4 && unique*2 >= features
}

// uniqueValueIn returns the value of the column in the row that starts in the given line. It
// returns nil if another row has the same value.
func uniqueValueIn(t *columnstats.Column, line int) *columnstats.Value {
	values := t.Values()
	for i := range values {
		if one := &values[i]; one.Rows == 1 && one.FirstLine() == line {
			return one
		}
	}
	return nil
}
