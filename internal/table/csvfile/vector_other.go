//go:build !amd64

package csvfile

import "foretell/internal/table/cells"

// findSeparators finds the commas and line ends outside quotes. It writes the offset just past each
// of them to ends and returns their count. The last chunkPadding bytes of text are padding. Quotes
// must be valid.
func findSeparators(ends []int32, text []byte, _ bool) (count int) {
	return findSeparatorsGo(ends, text)
}

// parseDecimals parses the cells of one column into dst. It reports whether all cells are plain
// numbers: an optional minus, then one to eight digits, with an optional point within the first
// eight bytes. The elements of other cells are set to unparsedDecimal.
//
// The text of cell i starts at begins[i*stride] and ends one byte before begins[i*stride+1]. The
// last chunkPadding bytes of text are padding.
func parseDecimals(dst []cells.Decimal, text []byte, begins []int32, stride int) bool {
	return parseDecimalsGo(dst, text, begins, stride)
}
