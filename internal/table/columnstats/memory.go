package columnstats

import (
	"math"
	"slices"
)

type memoryLimits struct {
	maxTexts    int // number of distinct texts above which chooseCountingStrategy is called
	maxHashes   int // number of hashes that a distinctCounter keeps
	sampleBytes int // memory for a sample of the texts, which is kept even if texts are evicted
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
	minHashesPerColumn, maxHashesPerColumn = 16, 8_192
	maxSampleBytes                         = 2 << 20
)

// Limits of the memory of all columns together, in bytes.
const (
	defaultTextMemory = 16 << 20 // memory for texts
	wideTextMemory    = 64 << 20 // largest additional memory for texts if there are many columns
	wideTextBytes     = 1 << 10  // additional memory for texts per column
	hashMemory        = 24 << 20 // memory for sets of hashes
	sampleMemory      = 64 << 20 // memory for samples of texts
)

// totalTextMemory returns the memory for the texts of all columns, in bytes: textMemory, and an
// addition that grows with the number of columns.
func totalTextMemory(columns, textMemory int) int {
	return textMemory + min(columns*wideTextBytes, wideTextMemory)
}

// evictTexts evicts rare texts from the columns whose texts take the most memory if the texts of
// all columns take more than textMemory bytes. It stops when half of textMemory is free, so that
// the total work is linear in the size of the texts.
//
// evictTexts first chooses a counting strategy for the columns that have none yet, because a column
// of numbers needs no texts. The texts of a label are kept if they take at most a quarter of
// textMemory.
func evictTexts(columns []Column, textMemory int) {
	if totalTextBytes(columns) <= textMemory {
		return
	}
	for i := range columns {
		if t := &columns[i]; t.isStrategyUndecided() && len(t.texts.values) > minTextsToDecide {
			t.chooseCountingStrategy()
		}
	}
	if totalTextBytes(columns) <= textMemory {
		return
	}
	sizes, goal := make([]int, 0, len(columns)), textMemory/2
	stays := func(t *Column) bool { return t.isLabel && t.texts.bytes <= textMemory/4 }
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

// minTextsToDecide is the number of distinct texts above which evictTexts decides how to count a
// column.
const minTextsToDecide = 8

func totalTextBytes(columns []Column) int {
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
