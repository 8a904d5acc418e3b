package profile

import (
	"cmp"
	"slices"
	"strings"

	"foretell/internal/table/cells"
)

// distinctValue is a distinct text of a column with its number of rows.
type distinctValue struct {
	text  string
	hash  uint64 // of the text
	rows  int
	first uint32 // the first line that has it, see firstLine
	kind  cells.ValueKind
	value float64 // for kind number
}

// firstLine returns the first line that has the value.
func (l *distinctValue) firstLine() int { return int(l.first) }

// valueCounts counts the distinct texts of a column. When memory is short, the rarest are
// evicted (lossy counting: Manku and Motwani, 2002), and the number of distinct texts
// becomes an estimate.
type valueCounts struct {
	list       []distinctValue
	index      valueIndex  // of list
	arena      stringArena // of their texts
	bytes      int         // approximate memory
	hashes     *distinct   // set once texts are evicted
	frozen     bool        // texts hardly repeat: new ones are not kept
	doorkeeper *doorkeeper
	sampled    []distinctValue // the first texts, once some are evicted
	orderHash  uint64          // identifies the rows with the same text, see addOrder
}

// valueBytes is the memory of a distinctValue besides its text: itself, its slot, and the
// spare capacity of the list.
const valueBytes = 88

// prefetch loads the data for counting texts with these hashes into the cache. The
// accesses are independent, unlike those of consecutive calls of add.
func (l *valueCounts) prefetch(hashes []uint64) (touched uint64) {
	if l.hashes != nil {
		for _, hash := range hashes {
			word, _ := l.doorkeeper.bitOf(hash)
			touched += *word
		}
	}
	return touched + l.index.prefetch(l.list, hashes)
}

// add counts a row with a text and its hash, and returns the kind of the text.
func (l *valueCounts) add(cell []byte, hash uint64, line int) cells.ValueKind {
	if l.hashes != nil {
		l.hashes.add(hash)
		if !l.doorkeeper.seenBefore(hash) {
			kind, _ := cells.Classify(cell)
			return kind
		}
	}
	at := l.index.find(l.list, hash, cell)
	if at < 0 {
		kind, value := cells.Classify(cell)
		if l.frozen {
			return kind
		}
		at = l.insert(distinctValue{text: l.arena.add(cell), hash: hash, first: uint32(line), kind: kind, value: value})
	}
	found := &l.list[at]
	found.rows++
	l.addOrder(line, at)
	return found.kind
}

// find returns the value with a text, nil if there is none.
func (l *valueCounts) find(text string) *distinctValue {
	at := l.index.find(l.list, hashText([]byte(text)), []byte(text))
	if at < 0 {
		return nil
	}
	return &l.list[at]
}

// addOrder adds a row to orderHash. Values are numbered in order of appearance, so that
// columns with equal hashes have the same content except for spelling, like the names and
// the codes of the same things.
func (l *valueCounts) addOrder(line int, at int32) {
	x := uint64(line)*0x9E3779B97F4A7C15 + uint64(at)*0xBF58476D1CE4E5B9
	l.orderHash += x * (x>>32 | 1)
}

func (l *valueCounts) insert(one distinctValue) int32 {
	l.list = append(l.list, one)
	l.index.add(l.list)
	l.bytes += valueBytes + len(one.text)
	return int32(len(l.list) - 1)
}

// evict evicts rare texts until at most goal bytes are left. If hardly any are left, the
// column contains names, and new texts are not kept.
func (l *valueCounts) evict(goal int, limits *memoryLimits) {
	l.saveSample(limits.sampleBytes)
	if l.hashes == nil {
		l.hashes = newDistinct(limits.maxHashes)
		for i := range l.list {
			l.hashes.add(l.list[i].hash)
		}
	}
	before, keep := len(l.list), l.list
	for rare := 1; l.bytes > goal; rare *= 2 {
		keep = slices.DeleteFunc(keep, func(one distinctValue) bool {
			if one.rows <= rare {
				l.bytes -= valueBytes + len(one.text)
			}
			return one.rows <= rare
		})
	}
	l.frozen = 100*len(keep) < before
	l.doorkeeper = newDoorkeeper(limits.maxHashes)
	l.replace(keep)
	for i := range l.list {
		l.doorkeeper.add(l.list[i].hash)
	}
}

// replace sets the list and frees the memory of the other values.
func (l *valueCounts) replace(list []distinctValue) {
	l.list, l.arena, l.bytes = slices.Clone(list), stringArena{}, 0
	for i := range l.list {
		l.list[i].text = l.arena.add([]byte(l.list[i].text))
		l.bytes += valueBytes + len(l.list[i].text)
	}
	l.index.rebuild(l.list)
}

// saveSample keeps the first texts as a sample before an eviction: at least one, and about
// the given bytes.
func (l *valueCounts) saveSample(bytes int) {
	if l.sampled != nil {
		return
	}
	n, size := 0, 0
	for n < len(l.list) && size < bytes {
		size += valueBytes + len(l.list[n].text)
		n++
	}
	first := valueCounts{}
	first.replace(l.list[:n])
	l.sampled = first.list
}

// sample returns a sample of the texts: all of them if none was evicted, otherwise the
// first.
func (l *valueCounts) sample() []distinctValue {
	if l.sampled != nil {
		return l.sampled
	}
	return l.list
}

// distinct returns the number of distinct texts and whether it is exact.
func (l *valueCounts) distinct() (int, bool) {
	if l.hashes == nil {
		return len(l.list), true
	}
	return l.hashes.count(), l.hashes.exact()
}

// The rules for levels of a category.
const (
	maxUnfilteredLevels = 40     // up to this number every text is a level
	maxLevels           = 65_535 // above, the most frequent of those on at least two rows
)

// retained returns the values that become levels, in byte order.
func (l *valueCounts) retained() []distinctValue {
	kept := slices.Clone(l.list)
	if n, _ := l.distinct(); n > maxUnfilteredLevels {
		kept = slices.DeleteFunc(kept, func(one distinctValue) bool { return one.rows < 2 })
	}
	slices.SortFunc(kept, byRows)
	kept = kept[:min(len(kept), maxLevels)]
	slices.SortFunc(kept, func(a, b distinctValue) int { return strings.Compare(a.text, b.text) })
	return kept
}

// top returns the n most frequent texts, most frequent first.
func (l *valueCounts) top(n int) []ValueCount {
	sorted := slices.Clone(l.list)
	slices.SortFunc(sorted, byRows)
	var top []ValueCount
	for _, one := range sorted[:min(len(sorted), n)] {
		top = append(top, ValueCount{Text: one.text, Rows: one.rows})
	}
	return top
}

func byRows(a, b distinctValue) int {
	return cmp.Or(cmp.Compare(b.rows, a.rows), strings.Compare(a.text, b.text))
}
