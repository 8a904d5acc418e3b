package profile

import (
	"math"
	"slices"
	"sync/atomic"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/frame"
)

// ColumnStats collects the statistics of a column in one pass.
//
// It starts by counting all texts, including those of numbers. When there are many
// different texts, it chooses how to continue, depending on the texts seen so far:
//
//	few texts        count every text
//	many numbers     compute statistics of the numbers, count the other texts
//	many texts       count every text, evict the rarest
//	many of both     compute statistics of the numbers and count every text
//
// This distinguishes a column of numbers with a few stray texts from a column of texts with
// a few numbers, in one pass.
type ColumnStats struct {
	limits             memoryLimits
	isLabel            bool
	rowsByKind         [4]int // number of rows by cells.ValueKind
	texts              valueCounts
	numericStats       *runningStats                 // set once there are statistics of the numbers
	dropsNumberTexts   bool                          // numbers are currently not counted as texts
	droppedNumberTexts bool                          // some numbers were not counted as texts
	publishedSnapshot  atomic.Pointer[statsSnapshot] // of numericStats while dropsNumberTexts is set, otherwise nil
}

type memoryLimits struct {
	maxTexts    int // number of distinct texts above which chooseStrategy is called
	maxHashes   int // number of hashes that a distinctCounter keeps
	sampleBytes int // memory for the first texts, which are kept even if texts are evicted
}

// newMemoryLimits divides the memory of a scan among the columns. textMemory is the
// memory for the texts of all columns in bytes.
func newMemoryLimits(columns, textMemory int) memoryLimits {
	columns = max(columns, 1)
	return memoryLimits{
		maxTexts:    min(max(textMemory/columns/4/valueBytes, minTextsPerColumn), maxTextsPerColumn),
		maxHashes:   min(max(hashMemory/columns/16, minHashesPerColumn), maxHashesPerColumn),
		sampleBytes: min(sampleMemory/columns, maxSampleBytes),
	}
}

// The minimum and maximum values of the fields of memoryLimits. maxSampleBytes is in bytes.
const (
	minTextsPerColumn, maxTextsPerColumn   = 24, 2_048
	minHashesPerColumn, maxHashesPerColumn = 64, 8_192
	maxSampleBytes                         = 2 << 20
)

// Limits of the memory of all columns together, in bytes.
const (
	defaultTextMemory = 16 << 20 // for texts
	wideTextMemory    = 64 << 20 // largest additional memory for texts if there are many columns
	wideTextBytes     = 1 << 10  // additional memory for texts per column
	hashMemory        = 24 << 20 // for sets of hashes
	sampleMemory      = 64 << 20 // for the first texts
)

// totalTextMemory returns the memory for the texts of all columns, in bytes. textMemory
// is the memory for texts before the addition for many columns.
func totalTextMemory(columns, textMemory int) int {
	return textMemory + min(columns*wideTextBytes, wideTextMemory)
}

// evictTexts evicts rare texts from the columns with the most texts, if the texts of all columns
// take more than textMemory bytes. It stops when half of textMemory is free. This half must fill up
// before the next eviction, so that the total work is linear in the size of the texts.
//
// It first chooses the strategy of each column that has none, because a column of numbers
// needs no texts. The texts of a label are kept if they take at most a quarter of
// textMemory.
func evictTexts(columns []ColumnStats, textMemory int) {
	if totalTextBytes(columns) <= textMemory {
		return
	}
	for i := range columns {
		if t := &columns[i]; t.isUndecided() && len(t.texts.values) > minTextsToDecide {
			t.chooseStrategy()
		}
	}
	if totalTextBytes(columns) <= textMemory {
		return
	}
	sizes, goal := make([]int, 0, len(columns)), textMemory/2
	stays := func(t *ColumnStats) bool { return t.isLabel && t.texts.bytes <= textMemory/4 }
	for i := range columns {
		if t := &columns[i]; stays(t) {
			goal -= t.texts.bytes
		} else {
			sizes = append(sizes, t.texts.bytes)
		}
	}
	limit := sortAndFindLimit(sizes, goal)
	for i := range columns {
		if t := &columns[i]; t.texts.bytes > limit && !stays(t) {
			t.summarizeAndEvict(limit)
		}
	}
}

// minTextsToDecide is the number of distinct texts above which evictTexts chooses the strategy
// of a column.
const minTextsToDecide = 8

func totalTextBytes(columns []ColumnStats) int {
	sum := 0
	for i := range columns {
		sum += columns[i].texts.bytes
	}
	return sum
}

// sortAndFindLimit returns the largest limit for which the sum of min(size, limit) over all sizes
// is at most total. It sorts sizes.
func sortAndFindLimit(sizes []int, total int) int {
	slices.Sort(sizes)
	for i, size := range sizes {
		if share := total / (len(sizes) - i); size > share {
			return share
		}
		total -= size
	}
	return math.MaxInt
}

