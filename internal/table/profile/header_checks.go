package profile

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// findRepeatedHeader warns of a row that repeats the header, as in concatenated files, and
// reports whether there is one.
func (s *Scanner) findRepeatedHeader() (bool, error) {
	line := 0
	for i := range s.Columns {
		t := &s.Columns[i]
		if i == s.ID || t.Texts.Hashes != nil { // not all of its texts are known
			continue
		}
		found := t.Texts.Find(s.Table.Names[i])
		if found == nil || line > 0 && found.firstLine() != line {
			return false, nil
		}
		line = found.firstLine()
	}
	if line == 0 {
		return false, nil
	}
	if again, err := s.IDs.Has([]byte(s.Table.Names[s.ID])); err != nil || !again {
		return false, err
	}
	s.warnAt(line, csvfile.CodeRepeatedHeader, 0, "the row repeats the header: were files concatenated?")
	return true, nil
}

// checkHeader adds a defect for a file without rows and for one that starts with data,
// unless the first row is repeated.
func (s *Scanner) checkHeader(again bool) {
	if s.Profile.Rows == 0 {
		s.addDefects(s.Table.Defect(csvfile.CodeNoRows, 0, "no data row follows the header"))
		return
	}
	log := &s.Profile.Log
	if log.Find(csvfile.CodeNoHeader) != nil || again || !s.LacksHeader() {
		return
	}
	// A first row of data often repeats a value: these follow from the missing header.
	log.Drop(csvfile.CodeDuplicateColumn, csvfile.CodeUnnamedColumn)
	s.addDefects(s.Table.Defect(csvfile.CodeNoHeader, 0, "the first row looks like data: the file needs a header row that names the columns"))
}

// LacksHeader reports whether the header looks like a row of data: it has numbers in
// columns of numbers, and texts that occur below it, including the label.
func (s *Scanner) LacksHeader() bool {
	matching, features := 0, 0
	for i := range s.Columns {
		if i == s.ID || i == s.Label {
			continue
		}
		features++
		if s.Columns[i].couldHold(s.Table.Names[i]) {
			matching++
		}
	}
	if s.Label >= 0 {
		isClass := s.Columns[s.Label].Texts.Find(s.Table.Names[s.Label]) != nil
		return isClass && 2*matching >= features
	}
	return 2*matching >= features && matching > 1 && !ascendingIntegers(s.Table.Names)
}

// couldHold reports whether a header's cell could be a cell of the column.
func (t *ColumnStats) couldHold(name string) bool {
	if t.Kind() == frame.Numeric {
		kind, _ := cells.Classify([]byte(name))
		return kind == cells.Number && t.Cells[cells.Number] > 0
	}
	return t.Texts.Find(name) != nil
}

// ascendingIntegers reports whether the numbers among the names are ascending integers,
// such as years or positions.
func ascendingIntegers(names []string) bool {
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
