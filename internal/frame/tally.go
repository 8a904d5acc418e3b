package frame

import (
	"encoding/binary"
	"math"
	"math/bits"
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
	cells     [4]int // rows by cellKind
	texts     levels
	numbers   *measure                // set once the numbers are measured one by one
	skipsText bool                    // numbers are measured only, not counted as texts
	skipped   bool                    // and some of them were
	junk      level                   // the first text that is neither number nor marker
	known     atomic.Pointer[outlook] // of numbers while it skipsText, else nil
	recall    []recalled              // a power of two of slots; nil until there are texts to find
}

// recalled is a level that is found again by its key without a search.
type recalled struct {
	key uint64 // see recallKey; 0 is a free slot
	at  int32
}

// limits are one column's share of the memory.
type limits struct {
	few int // texts up to which a column is only counted
	set int // hashes kept to count different values
}

// newLimits divides the memory of a scan among so many columns.
func newLimits(columns int) limits {
	return limits{
		few: min(max(textMemory/max(columns, 1)/4/levelBytes, 64), 2_048),
		set: min(max(setMemory/max(columns, 1)/16, 256), 8_192),
	}
}

// What all columns together may take.
const (
	textMemory = 20 << 20 // for texts
	setMemory  = 24 << 20 // for sets of hashes
)

// relieve makes the columns with the most texts forget the rare ones until
// there is room again.
func relieve(tallies []tally) {
	for {
		most, sum := &tallies[0], 0
		for i := range tallies {
			sum += tallies[i].texts.bytes
			if tallies[i].texts.bytes > most.texts.bytes {
				most = &tallies[i]
			}
		}
		if sum <= textMemory {
			return
		}
		most.texts.prune(most.limits.set)
	}
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

// summarise summarises the column's values of a chunk if they will only be
// measured as far as is known. Any goroutine may do that.
func (t *tally) summarise(s *summary, values []float64) {
	s.values = nil
	if o := t.known.Load(); o != nil {
		s.take(values, *o)
	}
}

// addColumn takes the column's cells of a grid, the first of which is in a line.
// The summary may be that of its first values.
func (t *tally) addColumn(g *grid, field, line int, s *summary) {
	values := g.room(field)
	for row := 0; row < len(values); row++ {
		if t.skipsText {
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
		if t.numbers != nil || t.texts.all != nil {
			t.add(g.cellText(row, field), line+int(g.lines[row]))
			continue
		}
		begin, end := g.bounds(row, field)
		t.count(g.text[begin:], int(end-begin), line+int(g.lines[row]))
	}
	t.tell()
}

// tell makes the outlook known to those that summarise the next chunks.
func (t *tally) tell() {
	if !t.skipsText {
		t.known.Store(nil)
		return
	}
	if o, before := t.numbers.outlook(), t.known.Load(); before == nil || *before != o {
		t.known.Store(&o)
	}
}

// count takes a cell, which is the first n bytes of a text, while every text is
// counted and none was forgotten.
func (t *tally) count(text []byte, n, line int) {
	if n == 0 {
		t.cells[blank]++
		return
	}
	cell := text[:n]
	if cell[0] <= '"' { // it may be blank or in quotes
		t.add(bare(cell), line)
		return
	}
	if t.recall == nil {
		t.recall = make([]recalled, min(256, 1<<(bits.Len(uint(t.limits.few))-4)))
	}
	key := recallKey(text, n)
	slot := &t.recall[key*0x9E3779B97F4A7C15>>56&uint64(len(t.recall)-1)]
	if slot.key == key && (n < 8 || t.texts.list[slot.at].text == string(cell)) {
		t.texts.recent = slot.at
		found := &t.texts.list[slot.at]
		found.rows++
		t.texts.sign(line, slot.at)
		t.cells[found.kind]++
		return
	}
	t.add(cell, line)
	if t.numbers != nil { // they have just become many
		t.recall = nil
		return
	}
	*slot = recalled{key, t.texts.recent}
}

// recallKey returns a key for the cell that is the first n bytes of a text: one
// of its own for up to seven bytes, else one that other long cells may have.
func recallKey(text []byte, n int) uint64 {
	word := binary.LittleEndian.Uint64(text)
	if n < 8 {
		return word << (64 - 8*n)
	}
	return word ^ bits.RotateLeft64(binary.LittleEndian.Uint64(text[n-8:]), 29) | 1
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
	found := t.texts.count(cell, line)
	t.cells[found.kind]++
	if found.kind == text && t.junk.rows == 0 {
		t.junk = *found
		t.junk.text = string(cell)
	}
	if t.numbers == nil && len(t.texts.list) > t.limits.few {
		t.decide()
	}
	if found.kind == text && t.skipsText && !t.fewJunk() {
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
		t.texts.remember()
		others := levels{early: t.texts.early, order: t.texts.order}
		for _, one := range t.texts.list {
			if one.kind != number {
				others.insert(one)
			}
		}
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
