package frame

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// tokenizer takes texts apart into words.
type tokenizer struct {
	lower []byte
}

const (
	maxWordLen    = 40
	firstUnspaced = '\u0E00' // the first character of a script without spaces
)

// tokenize calls visit with each word of a text, in lower case, valid until the
// call returns. A word is a run of letters and digits; letters with digits
// behind, or digits with letters behind, are two: C85, 3rd. Characters of
// scripts that are written without spaces are words by themselves.
func (r *tokenizer) tokenize(cell []byte, visit func(word []byte)) {
	if isHash(cell) {
		return
	}
	r.lower = r.lower[:0]
	turns, at := 0, 0 // changes between letters and digits, the place of the first
	wasDigit := false
	flush := func() {
		switch n := len(r.lower); {
		case n == 0 || n > maxWordLen:
		case turns == 1:
			visit(r.lower[:at])
			visit(r.lower[at:])
		default:
			visit(r.lower)
		}
		r.lower, turns = r.lower[:0], 0
	}
	for i := 0; i < len(cell); {
		char, size := rune(cell[i]), 1
		if char >= utf8.RuneSelf {
			char, size = utf8.DecodeRune(cell[i:])
		}
		i += size
		digit := char-'0' <= 9 && char >= '0'
		switch {
		case digit || isWordChar(char):
		case char == '\'' && len(r.lower) > 0 && !wasDigit:
			continue // don't is one word
		default:
			flush()
			continue
		}
		if char >= firstUnspaced && unicode.In(char, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			flush()
			r.lower = utf8.AppendRune(r.lower, char)
			flush()
			continue
		}
		if len(r.lower) > 0 && digit != wasDigit {
			if turns++; turns == 1 {
				at = len(r.lower)
			}
		}
		wasDigit = digit
		if len(r.lower) <= maxWordLen {
			r.lower = utf8.AppendRune(r.lower, toLower(char))
		}
	}
	flush()
}

func isWordChar(char rune) bool {
	if char < utf8.RuneSelf {
		return char|0x20 >= 'a' && char|0x20 <= 'z'
	}
	return unicode.IsLetter(char) || unicode.IsMark(char)
}

func toLower(char rune) rune {
	if char < utf8.RuneSelf {
		if char >= 'A' && char <= 'Z' {
			char |= 0x20
		}
		return char
	}
	return unicode.ToLower(char)
}

// isHash tells whether a text is a UUID or the like, in which letters say nothing.
func isHash(cell []byte) bool {
	if len(cell) < 16 {
		return false
	}
	for _, char := range cell {
		if char-'0' > 9 && char|0x20-'a' > 5 && char != '-' {
			return false
		}
	}
	return true
}

// The rule by which words become features.
const (
	maxColumnWords = 200        // of one column
	maxTotalWords  = 400        // of all columns, but each may have
	minColumnWords = 20         // so many
	maxWordCells   = 12_000_000 // cells that the words of all columns may take
	minDocFreq     = 5          // texts that a word is in, and that it is not in
	docFreqShare   = 500        // or one text in so many
	maxVocabulary  = 200_000    // different words that are counted
)

// wordsPerColumn returns how many words each of so many columns may have.
func wordsPerColumn(columns, rows int) int {
	columns = max(columns, 1)
	return min(max(maxTotalWords/columns, minColumnWords), maxColumnWords, maxWordCells/columns/max(rows, 1))
}

// selectWords returns the words that tell texts apart best when nothing is
// known but the texts: those that stand in nearest to half of them, these first. held is in
// how many texts they stand, all together.
func selectWords(texts []distinctValue) (words []string, occurrences int) {
	counts := make(map[string]*docFreq)
	var r tokenizer
	for i := range texts {
		r.tokenize([]byte(texts[i].text), func(word []byte) {
			c := counts[string(word)]
			if c == nil {
				if len(counts) == maxVocabulary {
					return
				}
				c = &docFreq{word: string(word)}
				counts[c.word] = c
			}
			if c.lastText != i+1 {
				c.count++
				c.lastText = i + 1
			}
		})
	}
	least := max(minDocFreq, len(texts)/docFreqShare)
	list := make([]*docFreq, 0, 1024)
	for _, c := range counts {
		if c.count >= least && c.count <= len(texts)-least {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *docFreq) int {
		weigh := func(c *docFreq) int { return min(c.count, len(texts)-c.count) }
		return cmp.Or(cmp.Compare(weigh(b), weigh(a)), cmp.Compare(a.word, b.word))
	})
	list = list[:min(len(list), maxColumnWords)]
	for _, c := range list {
		words = append(words, c.word)
		occurrences += c.count
	}
	return words, occurrences
}

// docFreq is in how many texts a word stands.
type docFreq struct {
	word     string
	count    int
	lastText int // the text that counted last, from 1
}
