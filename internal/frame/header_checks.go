package frame

// findRepeatedHeader warns of a row that repeats the header, as in concatenated files, and
// reports whether there is one.
func (s *scanner) findRepeatedHeader() (bool, error) {
	line := 0
	for i := range s.columns {
		t := &s.columns[i]
		if i == s.id || t.texts.hashes != nil { // not all of its texts are known
			continue
		}
		found := t.texts.find(s.table.names[i])
		if found == nil || line > 0 && found.firstLine() != line {
			return false, nil
		}
		line = found.firstLine()
	}
	if line == 0 {
		return false, nil
	}
	if again, err := s.ids.has([]byte(s.table.names[s.id])); err != nil || !again {
		return false, err
	}
	s.warnAt(line, CodeRepeatedHeader, 0, "the row repeats the header: were files concatenated?")
	return true, nil
}

// checkHeader adds a defect for a file without rows and for one that starts with data,
// unless the first row is repeated.
func (s *scanner) checkHeader(again bool) {
	if s.profile.Rows == 0 {
		s.addDefects(s.table.defect(CodeNoRows, 0, "no data row follows the header"))
		return
	}
	log := &s.profile.log
	if log.find(CodeNoHeader) != nil || again || !s.lacksHeader() {
		return
	}
	// A first row of data often repeats a value: these follow from the missing header.
	log.drop(CodeDuplicateColumn, CodeUnnamedColumn)
	s.addDefects(s.table.defect(CodeNoHeader, 0, "the first row looks like data: the file needs a header row that names the columns"))
}

// lacksHeader reports whether the header looks like a row of data: it has numbers in
// columns of numbers, and texts that occur below it, including the label.
func (s *scanner) lacksHeader() bool {
	matching, features := 0, 0
	for i := range s.columns {
		if i == s.id || i == s.label {
			continue
		}
		features++
		if s.columns[i].couldHold(s.table.names[i]) {
			matching++
		}
	}
	if s.label >= 0 {
		isClass := s.columns[s.label].texts.find(s.table.names[s.label]) != nil
		return isClass && 2*matching >= features
	}
	return 2*matching >= features && matching > 1 && !ascendingIntegers(s.table.names)
}

// couldHold reports whether a header's cell could be a cell of the column.
func (t *columnStats) couldHold(name string) bool {
	if t.kind() == Numeric {
		kind, _ := classify([]byte(name))
		return kind == number && t.cells[number] > 0
	}
	return t.texts.find(name) != nil
}

// ascendingIntegers reports whether the numbers among the names are ascending integers,
// such as years or positions.
func ascendingIntegers(names []string) bool {
	last, any := 0.0, false
	for _, name := range names {
		value, ok := parseNumber([]byte(name))
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
