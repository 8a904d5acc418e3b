package inference

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/frame"
)

// Limits for columns of codes, such as E11.9 and AB-1234, whose first characters have a meaning.
const (
	minCodeTexts      = 40   // with at most this number of different texts, all of them are levels
	maxRowsPerCode    = 100  // with more rows per text, the levels are enough
	minCodeShare      = 0.9  // smallest fraction of different texts that are codes
	minLetterShare    = 0.2  // smallest fraction of different texts with a letter, except for IP addresses
	maxCodeLength     = 24   // largest number of characters of a code
	maxLetterRun      = 6    // largest number of consecutive letters of a code
	maxPrefixShare    = 0.95 // largest fraction of rows with the same prefix
	minRowsPerPrefix  = 10   // smallest mean number of rows per prefix
	minCoveredRows    = 0.8  // smallest fraction of rows whose prefix is in minPrefixRows rows
	minPrefixRows     = 5    // a prefix counts for minCoveredRows if at least this number of rows has it
	maxPrefixesOfText = 0.5  // largest number of different prefixes per different text
	minBoundaryShare  = 0.8  // smallest fraction of different texts in which a prefix ends at a boundary
	maxSortedShare    = 0.9  // if at least this fraction of texts is larger than the text before, texts that identify rows are serial numbers
	minAlphabet       = 24   // with fewer different first characters, texts that identify rows are not random letters
	minHexDigits      = 6    // smallest number of hexadecimal digits of a random text
	minMixedHexShare  = 0.5  // smallest fraction of random texts in which a letter comes after a digit
	maxEvenDeviation  = 0.3  // largest relative standard deviation of the frequencies of random characters
)

// inferPrefixes sets the lengths of the prefixes of a column of codes. It does not use the labels.
func (inf *Result) inferPrefixes(t *columnstats.Column, texts []columnstats.Value) {
	different, _ := t.DistinctCount()
	filled := t.Rows(cells.Text) + t.Rows(cells.Number)
	if filled < minTextRows || different <= minCodeTexts || filled > maxRowsPerCode*different {
		return
	}
	codes := slices.DeleteFunc(slices.Clone(texts), func(one columnstats.Value) bool { return one.Kind == cells.Null || one.Kind == cells.Blank })
	if !areCodes(codes) || areRandomHex(codes) || inf.IdentifiesRows && areRowIDs(codes) {
		return
	}
	inf.PrefixLengths = prefixLengths(codes)
}

// areCodes reports whether texts are codes: most of them are short, have a digit and have no words.
func areCodes(texts []columnstats.Value) bool {
	codes, lettered, addresses := 0, 0, 0
	for i := range texts {
		text := texts[i].Text
		if !isCode(text) {
			if i >= 100 && codes == 0 {
				return false
			}
			continue
		}
		codes++
		if strings.IndexFunc(text, unicode.IsLetter) >= 0 {
			lettered++
		}
		if strings.Count(text, ".") == 3 {
			addresses++
		}
	}
	n := float64(len(texts))
	return float64(codes) >= minCodeShare*n && (float64(lettered) >= minLetterShare*n || float64(addresses) >= minCodeShare*n)
}

// isCode reports whether a text is a code: whether it is short, contains a digit, no words, at most
// one space, and only signs that are usual in codes. A number with a unit, such as 90 min, is not a
// code.
func isCode(text string) bool {
	if unit := strings.TrimLeft(text, "0123456789"); unit != text && len(unit) > 2 && unit[0] == ' ' && strings.TrimFunc(unit, unicode.IsLetter) == " " {
		return false
	}
	letters, digits, spaces, length := 0, 0, 0, 0
	for _, char := range text {
		length++
		if unicode.IsLetter(char) {
			if letters++; letters > maxLetterRun {
				return false
			}
			continue
		}
		letters = 0
		switch {
		case char >= '0' && char <= '9':
			digits++
		case char == ' ':
			spaces++
		case !strings.ContainsRune("-./_:#", char):
			return false
		}
	}
	return digits > 0 && spaces <= 1 && length <= maxCodeLength
}

// areRowIDs reports whether the codes of a column are either serial numbers in the order of the
// rows or random. Nearly every row must have its own code.
func areRowIDs(texts []columnstats.Value) bool {
	ascending, hex := 0, 0
	counts := map[rune]int{}
	for i := range texts {
		if i > 0 && texts[i-1].Text < texts[i].Text {
			ascending++
		}
		if isHex(texts[i].Text) {
			hex++
		}
		first, _ := utf8.DecodeRuneInString(texts[i].Text)
		counts[first]++
	}
	n := float64(len(texts))
	if float64(ascending) >= maxSortedShare*n || float64(hex) >= minCodeShare*n {
		return true
	}
	mean, squares := n/float64(len(counts)), 0.0
	for _, count := range counts {
		squares += (float64(count) - mean) * (float64(count) - mean)
	}
	deviation := math.Sqrt(squares/float64(len(counts))) / mean
	return len(counts) >= minAlphabet && deviation < maxEvenDeviation+2/math.Sqrt(mean)
}

