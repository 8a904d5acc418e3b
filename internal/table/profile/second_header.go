package profile

import (
	"math"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// SecondHeaderLines returns the lines of the first rows that look like a second header or a line of
// units, at most two. id and label are the positions of the ID and the label, or -1.
func (c *Collector) SecondHeaderLines(id, label int) []int {
	return secondHeaderLines(c.columns, id, label)
}

// secondHeaderLines is Collector.SecondHeaderLines for the given columns. In such a row, nearly every
// column of numbers has a text, at least half of all texts are in no other row, and neither is the
// label. Without a label, there must be two columns of numbers.
func secondHeaderLines(columns []ColumnStats, id, label int) (lines []int) {
	const most = 2
	after := -1
	for len(lines) < most {
		line := firstLineAfter(columns, after)
		if !isSecondHeader(columns, id, label, line) {
			break
		}
		lines, after = append(lines, line), line
	}
	return lines
}

// firstLineAfter returns the first line after the given one in which a text is for the first time.
func firstLineAfter(columns []ColumnStats, after int) int {
	first := math.MaxInt
	for i := range columns {
		values := columns[i].texts.values
		for j := range values {
			if line := values[j].firstLine(); line > after {
				first = min(first, line)
			}
		}
	}
	return first
}

func isSecondHeader(columns []ColumnStats, id, label, line int) bool {
	features, unique, numeric, matching := 0, 0, 0, 0
	for i := range columns {
		t := &columns[i]
		if i == id {
			continue
		}
		found := t.uniqueValueIn(line)
		if i == label {
			if found == nil {
				return false
			}
			continue
		}
		features++
		hasText := found != nil && found.kind == cells.Text
		if hasText {
			unique++
		}
		if t.rowsByKind[cells.Number] > 3*t.rowsByKind[cells.Text] {
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

// uniqueValueIn returns the text of the column in the row of a line if no other row has it, or nil.
func (t *ColumnStats) uniqueValueIn(line int) *distinctValue {
	for i := range t.texts.values {
		if one := &t.texts.values[i]; one.rows == 1 && one.firstLine() == line {
			return one
		}
	}
	return nil
}

// warnSecondHeader warns about rows that look like a second header.
func (s *scanner) warnSecondHeader() {
	lines := secondHeaderLines(s.columns, s.id, s.label)
	if len(lines) == 0 {
		return
	}
	message := "the line looks like a second header or a line of units, but it is read as a row"
	if len(lines) > 1 {
		message = "this line and the next row look like more header lines or lines of units, but they are read as rows"
	}
	s.profile.Warnings = append(s.profile.Warnings, csvfile.Warning{Code: csvfile.CodeSecondHeader, Line: lines[0], Message: message})
}
