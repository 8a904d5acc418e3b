package cells

import "unicode/utf8"

// Prefix returns the first characters of a cell, without the white space around the cell and around
// the result. length is the largest number of characters. The result shares the cell's memory.
func Prefix(cell []byte, length int) []byte {
	cell = Trim(cell)
	end := 0
	for ; length > 0 && end < len(cell); length-- {
		_, size := utf8.DecodeRune(cell[end:])
		end += size
	}
	return Trim(cell[:end])
}
