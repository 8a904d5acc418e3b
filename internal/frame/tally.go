package frame

import (
	"math"
	"slices"
	"sync/atomic"
)

// tally gathers all that is to be known about one column in one pass.
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
type tally struct {
	limits    limits
	isLabel   bool
	cells     [4]int // rows by cellKind
	texts     levels
	numbers   *measure                // set once the numbers are measured one by one
	skipsText bool                    // numbers are measured only, not counted as texts
	skipped   bool                    // and some of them were
	known     atomic.Pointer[outlook] // of numbers while it skipsText, else nil
}

// limits are one column's share of the memory.
type limits struct {
	few   int // texts up to which a column is only counted
	set   int // hashes kept to count different values
	early int // bytes of the first texts that are kept once some are forgotten
}

// newLimits divides the memory of a scan among so many columns.
func newLimits(columns, textMemory int) limits {
	columns = max(columns, 1)
	return limits{
		few:   min(max(textMemory/columns/4/levelBytes, leastFew), mostFew),
		set:   min(max(setMemory/columns/16, leastSet), mostSet),
		early: min(earlyMemory/columns, earlyBytes),
	}
}

// The bounds of a column's limits.
const (
	leastFew, mostFew = 24, 2_048
	leastSet, mostSet = 64, 8_192
	earlyBytes        = 2 << 20
)

// What all columns together may take.
const (
	defaultTextMemory = 16 << 20 // for texts
	wideTextMemory    = 64 << 20 // for more of them, up to
	wideTextBytes     = 1 << 10  // so much for each column
	setMemory         = 24 << 20 // for sets of hashes
	earlyMemory       = 64 << 20 // for first texts
)

// textMemoryOf returns how many bytes the texts of all columns may take, where
// those of a few columns may take textMemory.
func textMemoryOf(columns, textMemory int) int {
	return textMemory + min(columns*wideTextBytes, wideTextMemory)
}

// relieve makes the columns with the most texts forget the rare ones once all
// take more than textMemory, until they take half of that. What is read before
// it has to do so again is as much as the other half, so that the work of all
// calls is linear in the texts.
//
// Columns of numbers come first: their texts are not needed once the numbers are
// measured. The texts of a label stay, as long as they leave room for others.
func relieve(tallies []tally, textMemory int) {
	if textBytes(tallies) <= textMemory {
		return
	}
	for i := range tallies {
		if t := &tallies[i]; t.undecided() && len(t.texts.list) > enoughToDecide {
			t.decide()
		}
	}
	if textBytes(tallies) <= textMemory {
		return
	}
	sizes, goal := make([]int, 0, len(tallies)), textMemory/2
	stays := func(t *tally) bool { return t.isLabel && t.texts.bytes <= textMemory/4 }
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
			t.forget(share)
		}
	}
}

// enoughToDecide is the number of different texts behind which a column can be
// decided on, if memory asks for it.
const enoughToDecide = 8

