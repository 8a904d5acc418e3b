package frame

import (
	"math"
	"slices"
	"sync/atomic"
)

// columnStats gathers all that is to be known about one column in one pass.
//
// It begins by counting texts, which answers everything while they are few.
// A column that outgrows that is decided on what was seen so far:
//
//	few texts        count every text
//	many numbers     measure the numbers, count the other texts
//	many texts       count every text, forget the rarest
//	many of both     measure the numbers and count every text
//
// So no second pass is needed to tell a column of numbers with a few stray
// words from a column of words with a few numbers.
type columnStats struct {
	limits    memoryLimits
	isLabel   bool
	cells     [4]int // rows by cellKind
	texts     valueCounts
	numbers   *runningStats                 // set once the numbers are measured one by one
	skipsText bool                          // numbers are measured only, not counted as texts
	skipped   bool                          // and some of them were
	published atomic.Pointer[statsSnapshot] // of numbers while it skipsText, else nil
}

// memoryLimits are one column's share of the memory.
type memoryLimits struct {
	maxTexts    int // texts up to which a column is only counted
	maxHashes   int // hashes kept to count different values
	sampleBytes int // bytes of the first texts that are kept once some are forgotten
}

// newMemoryLimits divides the memory of a scan among so many columns.
func newMemoryLimits(columns, textMemory int) memoryLimits {
	columns = max(columns, 1)
	return memoryLimits{
		maxTexts:    min(max(textMemory/columns/4/valueBytes, minTextLimit), maxTextLimit),
		maxHashes:   min(max(hashMemory/columns/16, minHashLimit), maxHashLimit),
		sampleBytes: min(sampleMemory/columns, maxSampleBytes),
	}
}

// The bounds of a column's limits.
const (
	minTextLimit, maxTextLimit = 24, 2_048
	minHashLimit, maxHashLimit = 64, 8_192
	maxSampleBytes             = 2 << 20
)

// What all columns together may take.
const (
	defaultTextMemory = 16 << 20 // for texts
	wideTextMemory    = 64 << 20 // for more of them, up to
	wideTextBytes     = 1 << 10  // so much for each column
	hashMemory        = 24 << 20 // for sets of hashes
	sampleMemory      = 64 << 20 // for first texts
)

// totalTextMemory returns how many bytes the texts of all columns may take, where
// those of a few columns may take textMemory.
func totalTextMemory(columns, textMemory int) int {
	return textMemory + min(columns*wideTextBytes, wideTextMemory)
}

// evictTexts makes the columns with the most texts forget the rare ones once all
// take more than textMemory, until they take half of that. What is read before
// it has to do so again is as much as the other half, so that the work of all
// calls is linear in the texts.
//
// Columns of numbers come first: their texts are not needed once the numbers are
// measured. The texts of a label stay, as long as they leave room for others.
func evictTexts(tallies []columnStats, textMemory int) {
	if textBytes(tallies) <= textMemory {
		return
	}
	for i := range tallies {
		if t := &tallies[i]; t.undecided() && len(t.texts.list) > minToDecide {
			t.chooseStrategy()
		}
	}
	if textBytes(tallies) <= textMemory {
		return
	}
	sizes, goal := make([]int, 0, len(tallies)), textMemory/2
	stays := func(t *columnStats) bool { return t.isLabel && t.texts.bytes <= textMemory/4 }
	for i := range tallies {
		if t := &tallies[i]; stays(t) {
			goal -= t.texts.bytes
		} else {
			sizes = append(sizes, t.texts.bytes)
		}
	}
	share := fairShare(sizes, goal)
	for i := range tallies {
		if t := &tallies[i]; t.texts.bytes > share && !stays(t) {
			t.evict(share)
		}
	}
}

// minToDecide is the number of different texts behind which a column can be
// decided on, if memory asks for it.
const minToDecide = 8

