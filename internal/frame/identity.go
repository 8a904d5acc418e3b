package frame

import (
	"cmp"
	"hash/maphash"
	"math/bits"
	"slices"
)

// identities finds IDs that occur twice without keeping their texts.
//
// Each ID leaves a 72-bit hash: 8 bits choose a bin, 64 are stored with the
// line. The bins are searched one by one at the end, so a million rows cost
// 12 MB and no more; two different IDs among ten million rows are taken for
// one with a chance of 1 in 10⁸. The hash is keyed, so nobody can aim at it.
type identities struct {
	bin, key maphash.Seed
	bins     [256]identityBin
}

type identityBin struct {
	full [][]identity
	open []identity
}

// identity is 12 bytes: the hash is halved to keep the struct unpadded.
type identity struct{ high, low, line uint32 }

func (i identity) hash() uint64 { return uint64(i.high)<<32 | uint64(i.low) }

const identityChunk = 1 << 10

func newIdentities() *identities {
	return &identities{bin: maphash.MakeSeed(), key: maphash.MakeSeed()}
}

// hashedID is what an ID leaves.
type hashedID struct {
	key uint64
	bin uint8
}

// hash may be called by any goroutine.
func (s *identities) hash(id []byte) hashedID {
	return hashedID{maphash.Bytes(s.key, id), uint8(maphash.Bytes(s.bin, id))}
}

func (s *identities) add(id hashedID, line int) {
	bin := &s.bins[id.bin]
	if len(bin.open) == identityChunk {
		bin.full = append(bin.full, bin.open)
		bin.open = make([]identity, 0, identityChunk)
	}
	bin.open = append(bin.open, identity{uint32(id.key >> 32), uint32(id.key), uint32(line)})
}

// has reports whether an ID was added. It searches one bin from end to end.
func (s *identities) has(id []byte) bool {
	hashed := s.hash(id)
	bin := &s.bins[hashed.bin]
	equal := func(one identity) bool { return one.hash() == hashed.key }
	return slices.ContainsFunc(bin.open, equal) ||
		slices.ContainsFunc(bin.full, func(chunk []identity) bool { return slices.ContainsFunc(chunk, equal) })
}

// repetition is a line whose ID an earlier line has.
type repetition struct{ line, first int }

// repeated returns up to limit repetitions with the lowest lines. The lines of
// the IDs must have been added in ascending order.
func (s *identities) repeated(limit int) []repetition {
	var found []repetition
	var all []identity
	var slots []int32 // of an open table: indices into all from 1, 0 is free
	for i := range s.bins {
		bin := &s.bins[i]
		all = all[:0]
		for _, chunk := range bin.full {
			all = append(all, chunk...)
		}
		all = append(all, bin.open...)
		size := bits.Len(uint(2 * len(all)))
		if slots = slots[:0]; cap(slots) < 1<<size {
			slots = make([]int32, 1<<size)
		}
		slots = slots[:1<<size]
		clear(slots)
		for j := range all {
			if first := enter(slots, all, j, size); first != j {
				found = append(found, repetition{int(all[j].line), int(all[first].line)})
			}
		}
		found = lowest(found, limit)
	}
	return found
}

// enter returns the first of the identities up to j that equals it.
func enter(slots []int32, all []identity, j, size int) int {
	hash := all[j].hash()
	for at := hash >> (64 - size); ; at = (at + 1) & (1<<size - 1) {
		first := int(slots[at]) - 1
		if first < 0 {
			slots[at] = int32(j + 1)
			return j
		}
		if all[first].hash() == hash {
			return first
		}
	}
}

func lowest(found []repetition, limit int) []repetition {
	slices.SortFunc(found, func(a, b repetition) int { return cmp.Compare(a.line, b.line) })
	return found[:min(len(found), limit)]
}
