package frame

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// level is one text of a column and how many rows have it.
type level struct {
	text  string
	rows  int
	line  int // the first line that has it
	kind  cellKind
	value float64 // for kind number
}

// levels counts the texts of a column. When those of all columns outgrow the
// memory, the rarest are forgotten (lossy counting: Manku and Motwani, 2002),
// and the number of different texts becomes an estimate.
type levels struct {
	index  map[string]int32
	list   []level
	recent int32     // the level of the last cell: columns repeat themselves
	bytes  int       // memory in use, roughly
	all    *distinct // set once texts were forgotten
	closed bool      // hardly a text comes again: new ones are not kept
	door   *doorkeeper
	passer level   // the last text that was not kept
	early  []level // the first texts, once some were forgotten
	order  uint64  // tells which rows have the same text, see sign
	exact  bool    // texts that differ in spaces around them differ
}

// levelBytes is what a level takes besides its text: itself, its key and slot.
const levelBytes = 112

// count adds one row with the text and returns its level, which is valid
// until the next count. Spaces around it do not count.
func (l *levels) count(cell []byte, line int) *level {
	if !l.exact && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = trim(cell)
	}
	if len(l.list) > 0 && l.list[l.recent].text == string(cell) {
		found := &l.list[l.recent]
		found.rows++
		l.sign(line, l.recent)
		return found
	}
	if l.all != nil {
		hash := hashText(cell)
		l.all.add(hash)
		if !l.door.knows(hash) {
			return l.pass(cell, line)
		}
	}
	at, known := l.index[string(cell)]
	if !known && l.closed {
		return l.pass(cell, line)
	}
	if !known {
		at = l.insert(level{text: string(cell), line: line})
	}
	l.recent = at
	found := &l.list[at]
	found.rows++
	l.sign(line, at)
	return found
}

// pass returns the level of a text that is not kept.
func (l *levels) pass(cell []byte, line int) *level {
	kind, value := classify(cell)
	l.passer = level{rows: 1, line: line, kind: kind, value: value}
	return &l.passer
}

// sign adds a row to order. Levels are numbered as they come, so that columns
// of equal order have the same content but for the spelling of their texts,
// as names and codes of the same things have.
func (l *levels) sign(line int, at int32) {
	x := uint64(line)*0x9E3779B97F4A7C15 + uint64(at)*0xBF58476D1CE4E5B9
	l.order += x * (x>>32 | 1)
}

func (l *levels) insert(one level) int32 {
	if l.index == nil {
		l.index = make(map[string]int32)
	}
	one.kind, one.value = classify([]byte(one.text))
	at := int32(len(l.list))
	l.list = append(l.list, one)
	l.index[one.text] = at
	l.bytes += levelBytes + len(one.text)
	return at
}

// prune forgets rare texts until at most half of the memory is in use. If that
// leaves next to none, the column holds names, and no new ones are let in.
func (l *levels) prune(capacity int) {
	l.remember()
	if l.all == nil {
		l.all = newDistinct(capacity)
		for i := range l.list {
			l.all.add(hashText([]byte(l.list[i].text)))
		}
	}
	before, keep, goal := len(l.list), l.list, l.bytes/2
	for rare := 1; l.bytes > goal; rare *= 2 {
		keep = slices.DeleteFunc(keep, func(one level) bool {
			if one.rows <= rare {
				l.bytes -= levelBytes + len(one.text)
			}
			return one.rows <= rare
		})
	}
	l.closed = 100*len(keep) < before
	l.list, l.recent = slices.Clone(keep), 0 // the clone lets go of the memory
	l.index = make(map[string]int32, len(keep))
	l.door = newDoorkeeper(capacity)
	for i := range keep {
		l.index[keep[i].text] = int32(i)
		l.door.admit(hashText([]byte(keep[i].text)))
	}
}

// doorkeeper lets a text in when it comes for the second time, once texts have
// to be forgotten: one that comes once will never be a level. It is a bit for
// each hash (as in TinyLFU: Einziger, Friedman, Manes, 2017). Its bits fill up
// between two prunes; then it lets everybody in, and the next prune comes soon.
type doorkeeper struct{ bits []uint64 }

// doorBits is how many bits there are for each hash that a column may keep to
// count its different values.
const doorBits = 128

func newDoorkeeper(capacity int) *doorkeeper {
	return &doorkeeper{make([]uint64, doorBits/64<<bits.Len(uint(capacity-1)))}
}

func (d *doorkeeper) place(hash uint64) (word *uint64, bit uint64) {
	return &d.bits[hash>>6&uint64(len(d.bits)-1)], 1 << (hash & 63)
}

func (d *doorkeeper) admit(hash uint64) {
	word, bit := d.place(hash)
	*word |= bit
}

// knows reports whether a text came before, and remembers it.
func (d *doorkeeper) knows(hash uint64) bool {
	word, bit := d.place(hash)
	known := *word&bit != 0
	*word |= bit
	return known
}

// earlyBytes is what the early texts may take.
const earlyBytes = 2 << 20

// remember keeps the first texts as a sample, before some are forgotten.
func (l *levels) remember() {
	if l.early != nil {
		return
	}
	n, size := 0, 0
	for n < len(l.list) && size < earlyBytes {
		size += levelBytes + len(l.list[n].text)
		n++
	}
	l.early = slices.Clone(l.list[:n])
}

// sample returns texts of the column that tell what it holds: all of them if
// none was forgotten, else the first.
func (l *levels) sample() []level {
	if l.early != nil {
		return l.early
	}
	return l.list
}

// distinct returns the number of different texts and whether it is exact.
func (l *levels) distinct() (int, bool) {
	if l.all == nil {
		return len(l.list), true
	}
	return l.all.count(), l.all.exact()
}

// The rule by which texts become levels of a category.
const (
	maxFewLevels = 40     // up to here every text is a level
	maxLevels    = 65_535 // beyond, the most frequent of those on two rows or more
)

// retained returns the texts that become levels, in byte order.
func (l *levels) retained() []level {
	kept := slices.Clone(l.list)
	if n, _ := l.distinct(); n > maxFewLevels {
		kept = slices.DeleteFunc(kept, func(one level) bool { return one.rows < 2 })
	}
	slices.SortFunc(kept, byRows)
	kept = kept[:min(len(kept), maxLevels)]
	slices.SortFunc(kept, func(a, b level) int { return strings.Compare(a.text, b.text) })
	return kept
}

// top returns the n most frequent texts, most frequent first.
func (l *levels) top(n int) []LevelRows {
	sorted := slices.Clone(l.list)
	slices.SortFunc(sorted, byRows)
	var top []LevelRows
	for _, one := range sorted[:min(len(sorted), n)] {
		top = append(top, LevelRows{Text: one.text, Rows: one.rows})
	}
	return top
}

func byRows(a, b level) int {
	return cmp.Or(cmp.Compare(b.rows, a.rows), strings.Compare(a.text, b.text))
}
