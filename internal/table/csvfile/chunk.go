package csvfile

import "bytes"

// ChunkSize is the usual size of a chunk in bytes. A chunk of this size and everything derived from
// it fit in the cache of a core.
const ChunkSize = 256 << 10

// chunkPadding is the number of bytes that must follow the text of a chunk in memory, because
// the parsers read past its end.
const chunkPadding = 64

// newBuffer returns a buffer of size bytes. Its capacity includes space for chunkPadding and for
// the line end that the last line may lack.
func newBuffer(size int) []byte { return make([]byte, size, size+1+chunkPadding) }

// Chunk is a sequence of complete records of a file. All its quotes are valid.
type Chunk struct {
	Text []byte // ends in a line end; its capacity includes chunkPadding
	End  int64  // offset of the chunk's end in the file
	Line int    // line on which the chunk begins, from 1; set before Commit
	buf  []byte // the memory of Text
}

// nextChunk sets c to the next chunk, of about size bytes. It returns false at the end of the file,
// after an error, and before a record with invalid quotes or of excessive length, which must be
// read with Read.
func (r *Reader) nextChunk(c *Chunk, size int) (ok bool) {
	for r.err == nil && !r.needsRead {
		if r.end-r.pos < size && !r.atEOF {
			r.grow(size)
			if r.err = r.fill(); r.err != nil {
				break
			}
		}
		size = min(size, r.end-r.pos)
		window := r.buf[r.pos : r.pos+size]
		last := r.atEOF && r.pos+size == r.end
		n, rough := completeRecordsLen(window, r.delim, last)
		r.needsRead = rough || n == 0 && (last || size >= max(MaxFieldBytes, r.minBuffer))
		if n > 0 {
			r.detachChunk(c, n, last && n == size)
			return true
		}
		size *= 2
	}
	return false
}

// detachChunk moves the next numBytes bytes, together with their buffer, into c; the reader
// continues with another buffer. last is set if the file ends after these bytes.
func (r *Reader) detachChunk(c *Chunk, numBytes int, last bool) {
	old, tail := r.buf, r.buf[r.pos+numBytes:r.end]
	next := c.buf
	if size := max(r.minBuffer, len(tail)); len(next) < size {
		next = newBuffer(size)
	}
	c.buf, c.Text = old, old[r.pos:r.pos+numBytes]
	copy(next, tail)
	r.offset += int64(r.pos + numBytes)
	r.buf, r.pos, r.end = next, 0, len(tail)
	c.End = r.offset
	if last && c.Text[numBytes-1] != '\n' && c.Text[numBytes-1] != '\r' {
		c.Text = append(c.Text, '\n')
	}
}

// completeRecordsLen returns the length of the complete records at the start of window, and whether
// a misplaced quote follows these records. window holds the bytes in the buffer that have not been
// read yet. last is set if the file ends with window.
func completeRecordsLen(window []byte, delim byte, last bool) (n int, badQuote bool) {
	i := 0
	for {
		quote := bytes.IndexByte(window[i:], '"')
		if quote < 0 {
			break
		}
		quote += i
		if end := afterLastLineEnd(window[i:quote]); end > 0 {
			n = i + end
		}
		if quote > 0 && !isFieldEnd(window[quote-1], delim) {
			return n, true
		}
		end, _, status := closingQuote(window, quote, last)
		if status == recordPartial {
			return n, false
		}
		if status != recordComplete || end < len(window) && !isFieldEnd(window[end], delim) {
			return n, true
		}
		i = end
	}
	if last {
		return len(window), false
	}
	rest := window[i:]
	if len(rest) > 0 && rest[len(rest)-1] == '\r' {
		rest = rest[:len(rest)-1] // the CR may be the first half of a CRLF
	}
	if end := afterLastLineEnd(rest); end > 0 {
		n = i + end
	}
	return n, false
}

func isFieldEnd(c, delim byte) bool { return c == delim || c == '\n' || c == '\r' }

// afterLastLineEnd returns the offset just past the last LF of text or, if there is no LF, just
// past the last CR. It returns 0 if there is no line end.
func afterLastLineEnd(text []byte) int {
	if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return bytes.LastIndexByte(text, '\r') + 1
}

// newReader returns a Reader of the chunk's records.
func (c *Chunk) newReader() *Reader {
	r := &Reader{buf: c.Text, end: len(c.Text), nextLine: c.Line, opened: true, atEOF: true}
	r.setDelimiter(',')
	return r
}
