package csvfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NormalizeName returns the letters and digits of a name in lower case, or the name itself
// if it has none.
func NormalizeName(name string) string {
	if loose := FoldName(name); loose != "" {
		return loose
	}
	return name
}

// FoldName returns the letters and digits of a name in lower case.
func FoldName(name string) string {
	return strings.Map(func(char rune) rune {
		if unicode.IsLetter(char) || unicode.IsDigit(char) {
			return unicode.ToLower(char)
		}
		return -1
	}, name)
}

// DidYouMean returns a text for the end of a message that suggests the closest of names, as in
// ` (did you mean "age"?)`. If no name is close, the text is empty. If a name differs only in its
// Unicode normalization and thus looks the same, the text shows the code points of both.
func DidYouMean(name string, names []string) string {
	if same := sameNormalized(name, names); same != "" {
		return fmt.Sprintf(" (it is written with other Unicode code points than in the file: %s instead of %s)", strconv.QuoteToASCII(name), strconv.QuoteToASCII(same))
	}
	if likely := ClosestName(name, names); likely != "" {
		return fmt.Sprintf(" (did you mean %s?)", Excerpt(likely))
	}
	return ""
}

// sameNormalized returns an element of names that equals name after Unicode normalization but not
// before, or "" if names contains no such element.
func sameNormalized(name string, names []string) string {
	normalized := norm.NFC.String(name)
	for _, other := range names {
		if other != name && norm.NFC.String(other) == normalized {
			return other
		}
	}
	return ""
}

// maxSimilarLength is the maximum number of letters and digits in a name for which ClosestName
// searches for a similar name. The time grows with the product of the lengths of two names, and a
// request to a service may contain a name of a megabyte.
const maxSimilarLength = 200

// ClosestName returns the element of names that differs least from name, ignoring case and
// punctuation. It returns "" if all names differ in more than a third of the letters, or if name
// has more than maxSimilarLength letters and digits.
func ClosestName(name string, names []string) (closest string) {
	loose := []rune(FoldName(name))
	if len(loose) > maxSimilarLength {
		return ""
	}
	best, least := "", len(loose)/3+1
	for _, other := range names {
		if other == name {
			continue
		}
		if d := EditDistance(loose, []rune(FoldName(other)), least); d < least || d == 0 && best == "" {
			best, least = other, d
		}
	}
	return best
}

// EditDistance returns the number of letters to insert, delete, replace or swap to turn a
// into b (Damerau, 1964), but at most limit. If a or b is empty, it returns limit.
func EditDistance(a, b []rune, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit || len(a) == 0 || len(b) == 0 {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			changed := 1
			if a[i] == b[j] {
				changed = 0
			}
			row[j+1] = min(last[j]+changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return min(last[len(b)], limit)
}