// areRandomHex reports whether texts are random hexadecimal digits, such as 9e3779 or parts of a
// UUID. They may occur in several rows. Other codes, such as AB1201, usually have no letter after a
// digit.
func areRandomHex(texts []columnstats.Value) bool {
	hex, mixed := 0, 0
	for i := range texts {
		text := texts[i].Text
		if len(text)-strings.Count(text, "-") < minHexDigits || !hasOnlyHexDigits(text) {
			continue
		}
		hex++
		if digit := strings.IndexAny(text, "0123456789"); digit >= 0 && strings.LastIndexFunc(text, unicode.IsLetter) > digit {
			mixed++
		}
	}
	n := float64(len(texts))
	return float64(hex) >= minCodeShare*n && float64(mixed) >= minMixedHexShare*n
}

// isHex reports whether a text has at least eight hexadecimal digits, and no other characters but hyphens.
func isHex(text string) bool {
	return len(text) >= 8 && hasOnlyHexDigits(text)
}

// hasOnlyHexDigits reports whether a text has no other characters than hexadecimal digits and hyphens.
func hasOnlyHexDigits(text string) bool {
	return strings.Trim(strings.ToLower(text), "0123456789abcdef-") == ""
}

// countPrefixes returns the prefixes of texts, of the given length, with their numbers of rows. It
// omits texts that mean a missing value.
func countPrefixes(texts []columnstats.Value, length int) (prefixes []columnstats.Value) {
	positions := make(map[string]int)
	for i := range texts {
		if one := &texts[i]; one.Kind != cells.Null && one.Kind != cells.Blank {
			prefix := string(cells.Prefix([]byte(one.Text), length))
			at, known := positions[prefix]
			if !known {
				at = len(prefixes)
				positions[prefix] = at
				prefixes = append(prefixes, columnstats.Value{Text: prefix})
			}
			prefixes[at].Rows += one.Rows
		}
	}
	return prefixes
}

// prefixLengths returns the lengths of the prefixes that become categories, at most two. These are
// the shortest and the longest useful length; see isUseful. If most codes have a boundary at some
// of the useful lengths, as after E and E11 in E11.9, only these lengths count; see isBoundary. If
// nearly all codes begin with the same character, the result is nil.
func prefixLengths(texts []columnstats.Value) (lengths []int) {
	var useful []prefixCounts
	hasBoundaries := false
	for length := 1; length <= frame.MaxPrefixLength; length++ {
		n := measurePrefixes(texts, length)
		if length == 1 && n.areNearlyConstant() {
			return nil // K0001, K0002: serial numbers after the same letter
		}
		if !n.isUseful() {
			continue
		}
		hasBoundaries = hasBoundaries || n.isBoundary()
		last := len(useful) - 1
		switch {
		case last < 0 || useful[last].prefixes != n.prefixes:
			useful = append(useful, n)
		case n.isBoundary() && !useful[last].isBoundary(): // the same groups of rows
			useful[last] = n
		}
	}
	for _, n := range useful {
		if !hasBoundaries || n.isBoundary() {
			lengths = append(lengths, n.length)
		}
	}
	if len(lengths) > 2 {
		lengths = []int{lengths[0], lengths[len(lengths)-1]}
	}
	return lengths
}

// prefixCounts describes the prefixes of one length.
type prefixCounts struct {
	length     int
	prefixes   int
	rows       int
	largest    int // rows of the most frequent prefix
	covered    int // rows whose prefix is not rare
	texts      int // different texts
	boundaries int // different texts in which the prefix ends at a boundary
}

// areNearlyConstant reports whether nearly all rows have the same prefix.
func (n *prefixCounts) areNearlyConstant() bool {
	return float64(n.largest) > maxPrefixShare*float64(n.rows)
}

func (n *prefixCounts) isUseful() bool {
	return n.prefixes > 1 && !n.areNearlyConstant() && n.rows >= minRowsPerPrefix*n.prefixes &&
		float64(n.covered) >= minCoveredRows*float64(n.rows) && float64(n.prefixes) <= maxPrefixesOfText*float64(n.texts)
}

func (n *prefixCounts) isBoundary() bool {
	return float64(n.boundaries) >= minBoundaryShare*float64(n.texts)
}

func measurePrefixes(texts []columnstats.Value, length int) prefixCounts {
	n := prefixCounts{length: length, texts: len(texts)}
	for _, prefix := range countPrefixes(texts, length) {
		n.prefixes++
		n.rows += prefix.Rows
		n.largest = max(n.largest, prefix.Rows)
		if prefix.Rows >= minPrefixRows {
			n.covered += prefix.Rows
		}
	}
	for i := range texts {
		if isBoundary(texts[i].Text, length) {
			n.boundaries++
		}
	}
	return n
}

// isBoundary reports whether a text has a boundary after its first length characters. The last of
// these characters must be a letter or a digit, and the next character, if there is one, must be of
// another class. The classes are letters, digits and all other characters.
func isBoundary(text string, length int) bool {
	class := func(char rune) int {
		switch {
		case unicode.IsLetter(char):
			return 1
		case unicode.IsDigit(char):
			return 2
		}
		return 3
	}
	var last rune
	for _, char := range text {
		if length == 0 {
			return class(char) != class(last) && class(last) < 3
		}
		last = char
		length--
	}
	return length == 0 && class(last) < 3
}
