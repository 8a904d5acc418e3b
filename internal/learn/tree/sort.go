package tree

import (
	"math"
	"slices"
)

// radixLeast is the number of values from which sorting by digits pays.
const radixLeast = 4096

// sortNumbers sorts values, among which there is no NaN. Many are sorted digit
// by digit, the last first, digits that are all equal left out: several times
// faster than by comparison.
func sortNumbers(values []float64) {
	if len(values) < radixLeast {
		slices.Sort(values)
		return
	}
	keys, spare := make([]uint64, len(values)), make([]uint64, len(values))
	var counts [8][window]int32
	for i, x := range values {
		k := sortable(x)
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
		values[i] = number(k)
	}
}

// sortable returns an integer that is ordered as x is; zeros are equal.
func sortable(x float64) uint64 {
	bits := math.Float64bits(x + 0)
	if bits>>63 != 0 {
		return ^bits
	}
	return bits | 1<<63
}

// number is the inverse of sortable.
func number(key uint64) float64 {
	if key>>63 != 0 {
		return math.Float64frombits(key &^ (1 << 63))
	}
	return math.Float64frombits(^key)
}
