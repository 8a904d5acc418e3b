package cells

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// maxFootnoteDigits is the largest number of digits of a footnote mark such as [12].
const maxFootnoteDigits = 3

// TrimFootnoteMarks returns a cell without the footnote marks at its end: *, †, ‡, § and [1] or
// [a]. Spaces before the marks are removed, too. The result shares the cell's memory. If there are
// no marks, it is the whole cell.
func TrimFootnoteMarks(cell []byte) []byte {
	for {
		rest := bytes.TrimRightFunc(cell, isCellSpace)
		size := footnoteMarkLen(rest)
		if size == 0 {
			return cell
		}
		cell = bytes.TrimRightFunc(rest[:len(rest)-size], isCellSpace)
	}
}

// footnoteMarkLen returns the length of the footnote mark at the end of text, or 0.
func footnoteMarkLen(text []byte) int {
	if bytes.HasSuffix(text, []byte("]")) {
		begin := bytes.LastIndexByte(text, '[')
		if begin < 0 || !isFootnoteKey(text[begin+1:len(text)-1]) {
			return 0
		}
		return len(text) - begin
	}
	mark, size := utf8.DecodeLastRune(text)
	if len(text) == 0 || !strings.ContainsRune("*†‡§", mark) {
		return 0
	}
	return size
}

// isFootnoteKey reports whether text is a letter or a short number.
func isFootnoteKey(text []byte) bool {
	if len(text) == 1 && isLetter(text[0]) {
		return true
	}
	for _, char := range text {
		if char-'0' > 9 {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= maxFootnoteDigits
}
