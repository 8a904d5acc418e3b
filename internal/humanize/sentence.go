package humanize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence returns a message as a full sentence. It adds a full stop unless the message ends with a
// full stop, an exclamation mark, a question mark or an ellipsis. A field name before a colon
// becomes words: "datasetName: must not be blank" is returned as "Dataset name: must not be
// blank.". In other messages, the first letter is capitalised, except if the first word has a
// character other than a lower-case letter, a hyphen or an apostrophe, because such a word may be a
// file name. An empty message stays empty.
func Sentence(message string) string {
	message = strings.TrimSpace(message)
	if message == "" {
		return ""
	}
	end := strings.IndexFunc(message, unicode.IsSpace)
	if end < 0 {
		end = len(message)
	}
	first, rest := message[:end], message[end:]
	if name, isField := strings.CutSuffix(first, ":"); isField && isCamelCase(name) {
		first = splitCamelCase(name) + ":"
	}
	if strings.IndexFunc(strings.TrimRight(first, ":,;"), func(r rune) bool { return !unicode.IsLower(r) && r != '-' && r != '\'' && r != ' ' }) < 0 {
		letter, size := utf8.DecodeRuneInString(first)
		first = string(unicode.ToUpper(letter)) + first[size:]
	}
	if last := message[len(message)-1]; !strings.ContainsRune(".!?", rune(last)) && !strings.HasSuffix(message, "…") {
		rest += "."
	}
	return first + rest
}

// isCamelCase reports whether a word is the name of a field: it has ASCII letters only and begins
// with a lower-case letter.
func isCamelCase(word string) bool {
	return word != "" && unicode.IsLower(rune(word[0])) && strings.IndexFunc(word, func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) }) < 0
}

// splitCamelCase returns the words of a field name in lower case, separated by spaces.
func splitCamelCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
