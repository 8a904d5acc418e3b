package columnstats

import (
	"slices"

	"foretell/internal/table/cells"
)

// valueCounts counts the distinct texts of a column. If they need too much memory, the
// rarest texts are evicted (lossy counting: Manku and Motwani, 2002), and the number of
// distinct texts becomes an estimate.
type valueCounts struct {
	values          []Value
	index           valueIndex            // finds values by their texts
	arena           stringArena           // the memory of the texts
	bytes           int                   // approximate memory
	distinctHashes  *distinctCounter      // nil until texts are evicted
	hardlyRepeats   bool                  // hardly any text was left after the last eviction
	doorkeeper      *doorkeeper           // nil until texts are evicted
	sample          *textSample           // nil until texts are evicted
	interpretations *interpretationCounts // nil until texts are evicted; after that, nil unless many texts are dates or amounts
	partitionHash   uint64                // equal for columns that partition the rows in the same way
}

// valueBytes is the approximate memory, in bytes, that a Value takes in addition
// to its text: the struct, its slot in the index, and the spare capacity of the slice.
const valueBytes = 88

// prefetch loads into the cache the data that is needed to count the texts with these hashes.
// Unlike consecutive calls of add, it does not wait for one memory access before the next. The
// result is meaningless; it only keeps the compiler from removing the accesses.
func (v *valueCounts) prefetch(hashes []uint64) (touched uint64) {
	if v.distinctHashes != nil {
		for _, hash := range hashes {
			word, _ := v.doorkeeper.bitOf(hash)
			touched += *word
		}
	}
	return touched + v.index.prefetch(v.values, hashes)
}

// add counts a row with the text in cell, and returns the kind of the text. hash is the
// hash of cell.
func (v *valueCounts) add(cell []byte, hash uint64, line int) cells.ValueKind {
	if v.distinctHashes != nil {
		v.distinctHashes.add(hash)
		v.sample.add(cell, hash, line)
		if v.interpretations != nil {
			v.interpretations.add(cell, 1, line)
		}
		if v.hardlyRepeats && v.doorkeeper.isDense() {
			v.replace(slices.DeleteFunc(v.values, func(one Value) bool { return one.Rows == 1 }))
			v.resetDoorkeeper()
		}
		if !v.doorkeeper.testAndAdd(hash) {
			kind, _ := cells.Classify(cell)
			return kind
		}
	}
	at := v.index.find(v.values, hash, cell)
	if at < 0 {
		kind, value := cells.Classify(cell)
		at = v.insert(Value{Text: v.arena.add(cell), hash: hash, first: uint32(line), Kind: kind, Number: value})
	}
	found := &v.values[at]
	found.Rows++
	v.addToPartitionHash(line, at)
	return found.Kind
}

// find returns the counted value with the given text, or nil if the text was not counted.
func (v *valueCounts) find(text string) *Value {
	at := v.index.find(v.values, cells.Hash([]byte(text)), []byte(text))
	if at < 0 {
		return nil
	}
	return &v.values[at]
}

// addToPartitionHash adds the row in the given line to partitionHash. The parameter at is the index
// of the row's value, in the order in which the values first appear. Two columns that divide the
// rows in the same way, such as the names and the codes of countries, therefore have the same hash.
func (v *valueCounts) addToPartitionHash(line int, at int32) {
	x := uint64(line)*0x9E3779B97F4A7C15 + uint64(at)*0xBF58476D1CE4E5B9
	v.partitionHash += x * (x>>32 | 1)
}

func (v *valueCounts) insert(one Value) (index int32) {
	v.values = append(v.values, one)
	v.index.addLast(v.values)
	v.bytes += valueBytes + len(one.Text)
	return int32(len(v.values) - 1)
}

// evictRareTexts evicts rare texts until the remaining texts take at most goal bytes.
func (v *valueCounts) evictRareTexts(goal int, limits *memoryLimits) {
	if v.distinctHashes == nil {
		if v.sample = newTextSample(v.values, limits.sampleBytes); v.sample.areDatesOrAmounts() {
			v.interpretations = newInterpretationCounts(v.values)
		}
		v.distinctHashes = newDistinct(limits.maxHashes)
		for i := range v.values {
			v.distinctHashes.add(v.values[i].hash)
		}
	}
	before, keep := len(v.values), v.values
	for rare := 1; v.bytes > goal; rare *= 2 {
		keep = slices.DeleteFunc(keep, func(one Value) bool {
			if one.Rows <= rare {
				v.bytes -= valueBytes + len(one.Text)
			}
			return one.Rows <= rare
		})
	}
	v.hardlyRepeats = 100*len(keep) < before
	if v.doorkeeper == nil {
		v.doorkeeper = newDoorkeeper(limits.maxHashes)
	}
	v.replace(keep)
	v.resetDoorkeeper()
}

// resetDoorkeeper makes the doorkeeper forget all texts that are not counted. If texts hardly
// repeat, the method add must call resetDoorkeeper often, because with most bits set, texts that
// occur only once would be counted.
func (v *valueCounts) resetDoorkeeper() {
	v.doorkeeper.clear()
	for i := range v.values {
		v.doorkeeper.add(v.values[i].hash)
	}
}

// replace sets the values to a copy of list and frees the memory of all other values.
func (v *valueCounts) replace(list []Value) {
	v.values, v.arena, v.bytes = slices.Clone(list), stringArena{}, 0
	for i := range v.values {
		v.values[i].Text = v.arena.add([]byte(v.values[i].Text))
		v.bytes += valueBytes + len(v.values[i].Text)
	}
	v.index.rebuild(v.values)
}

// distinctCount returns the number of distinct texts and whether it is exact.
func (v *valueCounts) distinctCount() (count int, exact bool) {
	if v.distinctHashes == nil {
		return len(v.values), true
	}
	return v.distinctHashes.estimate(), v.distinctHashes.isExact()
}

// top returns the n most frequent texts, the most frequent first.
func (v *valueCounts) top(n int) []Value {
	sorted := slices.Clone(v.values)
	sortByRows(sorted)
	return sorted[:min(len(sorted), n)]
}
