package frame

import (
	"encoding/binary"
	"math"
)

// distinct counts different values: exactly up to its capacity, and beyond
// that by adaptive sampling (Wegman; Flajolet, On adaptive sampling, 1990).
//
// It keeps the hashes that end in at least depth zero bits. When they become
// too many, depth grows by one and half of them go. The estimate is their
// number times 2^depth, with a relative error of about 1.2/√capacity.
//
// The hashes lie in an open table at the slot of their high bits or the next
// free one. Hashes chosen to collide make it slow, but no slower than the
// square of its capacity.
type distinct struct {
	slots    []uint64 // a power of two, at most half full; 0 is free
	shift    uint     // 64 - log₂ of the number of slots
	held     int
	capacity int
	depth    uint
}

func newDistinct(capacity int) *distinct {
	const slotBits = 5
	return &distinct{slots: make([]uint64, 1<<slotBits), shift: 64 - slotBits, capacity: capacity}
}

// takes reports whether a hash is among those that are kept.
func (d *distinct) takes(hash uint64) bool { return hash&(1<<d.depth-1) == 0 }

func (d *distinct) add(hash uint64) {
	if !d.takes(hash) {
		return
	}
	hash = max(hash, 1) // 0 and 1 count as one
	mask := uint64(len(d.slots) - 1)
	at := hash >> d.shift
	for d.slots[at] != 0 {
		if d.slots[at] == hash {
			return
		}
		at = (at + 1) & mask
	}
	d.slots[at] = hash
	d.held++
	if 2*d.held > len(d.slots) {
		d.rebuild()
	}
}

// rebuild makes room: twice the slots, or half the hashes at the capacity.
func (d *distinct) rebuild() {
	old := d.slots
	if d.held >= d.capacity {
		d.depth++
	} else {
		d.shift--
	}
	d.slots, d.held = make([]uint64, 1<<(64-d.shift)), 0
	for _, hash := range old {
		if hash != 0 {
			d.add(hash)
		}
	}
}

func (d *distinct) count() int  { return d.held << d.depth }
func (d *distinct) exact() bool { return d.depth == 0 }

// hashNumber spreads a number's bits over 64 bits. Equal numbers have equal
// hashes, 0 and −0 too.
func hashNumber(value float64) uint64 { return mix(math.Float64bits(value + 0)) }

// hashText takes eight bytes at a time, in the manner of FNV-1a, with a finish
// that spreads them into the low bits.
func hashText(text []byte) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(len(text)) * prime
	for ; len(text) >= 8; text = text[8:] {
		h = (h ^ binary.LittleEndian.Uint64(text)) * prime
		h ^= h >> 32
	}
	for _, c := range text {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return mix(h)
}

// mix is the finish of SplitMix64 (Steele, Lea, Flood, 2014), a bijection.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}
