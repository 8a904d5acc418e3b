package cells

import (
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// FoldSpelling maps texts that look alike to the same text: texts that differ only in case, in
// surrounding spaces, in the composition of characters such as é, or in zero-width characters.
func FoldSpelling(text string) string { return FoldCase(VisibleText(text)) }

// EqualSpelling reports whether [FoldSpelling] maps two texts to the same text.
func EqualSpelling(a, b string) bool { return a == b || FoldSpelling(a) == FoldSpelling(b) }

// VisibleText maps texts that look the same to the same text: texts that differ only in the
// composition of characters such as é, or in zero-width characters.
func VisibleText(text string) string {
	if isASCII(text) {
		return text
	}
	return norm.NFC.String(strings.Map(dropInvisible, text))
}

// QuoteVisibly is like strconv.Quote, but escapes all characters that are not ASCII if text differs
// from its [VisibleText].
func QuoteVisibly(text string) string {
	if VisibleText(text) != text {
		return strconv.QuoteToASCII(text)
	}
	return strconv.Quote(text)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// dropInvisible is a mapping for strings.Map. It returns -1, which drops the character, for a
// zero-width character, such as a byte order mark within a text, and returns any other character
// unchanged.
func dropInvisible(char rune) rune {
	switch char {
	case '\u200B', '\u200C', '\u200D', '\u2060', '\uFEFF':
		return -1
	}
	return char
}

// FoldLabel is like [FoldSpelling], but also ignores a point at the end and maps all forms of a
// number, such as "1", "1.0" and "1,0", to the same text.
func FoldLabel(label string) string {
	folded := FoldSpelling(label)
	number := folded
	if whole, decimals, found := strings.Cut(folded, ","); found && len(decimals) != 3 { // 3 digits may be thousands
		number = whole + "." + decimals
	}
	value, ok := ParseNumber([]byte(number))
	switch {
	case ok && value == 0:
		return "0" // also for -0
	case ok && DigitsFitFloat64(number):
		return strconv.FormatFloat(value, 'g', -1, 64)
	case !ok && strings.Trim(folded, ".") != "":
		return strings.TrimSuffix(folded, ".")
	}
	return folded
}
