package csvfile

import (
	"bytes"
	"errors"
	"io"
)

// FindBlankRows returns the number of blank rows in tail, and the length of tail without them.
// Blank rows contain only delimiters. tail is the end of a file after its last value, so it
// contains only delimiters and line ends. If there are no blank rows, end is the length of tail.
func FindBlankRows(tail []byte) (end, rows int) {
	end = bytes.IndexAny(tail, "\r\n") + 1
	if end > 0 && bytes.HasPrefix(tail[end-1:], []byte("\r\n")) {
		end++
	}
	if end > 0 {
		for range bytes.FieldsFuncSeq(tail[end:], func(c rune) bool { return c == '\n' || c == '\r' }) {
			rows++
		}
	}
	if rows == 0 {
		end = len(tail)
	}
	return end, rows
}

// blankRowTrimmer implements NewBlankRowTrimmer.
type blankRowTrimmer struct {
	src       io.Reader
	delimiter byte
	leftOut   func(rows int)
	held      []byte // the last bytes read, if they may be blank rows
	ready     []byte // bytes to return before the source is read again
	begun     bool   // whether a byte other than a delimiter or a line end was read
	err       error
}

// maxHeld is about the largest total length, in bytes, of blank rows that are left out.
const maxHeld = 16 << 20

// NewBlankRowTrimmer returns a reader of src, a CSV file, that leaves out blank rows at the end of
// the file: rows that contain only delimiters. Spreadsheet programs write such rows for cells that
// were used before. If rows were left out, leftOut is called at the end of the file; leftOut may be
// nil.
func NewBlankRowTrimmer(src io.Reader, delimiter byte, leftOut func(rows int)) io.Reader {
	return &blankRowTrimmer{src: src, delimiter: delimiter, leftOut: leftOut}
}

// Read implements io.Reader.
func (r *blankRowTrimmer) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		var n int
		n, r.err = r.src.Read(p)
		blank := n // where the blank bytes at the end begin
		for blank > 0 && (p[blank-1] == r.delimiter || p[blank-1] == '\n' || p[blank-1] == '\r') {
			blank--
		}
		r.begun = r.begun || blank > 0
		if blank > 0 && len(r.held) == 0 && r.err == nil {
			r.held = append(r.held, p[blank:n]...)
			return blank, nil
		}
		if blank > 0 || len(r.held) > maxHeld {
			r.ready, r.held = append(r.held, p[:blank]...), nil
		}
		r.held = append(r.held, p[blank:n]...)
		if r.err != nil {
			r.ready = append(r.ready, r.heldWithoutBlankRows()...)
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// heldWithoutBlankRows returns the held bytes without the blank rows, and calls leftOut if it omits rows.
func (r *blankRowTrimmer) heldWithoutBlankRows() []byte {
	if !errors.Is(r.err, io.EOF) || !r.begun {
		return r.held
	}
	end, rows := FindBlankRows(r.held)
	if rows > 0 && r.leftOut != nil {
		r.leftOut(rows)
	}
	return r.held[:end]
}
