package frame

import "bytes"

// chunkSize is how much is cut off a file at once: what fits a core's cache
// with all that is made of it.
const chunkSize = 256 << 10

// readSlack is how far behind a chunk's text its bytes may be read.
const readSlack = 64

// newBuffer returns a buffer of so many bytes, with room behind them for the line
// end that a file's last line may lack and for the slack.
func newBuffer(size int) []byte { return make([]byte, size, size+1+readSlack) }

// chunk is a run of whole records of a file. No quote in it is out of place and
// no field is longer than MaxField.
type chunk struct {
	text []byte // ends in a line end; its capacity has the slack
	end  int64  // offset in the file behind it
	line int    // of its first byte, known when the chunk is settled
	buf  []byte // what text is part of
}

// nextChunk makes c the next chunk of about size bytes. It returns false at the end
// of the file and where the next record needs the care of Read.
func (r *Reader) nextChunk(c *chunk, size int) bool {
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
		n, rough := completeRecords(window, r.delim, last)
		r.needsRead = rough || n == 0 && (last || size >= max(MaxFieldBytes, r.minBuffer))
		if n > 0 {
			r.detach(c, n, last && n == size)
			return true
		}
		size *= 2
	}
	return false
}

// detach moves the next n bytes into c and goes on with another buffer.
func (r *Reader) detach(c *chunk, n int, last bool) {
	old, tail := r.buf, r.buf[r.pos+n:r.end]
	next := c.buf
	if size := max(r.minBuffer, len(tail)); len(next) < size {
		next = newBuffer(size)
	}
	c.buf, c.text = old, old[r.pos:r.pos+n]
	copy(next, tail)
	r.offset += int64(r.pos + n)
	r.buf, r.pos, r.end = next, 0, len(tail)
	c.end = r.offset
	if last && c.text[n-1] != '\n' && c.text[n-1] != '\r' {
		c.text = append(c.text, '\n')
	}
}

// completeRecords returns the length of the longest run of whole records at the
// head of a window, and whether a quote out of place follows it.
func completeRecords(window []byte, delim byte, last bool) (n int, rough bool) {
	i := 0
	for {
		quote := bytes.IndexByte(window[i:], '"')
		if quote < 0 {
			break
		}
		quote += i
		if end := lastLineEnd(window[i:quote]); end > 0 {
			n = i + end
		}
		if quote > 0 && !endsField(window[quote-1], delim) {
			return n, true
		}
		end, _, what := closingQuote(window, quote, last)
		if what == recordPartial {
			return n, false
		}
		if what != recordComplete || end < len(window) && !endsField(window[end], delim) {
			return n, true
		}
		i = end
	}
	if last {
		return len(window), false
	}
	rest := window[i:]
	if len(rest) > 0 && rest[len(rest)-1] == '\r' {
		rest = rest[:len(rest)-1] // this may be half of a CRLF
	}
	if end := lastLineEnd(rest); end > 0 {
		n = i + end
	}
	return n, false
}

func endsField(c, delim byte) bool { return c == delim || c == '\n' || c == '\r' }

// lastLineEnd returns the offset behind a line end that is the last of its
// kind, 0 if there is none.
func lastLineEnd(text []byte) int {
	if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
		return n + 1
	}
	return bytes.LastIndexByte(text, '\r') + 1
}

// reader returns a reader of the chunk's records that tells what is wrong with
// them.
func (c *chunk) reader() *Reader {
	r := &Reader{buf: c.text, end: len(c.text), nextLine: c.line, opened: true, atEOF: true}
	r.setDelimiter(',')
	return r
}
