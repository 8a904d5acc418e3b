package cells

import (
	"unicode"
	"unicode/utf8"
)

// Tokenizer splits texts into words.
type Tokenizer struct {
	lower []byte
}

const (
	maxWordLen    = 40
	firstUnspaced = '\u0E00' // scripts without spaces between words start here
)

// Tokenize calls visit with each word of a text, in lower case. The word is valid until visit
// returns. A word is a run of letters and digits. A run that changes once between letters and
// digits, such as C85 or 3rd, counts as two words. In scripts without spaces, each character is a
// word.
func (p *Tokenizer) Tokenize(cell []byte, visit func(word []byte)) {
	if isHexID(cell) {
		return
	}
	p.lower = p.lower[:0]
	turns, at := 0, 0 // the number of changes between letters and digits, and the offset of the first change
	wasDigit := false
	flush := func() {
		switch n := len(p.lower); {
		case n == 0 || n > maxWordLen:
		case turns == 1:
			visit(p.lower[:at])
			visit(p.lower[at:])
		default:
			visit(p.lower)
		}
		p.lower, turns = p.lower[:0], 0
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
		case char == '\'' && len(p.lower) > 0 && !wasDigit:
			continue // don't is one word
		default:
			flush()
			continue
		}
		if char >= firstUnspaced && unicode.In(char, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			flush()
			p.lower = utf8.AppendRune(p.lower, char)
			flush()
			continue
		}
		if len(p.lower) > 0 && digit != wasDigit {
			if turns++; turns == 1 {
				at = len(p.lower)
			}
		}
		wasDigit = digit
		if len(p.lower) <= maxWordLen {
			p.lower = utf8.AppendRune(p.lower, toLower(char))
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

// isHexID reports whether a text is a UUID or a hexadecimal hash, which has no words.
func isHexID(cell []byte) bool {
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
