package frame

import "strings"

// levelIndex finds levels by the hashes of their texts. It is an open table of
// eight bytes a slot, at most half full, so that the search for one of many
// thousands misses the cache twice: for its slot and for the level itself.
type levelIndex struct {
	slots []levelSlot // a power of two, or none
	shift uint        // 64 - log₂ of the number of slots
	held  int
}

// levelSlot names a level by its number from 1, 0 for none, and the low half of
// its hash; the high bits of the hash are the place.
type levelSlot struct {
	low   uint32
	level int32
}

// find returns the number of the level with a text, from 0, and -1 if none has it.
func (x *levelIndex) find(list []level, hash uint64, text []byte) int32 {
	if x.held == 0 {
		return -1
	}
	mask := uint64(len(x.slots) - 1)
	for at := hash >> x.shift; ; at = (at + 1) & mask {
		slot := x.slots[at&mask]
		if slot.level == 0 {
			return -1
		}
		if slot.low != uint32(hash) {
			continue
		}
		if one := &list[slot.level-1]; one.hash == hash && sameText(one.text, text) {
			return slot.level - 1
		}
	}
}

// fetch touches the slots of hashes and the levels that they name.
func (x *levelIndex) fetch(list []level, hashes []uint64) (touched uint64) {
	if x.held == 0 {
		return 0
	}
	var numbers [textBatch]int32
	for i, hash := range hashes {
		numbers[i] = x.slots[hash>>x.shift].level
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
func (x *levelIndex) add(list []level) {
	if 2*(x.held+1) > len(x.slots) {
		x.fit(list)
		return
	}
	x.enter(list[len(list)-1].hash, int32(len(list)))
}

// fit makes a table of the right size for a list and enters all levels.
func (x *levelIndex) fit(list []level) {
	bits := uint(3)
	for 1<<bits < 3*len(list) {
		bits++
	}
	*x = levelIndex{slots: make([]levelSlot, 1<<bits), shift: 64 - bits}
	for i := range list {
		x.enter(list[i].hash, int32(i+1))
	}
}

func (x *levelIndex) enter(hash uint64, number int32) {
	mask := uint64(len(x.slots) - 1)
	at := hash >> x.shift
	for x.slots[at].level != 0 {
		at = (at + 1) & mask
	}
	x.slots[at] = levelSlot{uint32(hash), number}
	x.held++
}

// textStore keeps many short texts in a few pieces of memory.
type textStore struct{ piece *strings.Builder }

const (
	leastTextPiece = 64
	mostTextPiece  = 32 << 10
)

func (s *textStore) keep(text []byte) string {
	if s.piece == nil || s.piece.Cap()-s.piece.Len() < len(text) {
		size := leastTextPiece
		if s.piece != nil {
			size = min(2*s.piece.Cap(), mostTextPiece)
		}
		s.piece = new(strings.Builder)
		s.piece.Grow(max(size, len(text)))
	}
	from := s.piece.Len()
	s.piece.Write(text)
	return s.piece.String()[from:]
}
