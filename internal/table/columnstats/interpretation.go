package columnstats

import (
	"foretell/internal/table/cells"
)

// An interpretation says how a cell can be read: as a date in each order of day and month, and as
// an amount with each decimal separator. In a column of dates or numbers, either all cells with the
// same interpretation are values or all of them are missing.
type interpretation struct {
	kind                     cells.ValueKind
	isMonthFirst, isDayFirst bool // a date or time that is valid in this order
	differs                  bool // the two orders are two dates
	hasDate                  bool // not only a time of day
	isPoint, isComma         bool // an amount with this decimal separator
	pointUnit, commaUnit     string
	endsInLetter             bool
}

func interpret(cell []byte) (r interpretation) {
	var month, day cells.DateTime
	month, day, r.isMonthFirst, r.isDayFirst = cells.ParseBothOrders(cell)
	r.differs = r.isMonthFirst && r.isDayFirst && month != day
	r.hasDate = r.isMonthFirst && month.HasDate || r.isDayFirst && day.HasDate
	if r.hasDate && len(cell) != len("20060102") {
		r.kind = cells.Text // only a date of eight digits, such as 20060102, may also be a number or an amount
		return r
	}
	r.kind, _ = cells.Classify(cell)
	_, r.pointUnit, r.isPoint = cells.ParseAmount(cell, false)
	_, r.commaUnit, r.isComma = cells.ParseAmount(cell, true)
	r.endsInLetter = cells.EndsInLetter(cell)
	return r
}

// maxInterpretations is the largest number of different interpretations of a column that are counted
// separately. Most interpretations differ only in their units.
const maxInterpretations = 256

// interpretationCounts counts the rows of a column by the interpretation of their cells, including
// cells whose texts are no longer counted.
type interpretationCounts struct {
	values  []Value // for each interpretation: its first text, and the rows of all its texts
	indices map[interpretation]int
	last    interpretation // the interpretation of the last cell, and its index
	lastAt  int
	date    []byte // the text before the time of day in the last cell, if it is a date with a time such as 15:04:05; otherwise empty
}

// newInterpretationCounts returns the counts for values, which must contain every distinct text so
// far, in the order in which they first appear.
func newInterpretationCounts(values []Value) *interpretationCounts {
	c := &interpretationCounts{indices: make(map[interpretation]int)}
	for i := range values {
		c.add([]byte(values[i].Text), values[i].Rows, values[i].FirstLine())
	}
	return c
}

// add counts rows with the text in cell. rows is their number, and line is the line of the first.
func (c *interpretationCounts) add(cell []byte, rows, line int) {
	if n := len(c.date); n > 0 && len(cell) > n && string(cell[:n]) == string(c.date) && isSimpleTime(cell[n:]) {
		c.values[c.lastAt].Rows += rows // in most files with many times, successive rows are of the same day
		return
	}
	if r := interpret(cell); r != c.last || len(c.values) == 0 {
		c.last, c.lastAt = r, c.indexOf(r, cell, line)
	}
	c.values[c.lastAt].Rows += rows
	c.date = c.date[:0]
	if at := len(cell) - len("15:04:05"); c.last.hasDate && at > 0 && isSimpleTime(cell[at:]) {
		c.date = append(c.date, cell[:at]...)
	}
}

// indexOf returns the index of the value for the interpretation r of a cell. It adds a value for a new
// interpretation.
func (c *interpretationCounts) indexOf(r interpretation, cell []byte, line int) int {
	at, known := c.indices[r]
	if !known && len(c.values) == maxInterpretations {
		r = interpretation{kind: cells.Blank} // stands for all further interpretations
		at, known = c.indices[r]
	}
	if !known {
		at = len(c.values)
		c.indices[r] = at
		kind, number := cells.Classify(cell)
		c.values = append(c.values, Value{Text: string(cell), first: uint32(line), Kind: kind, Number: number})
	}
	return at
}

// isSimpleTime reports whether text is a valid time of day of exactly the form 15:04:05.
func isSimpleTime(text []byte) bool {
	const form = "00:00:00"
	if len(text) != len(form) || text[2] != ':' || text[5] != ':' {
		return false
	}
	for at := 0; at < len(form); at += 3 {
		if text[at]-'0' > 5 || text[at+1]-'0' > 9 {
			return false
		}
	}
	return text[0] < '2' || text[0] == '2' && text[1] < '4'
}

// ValuesByInterpretation returns values whose numbers of rows add up to the number of rows with a
// non-blank cell. The caller must not change them.
//
// If all texts are counted, these are the counted values. If not all are counted, there are two
// cases. If many texts are dates or amounts, each value stands for all texts with the same
// interpretation, such as dates with the month first, and its text is the first of these texts. If
// most texts are neither, the values are a sample of the texts, and their numbers of rows are
// estimates.
func (c *Column) ValuesByInterpretation() []Value {
	list := c.texts.values
	switch {
	case c.texts.interpretations != nil:
		list = c.texts.interpretations.values
	case c.texts.sample != nil:
		list = c.texts.sample.estimate()
	}
	if len(c.firstNumbers) == 0 {
		return list
	}
	dropped := c.firstNumbers[0]
	dropped.Rows = c.rowsByKind[cells.Number]
	for i := range list {
		if list[i].Kind == cells.Number {
			dropped.Rows -= list[i].Rows
		}
	}
	if dropped.Rows <= 0 {
		return list
	}
	return append([]Value{dropped}, list...)
}