// IsEmpty reports whether every field of the column is blank.
func (t *ColumnStats) IsEmpty() bool { return t.nonBlank() == 0 }

// HasNumbers reports whether a field of the column is a number.
func (t *ColumnStats) HasNumbers() bool { return t.rowsByKind[cells.Number] > 0 }

// HasText reports whether a row has the text. If KnowsAllTexts is false, it may return false
// for a text that a row has.
func (t *ColumnStats) HasText(text string) bool { return t.texts.find(text) != nil }

// KnowsAllTexts reports whether all texts of the column are known, because none was evicted.
func (t *ColumnStats) KnowsAllTexts() bool { return t.texts.distinctHashes == nil }

// nonBlank returns the number of rows whose field is not blank.
func (t *ColumnStats) nonBlank() int {
	return t.rowsByKind[cells.Number] + t.rowsByKind[cells.Null] + t.rowsByKind[cells.Text]
}

// isUndecided reports whether chooseStrategy has not been called yet.
func (t *ColumnStats) isUndecided() bool {
	return t.numericStats == nil && t.limits.maxTexts < math.MaxInt
}

// summarizeAndEvict removes rare texts until the remaining texts take at most the given number of
// bytes. It first computes numericStats from the numbers among the texts, if there are any.
func (t *ColumnStats) summarizeAndEvict(maxTextBytes int) {
	if t.numericStats == nil && t.rowsByKind[cells.Number] > 0 && !t.isLabel {
		t.numericStats = newRunningStats(t.texts.values, t.limits.maxHashes)
	}
	t.texts.evictRareTexts(maxTextBytes, &t.limits)
}

// A column is mostly numbers if it has at least minNumbers numbers, and if at most one in
// valuesPerStray of its numbers and texts is a text.
const (
	valuesPerStray = 100
	minNumbers     = 100
)

// isMostlyNumbers reports whether the column has no texts, or so few that it is mostly
// numbers.
func (t *ColumnStats) isMostlyNumbers() bool {
	junk, numbers := t.rowsByKind[cells.Text], t.rowsByKind[cells.Number]
	return junk == 0 || (numbers >= minNumbers && junk*valuesPerStray <= junk+numbers)
}

// Kind returns the kind of the column according to the rows seen so far.
func (t *ColumnStats) Kind() frame.Kind {
	if t.rowsByKind[cells.Number] > 0 && t.isMostlyNumbers() {
		return frame.Numeric
	}
	if t.rowsByKind[cells.Null]+t.rowsByKind[cells.Text] == 0 {
		return frame.Numeric // all values are missing
	}
	return frame.Category
}

// hasSnapshot reports whether computeChunkStats has an effect. A column has a snapshot once
// its numbers are no longer counted as texts. hasSnapshot is safe for concurrent use.
func (t *ColumnStats) hasSnapshot() bool { return t.publishedSnapshot.Load() != nil }

// computeChunkStats sets s to the statistics of the column's values in a chunk. It does nothing if
// hasSnapshot returns false. It is safe for concurrent use.
func (t *ColumnStats) computeChunkStats(s *chunkStats, values []float64) {
	if snapshot := t.publishedSnapshot.Load(); snapshot != nil {
		s.compute(values, *snapshot)
	}
}

// addChunk adds the column's values of a chunk that starts in the given line. field is
// the position of the column. s is the result of computeChunkStats. If the column had no
// snapshot, texts must be the result of hashTexts.
func (t *ColumnStats) addChunk(chunk *csvfile.ParsedChunk, field, line int, s *chunkStats, texts *columnTexts) {
	values := chunk.FloatBuffer(field)
	for row := 0; row < len(values); {
		if t.dropsNumberTexts {
			chunk.ParseField(field)
			if row > 0 || s.values == nil {
				s.compute(values[row:], t.numericStats.snapshot())
			}
			t.numericStats.addChunk(s)
			t.rowsByKind[cells.Number] += s.numbers
			t.rowsByKind[cells.Blank] += s.blanks
			if row += len(s.values); row == len(values) {
				break
			}
		}
		if t.numericStats == nil {
			row = t.addTexts(texts, chunk.RowLines, line, row)
			continue
		}
		t.addCell(chunk.Cell(row, field), line+int(chunk.RowLines[row]))
		row++
	}
	t.publishSnapshot()
}

// publishSnapshot makes the current snapshot available to the workers that parse the next chunks.
func (t *ColumnStats) publishSnapshot() {
	if !t.dropsNumberTexts {
		t.publishedSnapshot.Store(nil)
		return
	}
	if o, before := t.numericStats.snapshot(), t.publishedSnapshot.Load(); before == nil || *before != o {
		t.publishedSnapshot.Store(&o)
	}
}

