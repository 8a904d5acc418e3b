package frame

import (
	"fmt"
	"strconv"
	"strings"
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

// pluralize returns "1 row", "2 rows", "1,234 rows".
func pluralize(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ss") {
		return groupDigits(n) + " " + noun + "es"
	}
	return groupDigits(n) + " " + noun + "s"
}

// groupDigits returns n with commas between thousands.
func groupDigits(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", groupDigits(n/1000), n%1000)
}
