package csvfile

import (
	"unsafe"

	"golang.org/x/sys/cpu"

	"foretell/internal/table/cells"
)

// hasAVX2Kernels is set if this processor supports the assembly.
var hasAVX2Kernels = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// findSeparators finds the commas and line ends outside quotes. It writes the offset just past each
// of them to ends and returns their count. The last chunkPadding bytes of text are padding. quoted
// must be set if the text contains quotes, which must be valid.
func findSeparators(ends []int32, text []byte, quoted bool) (count int) {
	size := len(text) - chunkPadding
	if !hasAVX2Kernels {
		return findSeparatorsGo(ends, text)
	}
	n := int(findSeparatorsAVX2(unsafe.SliceData(ends), unsafe.SliceData(text), uintptr(size+63)/64))
	for n > 0 && int(ends[n-1]) > size { // separators in the padding
		n--
	}
	if quoted {
		return dropQuotedSeparators(ends[:n], text[:size])
	}
	return n
}

// parseDecimals parses the cells of one column into dst. It reports whether all cells are plain
// numbers: an optional minus, then one to eight digits, with an optional point within the first
// eight bytes. The elements of other cells are set to unparsedDecimal.
//
// The text of cell i starts at begins[i*stride] and ends one byte before begins[i*stride+1]. The
// last chunkPadding bytes of text are padding.
func parseDecimals(dst []cells.Decimal, text []byte, begins []int32, stride int) bool {
	quads := len(dst) / 4
	if !hasAVX2Kernels || quads == 0 {
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
