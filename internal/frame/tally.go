package frame

import "math"

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
	numbers   *measure // set once the numbers are measured one by one
	skipsText bool     // numbers are measured only, not counted as texts
	skipped   bool     // and some of them were
	junk      level    // the first text that is neither number nor marker
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
		set: min(max(setMemory/max(columns, 1)/16, 256), 32_768),
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
	if t.cells[number] == 0 || t.cells[text] > t.cells[number] {
		t.limits.few = math.MaxInt // words: go on counting
		return
	}
	t.numbers = newMeasure(t.texts.list, t.limits.set)
	if t.skipsText = t.fewJunk(); t.skipsText {
		t.skipped = true
		others := levels{}
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

// missing returns the rows without a value.
func (t *tally) missing() int {
	if t.kind() == Numeric {
		return t.cells[blank] + t.cells[marker] + t.cells[text]
	}
	return t.cells[blank]
}
