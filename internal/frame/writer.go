package frame

import (
	"bufio"
	"bytes"
	"io"
)

// Writer writes RFC 4180 records that end in LF. A field is put in quotes only
// if it must be. The first error stays; Flush returns it.
type Writer struct {
	out       *bufio.Writer
	text      []byte // of a field
	inRow     bool   // the record has a field already
	onlyEmpty bool   // and it was one empty field
}

// NewWriter returns a Writer on dst. Flush must be called at the end.
func NewWriter(dst io.Writer) *Writer {
	return &Writer{out: bufio.NewWriterSize(dst, 64<<10)}
}

// Field appends a field to the record.
func (w *Writer) Field(text []byte) {
	w.separate()
	w.onlyEmpty = w.onlyEmpty && len(text) == 0
	w.text = appendField(w.text[:0], text)
	_, _ = w.out.Write(w.text)
}

// EmptyFields appends n empty fields to the record.
func (w *Writer) EmptyFields(n int) {
	if n <= 0 {
		return
	}
	w.Field(nil)
	w.onlyEmpty = w.onlyEmpty && n == 1
	const commas = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
	for n--; n > 0; n -= len(commas) {
		_, _ = w.out.WriteString(commas[:min(n, len(commas))])
	}
}

// appendField appends a field to a record, in quotes if it must be.
func appendField(dst, text []byte) []byte {
	if !needsQuotes(text) {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		n := bytes.IndexByte(text, '"')
		if n < 0 {
			break
		}
		dst = append(append(dst, text[:n+1]...), '"')
		text = text[n+1:]
	}
	return append(append(dst, text...), '"')
}

// separate writes the comma before each field but the first.
func (w *Writer) separate() {
	if w.inRow {
		_ = w.out.WriteByte(',')
	}
	w.onlyEmpty = !w.inRow
	w.inRow = true
}

// EndRecord ends the record.
func (w *Writer) EndRecord() {
	if w.onlyEmpty { // a blank line would be no record
		_, _ = w.out.WriteString(`""`)
	}
	_ = w.out.WriteByte('\n')
	w.inRow, w.onlyEmpty = false, false
}

// Flush writes what is buffered and returns the first error of all writing.
func (w *Writer) Flush() error { return w.out.Flush() }

func needsQuotes(text []byte) bool {
	for _, c := range text {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	// Tools that strip spaces, and the byte order mark that Read would skip.
	return len(text) > 0 && (text[0] == ' ' || text[len(text)-1] == ' ' || text[0] == 0xEF)
}