func textBytes(tallies []columnStats) int {
	sum := 0
	for i := range tallies {
		sum += tallies[i].texts.bytes
	}
	return sum
}

// fairShare returns the largest bound so that sizes, none above it, sum to at
// most total. It sorts them.
func fairShare(sizes []int, total int) int {
	slices.Sort(sizes)
	for i, size := range sizes {
		if share := total / (len(sizes) - i); size > share {
			return share
		}
		total -= size
	}
	return math.MaxInt
}

// nonBlank returns the number of rows whose cell is not blank.
func (t *columnStats) nonBlank() int { return t.cells[number] + t.cells[null] + t.cells[text] }

// undecided reports whether decide was not called yet.
func (t *columnStats) undecided() bool { return t.numbers == nil && t.limits.maxTexts < math.MaxInt }

// evict makes the column forget rare texts until they take at most the
// given bytes. The numbers among them are measured first.
func (t *columnStats) evict(bytes int) {
	if t.numbers == nil && t.cells[number] > 0 && !t.isLabel {
		t.numbers = newRunningStats(t.texts.list, t.limits.maxHashes)
	}
	t.texts.evict(bytes, &t.limits)
}

// The rule by which a column with a few texts is one of numbers all the same:
// at most one cell in a hundred is junk, and there are numbers enough to tell.
const (
	maxJunkShare = 100
	minNumbers   = 100
)

// mostlyNumbers reports whether the numbers outweigh the junk.
func (t *columnStats) mostlyNumbers() bool {
	junk, numbers := t.cells[text], t.cells[number]
	return junk == 0 || (numbers >= minNumbers && junk*maxJunkShare <= junk+numbers)
}

// kind returns what the column is, as far as it has been seen.
func (t *columnStats) kind() Kind {
	if t.cells[number] > 0 && t.mostlyNumbers() {
		return Numeric
	}
	if t.cells[null]+t.cells[text] == 0 {
		return Numeric // nothing but missing cells
	}
	return Category
}

// isMeasured reports whether the column's numbers will only be measured, as far as
// is known. Any goroutine may ask.
func (t *columnStats) isMeasured() bool { return t.published.Load() != nil }

// summarise summarises the column's values of a chunk if they are measured. Any
// goroutine may do that.
func (t *columnStats) summarise(s *chunkStats, values []float64) {
	if o := t.published.Load(); o != nil {
		s.compute(values, *o)
	}
}

// addChunk takes the column's cells of a grid, the first of which is in a line.
// The summary may be that of its first values; the texts are gathered unless its
// numbers are measured.
func (t *columnStats) addChunk(g *parsedChunk, field, line int, s *chunkStats, texts *columnTexts) {
	values := g.floatBuffer(field)
	for row := 0; row < len(values); {
		if t.skipsText {
			g.parseField(field)
			if row > 0 || s.values == nil {
				s.compute(values[row:], t.numbers.snapshot())
			}
			t.numbers.addChunk(s)
			t.cells[number] += s.numbers
			t.cells[blank] += s.blanks
			if row += len(s.values); row == len(values) {
				break
			}
		}
		if t.numbers == nil {
			row = t.addTexts(texts, g.rowLines, line, row)
			continue
		}
		t.addCell(g.cellText(row, field), line+int(g.rowLines[row]))
		row++
	}
	t.publish()
}

// publish makes the outlook known to those that read the next chunks.
func (t *columnStats) publish() {
	if !t.skipsText {
		t.published.Store(nil)
		return
	}
	if o, before := t.numbers.snapshot(), t.published.Load(); before == nil || *before != o {
		t.published.Store(&o)
	}
}

// columnTexts are the cells of a grid's column as levels count them, by row; nil
// for a blank one.
type columnTexts struct {
	cells  [][]byte
	hashes []uint64
}

// prepare makes room for the texts of so many rows, and for none if they are not
// to be gathered.
func (l *columnTexts) prepare(rows int, wanted bool) {
	if !wanted {
		*l = columnTexts{}
		return
	}
	l.cells, l.hashes = slices.Grow(l.cells[:0], rows), slices.Grow(l.hashes[:0], rows)
}

