package columnstats

import (
	"foretell/internal/table/cells"
)

// A reading says how a cell can be read: as a date in each order of day and month, and as an amount with
// each decimal separator. Whether a column of dates or numbers has a value for a cell depends only on
// the reading of the cell.
type reading struct {
	kind                     cells.ValueKind
	isMonthFirst, isDayFirst bool // a date or time that is valid in this order
	differs                  bool // the two orders are two dates
	hasDate                  bool // not only a time of day
	isPoint, isComma         bool // an amount with this decimal separator
	pointUnit, commaUnit     string
	endsInLetter             bool
}

func readingOf(cell []byte) (r reading) {
	r.kind, _ = cells.Classify(cell)
	var month, day cells.DateTime
	month, day, r.isMonthFirst, r.isDayFirst = cells.ParseBothOrders(cell)
	r.differs = r.isMonthFirst && r.isDayFirst && month != day
	r.hasDate = month.HasDate || day.HasDate
	if r.hasDate && r.kind != cells.Number {
		return r // no date is an amount
	}
	_, r.pointUnit, r.isPoint = cells.ParseAmount(cell, false)
	_, r.commaUnit, r.isComma = cells.ParseAmount(cell, true)
	last := cell[len(cell)-1]
	r.endsInLetter = last|0x20-'a' < 26
	return r
}

// maxReadings is the largest number of different readings of a column that are distinguished, which differ
// in their units.
const maxReadings = 256

// readingCounts counts the rows of a column by the reading of their cells. It counts the rows of all
// cells, even of those whose texts are evicted.
type readingCounts struct {
	values  []Value // for each reading: its first text, and the rows of all its texts
	indices map[reading]int
	last    reading // the reading of the last cell, and its index
	lastAt  int
}

// newReadingCounts returns the counts for values, which must be all distinct texts so far, in the
// order in which they first appear.
func newReadingCounts(values []Value) *readingCounts {
	c := &readingCounts{indices: make(map[reading]int)}
	for i := range values {
		c.add([]byte(values[i].Text), values[i].Rows, values[i].FirstLine())
	}
	return c
}

// add counts rows with the text in cell. line is the first of them.
func (c *readingCounts) add(cell []byte, rows, line int) {
	if r := readingOf(cell); r != c.last || len(c.values) == 0 {
		at, known := c.indices[r]
		if !known && len(c.values) == maxReadings {
			r = reading{kind: cells.Blank} // stands for all further readings
			at, known = c.indices[r]
		}
		if !known {
			at = len(c.values)
			c.indices[r] = at
			kind, number := cells.Classify(cell)
			c.values = append(c.values, Value{Text: string(cell), first: uint32(line), Kind: kind, Number: number})
		}
		c.last, c.lastAt = r, at
	}
	c.values[c.lastAt].Rows += rows
}

// Readings returns values that together have all rows of the column with a cell that is not blank. If
// all texts are counted, these are the counted values. Otherwise, each of them stands for all texts that
// can be read in the same way as dates or amounts, and is the first of these texts. The rows are estimates
// if the column has texts that are no longer counted and are mostly neither dates nor amounts. The caller
// must not change the values.
func (t *Column) Readings() []Value {
	list := t.texts.values
	switch {
	case t.texts.readings != nil:
		list = t.texts.readings.values
	case t.texts.sample != nil:
		list = t.texts.sample.estimate()
	}
	if len(t.firstNumbers) == 0 {
		return list
	}
	dropped := t.firstNumbers[0]
	dropped.Rows = t.rowsByKind[cells.Number]
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
