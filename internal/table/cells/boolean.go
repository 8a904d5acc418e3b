package cells

import (
	"iter"
	"slices"
	"strings"
)

// booleanForms are the pairs of words and numbers, in lower case, that mean yes and no.
var booleanForms = [...][2]string{{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"on", "off"}, {"1", "0"}, {"1.0", "0.0"}}

// booleanPairs are the pairs of words, in lower case, that make a column boolean.
var booleanPairs = booleanForms[:5]

// AreBooleans reports whether texts consist of exactly the two words of a pair such as yes and no,
// in upper or lower case. Both words must occur.
func AreBooleans(texts iter.Seq[string]) bool {
	return slices.ContainsFunc(booleanPairs, func(pair [2]string) bool {
		seen := [2]bool{}
		for text := range texts {
			at := slices.Index(pair[:], FoldCase(text))
			if at < 0 {
				return false
			}
			seen[at] = true
		}
		return seen[0] && seen[1]
	})
}

// FoldCase returns a text in lower case without surrounding spaces.
func FoldCase(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// FoldBoolean returns "true" or "false" for words and numbers with this meaning, such as True, yes and 1.0.
// For any other text, it returns [FoldSpelling] of the text.
func FoldBoolean(text string) string {
	text = FoldSpelling(text)
	for _, pair := range booleanForms {
		switch text {
		case pair[0]:
			return "true"
		case pair[1]:
			return "false"
		}
	}
	return text
}
