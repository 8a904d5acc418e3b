package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Limits that bound a reader's memory for any file.
const (
	MaxFieldBytes  = 1 << 20  // bytes of one field
	MaxRecordBytes = 16 << 20 // bytes of one record
	MaxFields      = 65_536   // fields of one record
)

// Reader splits a stream into RFC 4180 records.
//
// Lines end in LF, CRLF or a lone CR. A quoted field may contain delimiters, line ends
// (kept as they are) and doubled quotes. A byte order mark and blank lines are skipped. It
// is an error if an unquoted field contains a quote, or if text follows a closing quote.
type Reader struct {
	src       io.Reader
	delim     byte
	stopBytes [256]bool // the bytes that an unquoted field cannot contain
	buf       []byte
	pos       int // the unread bytes are buf[pos:end]
	end       int
	nextLine  int // physical line of buf[pos], from 1
	opened    bool
	atEOF     bool  // all of src has been read
	needsRead bool  // the next record must be read with Read, not as a chunk
	minBuffer int   // minimum size of the buffers of chunks, in bytes
	offset    int64 // the offset of buf[0] in the file
	err       error
	rec       Record
}

// Record is one record of a file. It is valid until the next Read.
type Record struct {
	Line       int      // the physical line on which the record begins, from 1
	LineBreaks int      // number of line ends inside quoted fields
	Text       []byte   // the record as it is in the file, without its line end
	Fields     [][]byte // the text of each field, without its quotes
	unquoted   []byte   // memory for fields with doubled quotes
}

// ContextReader reads from Src until Ctx is done. Then Read returns the context's cause.
type ContextReader struct {
	Ctx context.Context
	Src io.Reader
}

func (r ContextReader) Read(p []byte) (int, error) {
	if r.Ctx.Err() != nil {
		return 0, context.Cause(r.Ctx)
	}
	return r.Src.Read(p)
}

// NewReader returns a Reader on src whose fields are separated by delim.
func NewReader(src io.Reader, delim byte) *Reader {
	r := &Reader{src: src, buf: newBuffer(ChunkSize), nextLine: 1, minBuffer: ChunkSize}
	r.setDelimiter(delim)
	return r
}

func (r *Reader) setDelimiter(delim byte) {
	r.delim = delim
	r.stopBytes[delim], r.stopBytes['"'], r.stopBytes['\n'], r.stopBytes['\r'] = true, true, true, true
}

// BytesRead returns the number of bytes that have been read from the source.
func (r *Reader) BytesRead() int64 { return r.offset + int64(r.end) }

// Read returns the next record, or io.EOF after the last. A *Defect describes an error in the
// record. The next call then returns the following record, or io.EOF if the end of the defective
// record cannot be found. Any other error comes from the source.
func (r *Reader) Read() (*Record, error) {
	if !r.opened {
		r.opened = true
		if err := r.startReading(); err != nil {
			return nil, err
		}
	}
	for r.err == nil {
		r.skipBlank()
		window := r.buf[r.pos:r.end]
		if len(window) == 0 && r.atEOF {
			r.err = io.EOF
			break
		}
		r.rec.Line = r.nextLine
		at, status := r.split(window)
		switch {
		case status == recordPartial:
			if len(window)-at <= MaxFieldBytes && len(window) <= MaxRecordBytes {
				r.err = r.fill()
				continue
			}
			return nil, r.failAt(at, tooLong)
		case status != recordComplete:
			return nil, r.failAt(at, status)
		}
		r.pos += at
		r.nextLine += r.rec.LineBreaks + 1
		return r.checkText()
	}
	return nil, r.err
}

// skipBlank skips blank lines without splitting them as records, because a file may have
// hundreds of millions of them.
func (r *Reader) skipBlank() {
	for ; r.pos < r.end; r.nextLine++ {
		switch r.buf[r.pos] {
		case '\n':
			r.pos++
		case '\r':
			if r.pos+1 == r.end && !r.atEOF {
				return // the CR may be the first half of a CRLF
			}
			r.pos += afterLineEnd(r.buf[r.pos:r.end], 0)
		default:
			return
		}
	}
}

// Done reports whether nothing is left to read.
func (r *Reader) Done() bool { return r.err != nil }

// checkText returns the record that was read, or a *Defect if the record is not valid UTF-8 or
// contains a NUL byte.
func (r *Reader) checkText() (*Record, error) {
	rec := &r.rec
	if utf8.Valid(rec.Text) && bytes.IndexByte(rec.Text, 0) < 0 {
		return rec, nil
	}
	for i, field := range rec.Fields {
		if bytes.IndexByte(field, 0) >= 0 {
			return nil, &Defect{
				Code: CodeBinary, Line: rec.FieldLine(i, r.delim), Column: i + 1,
				Message: "the field has a NUL byte, which a text file must not have",
			}
		}
		if !utf8.Valid(field) {
			return nil, &Defect{
				Code: CodeInvalidUTF8, Line: rec.FieldLine(i, r.delim), Column: i + 1,
				Message: fmt.Sprintf("byte 0x%02X is not valid UTF-8: set the file's encoding, or save the file as UTF-8", firstInvalidByte(field)),
			}
		}
	}
	return rec, nil
}

func firstInvalidByte(text []byte) byte {
	for len(text) > 0 {
		char, size := utf8.DecodeRune(text)
		if char == utf8.RuneError && size == 1 {
			return text[0]
		}
		text = text[size:]
	}
	return 0
}

// startReading fills the buffer for the first time and skips the byte order mark. It returns a
// *Defect if the file is known not to be CSV.
func (r *Reader) startReading() error {
	if r.err = r.fill(); r.err != nil {
		return r.err
	}
	head := r.buf[:r.end]
	if defect := FindFileType(head); defect != nil {
		r.err = io.EOF
		return defect
	}
	if bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")) {
		r.pos = 3
	}
	return nil
}

// grow makes the buffer at least size bytes long.
func (r *Reader) grow(size int) {
	if len(r.buf) < size {
		larger := newBuffer(size)
		copy(larger, r.buf)
		r.buf = larger
	}
}

// fill reads until the buffer is full or the source ends. It does not stop after a short read: if
// it did, the reader would have to split the same record again.
func (r *Reader) fill() error {
	if r.pos > 0 {
		r.offset += int64(r.pos)
		r.end = copy(r.buf, r.buf[r.pos:r.end])
		r.pos = 0
	}
	if r.end == len(r.buf) {
		r.grow(2 * len(r.buf))
	}
	for idle := 0; r.end < len(r.buf); {
		n, err := r.src.Read(r.buf[r.end:])
		r.end += n
		if errors.Is(err, io.EOF) {
			r.atEOF = true
			return nil
		}
		if err != nil {
			return err
		}
		if n > 0 {
			idle = 0
		} else if idle++; idle == 100 {
			return io.ErrNoProgress
		}
	}
	return nil
}
