package profile

import (
	"bytes"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// totalColumn returns the column in which a row of totals has a word such as Total: the ID or, if the IDs are
// generated, the first column of the user's file other than the label.
func (s *scanner) totalColumn() int {
	if s.opts.GeneratedID {
		return s.id + 1
	}
	return s.id
}

// setLastCell must be called for each row, with the cell of the row in totalColumn. It stores the
// cell of the first row in s.firstCell, and the cell and line of the latest row in s.lastCell and
// s.lastLine.
func (s *scanner) setLastCell(cell []byte, line int) {
	if s.lastLine == 0 {
		s.firstCell = string(cell)
	}
	s.lastCell, s.lastLine = append(s.lastCell[:0], bytes.TrimSpace(cell)...), line
}

// warnTotalRow warns about a last row with a word such as Total in place of an ID, a number or a
// date, because the model would learn from this row, or predict it. There is no warning if the cell
// of the first row contains no digit, because such a word may then be a value like any other.
func (s *scanner) warnTotalRow() {
	if !strings.ContainsAny(s.firstCell, "0123456789") {
		return
	}
	switch strings.TrimRight(cells.FoldCase(string(s.lastCell)), ":") {
	case "total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "total general", "total général", "totaal", "totale":
		s.warnAt(s.lastLine, csvfile.CodeTotalRow, s.totalColumn(), "the last row has %s in this column, so it may be a row of totals, but it is read like any other row", csvfile.Excerpt(string(s.lastCell)))
	}
}