// trimmed returns a cell that is not blank as it is counted: spaces around it
// matter only in a label.
func (t *columnStats) trimmed(cell []byte) []byte {
	if !t.isLabel && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		return trim(cell)
	}
	return cell
}

// hashTexts adds rows of a field of a grid to the list. Any goroutine may do that,
// also while another counts: it reads nothing that counting changes.
func (t *columnStats) hashTexts(l *columnTexts, g *parsedChunk, field, lo, hi int) {
	for row := lo; row < hi; row++ {
		cell, hash := g.cellText(row, field), uint64(0)
		if isBlank(cell) {
			cell = nil
		} else {
			cell = t.trimmed(cell)
			hash = hashText(cell)
		}
		l.cells, l.hashes = append(l.cells, cell), append(l.hashes, hash)
	}
}

// textBatch is how many texts are looked for at the same time.
const textBatch = 64

// addTexts takes some cells from a row on, while no numbers are measured, and
// returns the row behind them.
func (t *columnStats) addTexts(list *columnTexts, lines []int32, line, row int) int {
	end := min(row+textBatch, len(list.cells))
	t.texts.prefetch(list.hashes[row:end])
	for ; row < end; row++ {
		cell := list.cells[row]
		if cell == nil {
			t.cells[blank]++
			continue
		}
		t.addText(cell, list.hashes[row], line+int(lines[row]))
		if t.numbers != nil { // they have just become many
			return row + 1
		}
	}
	return row
}

// addCell takes the column's cell of the next row.
func (t *columnStats) addCell(cell []byte, line int) {
	if isBlank(cell) {
		t.cells[blank]++
		return
	}
	if t.numbers != nil {
		if kind, value := classify(cell); kind == number {
			t.numbers.add(value, 1)
			if t.skipsText {
				t.cells[number]++
				return
			}
		}
	}
	cell = t.trimmed(cell)
	t.addText(cell, hashText(cell), line)
}

// addText counts a text as levels have it.
func (t *columnStats) addText(cell []byte, hash uint64, line int) {
	kind := t.texts.add(cell, hash, line)
	t.cells[kind]++
	if t.numbers == nil && len(t.texts.list) > t.limits.maxTexts {
		t.chooseStrategy()
	}
	if kind == text && t.skipsText && !t.mostlyNumbers() {
		t.skipsText = false
	}
}

// chooseStrategy chooses how a column goes on whose texts have become many.
func (t *columnStats) chooseStrategy() {
	if t.cells[number] == 0 || t.cells[text] > t.cells[number] || isZeroPadded(t.texts.list) {
		t.limits.maxTexts = math.MaxInt // words or codes: go on counting
		return
	}
	t.numbers = newRunningStats(t.texts.list, t.limits.maxHashes)
	if t.skipsText = t.mostlyNumbers(); t.skipsText {
		t.skipped = true
		t.texts.saveSample(t.limits.sampleBytes)
		others := valueCounts{sampled: t.texts.sampled, orderHash: t.texts.orderHash}
		others.replace(slices.DeleteFunc(t.texts.list, func(one distinctValue) bool { return one.kind == number }))
		t.texts = others
	}
}

// runningStats returns the statistics of the numbers.
func (t *columnStats) runningStats() *runningStats {
	if t.numbers != nil {
		return t.numbers
	}
	return newRunningStats(t.texts.list, t.limits.maxHashes)
}

// distinctCount returns the number of different values of a category, and
// whether that is an estimate.
func (t *columnStats) distinctCount() (int, bool) {
	n, exact := t.texts.distinct()
	if !t.skipped {
		return n, !exact
	}
	for _, one := range t.texts.list {
		if one.kind == number {
			n--
		}
	}
	return n + t.numbers.distinct.count(), true
}
