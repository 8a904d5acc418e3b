package columnstats

import "math/bits"

// doorkeeper records which texts occurred since it was last cleared, with one bit per hash
// (TinyLFU: Einziger, Friedman, Manes, 2017). A text is counted only from its second occurrence on,
// because a text that occurs only once never becomes a level of a category. If two texts share a
// bit, one of them may be counted from its first occurrence on.
type doorkeeper struct {
	bits  []uint64
	added int // number of bits that testAndAdd has set
}

// doorkeeperBits is the number of bits of a doorkeeper for each hash that the column's
// distinctCounter may keep.
const doorkeeperBits = 128

func newDoorkeeper(capacity int) *doorkeeper {
	return &doorkeeper{bits: make([]uint64, doorkeeperBits/64<<bits.Len(uint(capacity-1)))}
}

func (d *doorkeeper) clear() {
	clear(d.bits)
	d.added = 0
}

// isDense reports whether testAndAdd has set more than a sixteenth of the bits since the last
// clear. If so, more than one in sixteen new texts is mistaken for a known text.
func (d *doorkeeper) isDense() bool { return d.added > 64/16*len(d.bits) }

func (d *doorkeeper) bitOf(hash uint64) (word *uint64, bit uint64) {
	return &d.bits[hash>>6&uint64(len(d.bits)-1)], 1 << (hash & 63)
}

func (d *doorkeeper) add(hash uint64) {
	word, bit := d.bitOf(hash)
	*word |= bit
}

// testAndAdd adds the text with the given hash and reports whether its bit was set
// before.
func (d *doorkeeper) testAndAdd(hash uint64) bool {
	word, bit := d.bitOf(hash)
	known := *word&bit != 0
	*word |= bit
	if !known {
		d.added++
	}
	return known
}