func textBytes(tallies []tally) int {
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

// filled returns the number of rows whose cell is not blank.
func (t *tally) filled() int { return t.cells[number] + t.cells[marker] + t.cells[text] }

// undecided reports whether decide was not called yet.
func (t *tally) undecided() bool { return t.numbers == nil && t.limits.few < math.MaxInt }

// forget makes the column forget rare texts until they take at most the
// given bytes. The numbers among them are measured first.
func (t *tally) forget(bytes int) {
	if t.numbers == nil && t.cells[number] > 0 && !t.isLabel {
		t.numbers = newMeasure(t.texts.list, t.limits.set)
	}
	t.texts.prune(bytes, &t.limits)
}

// The rule by which a column with a few texts is one of numbers all the same:
// at most one cell in a hundred is junk, and there are numbers enough to tell.
const (
	junkShare    = 100
	enoughNumber = 100
)

// fewJunk reports whether the numbers outweigh the junk.
func (t *tally) fewJunk() bool {
	junk, numbers := t.cells[text], t.cells[number]
	return junk == 0 || (numbers >= enoughNumber && junk*junkShare <= junk+numbers)
}

// kind returns what the column is, as far as it has been seen.
func (t *tally) kind() Kind {
	if t.cells[number] > 0 && t.fewJunk() {
		return Numeric
	}
	if t.cells[marker]+t.cells[text] == 0 {
		return Numeric // nothing but missing cells
	}
	return Category
}

// measures reports whether the column's numbers will only be measured, as far as
// is known. Any goroutine may ask.
func (t *tally) measures() bool { return t.known.Load() != nil }

// summarise summarises the column's values of a chunk if they are measured. Any
// goroutine may do that.
func (t *tally) summarise(s *summary, values []float64) {
	if o := t.known.Load(); o != nil {
		s.take(values, *o)
	}
}

// addColumn takes the column's cells of a grid, the first of which is in a line.
// The summary may be that of its first values; the texts are gathered unless its
// numbers are measured.
func (t *tally) addColumn(g *grid, field, line int, s *summary, texts *gridTexts) {
	values := g.room(field)
	for row := 0; row < len(values); {
		if t.skipsText {
			g.ask(field)
			if row > 0 || s.values == nil {
				s.take(values[row:], t.numbers.outlook())
			}
			t.numbers.addAll(s)
			t.cells[number] += s.numbers
			t.cells[blank] += s.blanks
			if row += len(s.values); row == len(values) {
				break
			}
		}
		if t.numbers == nil {
			row = t.addTexts(texts, g.lines, line, row)
			continue
		}
		t.add(g.cellText(row, field), line+int(g.lines[row]))
		row++
	}
	t.tell()
}

// tell makes the outlook known to those that read the next chunks.
func (t *tally) tell() {
	if !t.skipsText {
		t.known.Store(nil)
		return
	}
	if o, before := t.numbers.outlook(), t.known.Load(); before == nil || *before != o {
		t.known.Store(&o)
	}
}

// gridTexts are the cells of a grid's column as levels count them, by row; nil
// for a blank one.
type gridTexts struct {
	cells  [][]byte
	hashes []uint64
}

// prepare makes room for the texts of so many rows, and for none if they are not
// to be gathered.
func (l *gridTexts) prepare(rows int, wanted bool) {
	if !wanted {
		*l = gridTexts{}
		return
	}
	l.cells, l.hashes = slices.Grow(l.cells[:0], rows), slices.Grow(l.hashes[:0], rows)
}

// strip returns a cell that is not blank as it is counted: spaces around it
// matter only in a label.
func (t *tally) strip(cell []byte) []byte {
	if !t.isLabel && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		return trim(cell)
	}
	return cell
}

// gather adds rows of a field of a grid to the list. Any goroutine may do that,
// also while another counts: it reads nothing that counting changes.
func (t *tally) gather(l *gridTexts, g *grid, field, lo, hi int) {
	for row := lo; row < hi; row++ {
		cell, hash := g.cellText(row, field), uint64(0)
		if isBlank(cell) {
			cell = nil
		} else {
			cell = t.strip(cell)
			hash = hashText(cell)
		}
		l.cells, l.hashes = append(l.cells, cell), append(l.hashes, hash)
	}
}

// textBatch is how many texts are looked for at the same time.
const textBatch = 64

// addTexts takes some cells from a row on, while no numbers are measured, and
// returns the row behind them.
func (t *tally) addTexts(list *gridTexts, lines []int32, line, row int) int {
	end := min(row+textBatch, len(list.cells))
	t.texts.fetch(list.hashes[row:end])
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

// add takes the column's cell of the next row.
func (t *tally) add(cell []byte, line int) {
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
	cell = t.strip(cell)
	t.addText(cell, hashText(cell), line)
}

// addText counts a text as levels have it.
func (t *tally) addText(cell []byte, hash uint64, line int) {
	kind := t.texts.count(cell, hash, line)
	t.cells[kind]++
	if t.numbers == nil && len(t.texts.list) > t.limits.few {
		t.decide()
	}
	if kind == text && t.skipsText && !t.fewJunk() {
		t.skipsText = false
	}
}

// decide chooses how a column goes on whose texts have become many.
func (t *tally) decide() {
	if t.cells[number] == 0 || t.cells[text] > t.cells[number] || padded(t.texts.list) {
		t.limits.few = math.MaxInt // words or codes: go on counting
		return
	}
	t.numbers = newMeasure(t.texts.list, t.limits.set)
	if t.skipsText = t.fewJunk(); t.skipsText {
		t.skipped = true
		t.texts.remember(t.limits.early)
		others := levels{early: t.texts.early, order: t.texts.order}
		others.keep(slices.DeleteFunc(t.texts.list, func(one level) bool { return one.kind == number }))
		t.texts = others
	}
}

// measured returns the statistics of the numbers.
func (t *tally) measured() *measure {
	if t.numbers != nil {
		return t.numbers
	}
	return newMeasure(t.texts.list, t.limits.set)
}

// distinctTexts returns the number of different values of a category, and
// whether that is an estimate.
func (t *tally) distinctTexts() (int, bool) {
	n, exact := t.texts.distinct()
	if !t.skipped {
		return n, !exact
	}
	for _, one := range t.texts.list {
		if one.kind == number {
			n--
		}
	}
	return n + t.numbers.values.count(), true
}
