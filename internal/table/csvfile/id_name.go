package csvfile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsIDName reports whether a column with this name is nearly always the ID, at any
// position.
func IsIDName(name string) bool {
	switch NormalizeName(name) {
	case "id", "uuid", "guid", "rowid":
		return true
	}
	last := strings.LastIndexFunc(name, func(char rune) bool { return !unicode.IsLetter(char) && !unicode.IsDigit(char) })
	if word := strings.ToLower(name[last+1:]); last >= 0 && (word == "id" || word == "key" || word == "uuid" || word == "guid") {
		return true
	}
	// In names such as customerID and PassengerId the last word is ID, unlike in PAID and
	// Madrid.
	stem := strings.TrimSuffix(strings.TrimSuffix(name, "Id"), "ID")
	before, _ := utf8.DecodeLastRuneInString(stem)
	return stem != name && (unicode.IsLower(before) || unicode.IsDigit(before))
}
