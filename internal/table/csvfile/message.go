package csvfile

import (
	"strconv"
)

// maxExcerpt is the maximum number of characters of a cell in a message.
const maxExcerpt = 40

// Excerpt returns a cell in quotes for a message, shortened if it is long.
func Excerpt(cell string) string { return strconv.Quote(Shorten(cell)) }

// Shorten returns at most the first 40 characters of a text, with an ellipsis if it is
// longer.
func Shorten(text string) string {
	if chars := []rune(text); len(chars) > maxExcerpt {
		return string(chars[:maxExcerpt]) + "…"
	}
	return text
}
