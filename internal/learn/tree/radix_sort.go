package tree

import (
	"math"
	"slices"
)

// minRadixValues is the smallest number of values for which radix sort is faster than
// slices.Sort.
const minRadixValues = 4096

// sortFloats sorts values, which must not contain NaN. If there are at least minRadixValues values,
// it uses radix sort, least significant digit first, and skips digits that are equal in all values.
func sortFloats(values []float64) {
	if len(values) < minRadixValues {
		slices.Sort(values)
		return
	}
	keys, spare := make([]uint64, len(values)), make([]uint64, len(values))
	var counts [8][histWidth]int32
	for i, x := range values {
		k := sortKey(x)
		keys[i] = k
		for digit := range counts {
			counts[digit][uint8(k>>(8*digit))]++
		}
	}
	for digit := range counts {
		count := &counts[digit]
		if count[uint8(keys[0]>>(8*digit))] == int32(len(keys)) {
			continue
		}
		at := int32(0)
		for d, n := range count {
			count[d] = at
			at += n
		}
		for _, k := range keys {
			d := uint8(k >> (8 * digit))
			spare[count[d]] = k
			count[d]++
		}
		keys, spare = spare, keys
	}
	for i, k := range keys {
		values[i] = floatFromSortKey(k)
	}
}

// sortKey returns an integer key for x, such that keys are in the same order as the
// numbers. Zeros of both signs have the same key.
func sortKey(x float64) uint64 {
	bits := math.Float64bits(x + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// floatFromSortKey is the inverse of sortKey.
func floatFromSortKey(key uint64) float64 {
	if key>>63 != 0 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}
