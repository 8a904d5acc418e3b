package csvfile

import "bytes"

// FindBlankRows returns the number of blank rows in tail, and the length of tail without them. Blank
// rows have only delimiters. tail is the end of a file after its last value, so it has only delimiters
// and line ends. Without blank rows, end is the length of tail.
func FindBlankRows(tail []byte) (end, rows int) {
	end = bytes.IndexAny(tail, "\r\n") + 1
	if end > 0 && bytes.HasPrefix(tail[end-1:], []byte("\r\n")) {
		end++
	}
	if end > 0 {
		for range bytes.FieldsFuncSeq(tail[end:], func(c rune) bool { return c == '\n' || c == '\r' }) {
			rows++
		}
	}
	if rows == 0 {
		end = len(tail)
	}
	return end, rows
}
