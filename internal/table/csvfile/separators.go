package csvfile

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"foretell/internal/table/cells"
)

// separatorPadding is the number of elements that findSeparators needs in its slice of offsets, in
// addition to one for each byte of the text.
const separatorPadding = 8

// The kinds of bytes, for findSeparatorsGo.
const (
	separatorByte = 1 << iota // ends a cell
	quoteByte                 // opens or closes a quoted cell
)

var byteKinds = func() (list [256]uint8) {
	list[','], list['\n'], list['\r'], list['"'] = separatorByte, separatorByte, separatorByte, quoteByte
	return list
}()

// findSeparatorsGo implements findSeparators in Go. It searches eight bytes at a time (SWAR) for
// separators, quotes and a few other characters, and then examines each character found.
func findSeparatorsGo(ends []int32, text []byte) (count int) {
	size := len(text) - chunkPadding
	n, inside := 0, uint8(0) // inside is separatorByte inside quotes, otherwise 0
	for at := 0; at < size; at += 64 {
		block := text[at : at+64 : at+64]
		var found uint64
		for i := 0; i < 64; i += 8 {
			found |= moveMask8(cells.SeparatorMask(binary.LittleEndian.Uint64(block[i:]))) << i
		}
		if size-at < 64 {
			found &= 1<<(size-at) - 1
		}
		for ; found != 0; found &= found - 1 {
			i := bits.TrailingZeros64(found)
			role := byteKinds[block[i&63]]
			inside ^= role / quoteByte
			ends[n] = int32(at + i + 1)
			n += int(role &^ inside & separatorByte)
		}
	}
	return n
}

// moveMask8 collects the high bits of eight bytes in one byte, like PMOVMSKB.
func moveMask8(word uint64) uint64 { return word >> 7 * 0x0102040810204080 >> 56 }

// dropQuotedSeparators removes the offsets of separators inside quotes from the slice ends.
// It returns the number of offsets left.
func dropQuotedSeparators(ends []int32, text []byte) (numLeft int) {
	n, next := 0, 0
	for at := 0; ; {
		begin := bytes.IndexByte(text[at:], '"')
		if begin < 0 {
			return n + copy(ends[n:], ends[next:])
		}
		begin += at
		end := bytes.IndexByte(text[begin+1:], '"')
		if end < 0 {
			end = len(text)
		} else {
			end += begin + 1
		}
		for ; next < len(ends) && int(ends[next]) <= begin; next++ {
			ends[n] = ends[next]
			n++
		}
		for next < len(ends) && int(ends[next]) <= end {
			next++
		}
		at = min(end+1, len(text))
	}
}
