package csvfile

import (
	"fmt"
	"strconv"
	"strings"

	"foretell/internal/humanize"
)

// maxExcerpt is the maximum number of characters of a cell in a message.
const maxExcerpt = 40

// Excerpt returns a cell in quotes for a message, shortened if it is long.
func Excerpt(cell string) string { return strconv.Quote(Shorten(cell)) }

// Shorten returns at most the first 40 characters of a text, with an ellipsis if it is
// longer.
func Shorten(text string) string { return ShortenTo(text, maxExcerpt) }

// ShortenTo returns at most the first n characters of a text, with an ellipsis if it is longer.
func ShortenTo(text string, n int) string {
	for at := range text {
		if n--; n < 0 {
			return text[:at] + "…"
		}
	}
	return text
}

// FormatNames lists names of columns for a message, as in "f5, f9, f12, …": at most three names,
// each shortened if it is long.
func FormatNames(list []string) string {
	var names []string
	for _, name := range list[:min(len(list), MaxLocationsShown)] {
		names = append(names, Shorten(name))
	}
	if len(list) > MaxLocationsShown {
		names = append(names, "…")
	}
	return strings.Join(names, ", ")
}

// maxMissingNames is the maximum number of names in the message of [MissingColumnsMessage].
const maxMissingNames = 10

// MissingColumnsMessage returns the message that the columns with the given names are missing. It
// lists at most ten of them. origin says where the columns should come from, such as "of the
// training file".
func MissingColumnsMessage(names []string, origin string) string {
	var quoted []string
	for _, name := range names[:min(len(names), maxMissingNames)] {
		quoted = append(quoted, Excerpt(name))
	}
	last := len(quoted) - 1
	switch {
	case len(names) == 1:
		return fmt.Sprintf("the column %s %s is missing", quoted[0], origin)
	case len(names) > maxMissingNames:
		return fmt.Sprintf("the columns %s and %s more %s are missing", humanize.List(quoted, maxMissingNames), humanize.Comma(len(names)-maxMissingNames), origin)
	}
	return fmt.Sprintf("the columns %s and %s %s are missing", humanize.List(quoted[:last], last), quoted[last], origin)
}
