package profile

import "math/bits"

// doorkeeper admits a text when it occurs for the second time, once texts are evicted: a
// text that occurs once will never be a level. It has one bit per hash (TinyLFU: Einziger,
// Friedman, Manes, 2017). Its bits fill up between two evictions; then it admits every
// text, and the next eviction comes soon.
type doorkeeper struct{ bits []uint64 }

// doorkeeperBits is the number of bits per hash that a column may keep to count its
// distinct values.
const doorkeeperBits = 128

func newDoorkeeper(capacity int) *doorkeeper {
	return &doorkeeper{make([]uint64, doorkeeperBits/64<<bits.Len(uint(capacity-1)))}
}

func (d *doorkeeper) bitOf(hash uint64) (word *uint64, bit uint64) {
	return &d.bits[hash>>6&uint64(len(d.bits)-1)], 1 << (hash & 63)
}

func (d *doorkeeper) add(hash uint64) {
	word, bit := d.bitOf(hash)
	*word |= bit
}

// testAndAdd reports whether a text was seen before, and adds it.
func (d *doorkeeper) testAndAdd(hash uint64) bool {
	word, bit := d.bitOf(hash)
	known := *word&bit != 0
	*word |= bit
	return known
}
