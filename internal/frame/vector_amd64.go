package frame

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// vector tells whether the assembly may run on this processor.
var vector = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// findSeparators finds the ends of cells in a text, which its slack follows: the commas
// and line ends outside quotes, if there are any quotes. It writes the offset
// behind each to dst and returns how many there are. No quote is out of place.
func findSeparators(dst []int32, text []byte, quoted bool) int {
	size := len(text) - readSlack
	if !vector {
		return findSeparatorsGo(dst, text)
	}
	n := int(findSeparatorsAVX2(unsafe.SliceData(dst), unsafe.SliceData(text), uintptr(size+63)/64))
	for n > 0 && int(dst[n-1]) > size { // in the slack
		n--
	}
	if quoted {
		return dropQuoted(dst[:n], text[:size])
	}
	return n
}

// parseDecimals reads the cells that are plain numbers: a minus or none, then one to
// eight digits with a point among the first eight bytes or none. The others
// become otherFraction; it returns whether there are none. begins holds, stride
// apart, where a cell begins and where the next would. There must be slack behind
// the text.
func parseDecimals(dst []decimal, text []byte, begins []int32, stride int) bool {
	quads := len(dst) / 4
	if !vector || quads == 0 {
		return parseDecimalsGo(dst, text, begins, stride)
	}
	all := parseDecimalsAVX2((*int32)(unsafe.SliceData(dst)), unsafe.SliceData(text), unsafe.SliceData(begins),
		4*uintptr(stride), uintptr(quads))
	rest := dst[4*quads:]
	if len(rest) == 0 {
		return all
	}
	return parseDecimalsGo(rest, text, begins[4*quads*stride:], stride) && all
}
