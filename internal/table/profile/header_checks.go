package profile

import (
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// warnRepeatedHeader warns about a row that repeats the header, as in concatenated files, and
// reports whether there is one.
func (s *scanner) warnRepeatedHeader() (found bool, err error) {
	line := 0
	for i := range s.columns {
		t := &s.columns[i]
		if i == s.id || t.texts.distinctHashes != nil { // some texts of the column are unknown
			continue
		}
		found := t.texts.find(s.table.Names[i])
		if found == nil || line > 0 && found.firstLine() != line {
			return false, nil
		}
		line = found.firstLine()
	}
	if line == 0 {
		return false, nil
	}
	if !s.opts.GeneratedID {
		if again, err := s.ids.Has([]byte(s.table.Names[s.id])); err != nil || !again {
			return false, err
		}
	}
	s.warnAt(line, csvfile.CodeRepeatedHeader, 0, "the row repeats the header, as if files were concatenated")
	return true, nil
}

// checkHeader adds a defect if the file has no rows or no header. headerRepeats is set if a
// row repeats the first record, which proves that the first record is a header.
func (s *scanner) checkHeader(headerRepeats bool) {
	if s.profile.Rows == 0 {
		s.addDefects(s.table.HeaderDefect(csvfile.CodeNoRows, -1, "no data row follows the header"))
		return
	}
	log := &s.profile.log
	if log.HasCode(csvfile.CodeNoHeader) || headerRepeats || !lacksHeader(s.table.Names, s.columns, s.id, s.label) {
		return
	}
	// A row of data that is read as the header often has equal or empty names, so these
	// defects are removed.
	log.RemoveCodes(csvfile.CodeDuplicateColumn, csvfile.CodeUnnamedColumn)
	s.addDefects(s.table.HeaderDefect(csvfile.CodeNoHeader, 0, "the first row looks like data, but must be a header with the names of the columns"))
}

// checkRows adds a defect if there are more than limit rows.
func (s *scanner) checkRows(limit int) {
	if d := s.table.TooManyRows(s.profile.Rows, limit); d != nil {
		s.addDefects(*d)
	}
}

// lacksHeader reports whether the header looks like a row of data: at least half of its names could
// be values of their columns, such as a number above numbers. The name of the label must be one of
// the labels. Without a label, at least two names must match, and the names must not be ascending
// integers. id and label are the positions of the ID and the label, or -1.
func lacksHeader(names []string, columns []ColumnStats, id, label int) bool {
	matching, features := 0, 0
	for i := range columns {
		if i == id || i == label {
			continue
		}
		features++
		if columns[i].couldContain(names[i]) {
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
func (t *ColumnStats) couldContain(name string) bool {
	if t.Kind() == frame.Numeric {
		kind, _ := cells.Classify([]byte(name))
		return kind == cells.Number && t.rowsByKind[cells.Number] > 0
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
