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
	hash  uint64 // of the text
	rows  int
	first uint32 // the first line that has it, see line
	kind  cellKind
	value float64 // for kind number
}

// line is the first line that has the level.
func (l *level) line() int { return int(l.first) }

// levels counts the texts of a column. When those of all columns outgrow the
// memory, the rarest are forgotten (lossy counting: Manku and Motwani, 2002),
// and the number of different texts becomes an estimate.
type levels struct {
	list   []level
	index  levelIndex // of list
	store  textStore  // of their texts
	bytes  int        // memory in use, roughly
	all    *distinct  // set once texts were forgotten
	closed bool       // hardly a text comes again: new ones are not kept
	door   *doorkeeper
	early  []level // the first texts, once some were forgotten
	order  uint64  // tells which rows have the same text, see sign
}

// levelBytes is what a level takes besides its text: itself, its slot, and the
// room that the list has to grow.
const levelBytes = 88

// fetch brings into the cache what texts of these hashes are counted with. One
// such access does not wait for another, as those of one count after the other do.
func (l *levels) fetch(hashes []uint64) (touched uint64) {
	if l.all != nil {
		for _, hash := range hashes {
			word, _ := l.door.place(hash)
			touched += *word
		}
	}
	return touched + l.index.fetch(l.list, hashes)
}

// count adds one row with the text of a hash and returns what it is.
func (l *levels) count(cell []byte, hash uint64, line int) cellKind {
	if l.all != nil {
		l.all.add(hash)
		if !l.door.knows(hash) {
			kind, _ := classify(cell)
			return kind
		}
	}
	at := l.index.find(l.list, hash, cell)
	if at < 0 {
		kind, value := classify(cell)
		if l.closed {
			return kind
		}
		at = l.insert(level{text: l.store.keep(cell), hash: hash, first: uint32(line), kind: kind, value: value})
	}
	found := &l.list[at]
	found.rows++
	l.sign(line, at)
	return found.kind
}

// find returns the level of a text, nil if there is none.
func (l *levels) find(text string) *level {
	at := l.index.find(l.list, hashText([]byte(text)), []byte(text))
	if at < 0 {
		return nil
	}
	return &l.list[at]
}

// sign adds a row to order. Levels are numbered as they come, so that columns
// of equal order have the same content but for the spelling of their texts,
// as names and codes of the same things have.
func (l *levels) sign(line int, at int32) {
	x := uint64(line)*0x9E3779B97F4A7C15 + uint64(at)*0xBF58476D1CE4E5B9
	l.order += x * (x>>32 | 1)
}

func (l *levels) insert(one level) int32 {
	l.list = append(l.list, one)
	l.index.add(l.list)
	l.bytes += levelBytes + len(one.text)
	return int32(len(l.list) - 1)
}

// prune forgets rare texts until they take at most goal bytes. If that leaves next
// to none, the column holds names, and no new ones are let in.
func (l *levels) prune(goal int, limits *limits) {
	l.remember(limits.early)
	if l.all == nil {
		l.all = newDistinct(limits.set)
		for i := range l.list {
			l.all.add(l.list[i].hash)
		}
	}
	before, keep := len(l.list), l.list
	for rare := 1; l.bytes > goal; rare *= 2 {
		keep = slices.DeleteFunc(keep, func(one level) bool {
			if one.rows <= rare {
				l.bytes -= levelBytes + len(one.text)
			}
			return one.rows <= rare
		})
	}
	l.closed = 100*len(keep) < before
	l.door = newDoorkeeper(limits.set)
	l.keep(keep)
	for i := range l.list {
		l.door.admit(l.list[i].hash)
	}
}

// keep makes a list of levels that of the column, and lets go of the memory of
// the others.
func (l *levels) keep(list []level) {
	l.list, l.store, l.bytes = slices.Clone(list), textStore{}, 0
	for i := range l.list {
		l.list[i].text = l.store.keep([]byte(l.list[i].text))
		l.bytes += levelBytes + len(l.list[i].text)
	}
	l.index.fit(l.list)
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

// remember keeps the first texts as a sample, before some are forgotten: at least
// one, and about bytes of them.
func (l *levels) remember(bytes int) {
	if l.early != nil {
		return
	}
	n, size := 0, 0
	for n < len(l.list) && size < bytes {
		size += levelBytes + len(l.list[n].text)
		n++
	}
	first := levels{}
	first.keep(l.list[:n])
	l.early = first.list
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
func (l *levels) top(n int) []ValueCount {
	sorted := slices.Clone(l.list)
	slices.SortFunc(sorted, byRows)
	var top []ValueCount
	for _, one := range sorted[:min(len(sorted), n)] {
		top = append(top, ValueCount{Text: one.text, Rows: one.rows})
	}
	return top
}

func byRows(a, b level) int {
	return cmp.Or(cmp.Compare(b.rows, a.rows), strings.Compare(a.text, b.text))
}
