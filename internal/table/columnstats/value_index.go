package columnstats

import "foretell/internal/table/cells"

// valueIndex finds values by the hashes of their texts. It is a hash table with open addressing, at
// most half full, with slots of eight bytes. Even with many thousand values, a look-up misses the
// cache only twice: once for the slot and once for the value.
type valueIndex struct {
	slots []valueSlot // length is zero or a power of two
	shift uint        // 64 - log₂ of the number of slots
	used  int         // number of slots that are not free
}

// valueSlot holds the low half of a value's hash and the number of the value, counted
// from 1. A free slot has the number 0. The high bits of the hash determine the position
// of the slot.
type valueSlot struct {
	hashLow uint32
	number  int32
}

// find returns the index of the value in list with the given hash and text, or -1.
func (x *valueIndex) find(list []Value, hash uint64, text []byte) int32 {
	if x.used == 0 {
		return -1
	}
	mask := uint64(len(x.slots) - 1)
	for at := hash >> x.shift; ; at = (at + 1) & mask {
		slot := x.slots[at&mask]
		if slot.number == 0 {
			return -1
		}
		if slot.hashLow != uint32(hash) {
			continue
		}
		if one := &list[slot.number-1]; one.hash == hash && cells.EqualHashed(one.Text, text) {
			return slot.number - 1
		}
	}
}

// prefetch loads the slots and the values of hashes into the cache. See
// valueCounts.prefetch.
func (x *valueIndex) prefetch(list []Value, hashes []uint64) (touched uint64) {
	if x.used == 0 {
		return 0
	}
	var numbers [textBatchSize]int32
	for i, hash := range hashes {
		numbers[i] = x.slots[hash>>x.shift].number
	}
	for _, number := range numbers[:len(hashes)] {
		one := &list[max(number-1, 0)]
		touched += one.hash + uint64(one.Kind) // the two fields may be in two cache lines
	}
	return touched
}

// addLast adds the last value of list to the index.
func (x *valueIndex) addLast(list []Value) {
	if 2*(x.used+1) > len(x.slots) {
		x.rebuild(list)
		return
	}
	x.put(list[len(list)-1].hash, int32(len(list)))
}

// rebuild allocates slots for list and adds all its values.
func (x *valueIndex) rebuild(list []Value) {
	bits := uint(3)
	for 1<<bits < 3*len(list) {
		bits++
	}
	*x = valueIndex{slots: make([]valueSlot, 1<<bits), shift: 64 - bits}
	for i := range list {
		x.put(list[i].hash, int32(i+1))
	}
}

func (x *valueIndex) put(hash uint64, number int32) {
	mask := uint64(len(x.slots) - 1)
	at := hash >> x.shift
	for x.slots[at].number != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = valueSlot{uint32(hash), number}
	x.used++
}
