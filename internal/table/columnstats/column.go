package columnstats

import (
	"math"
	"slices"
	"sync/atomic"

	"foretell/internal/table/cells"
	"foretell/internal/table/frame"
)

// Column collects the statistics of a column in one pass.
//
// At first, it counts all texts, including the texts of numbers. If there are many distinct texts,
// it chooses how to continue, depending on the rows so far:
//
//	hardly any texts       compute statistics of the numbers, count the other texts
//	mostly texts or codes  count every text
//	otherwise              compute statistics of the numbers, and count every text
//
// If the counted texts take too much memory, the rarest are evicted.
type Column struct {
	limits             memoryLimits
	isLabel            bool
	rowsByKind         [4]int // number of rows by cells.ValueKind
	texts              valueCounts
	numericStats       *runningStats                 // set once there are statistics of the numbers
	hasEqualFloats     bool                          // set by chooseCountingStrategy; see HasEqualFloats
	dropsNumberTexts   bool                          // numbers are currently not counted as texts
	droppedNumberTexts bool                          // some numbers were not counted as texts
	firstNumbers       []Value                       // if droppedNumberTexts is set: the numbers that had been counted before
	publishedSnapshot  atomic.Pointer[statsSnapshot] // a snapshot of numericStats while dropsNumberTexts is set, otherwise nil
}

// IsEmpty reports whether every field of the column is blank.
func (c *Column) IsEmpty() bool { return c.NonBlank() == 0 }

// HasNumbers reports whether a field of the column is a number.
func (c *Column) HasNumbers() bool { return c.rowsByKind[cells.Number] > 0 }

// HasText reports whether a row has the text. If KnowsAllTexts is false, HasText may return false
// even if a row has the text.
func (c *Column) HasText(text string) bool { return c.texts.find(text) != nil }

// KnowsAllTexts reports whether every text of the column is counted. Even then, numbers may not be
// counted; see Values.
func (c *Column) KnowsAllTexts() bool { return c.texts.distinctHashes == nil }

// Rows returns the number of rows whose cell has the given kind.
func (c *Column) Rows(kind cells.ValueKind) int { return c.rowsByKind[kind] }

// SetLabel makes the column the label. All texts of a label, including numbers, are counted and
// keep their surrounding spaces, because they are the names of classes. SetLabel must be called
// before the first row.
func (c *Column) SetLabel() {
	c.isLabel = true
	c.limits.maxTexts, c.limits.maxHashes = math.MaxInt, maxHashesPerColumn
}

// NonBlank returns the number of rows whose field is not blank.
func (c *Column) NonBlank() int {
	return c.rowsByKind[cells.Number] + c.rowsByKind[cells.Null] + c.rowsByKind[cells.Text]
}

// isStrategyUndecided reports whether chooseCountingStrategy has not been called yet.
func (c *Column) isStrategyUndecided() bool {
	return c.numericStats == nil && c.limits.maxTexts < math.MaxInt
}

// summarizeAndEvict removes rare texts until the remaining texts take at most the given number of
// bytes. It first computes numericStats from the numbers among the texts, if there are any.
func (c *Column) summarizeAndEvict(maxTextBytes int) {
	if c.numericStats == nil && c.rowsByKind[cells.Number] > 0 && !c.isLabel {
		c.numericStats = newRunningStats(c.texts.values, c.limits.maxHashes)
	}
	c.texts.evictRareTexts(maxTextBytes, &c.limits)
}

// ValuesPerStray limits the texts in a column that is mostly numbers: at most one in ValuesPerStray
// values may be a text.
const ValuesPerStray = 100

// minNumericRows is the smallest number of rows with a number for which a column with a few texts
// counts as numeric.
const minNumericRows = 100

// isMostlyNumbers reports whether the column has no texts, or has many numbers and only a few
// texts.
func (c *Column) isMostlyNumbers() bool {
	junk, numbers := c.rowsByKind[cells.Text], c.rowsByKind[cells.Number]
	return junk == 0 || (numbers >= minNumericRows && junk*ValuesPerStray <= junk+numbers)
}

// Kind returns the kind of the column according to the rows seen so far.
func (c *Column) Kind() frame.Kind {
	if c.rowsByKind[cells.Number] > 0 && c.isMostlyNumbers() {
		return frame.Numeric
	}
	if c.rowsByKind[cells.Null]+c.rowsByKind[cells.Text] == 0 {
		return frame.Numeric // all values are missing
	}
	return frame.Category
}

// AddCell adds the column's cell in the next row, which is in the given line.
func (c *Column) AddCell(cell []byte, line int) {
	if cells.IsBlank(cell) {
		c.rowsByKind[cells.Blank]++
		return
	}
	if c.numericStats != nil {
		if kind, value := cells.Classify(cell); kind == cells.Number {
			c.numericStats.add(value, 1)
			if c.dropsNumberTexts {
				c.rowsByKind[cells.Number]++
				return
			}
		}
	}
	cell = c.trimUnlessLabel(cell)
	c.addText(cell, cells.Hash(cell), line)
}

func (c *Column) addText(cell []byte, hash uint64, line int) {
	kind := c.texts.add(cell, hash, line)
	c.rowsByKind[kind]++
	if c.numericStats == nil && len(c.texts.values) > c.limits.maxTexts {
		c.chooseCountingStrategy()
	}
	if kind == cells.Text && c.dropsNumberTexts && !c.isMostlyNumbers() {
		c.dropsNumberTexts = false
	}
}

// chooseCountingStrategy decides how the rest of the column is counted. It is called when the column has many
// distinct texts; see Column.
func (c *Column) chooseCountingStrategy() {
	c.hasEqualFloats = haveEqualFloats(c.texts.values)
	if c.rowsByKind[cells.Number] == 0 || c.rowsByKind[cells.Text] > c.rowsByKind[cells.Number] || c.hasEqualFloats || mayBeCodes(c.texts.values) {
		c.limits.maxTexts = math.MaxInt // words and codes are counted; they need no statistics of numbers
		return
	}
	c.numericStats = newRunningStats(c.texts.values, c.limits.maxHashes)
	if c.dropsNumberTexts = c.isMostlyNumbers(); c.dropsNumberTexts {
		c.droppedNumberTexts = true
		c.firstNumbers = c.copyFirstNumbers()
		c.texts.replace(slices.DeleteFunc(c.texts.values, func(one Value) bool { return one.Kind == cells.Number }))
	}
}

// copyFirstNumbers returns a copy of the counted numbers, in the order of their first rows. It
// stops when the copy takes limits.sampleBytes bytes, the limit for a sample of texts.
func (c *Column) copyFirstNumbers() []Value {
	var first []Value
	size := 0
	for i := range c.texts.values {
		if one := &c.texts.values[i]; one.Kind == cells.Number && size < c.limits.sampleBytes {
			first = append(first, *one)
			size += valueBytes + len(one.Text)
		}
	}
	copied := valueCounts{}
	copied.replace(first)
	return copied.values
}