// columnTexts are the texts of a column in the rows of a chunk, trimmed by trimUnlessLabel, and
// their hashes. A blank text is nil.
type columnTexts struct {
	cells  [][]byte
	hashes []uint64
}

// resize allocates memory for the given number of rows, or frees it if wanted is false.
func (c *columnTexts) resize(rows int, wanted bool) {
	if !wanted {
		*c = columnTexts{}
		return
	}
	c.cells, c.hashes = slices.Grow(c.cells[:0], rows), slices.Grow(c.hashes[:0], rows)
}

// trimUnlessLabel returns a non-blank text without surrounding spaces. In a label it keeps them,
// because labels with different spaces are different classes.
func (t *ColumnStats) trimUnlessLabel(cell []byte) []byte {
	if !t.isLabel && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		return cells.Trim(cell)
	}
	return cell
}

// hashTexts appends the texts of a field in rows lo…hi-1 to texts. It is safe for
// concurrent use, even while addChunk runs.
func (t *ColumnStats) hashTexts(texts *columnTexts, chunk *csvfile.ParsedChunk, field, lo, hi int) {
	for row := lo; row < hi; row++ {
		cell, hash := chunk.Cell(row, field), uint64(0)
		if cells.IsBlank(cell) {
			cell = nil
		} else {
			cell = t.trimUnlessLabel(cell)
			hash = hashText(cell)
		}
		texts.cells, texts.hashes = append(texts.cells, cell), append(texts.hashes, hash)
	}
}

// textBatchSize is the number of texts that are prefetched together.
const textBatchSize = 64

// addTexts adds the texts of a batch of rows, starting with the given row, and returns
// the row after the last one added. If addText sets numericStats, the batch ends early,
// because the caller adds the following rows in another way.
func (t *ColumnStats) addTexts(list *columnTexts, lines []int32, line, row int) (nextRow int) {
	end := min(row+textBatchSize, len(list.cells))
	t.texts.prefetch(list.hashes[row:end])
	for ; row < end; row++ {
		cell := list.cells[row]
		if cell == nil {
			t.rowsByKind[cells.Blank]++
			continue
		}
		t.addText(cell, list.hashes[row], line+int(lines[row]))
		if t.numericStats != nil { // set by addText
			return row + 1
		}
	}
	return row
}

// addCell adds the column's text in the next row, which is in the given line.
func (t *ColumnStats) addCell(cell []byte, line int) {
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
	t.addText(cell, hashText(cell), line)
}

func (t *ColumnStats) addText(cell []byte, hash uint64, line int) {
	kind := t.texts.add(cell, hash, line)
	t.rowsByKind[kind]++
	if t.numericStats == nil && len(t.texts.values) > t.limits.maxTexts {
		t.chooseStrategy()
	}
	if kind == cells.Text && t.dropsNumberTexts && !t.isMostlyNumbers() {
		t.dropsNumberTexts = false
	}
}

// chooseStrategy decides how the rest of the column is counted. It is called when the column has many
// distinct texts; see ColumnStats.
func (t *ColumnStats) chooseStrategy() {
	if t.rowsByKind[cells.Number] == 0 || t.rowsByKind[cells.Text] > t.rowsByKind[cells.Number] || mayBeCodes(t.texts.values) {
		t.limits.maxTexts = math.MaxInt // these are words or codes, which are only counted
		return
	}
	t.numericStats = newRunningStats(t.texts.values, t.limits.maxHashes)
	if t.dropsNumberTexts = t.isMostlyNumbers(); t.dropsNumberTexts {
		t.droppedNumberTexts = true
		t.texts.copyFirstTexts(t.limits.sampleBytes)
		others := valueCounts{firstTexts: t.texts.firstTexts, partitionHash: t.texts.partitionHash}
		others.replace(slices.DeleteFunc(t.texts.values, func(one distinctValue) bool { return one.kind == cells.Number }))
		t.texts = others
	}
}

// numberStats returns the statistics of the column's numbers. If numericStats is nil, it
// computes them from the counted texts.
func (t *ColumnStats) numberStats() *runningStats {
	if t.numericStats != nil {
		return t.numericStats
	}
	return newRunningStats(t.texts.values, t.limits.maxHashes)
}

// distinctCount returns the number of distinct values of a column of texts, and whether
// it is an estimate.
func (t *ColumnStats) distinctCount() (count int, estimated bool) {
	n, exact := t.texts.distinctCount()
	if !t.droppedNumberTexts {
		return n, !exact
	}
	for _, one := range t.texts.values {
		if one.kind == cells.Number {
			n--
		}
	}
	return n + t.numericStats.distinct.estimate(), true
}
