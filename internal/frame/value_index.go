package frame

// valueIndex finds levels by the hashes of their texts. It is an open table of
// eight bytes a slot, at most half full, so that the search for one of many
// thousands misses the cache twice: for its slot and for the level itself.
type valueIndex struct {
	slots []valueSlot // a power of two, or none
	shift uint        // 64 - log₂ of the number of slots
	used  int
}

// valueSlot names a level by its number from 1, 0 for none, and the low half of
// its hash; the high bits of the hash are the place.
type valueSlot struct {
	hashLow uint32
	number  int32
}

// find returns the number of the level with a text, from 0, and -1 if none has it.
func (x *valueIndex) find(list []distinctValue, hash uint64, text []byte) int32 {
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
		if one := &list[slot.number-1]; one.hash == hash && sameText(one.text, text) {
			return slot.number - 1
		}
	}
}

// prefetch touches the slots of hashes and the levels that they name.
func (x *valueIndex) prefetch(list []distinctValue, hashes []uint64) (touched uint64) {
	if x.used == 0 {
		return 0
	}
	var numbers [textBatch]int32
	for i, hash := range hashes {
		numbers[i] = x.slots[hash>>x.shift].number
	}
	for _, number := range numbers[:len(hashes)] {
		one := &list[max(number-1, 0)]
		touched += one.hash + uint64(one.kind) // they may be in two lines of the cache
	}
	return touched
}

// sameText reports whether texts of the same hash are the same. Short ones are,
// see hashText.
func sameText(a string, b []byte) bool {
	return len(a) == len(b) && (len(a) <= shortText || a == string(b))
}

// add enters the last level of a list.
func (x *valueIndex) add(list []distinctValue) {
	if 2*(x.used+1) > len(x.slots) {
		x.rebuild(list)
		return
	}
	x.put(list[len(list)-1].hash, int32(len(list)))
}

// rebuild makes a table of the right size for a list and enters all levels.
func (x *valueIndex) rebuild(list []distinctValue) {
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
