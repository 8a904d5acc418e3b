package cells

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// HashNumber returns a 64-bit hash of a number. 0 and −0 have the same hash.
func HashNumber(value float64) uint64 { return Mix64(math.Float64bits(value + 0)) }

// maxShortText is the largest length, in bytes, of texts that have different hashes whenever they
// differ.
const maxShortText = 7

// Hash returns a 64-bit hash of a text. It packs a short text into one word and mixes
// this word. It hashes a longer text eight bytes at a time, with 128-bit multiplications as in
// wyhash (Wang Yi, 2019). The last eight bytes may overlap the previous ones.
func Hash(text []byte) uint64 {
	n := len(text)
	if n <= maxShortText {
		return Mix64(packShortText(text) | uint64(n)<<56)
	}
	const first, second = 0xA0761D6478BD642F, 0xE7037ED1A0B428DB
	h := uint64(n) * first
	for at := 0; at < n-8; at += 8 {
		high, low := bits.Mul64(h^binary.LittleEndian.Uint64(text[at:]), second)
		h = high ^ low
	}
	high, low := bits.Mul64(h^binary.LittleEndian.Uint64(text[n-8:]), second)
	return Mix64(high ^ low)
}

// EqualHashed reports whether two texts with the same hash are equal. If the texts are short, it
// compares only their lengths, because different short texts have different hashes.
func EqualHashed(a string, b []byte) bool {
	return len(a) == len(b) && (len(a) <= maxShortText || a == string(b))
}

// packShortText returns up to seven bytes as one integer.
func packShortText(text []byte) uint64 {
	switch n := len(text); {
	case n >= 4: // the halves may overlap
		return uint64(binary.LittleEndian.Uint32(text)) | uint64(binary.LittleEndian.Uint32(text[n-4:]))<<(8*(n-4))
	case n > 0:
		return uint64(text[0]) | uint64(text[n/2])<<(8*(n/2)) | uint64(text[n-1])<<(8*(n-1))
	}
	return 0
}

// Mix64 mixes the bits of h, so that each bit of h affects all bits of the result. Different
// numbers have different results. It is the finaliser of SplitMix64 (Steele, Lea, Flood, 2014).
func Mix64(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}
