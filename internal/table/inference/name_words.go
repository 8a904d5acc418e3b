package inference

import (
	"slices"
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

// timeWords are words in the names of columns that count time.
var timeWords = []string{
	"age", "century", "date", "day", "days", "decade", "epoch", "hour", "hours", "minute", "minutes", "month", "months", "period", "quarter",
	"season", "second", "seconds", "semester", "step", "t", "time", "timestamp", "week", "weeks", "year", "years", "yr",
	"alter", "jahr", "jahre", "monat", "monate", "saison", "stunde", "tag", "tage", "woche", "wochen", "zeit",
}

// CountsTime reports whether the name of a column contains a word such as year, week or age, which
// means that its integers count time. Such integers are not row numbers, even if they are
// consecutive.
func CountsTime(name string) bool {
	return slices.ContainsFunc(NameWords(name), func(word string) bool { return slices.Contains(timeWords, word) })
}
