package profile

import (
	"bytes"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// setLastID stores the ID of the last row that was read, and the ID of the first row.
func (s *scanner) setLastID(id []byte, line int) {
	if s.lastIDLine == 0 {
		s.firstID = string(id)
	}
	s.lastID, s.lastIDLine = append(s.lastID[:0], bytes.TrimSpace(id)...), line
}

// warnTotalRow warns about a last row of a blind file that has a word such as Total instead of an
// ID. This row would get a prediction, too. There is no warning if the ID of the first row has no
// digit, because a word may then be an ID.
func (s *scanner) warnTotalRow() {
	if !s.opts.Blind || s.opts.GeneratedID || !strings.ContainsAny(s.firstID, "0123456789") {
		return
	}
	switch strings.TrimRight(cells.FoldCase(string(s.lastID)), ":") {
	case "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "total general", "total général", "totaal", "totale":
		s.warnAt(s.lastIDLine, csvfile.CodeTotalRow, s.id, "the last row has %s instead of an ID, so it may be a row of totals, but it is read like any other row", csvfile.Excerpt(string(s.lastID)))
	}
}
