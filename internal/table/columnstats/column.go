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
func (t *Column) IsEmpty() bool { return t.NonBlank() == 0 }

// HasNumbers reports whether a field of the column is a number.
func (t *Column) HasNumbers() bool { return t.rowsByKind[cells.Number] > 0 }

// HasText reports whether a row has the text. If KnowsAllTexts is false, HasText may return false
// even if a row has the text.
func (t *Column) HasText(text string) bool { return t.texts.find(text) != nil }

// KnowsAllTexts reports whether every text of the column is counted. Even then, numbers may not be
// counted; see Values.
func (t *Column) KnowsAllTexts() bool { return t.texts.distinctHashes == nil }

// Rows returns the number of rows whose cell has the given kind.
func (t *Column) Rows(kind cells.ValueKind) int { return t.rowsByKind[kind] }

// SetLabel makes the column the label. All texts of a label, including numbers, are counted and
// keep their surrounding spaces, because they are the names of classes. SetLabel must be called
// before the first row.
func (t *Column) SetLabel() {
	t.isLabel = true
	t.limits.maxTexts, t.limits.maxHashes = math.MaxInt, maxHashesPerColumn
}

// NonBlank returns the number of rows whose field is not blank.
func (t *Column) NonBlank() int {
	return t.rowsByKind[cells.Number] + t.rowsByKind[cells.Null] + t.rowsByKind[cells.Text]
}

// isStrategyUndecided reports whether chooseCountingStrategy has not been called yet.
func (t *Column) isStrategyUndecided() bool {
	return t.numericStats == nil && t.limits.maxTexts < math.MaxInt
}

// summarizeAndEvict removes rare texts until the remaining texts take at most the given number of
// bytes. It first computes numericStats from the numbers among the texts, if there are any.
func (t *Column) summarizeAndEvict(maxTextBytes int) {
	if t.numericStats == nil && t.rowsByKind[cells.Number] > 0 && !t.isLabel {
		t.numericStats = newRunningStats(t.texts.values, t.limits.maxHashes)
	}
	t.texts.evictRareTexts(maxTextBytes, &t.limits)
}

// ValuesPerStray limits the texts in a column that is mostly numbers: at most one in ValuesPerStray
// values may be a text.
const ValuesPerStray = 100

// minNumericRows is the smallest number of rows with a number for which a column with a few texts
// counts as numeric.
const minNumericRows = 100

// isMostlyNumbers reports whether the column has no texts, or has many numbers and only a few
// texts.
func (t *Column) isMostlyNumbers() bool {
	junk, numbers := t.rowsByKind[cells.Text], t.rowsByKind[cells.Number]
	return junk == 0 || (numbers >= minNumericRows && junk*ValuesPerStray <= junk+numbers)
}

// Kind returns the kind of the column according to the rows seen so far.
func (t *Column) Kind() frame.Kind {
	if t.rowsByKind[cells.Number] > 0 && t.isMostlyNumbers() {
		return frame.Numeric
	}
	if t.rowsByKind[cells.Null]+t.rowsByKind[cells.Text] == 0 {
		return frame.Numeric // all values are missing
	}
	return frame.Category
}

// AddCell adds the column's cell in the next row, which is in the given line.
func (t *Column) AddCell(cell []byte, line int) {
	if cells.IsBlank(cell) {
		t.rowsByKind[cells.Blank]++
		return
	}
	if t.numericStats != nil {
		if kind, value := cells.Classify(cell); kind == cells.Number {
			t.numericStats.add(value, 1)
			if t.dropsNumberTexts {
				t.rowsByKind[cells.Number]++
				return
			}
		}
	}
	cell = t.trimUnlessLabel(cell)
	t.addText(cell, cells.Hash(cell), line)
}

func (t *Column) addText(cell []byte, hash uint64, line int) {
	kind := t.texts.add(cell, hash, line)
	t.rowsByKind[kind]++
	if t.numericStats == nil && len(t.texts.values) > t.limits.maxTexts {
		t.chooseCountingStrategy()
	}
	if kind == cells.Text && t.dropsNumberTexts && !t.isMostlyNumbers() {
		t.dropsNumberTexts = false
	}
}

// chooseCountingStrategy decides how the rest of the column is counted. It is called when the column has many
// distinct texts; see Column.
func (t *Column) chooseCountingStrategy() {
	t.hasEqualFloats = haveEqualFloats(t.texts.values)
	if t.rowsByKind[cells.Number] == 0 || t.rowsByKind[cells.Text] > t.rowsByKind[cells.Number] || t.hasEqualFloats || mayBeCodes(t.texts.values) {
		t.limits.maxTexts = math.MaxInt // words and codes are counted; they need no statistics of numbers
		return
	}
	t.numericStats = newRunningStats(t.texts.values, t.limits.maxHashes)
	if t.dropsNumberTexts = t.isMostlyNumbers(); t.dropsNumberTexts {
		t.droppedNumberTexts = true
		t.firstNumbers = t.copyFirstNumbers()
		t.texts.replace(slices.DeleteFunc(t.texts.values, func(one Value) bool { return one.Kind == cells.Number }))
	}
}

// copyFirstNumbers returns a copy of the counted numbers, in the order of their first rows. It
// stops when the copy takes limits.sampleBytes bytes, the limit for a sample of texts.
func (t *Column) copyFirstNumbers() []Value {
	var first []Value
	size := 0
	for i := range t.texts.values {
		if one := &t.texts.values[i]; one.Kind == cells.Number && size < t.limits.sampleBytes {
			first = append(first, *one)
			size += valueBytes + len(one.Text)
		}
	}
	copied := valueCounts{}
	copied.replace(first)
	return copied.values
}
