package columnstats

// distinctCounter counts distinct values. The count is exact up to its capacity; above that it is
// an estimate by adaptive sampling (Wegman; Flajolet, On adaptive sampling, 1990).
//
// The counter keeps the hashes that end in at least zeroBits zero bits. When the number of hashes
// reaches the capacity, zeroBits increases by one, and about half of the hashes are dropped. The
// estimate is the number of hashes times 2^zeroBits, with a relative error of about 1.2/√capacity.
//
// The hashes are stored in a hash table with open addressing: the high bits of a hash determine its
// slot; if this slot is taken, the next free slot is used. Even for values chosen to collide, the
// time to count them is at most quadratic in the capacity.
type distinctCounter struct {
	slots    []uint64 // length is a power of two, at most half full; 0 is free
	shift    uint     // 64 - log₂ of the number of slots
	stored   int      // number of hashes in slots
	capacity int      // number of hashes at which half of them are dropped
	zeroBits uint
}

func newDistinct(capacity int) *distinctCounter {
	const slotBits = 5
	return &distinctCounter{slots: make([]uint64, 1<<slotBits), shift: 64 - slotBits, capacity: capacity}
}

func (d *distinctCounter) isCounted(hash uint64) bool { return hash&(1<<d.zeroBits-1) == 0 }

func (d *distinctCounter) add(hash uint64) {
	if !d.isCounted(hash) {
		return
	}
	hash = max(hash, 1) // 0 marks a free slot
	mask := uint64(len(d.slots) - 1)
	at := hash >> d.shift
	for d.slots[at] != 0 {
		if d.slots[at] == hash {
			return
		}
		at = (at + 1) & mask
	}
	d.slots[at] = hash
	d.stored++
	if 2*d.stored > len(d.slots) {
		d.rebuild()
	}
}

// rebuild doubles the number of slots or, if the capacity is reached, drops about half of
// the hashes.
func (d *distinctCounter) rebuild() {
	old := d.slots
	if d.stored >= d.capacity {
		d.zeroBits++
	} else {
		d.shift--
	}
	d.slots, d.stored = make([]uint64, 1<<(64-d.shift)), 0
	for _, hash := range old {
		if hash != 0 {
			d.add(hash)
		}
	}
}

func (d *distinctCounter) estimate() int { return d.stored << d.zeroBits }
func (d *distinctCounter) isExact() bool { return d.zeroBits == 0 }
