package columnstats

import "cmp"

// Collector collects the statistics of a table's columns row by row, in bounded memory.
type Collector struct {
	columns []Column
	budget  Budget
	rows    int
}

// NewCollector returns a Collector for the rows of a table with n columns.
func NewCollector(n int) *Collector {
	c := &Collector{}
	c.columns, c.budget = NewColumns(n, 0)
	return c
}

// AddRow adds a row that starts in the given line. fields must have one element per column.
func (c *Collector) AddRow(fields [][]byte, line int) {
	size := 0
	for i, cell := range fields {
		c.columns[i].AddCell(cell, line)
		size += len(cell)
	}
	c.rows++
	c.budget.CountInputAndEvict(c.columns, size, 1)
}

// Rows returns the number of rows added.
func (c *Collector) Rows() int { return c.rows }

// Column returns the statistics of the column at the given position, counted from 0.
func (c *Collector) Column(position int) *Column { return &c.columns[position] }

// Columns returns the statistics of all columns. The caller must not change the slice.
func (c *Collector) Columns() []Column { return c.columns }

// NewColumns returns empty statistics for n columns, and the memory budget of their
// texts: textMemory bytes, or more if there are many columns. If textMemory is 0, it is 16 MiB.
func NewColumns(n, textMemory int) (columns []Column, budget Budget) {
	textMemory = cmp.Or(textMemory, defaultTextMemory)
	columns, budget = make([]Column, n), Budget{memory: totalTextMemory(n, textMemory)}
	limits := newMemoryLimits(n, budget.memory)
	for i := range columns {
		columns[i].limits = limits
	}
	return columns, budget
}

// Budget bounds the memory of the texts of all columns.
type Budget struct {
	memory        int // in bytes
	sinceEviction int // upper bound of the bytes of texts added since the last call of evictTexts
}

// CountInputAndEvict counts the input that was added to the columns: the given numbers of bytes
// and rows. After every few megabytes it calls evictTexts.
func (b *Budget) CountInputAndEvict(columns []Column, bytes, rows int) {
	const interval = 4 << 20
	if b.sinceEviction += bytes + rows*valueBytes*len(columns); b.sinceEviction > interval {
		evictTexts(columns, b.memory)
		b.sinceEviction = 0
	}
}
