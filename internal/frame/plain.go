package frame

import (
	"encoding/binary"
	"math"
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

// longNumber reads a cell of 9 to 19 digits, 20 if the first is 0, with a point
// among the first eight, perhaps behind a minus, to the nearest float64. There
// must be slack behind the text.
//
//	12.34567890123456789      3 words: the first eight digits without the point,
//	~~~~~~~~~  ~~~~~~~~~      the last eight, and the few between them
func longNumber(text []byte, begin, end int32) (float64, bool) {
	cell := text[begin:][:slack:slack]
	negative := (uint64(cell[0]) ^ '-' - 1) >> 63
	size := uint64(end-begin) - negative
	first := binary.LittleEndian.Uint64(cell[negative:]) ^ zeros
	stray := notDigits(first)
	before := uint64(bits.TrailingZeros64(stray)) / 8
	if nought := (first&0xFF - 1) >> 63; size-10 > 10+nought || before-1 > 6 || cell[negative+before&7] != '.' {
		return 0, false
	}
	second := binary.LittleEndian.Uint64(cell[negative+1:]) ^ zeros
	next := binary.LittleEndian.Uint64(cell[negative+9:]) ^ zeros
	head := (stray&-stray)>>7 - 1
	digits, k := size-1, size-1-before
	word := first&head | second&^head
	if digits < 16 {
		next <<= 128 - 8*digits
		mantissa := join8(word)*tens[digits-8] + join8(next)
		return signed(float64(int64(mantissa))/powers[k], negative), notDigits(word)|notDigits(next) == 0
	}
	last := binary.LittleEndian.Uint64(cell[negative+size-8:]) ^ zeros
	next <<= 192 - 8*digits
	mantissa := (join8(word)*tens[digits-16]+join8(next))*1e8 + join8(last)
	return signed(divide(mantissa, int(k)), negative), notDigits(word)|notDigits(next)|notDigits(last) == 0
}

var tens = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

func signed(value float64, negative uint64) float64 {
	return math.Float64frombits(math.Float64bits(value) | negative<<63)
}
