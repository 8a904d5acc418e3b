package frame

import (
	"cmp"
	"hash/maphash"
	"slices"
)

// identities finds IDs that occur twice without keeping their texts.
//
// Each ID leaves a 72-bit hash: 8 bits choose a bin, 64 are stored with the
// line. The bins are sorted one by one at the end, so a million rows cost
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

func (s *identities) add(id []byte, line int) {
	hash := maphash.Bytes(s.key, id)
	bin := &s.bins[byte(maphash.Bytes(s.bin, id))]
	if len(bin.open) == identityChunk {
		bin.full = append(bin.full, bin.open)
		bin.open = make([]identity, 0, identityChunk)
	}
	bin.open = append(bin.open, identity{uint32(hash >> 32), uint32(hash), uint32(line)})
}

// repetition is a line whose ID an earlier line has.
type repetition struct{ line, first int }

// repeated returns up to limit repetitions with the lowest lines.
func (s *identities) repeated(limit int) []repetition {
	var found []repetition
	var all []identity
	for i := range s.bins {
		bin := &s.bins[i]
		all = append(all[:0], bin.open...)
		for _, chunk := range bin.full {
			all = append(all, chunk...)
		}
		slices.SortFunc(all, func(a, b identity) int {
			if a.hash() != b.hash() {
				return cmp.Compare(a.hash(), b.hash())
			}
			return cmp.Compare(a.line, b.line)
		})
		first := 0
		for j := 1; j < len(all); j++ {
			if all[j].hash() != all[first].hash() {
				first = j
				continue
			}
			found = append(found, repetition{int(all[j].line), int(all[first].line)})
		}
		found = lowest(found, limit)
	}
	return found
}

func lowest(found []repetition, limit int) []repetition {
	slices.SortFunc(found, func(a, b repetition) int { return cmp.Compare(a.line, b.line) })
	return found[:min(len(found), limit)]
}
