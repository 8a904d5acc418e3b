package tablefile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"foretell/internal/table/csvfile"
)

// guessAndSetCharset reads a whole text and guesses its encoding. It sets f.charset in two cases:
//
//   - to opts.Encoding, if that is set and the text is not UTF-8
//   - to Windows-1252, with a warning, if opts.Encoding is empty and this is certainly the encoding
//
// Otherwise the text is later read as UTF-8, and invalid bytes are then an error.
func (f *sourceFile) guessAndSetCharset(ctx context.Context, opts Options) error {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return err
	}
	defer s.closeQuietly()
	c, err := scanCharset(ctx, s)
	switch {
	case err != nil || c.invalid == 0:
		return err
	case opts.Encoding != "":
		f.charset = opts.Encoding
		return nil
	case !c.isWindows1252():
		return nil
	}
	w, err := f.charsetWarning(opts.Delimiter)
	if err != nil {
		return err
	}
	f.charset = "Windows-1252"
	f.warn(w)
	return nil
}

// charsetStats has counts of bytes and characters, from which the encoding of a text is guessed.
type charsetStats struct {
	invalid     int  // bytes that are invalid in UTF-8; below, invalid has this meaning
	multibyte   int  // valid UTF-8 characters beyond ASCII
	undefined   int  // invalid bytes that have no character in Windows-1252
	adjacent    int  // invalid bytes next to another invalid byte, except the pairs of isAdjacentInWords
	implausible int  // invalid bytes that are unlikely between their neighbours in Windows-1252
	last        byte // an invalid byte for which countLastIfImplausible must still be called; otherwise 0
	left        byte // the byte to the left of last
	lastInvalid bool // whether the last byte, ASCII or not, was invalid
}

// scanCharset reads src to its end and returns the counts from which its encoding is
// guessed.
func scanCharset(ctx context.Context, src io.Reader) (*charsetStats, error) {
	c := &charsetStats{}
	buf := make([]byte, 0, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(src, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		end := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !end {
			return nil, err
		}
		buf = buf[:copy(buf, c.addText(buf, end))]
		if end {
			return c, nil
		}
	}
}

// addText adds a piece of text to the counts. If the piece ends within a character,
// addText returns the bytes of that character, with which the next piece must begin.
// isLast is set for the last piece.
func (c *charsetStats) addText(text []byte, isLast bool) (incomplete []byte) {
	for len(text) > 0 {
		n := asciiPrefixLen(text)
		if n > 0 {
			c.countLastIfImplausible(text[0])
			c.left, c.lastInvalid = text[n-1], false
			text = text[n:]
			continue
		}
		if !isLast && !utf8.FullRune(text) {
			return text
		}
		char, size := utf8.DecodeRune(text)
		if char == utf8.RuneError && size == 1 {
			c.addInvalid(text[0])
		} else {
			c.countLastIfImplausible('x')
			c.multibyte++
			c.left, c.lastInvalid = 'x', false
		}
		text = text[size:]
	}
	if isLast {
		c.countLastIfImplausible(' ')
	}
	return nil
}

// asciiPrefixLen returns the number of ASCII characters at the beginning of b.
func asciiPrefixLen(b []byte) int {
	for i, char := range b {
		if char >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// addInvalid counts a byte that is invalid in UTF-8.
func (c *charsetStats) addInvalid(b byte) {
	c.invalid++
	if charmap.Windows1252.DecodeByte(b) < 0xA0 {
		c.undefined++
	}
	if c.lastInvalid {
		if isAdjacentInWords(c.last, b) {
			c.last = b
			return
		}
		if c.last != 0 {
			c.adjacent++
		}
		c.adjacent++
		c.last = 0
		return
	}
	c.last, c.lastInvalid = b, true
}

// isAdjacentInWords reports whether two letters of Windows-1252 often follow each other in words, such
// as öß in Größe, éé in créée and ää in määrä.
func isAdjacentInWords(left, right byte) bool {
	switch [2]rune{charmap.Windows1252.DecodeByte(left), charmap.Windows1252.DecodeByte(right)} {
	case [2]rune{'ä', 'ß'}, [2]rune{'ö', 'ß'}, [2]rune{'ü', 'ß'}, [2]rune{'é', 'é'}, [2]rune{'ä', 'ä'}, [2]rune{'ö', 'ö'}:
		return true
	}
	return false
}

// countLastIfImplausible counts the last invalid byte as implausible if, in Windows-1252, it is
// unlikely between its neighbours. next is the byte after the invalid byte.
func (c *charsetStats) countLastIfImplausible(next byte) {
	b := c.last
	c.last = 0
	if b == 0 {
		return
	}
	char, inWord := charmap.Windows1252.DecodeByte(b), isLower(c.left) && isLower(next)
	switch {
	case unicode.IsUpper(char) && !isLower(c.left), unicode.IsLower(char) && b != 0x83: // 0x83 is ƒ
	case char == '’':
	case strings.ContainsRune("‘“”•–—€…™", char) && !inWord:
	case b >= 0xA0 && !unicode.IsLetter(char) && !inWord:
	case char == 'ª' || char == 'º': // as in 1º
	default:
		c.implausible++
	}
}

func isLower(b byte) bool { return b >= 'a' && b <= 'z' }

// isWindows1252 reports whether the text is certainly Windows-1252. Bytes that are invalid in UTF-8
// must then be characters of Windows-1252, and hardly any of them may be implausible, such as a
// symbol inside a word. At least half of them must have no invalid neighbour. There must be hardly
// any valid UTF-8 characters beyond ASCII.
func (c *charsetStats) isWindows1252() bool {
	return c.undefined == 0 && 20*c.multibyte <= c.invalid && 2*c.adjacent <= c.invalid && 10*c.implausible <= c.invalid
}

// charsetWarning returns a warning that the text is read as Windows-1252. The warning shows the
// first field that is not ASCII, and its location, so that a person can see whether the encoding is
// right.
func (f *sourceFile) charsetWarning(delimiter byte) (csvfile.Warning, error) {
	w := csvfile.Warning{Code: CodeEncoding}
	format := "the text is not UTF-8 and is read as Windows-1252%s; use --encoding to set another encoding"
	w.Message = fmt.Sprintf(format, "")
	s, err := f.openText(ignoreCount)
	if err != nil {
		return w, err
	}
	defer s.closeQuietly()
	in := bufio.NewReaderSize(s, headSize)
	if delimiter == 0 {
		head, err := peekHead(in)
		if err != nil {
			return w, err
		}
		delimiter = csvfile.FindDelimiter(head, len(head) == headSize)
	}
	for rows := csvfile.NewReader(charmap.Windows1252.NewDecoder().Reader(in), delimiter); ; {
		row, err := rows.Read()
		var defect *csvfile.Defect
		switch {
		case errors.Is(err, io.EOF):
			return w, nil
		case errors.As(err, &defect):
			continue // the check of the rows reports it
		case err != nil:
			return w, fmt.Errorf("reading the file: %w", err)
		}
		for i, field := range row.Fields {
			if asciiPrefixLen(field) < len(field) {
				w.Line, w.Column = row.FieldLine(i, delimiter), i+1
				w.Message = fmt.Sprintf(format, ", such as "+csvfile.Excerpt(string(field)))
				return w, nil
			}
		}
	}
}
