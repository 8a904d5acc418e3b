package profile

// Collector collects the statistics of a table's columns row by row, in bounded memory.
type Collector struct {
	names   []string
	columns []ColumnStats
	budget  textBudget
	rows    int
}

// NewCollector returns a Collector for the rows of a table with the given column names.
func NewCollector(names []string) *Collector {
	c := &Collector{names: names}
	c.columns, c.budget = newColumns(len(names), defaultTextMemory)
	return c
}

// AddRow adds a row that starts in the given line. fields must have one element per name.
func (c *Collector) AddRow(fields [][]byte, line int) {
	size := 0
	for i, cell := range fields {
		c.columns[i].addCell(cell, line)
		size += len(cell)
	}
	c.rows++
	c.budget.countInputAndEvict(c.columns, size, 1)
}

// Rows returns the number of rows added.
func (c *Collector) Rows() int { return c.rows }

// Column returns the statistics of the column at the given position, counted from 0.
func (c *Collector) Column(position int) *ColumnStats { return &c.columns[position] }

// LacksHeader reports whether the header looks like a row of data. id and label are the
// positions of the ID and the label, or -1.
func (c *Collector) LacksHeader(id, label int) bool {
	return lacksHeader(c.names, c.columns, id, label)
}

// newColumns returns empty statistics for n columns, and the memory budget of their
// texts: textMemory bytes, or more if there are many columns.
func newColumns(n, textMemory int) (columns []ColumnStats, budget textBudget) {
	columns, budget = make([]ColumnStats, n), textBudget{memory: totalTextMemory(n, textMemory)}
	limits := newMemoryLimits(n, budget.memory)
	for i := range columns {
		columns[i].limits = limits
	}
	return columns, budget
}

// textBudget bounds the memory of the texts of all columns.
type textBudget struct {
	memory        int // in bytes
	sinceEviction int // upper bound of the bytes of texts added since the last call of evictTexts
}

// countInputAndEvict counts the input that was added to the columns: the given numbers of bytes
// and rows. After every few megabytes it calls evictTexts.
func (b *textBudget) countInputAndEvict(columns []ColumnStats, bytes, rows int) {
	const interval = 4 << 20
	if b.sinceEviction += bytes + rows*valueBytes*len(columns); b.sinceEviction > interval {
		evictTexts(columns, b.memory)
		b.sinceEviction = 0
	}
}
