package profile

import (
	"strings"
	"unicode/utf8"

	"foretell/internal/table/cells"
	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
)

// warnRepeatedHeader warns about a row that repeats the header, as in concatenated files, and
// reports whether there is one.
func (s *scanner) warnRepeatedHeader() (found bool, err error) {
	line := 0
	for i := range s.columns {
		t := &s.columns[i]
		if i == s.id || !t.KnowsAllTexts() { // some texts of the column are unknown
			continue
		}
		found := findName(t, s.table.Names[i])
		if stem, isNumbered := cutNumber(s.table.Names[i]); found == nil && isNumbered {
			if stem == "column" {
				continue // the user's file has perhaps no name for it
			}
			found = findName(t, stem)
		}
		if found == nil || line > 0 && found.FirstLine() != line {
			return false, nil
		}
		line = found.FirstLine()
	}
	again := s.opts.GeneratedID
	for _, id := range append(spellings(s.table.Names[s.id]), "r1") { // generated IDs begin with r1
		if again || line == 0 {
			break
		}
		if again, err = s.ids.Has([]byte(id)); err != nil {
			return false, err
		}
	}
	if line == 0 || !again {
		return false, nil
	}
	s.warnAt(line, csvfile.CodeRepeatedHeader, 0, "the row repeats the header, as if files were concatenated")
	return true, nil
}

// findName returns the value of a column that equals the given name. If no value equals it,
// findName returns the first value that differs from the name only in case, spaces and invisible
// characters, or nil if every value differs in another way.
func findName(t *columnstats.Column, name string) *columnstats.Value {
	if found := t.Find(name); found != nil {
		return found
	}
	values := t.Values()
	for i := range values {
		if len(values[i].Text) > 4*len(name)+16 { // a long text, which would take time to compare
			continue
		}
		if cells.EqualSpelling(values[i].Text, name) {
			return &values[i]
		}
	}
	return nil
}

// spellings returns a name and the forms that it may have in the header of a second file that was
// appended: with the byte order mark of that file, or in another case.
func spellings(name string) []string {
	lower := strings.ToLower(name)
	_, n := utf8.DecodeRuneInString(lower)
	return []string{name, "\uFEFF" + name, lower, strings.ToUpper(name), strings.ToUpper(lower[:n]) + lower[n:]}
}

// cutNumber cuts a number such as _2 from the end of a name. Such numbers are added when a file is
// read: if several columns have the same name, all except the first get a number, and a column
// without a name is called, for example, column_3.
func cutNumber(name string) (stem string, isNumbered bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 || at == len(name)-1 || strings.Trim(name[at+1:], "0123456789") != "" {
		return "", false
	}
	return name[:at], true
}

// checkHeader adds a defect if the file has no rows or no header. headerRepeats is set if a later
// row repeats the first record; this proves that the first record is a header.
func (s *scanner) checkHeader(headerRepeats bool) {
	if s.profile.Rows == 0 {
		s.addDefects(s.table.HeaderDefect(csvfile.CodeNoRows, -1, "no data row follows the header"))
		return
	}
	log := &s.profile.log
	if log.HasCode(csvfile.CodeNoHeader) || headerRepeats || !check.LacksHeader(s.table.Names, s.columns, s.id, s.label) {
		return
	}
	// A row of data that is read as the header often contains equal or empty cells, so these
	// defects are removed.
	log.RemoveCodes(csvfile.CodeDuplicateColumn, csvfile.CodeUnnamedColumn)
	s.addDefects(s.table.HeaderDefect(csvfile.CodeNoHeader, 0, "the first row looks like data, but must be a header with the names of the columns"))
}

// checkMaxRows adds a defect if there are more than limit rows.
func (s *scanner) checkMaxRows(limit int) {
	if d := s.table.TooManyRowsDefect(s.profile.Rows, limit); d != nil {
		s.addDefects(*d)
	}
}

// warnSecondHeader warns about rows that look like a second header.
func (s *scanner) warnSecondHeader() {
	lines := check.SecondHeaderLines(s.columns, s.id, s.label)
	if len(lines) == 0 {
		return
	}
	message := "the line looks like a second header or a line of units, but it is read as a row"
	if len(lines) > 1 {
		message = "this line and the next row look like more header lines or lines of units, but they are read as rows"
	}
	s.profile.Warnings = append(s.profile.Warnings, csvfile.Warning{Code: csvfile.CodeSecondHeader, Line: lines[0], Message: message})
}

// warnSingleQuotes warns if all names are in single quotes, because the cells probably are, too,
// and are read with these quotes.
func (s *scanner) warnSingleQuotes() {
	names := s.table.Names
	if s.opts.GeneratedID {
		names = names[1:]
	}
	for _, name := range names {
		if len(name) < 3 || name[0] != '\'' || name[len(name)-1] != '\'' {
			return
		}
	}
	s.warn(csvfile.CodeSingleQuotes, s.id, "the column names are in single quotes; a single quote is read as a part of its cell, so numbers and dates in single quotes are read as text")
}
