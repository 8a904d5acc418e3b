package frame

import "math"

// distinct counts different values: exactly up to its capacity, and beyond
// that by adaptive sampling (Wegman; Flajolet, On adaptive sampling, 1990).
//
// It keeps the hashes that end in at least depth zero bits. When they become
// too many, depth grows by one and half of them go. The estimate is their
// number times 2^depth, with a relative error of about 1.2/√capacity.
type distinct struct {
	hashes   map[uint64]struct{}
	capacity int
	depth    uint
}

func newDistinct(capacity int) *distinct {
	return &distinct{hashes: make(map[uint64]struct{}), capacity: capacity}
}

func (d *distinct) add(hash uint64) {
	if hash&(1<<d.depth-1) != 0 {
		return
	}
	d.hashes[hash] = struct{}{}
	for len(d.hashes) > d.capacity {
		d.depth++
		for h := range d.hashes {
			if h&(1<<d.depth-1) != 0 {
				delete(d.hashes, h)
			}
		}
	}
}

func (d *distinct) count() int  { return len(d.hashes) << d.depth }
func (d *distinct) exact() bool { return d.depth == 0 }

// hashNumber spreads a number's bits over 64 bits. Equal numbers have equal
// hashes, 0 and −0 too.
func hashNumber(value float64) uint64 { return mix(math.Float64bits(value + 0)) }

// hashText is FNV-1a with a finish that spreads it into the low bits.
func hashText(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

// mix is the finish of SplitMix64 (Steele, Lea, Flood, 2014), a bijection.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}
