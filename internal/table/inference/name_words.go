package inference

import (
	"strings"
	"unicode"
)

// NameWords returns the words of the name of a column, such as customer_id or customerId, in lower case.
func NameWords(name string) (words []string) {
	var word strings.Builder
	previous := ' '
	for _, char := range name + " " {
		if !unicode.IsLetter(char) || unicode.IsUpper(char) && unicode.IsLower(previous) {
			if word.Len() > 0 {
				words = append(words, strings.ToLower(word.String()))
			}
			word.Reset()
		}
		if unicode.IsLetter(char) {
			word.WriteRune(char)
		}
		previous = char
	}
	return words
}
