package csvfile

import (
	"strconv"
)

// maxExcerpt is the number of characters of a cell quoted in a message.
const maxExcerpt = 40

// Excerpt quotes a cell for a message, cut to a readable length.
func Excerpt(cell string) string { return strconv.Quote(Shorten(cell)) }

// Shorten cuts a text to a readable length.
func Shorten(text string) string {
	if chars := []rune(text); len(chars) > maxExcerpt {
		return string(chars[:maxExcerpt]) + "…"
	}
	return text
}
