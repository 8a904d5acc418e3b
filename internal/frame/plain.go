package frame

import (
	"encoding/binary"
	"math/bits"
)

// plainGo is plain in Go. It reads a cell as one integer of eight bytes (SWAR),
// without a branch on how many digits there are or on the sign, which no
// processor foretells.
func plainGo(dst []fraction, text []byte, begins []int32, stride int) bool {
	all := true
	for row := range dst {
		begin, end := begins[row*stride], begins[row*stride+1]-1
		cell := text[begin:][:slack:slack]
		negative := (uint64(cell[0]) ^ '-' - 1) >> 63
		size := uint64(end-begin) - negative
		first := binary.LittleEndian.Uint64(cell[negative:]) ^ zeros
		second := binary.LittleEndian.Uint64(cell[negative+1:]) ^ zeros
		stray := notDigits(first)
		before := uint64(bits.TrailingZeros64(stray)) / 8 // digits before the point
		point := (before - size) >> 63                    // 1 if there is one
		digits := size - point
		head := (stray&-stray)>>7 - 1 // the bytes before the point
		word := (first&head | second&^head) << ((64 - 8*digits) & 63)
		if digits-1 >= 8 || notDigits(word) != 0 || point != 0 && cell[negative+before&7] != '.' {
			dst[row], all = otherFraction, false
			continue
		}
		sign := -int32(negative)
		dst[row] = newFraction(int32(join8(word))^sign-sign, uint8((digits-before)*point))
	}
	return all
}
