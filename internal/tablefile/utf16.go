package tablefile

import (
	"errors"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"foretell/internal/table/csvfile"
)

// The encodings of UTF-16. Without a byte order mark, charsetUTF16 is in little-endian order.
var (
	charsetUTF16   = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	charsetUTF16LE = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	charsetUTF16BE = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
)

func isUTF16(charset encoding.Encoding) bool {
	return charset == charsetUTF16 || charset == charsetUTF16LE || charset == charsetUTF16BE
}

// utf16Reader reads text in UTF-16 and returns an error for invalid text: half of a surrogate pair,
// or half of a code unit at the end. The decoder replaces both by the replacement character, which
// valid text may also contain.
type utf16Reader struct {
	src       io.Reader
	name      string
	bigEndian bool
	detect    bool // whether the next code unit may be a byte order mark, which sets bigEndian
	line      int
	first     byte // the first byte of an incomplete code unit
	isHalf    bool // whether first is set
	isHigh    bool // whether the last code unit was the first of a surrogate pair
	err       error
}

func newUTF16Reader(src io.Reader, charset encoding.Encoding, name string) *utf16Reader {
	return &utf16Reader{src: src, name: name, bigEndian: charset == charsetUTF16BE, detect: charset == charsetUTF16, line: 1}
}

// Read implements io.Reader.
func (r *utf16Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.Read(p)
	for _, char := range p[:n] {
		if r.isHalf = !r.isHalf; r.isHalf {
			r.first = char
		} else if !r.addUnit(uint16(r.first)<<8 | uint16(char)) {
			return 0, r.invalidError()
		}
	}
	if errors.Is(err, io.EOF) && (r.isHalf || r.isHigh) {
		return 0, r.invalidError()
	}
	return n, err
}

// addUnit reads a code unit, whose bytes are in file order. It returns false if the unit shows that a
// surrogate pair is incomplete.
func (r *utf16Reader) addUnit(unit uint16) (valid bool) {
	const mark, swappedMark = 0xFEFF, 0xFFFE
	if r.detect && (unit == mark || unit == swappedMark) {
		r.bigEndian = unit == mark
	}
	r.detect = false
	if !r.bigEndian {
		unit = unit<<8 | unit>>8
	}
	if unit == '\n' {
		r.line++
	}
	isHigh, isLow := unit>>10 == 0xD800>>10, unit>>10 == 0xDC00>>10
	valid = r.isHigh == isLow
	r.isHigh = isHigh
	return valid
}

func (r *utf16Reader) invalidError() error {
	r.err = newEncodingDefect(r.name, r.line)
	return r.err
}

func newEncodingDefect(charset string, line int) *csvfile.Defect {
	return &csvfile.Defect{Code: csvfile.CodeInvalidEncoding, Line: line, Message: "the text is not valid " + charset}
}
