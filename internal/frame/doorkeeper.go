package frame

import "math/bits"

// doorkeeper lets a text in when it comes for the second time, once texts have
// to be forgotten: one that comes once will never be a level. It is a bit for
// each hash (as in TinyLFU: Einziger, Friedman, Manes, 2017). Its bits fill up
// between two prunes; then it lets everybody in, and the next prune comes soon.
type doorkeeper struct{ bits []uint64 }

// doorkeeperBits is how many bits there are for each hash that a column may keep to
// count its different values.
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

// seenBefore reports whether a text came before, and remembers it.
func (d *doorkeeper) seenBefore(hash uint64) bool {
	word, bit := d.bitOf(hash)
	known := *word&bit != 0
	*word |= bit
	return known
}
