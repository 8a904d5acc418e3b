package csvfile

import (
	"encoding/binary"
	"math"
	"math/bits"

	"foretell/internal/table/cells"
)

// parseDecimalsGo implements parseDecimals in Go. It reads a cell as one integer of eight
// bytes (SWAR). It does not branch on the number of digits or the sign, because these
// branches are unpredictable.
func parseDecimalsGo(dst []cells.Decimal, text []byte, begins []int32, stride int) bool {
	all := true
	for row := range dst {
		begin, end := begins[row*stride], begins[row*stride+1]-1
		cell := text[begin:][:chunkPadding:chunkPadding]
		negative := (uint64(cell[0]) ^ '-' - 1) >> 63
		size := uint64(end-begin) - negative
		first := binary.LittleEndian.Uint64(cell[negative:]) ^ cells.ASCIIZeros
		second := binary.LittleEndian.Uint64(cell[negative+1:]) ^ cells.ASCIIZeros
		stray := cells.NonDigitMask(first)
		before := uint64(bits.TrailingZeros64(stray)) / 8 // digits before the point
		point := (before - size) >> 63                    // 1 if there is a point, otherwise 0
		digits := size - point
		head := (stray&-stray)>>7 - 1 // a mask of the bytes before the point
		word := (first&head | second&^head) << ((64 - 8*digits) & 63)
		if digits-1 >= 8 || cells.NonDigitMask(word) != 0 || point != 0 && cell[negative+before&7] != '.' {
			dst[row], all = unparsedDecimal, false
			continue
		}
		sign := -int32(negative)
		dst[row] = cells.NewDecimal(int32(cells.Parse8Digits(word))^sign-sign, uint8((digits-before)*point))
	}
	return all
}

// parseLongNumber parses a cell with an optional minus, 9 to 19 digits (20 if the first is 0) and a
// point within the first eight bytes. It returns the nearest float64, or false for any other cell.
// At least chunkPadding bytes must follow the cell in text.
//
//	12.34567890123456789      3 words: the first eight digits without the point,
//	~~~~~~~~~  ~~~~~~~~~      the last eight, and the few between them
func parseLongNumber(text []byte, begin, end int32) (value float64, ok bool) {
	cell := text[begin:][:chunkPadding:chunkPadding]
	negative := (uint64(cell[0]) ^ '-' - 1) >> 63
	size := uint64(end-begin) - negative
	first := binary.LittleEndian.Uint64(cell[negative:]) ^ cells.ASCIIZeros
	stray := cells.NonDigitMask(first)
	before := uint64(bits.TrailingZeros64(stray)) / 8
	if nought := (first&0xFF - 1) >> 63; size-10 > 10+nought || before-1 > 6 || cell[negative+before&7] != '.' {
		return 0, false
	}
	second := binary.LittleEndian.Uint64(cell[negative+1:]) ^ cells.ASCIIZeros
	next := binary.LittleEndian.Uint64(cell[negative+9:]) ^ cells.ASCIIZeros
	head := (stray&-stray)>>7 - 1
	digits, k := size-1, size-1-before
	word := first&head | second&^head
	if digits < 16 {
		next <<= 128 - 8*digits
		mantissa := cells.Parse8Digits(word)*smallPowersOf10[digits-8] + cells.Parse8Digits(next)
		return withSign(float64(int64(mantissa))/cells.PowersOf10[k], negative), cells.NonDigitMask(word)|cells.NonDigitMask(next) == 0
	}
	last := binary.LittleEndian.Uint64(cell[negative+size-8:]) ^ cells.ASCIIZeros
	next <<= 192 - 8*digits
	mantissa := (cells.Parse8Digits(word)*smallPowersOf10[digits-16]+cells.Parse8Digits(next))*1e8 + cells.Parse8Digits(last)
	return withSign(cells.DivideByPowerOf10(mantissa, int(k)), negative), cells.NonDigitMask(word)|cells.NonDigitMask(next)|cells.NonDigitMask(last) == 0
}

var smallPowersOf10 = [...]uint64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

func withSign(value float64, negative uint64) float64 {
	return math.Float64frombits(math.Float64bits(value) | negative<<63)
}
