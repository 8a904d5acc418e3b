package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// charset appends the first character of src to dst as UTF-8 and returns the
// bytes it took: 0 if src holds only the beginning of one, -1 if it is none.
type charset func(dst, src []byte) ([]byte, int)

func latin1(dst, src []byte) ([]byte, int) {
	return utf8.AppendRune(dst, rune(src[0])), 1
}

// upper1252 are the characters 0x80 to 0x9F of Windows-1252. The five bytes
// without one are the control characters of Latin-1, as browsers have them.
var upper1252 = [32]rune{
	'€', 0x81, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', 0x8D, 'Ž', 0x8F,
	0x90, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', 0x9D, 'ž', 'Ÿ',
}

func windows1252(dst, src []byte) ([]byte, int) {
	if c := src[0]; c >= 0x80 && c < 0xA0 {
		return utf8.AppendRune(dst, upper1252[c-0x80]), 1
	}
	return latin1(dst, src)
}

func utf16Little(dst, src []byte) ([]byte, int) { return appendUTF16(dst, src, binary.LittleEndian) }
func utf16Big(dst, src []byte) ([]byte, int)    { return appendUTF16(dst, src, binary.BigEndian) }

func appendUTF16(dst, src []byte, order binary.ByteOrder) ([]byte, int) {
	if len(src) < 2 {
		return dst, 0
	}
	char := rune(order.Uint16(src))
	if !utf16.IsSurrogate(char) {
		return utf8.AppendRune(dst, char), 2
	}
	if len(src) < 4 {
		return dst, 0
	}
	char = utf16.DecodeRune(char, rune(order.Uint16(src[2:])))
	if char == utf8.RuneError {
		return dst, -1
	}
	return utf8.AppendRune(dst, char), 4
}

// transcoder reads another charset as UTF-8.
type transcoder struct {
	src    io.Reader
	decode charset
	in     []byte // memory of the source's bytes
	kept   int    // bytes of in that begin a character not complete yet
	out    []byte // decoded but not read
	spare  []byte // memory of out
	line   int    // line ends decoded
	err    error
}

func newTranscoder(src io.Reader, decode charset) *transcoder {
	return &transcoder{src: src, decode: decode, in: make([]byte, 32<<10)}
}

// Read implements io.Reader.
func (t *transcoder) Read(p []byte) (int, error) {
	for len(t.out) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		t.fill()
	}
	n := copy(p, t.out)
	t.out = t.out[n:]
	return n, nil
}

// fill reads a piece of the source and decodes the characters that it holds.
func (t *transcoder) fill() {
	var n, size int
	n, t.err = t.src.Read(t.in[t.kept:])
	rest := t.in[:t.kept+n]
	t.spare = t.spare[:0]
	for len(rest) > 0 {
		if t.spare, size = t.decode(t.spare, rest); size <= 0 {
			break
		}
		rest = rest[size:]
	}
	t.out = t.spare
	t.line += bytes.Count(t.out, []byte{'\n'})
	t.kept = copy(t.in, rest)
	if size < 0 || (errors.Is(t.err, io.EOF) && t.kept > 0) {
		t.err = &Defect{Code: CodeInvalidEncoding, Line: t.line + 1, Message: "not valid UTF-16"}
	}
}
