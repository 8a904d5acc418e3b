package tablefile

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"foretell/internal/table/csvfile"
)

// EncodingExample shows a cell of a text as it is read in an encoding.
type EncodingExample struct {
	Encoding string // a value of Options.Encoding
	Text     string // the first cell that is not ASCII, as it is read in this encoding
}

// likelyEncodings are the encodings that programs write most often, except UTF-8 and UTF-16.
var likelyEncodings = []string{
	"windows-1252", "windows-1250", "cp850", "macintosh", "windows-1251", "koi8-r", "ibm866", "windows-1253",
	"gb18030", "big5", "shift_jis", "euc-jp", "euc-kr",
}

const (
	maxExampleLines = 20       // maximum number of lines from which examples are made
	maxExampleBytes = 64 << 10 // maximum size of these lines
	maxExampleRunes = 20       // maximum length of an example
)

// EncodingExamples returns the encodings in which a file of unknown encoding is readable, with an
// example of its text in each. A person who knows the language can choose the right encoding by the
// examples. If the table has several files, the examples are from the first file in which at least
// half of the characters beyond ASCII are not UTF-8. If there is no such file, EncodingExamples
// returns nil.
func (t *Table) EncodingExamples(ctx context.Context) ([]EncodingExample, error) {
	for _, p := range t.parts {
		if p.charset != "" || p.temp != "" && !p.keepsLines {
			continue
		}
		lines, err := p.linesNotUTF8(ctx)
		if err != nil {
			return nil, p.wrapError(err)
		}
		if len(lines) > 0 {
			return examplesOf(lines), nil
		}
	}
	return nil, nil
}

// linesNotUTF8 returns the first lines that are not UTF-8. If most of the characters beyond ASCII
// are valid UTF-8, the file is damaged rather than in another encoding, and linesNotUTF8 returns
// nil.
func (f *sourceFile) linesNotUTF8(ctx context.Context) (lines []byte, err error) {
	s, err := openFile(f.Path, ignoreCount)
	if err != nil {
		return nil, err
	}
	defer s.closeQuietly()
	if _, _, err := s.unpack(); err != nil {
		return nil, err
	}
	stats := &charsetStats{}
	in := bufio.NewReaderSize(csvfile.ContextReader{Ctx: ctx, Src: s}, maxExampleBytes)
	for n := 0; ; {
		line, err := in.ReadSlice('\n')
		stats.addText(line, true)
		if n < maxExampleLines && !utf8.Valid(line) && len(lines)+len(line) <= maxExampleBytes {
			lines = append(lines, line...)
			n++
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
	if stats.multibyte > stats.invalid {
		return nil, nil
	}
	return lines, nil
}

// The fractions of characters beyond ASCII that must be plausible in a likely encoding. The smaller
// one is for a damaged text, for which no encoding is right everywhere. Such a text is only read in
// the encodings of Windows and of the Macintosh.
const (
	minPlausible        = 0.9
	minPlausibleDamaged = 0.51
)

// examplesOf returns the likely encodings in which lines are readable, each with the first cell of
// lines that is not ASCII. Encodings with the same cell as an earlier encoding are left out.
func examplesOf(lines []byte) []EncodingExample {
	if examples := examplesIn(likelyEncodings, lines, minPlausible); len(examples) > 0 {
		return examples
	}
	return examplesIn([]string{"windows-1252", "macintosh"}, lines, minPlausibleDamaged)
}

// examplesIn is like examplesOf, but tries only the given encodings. At least the fraction share of
// the characters beyond ASCII must be plausible.
func examplesIn(encodings []string, lines []byte, share float64) []EncodingExample {
	var examples []EncodingExample
	seen := map[string]bool{}
	for _, name := range encodings {
		src, err := transcode(bytes.NewReader(lines), name)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(src)
		if err != nil || !isReadable(string(text), share) || hasIdeographsInWords(string(text)) {
			continue
		}
		cell := firstForeignCell(string(text))
		if !seen[cell] && isReadable(cell, share) {
			examples = append(examples, EncodingExample{name, cell})
		}
		seen[cell] = true
	}
	return examples
}

// isReadable reports whether at least the fraction share of the characters beyond ASCII is
// plausible. Plausible characters are letters that fit their left neighbours. Signs of another
// encoding are a capital after a small letter, as in тючЁрёЄ, two alphabets in a word, as in grцe,
// and halfwidth letters.
func isReadable(text string, share float64) bool {
	foreign, usual, left := 0, 0, ' '
	for _, char := range text {
		if char >= utf8.RuneSelf {
			foreign++
			mixed := unicode.IsLower(left) && unicode.IsUpper(char) || !sameAlphabet(left, char)
			if unicode.IsLetter(char) && !isHalfwidth(char) && !mixed {
				usual++
			}
		}
		left = char
	}
	return float64(usual) >= share*float64(foreign)
}

// hasIdeographsInWords reports whether at least half of the Chinese, Japanese and Korean characters
// are directly beside ASCII letters, as in Alarc摌n. They are then probably letters with accents in
// another encoding. Only a few words, such as T恤, are written in this way.
func hasIdeographsInWords(text string) bool {
	characters, inWords, left := 0, 0, ' '
	for at, char := range text {
		if char >= '぀' && char <= '鿿' || char >= '가' && char <= '힣' {
			right, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(char):])
			if characters++; isASCIILetter(left) || isASCIILetter(right) {
				inWords++
			}
		}
		left = char
	}
	return characters > 0 && 2*inWords >= characters
}

func isASCIILetter(char rune) bool { return char < utf8.RuneSelf && unicode.IsLetter(char) }

// sameAlphabet reports whether two characters may be in one word. It is false for letters of two of the
// alphabets Latin, Greek and Cyrillic.
func sameAlphabet(a, b rune) bool {
	alphabets := []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic}
	if !unicode.In(a, alphabets...) || !unicode.In(b, alphabets...) {
		return true
	}
	for _, alphabet := range alphabets {
		if unicode.Is(alphabet, a) {
			return unicode.Is(alphabet, b)
		}
	}
	return false
}

// isHalfwidth reports whether char is a halfwidth katakana. Text in another encoding that is read
// as Shift_JIS consists mostly of such characters.
func isHalfwidth(char rune) bool { return char >= '｡' && char <= 'ﾟ' }

// firstForeignCell returns the first cell with a character beyond ASCII, shortened.
func firstForeignCell(text string) string {
	cells := strings.FieldsFunc(text, func(char rune) bool { return strings.ContainsRune(",;\t|\"\r\n", char) })
	for _, cell := range cells {
		cell = strings.TrimSpace(cell)
		if !strings.ContainsFunc(cell, func(char rune) bool { return char >= utf8.RuneSelf }) {
			continue
		}
		if runes := []rune(cell); len(runes) > maxExampleRunes {
			return string(runes[:maxExampleRunes]) + "…"
		}
		return cell
	}
	return ""
}
