package frame

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// separatorSlack is how many offsets more than there are bytes mark needs room for.
const separatorSlack = 8

// What a byte is to markGo.
const (
	separatorByte = 1 << iota // of a cell
	quoteByte                 // that opens or closes
)

var byteKinds = func() (list [256]uint8) {
	list[','], list['\n'], list['\r'], list['"'] = separatorByte, separatorByte, separatorByte, quoteByte
	return list
}()

// findSeparatorsGo is mark in Go. It looks at eight bytes as one integer (SWAR) to find those that may be
// ends, which few others are.
func findSeparatorsGo(dst []int32, text []byte) int {
	size := len(text) - readSlack
	n, inside := 0, uint8(0) // isEnd within quotes
	for at := 0; at < size; at += 64 {
		block := text[at : at+64 : at+64]
		var found uint64
		for i := 0; i < 64; i += 8 {
			found |= moveMask8(separatorMask(binary.LittleEndian.Uint64(block[i:]))) << i
		}
		if size-at < 64 {
			found &= 1<<(size-at) - 1
		}
		for ; found != 0; found &= found - 1 {
			i := bits.TrailingZeros64(found)
			role := byteKinds[block[i&63]]
			inside ^= role / quoteByte
			dst[n] = int32(at + i + 1)
			n += int(role &^ inside & separatorByte)
		}
	}
	return n
}

// moveMask8 gathers the high bits of eight bytes in one byte.
func moveMask8(word uint64) uint64 { return word >> 7 * 0x0102040810204080 >> 56 }

// dropQuoted removes the marks that are within quotes and returns how many are
// left.
func dropQuoted(marks []int32, text []byte) int {
	n, next := 0, 0
	for at := 0; ; {
		begin := bytes.IndexByte(text[at:], '"')
		if begin < 0 {
			return n + copy(marks[n:], marks[next:])
		}
		begin += at
		end := bytes.IndexByte(text[begin+1:], '"')
		if end < 0 {
			end = len(text)
		} else {
			end += begin + 1
		}
		for ; next < len(marks) && int(marks[next]) <= begin; next++ {
			marks[n] = marks[next]
			n++
		}
		for next < len(marks) && int(marks[next]) <= end {
			next++
		}
		at = min(end+1, len(text))
	}
}
