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
	firstUnspaced = '\u0E00' // the first character of scripts without spaces
)

// Tokenize calls visit with each word of a text, in lower case, valid until the call
// returns. A word is a run of letters and digits; letters followed by digits, or digits
// followed by letters, are two: C85, 3rd. In scripts without spaces each character is a
// word.
func (r *Tokenizer) Tokenize(cell []byte, visit func(word []byte)) {
	if isHash(cell) {
		return
	}
	r.lower = r.lower[:0]
	turns, at := 0, 0 // changes between letters and digits, and the offset of the first
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

// isHash reports whether a text is a UUID or another hexadecimal hash, whose letters mean
// nothing.
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
