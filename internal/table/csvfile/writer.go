package csvfile

import (
	"bufio"
	"bytes"
	"io"
)

// Writer writes RFC 4180 records that end in LF. It quotes a field only if necessary. Flush
// returns the first error.
type Writer struct {
	out       *bufio.Writer
	text      []byte // buffer of WriteField
	inRow     bool   // a field was written to the record
	onlyEmpty bool   // the record has only one field, and it is empty
}

// NewWriter returns a Writer on dst. Flush must be called at the end.
func NewWriter(dst io.Writer) *Writer {
	return &Writer{out: bufio.NewWriterSize(dst, 64<<10)}
}

// WriteField appends a field to the record.
func (w *Writer) WriteField(text []byte) {
	w.writeSeparator()
	w.onlyEmpty = w.onlyEmpty && len(text) == 0
	w.text = AppendField(w.text[:0], text)
	_, _ = w.out.Write(w.text)
}

// WriteEmptyFields appends n empty fields to the record.
func (w *Writer) WriteEmptyFields(n int) {
	if n <= 0 {
		return
	}
	w.WriteField(nil)
	w.onlyEmpty = w.onlyEmpty && n == 1
	const commas = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
	for n--; n > 0; n -= len(commas) {
		_, _ = w.out.WriteString(commas[:min(n, len(commas))])
	}
}

// AppendField appends a field to dst, in quotes if necessary.
func AppendField(dst, text []byte) []byte {
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

// writeSeparator writes the comma before each field but the first.
func (w *Writer) writeSeparator() {
	if w.inRow {
		_ = w.out.WriteByte(',')
	}
	w.onlyEmpty = !w.inRow
	w.inRow = true
}

// EndRecord ends the record.
func (w *Writer) EndRecord() {
	if w.onlyEmpty { // a reader would skip a blank line
		_, _ = w.out.WriteString(`""`)
	}
	_ = w.out.WriteByte('\n')
	w.inRow, w.onlyEmpty = false, false
}

// Flush writes the buffered data and returns the first error of any write.
func (w *Writer) Flush() error { return w.out.Flush() }

func needsQuotes(text []byte) bool {
	for _, c := range text {
		if c == ',' || c == '"' || c == '\n' || c == '\r' {
			return true
		}
	}
	// Spaces at the ends are quoted because some tools strip them, and a byte order mark because Read
	// would skip it.
	return len(text) > 0 && (text[0] == ' ' || text[len(text)-1] == ' ' || text[0] == 0xEF)
}
