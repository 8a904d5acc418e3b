package frame

import (
	"strconv"
)

// maxExcerpt is the number of characters of a cell quoted in a message.
const maxExcerpt = 40

// excerpt quotes a cell for a message, cut to a readable length.
func excerpt(cell string) string { return strconv.Quote(shorten(cell)) }

// shorten cuts a text to a readable length.
func shorten(text string) string {
	if chars := []rune(text); len(chars) > maxExcerpt {
		return string(chars[:maxExcerpt]) + "…"
	}
	return text
}
