package frame

import (
	"bytes"
	"fmt"
	"io"
)

// outcome is what came of looking for a record at the head of a window.
type outcome uint8

const (
	whole    outcome = iota // the window begins with a whole record
	partial                 // the record goes on past the window
	stray                   // a quote where none may be
	unclosed                // a quote that nothing closes
	tooLong                 // a field over MaxField, a record over MaxRecord
	tooMany                 // more than MaxFields fields
)

// split takes the record at the head of the window apart into r.rec.
//
// For a whole record it returns the offset behind its line end, else the
// offset at which the field (or the stray quote) in question begins.
func (r *Reader) split(window []byte) (int, outcome) {
	rec := &r.rec
	rec.fields, rec.plain, rec.breaks = rec.fields[:0], rec.plain[:0], 0
	i := 0
	for {
		start := i
		if i < len(window) && window[i] == '"' {
			end, what := r.quoted(window, start)
			if what != whole {
				return start, what
			}
			i = end
		} else {
			for i < len(window) && !r.stop[window[i]] {
				i++
			}
			if i < len(window) && window[i] == '"' {
				return i, stray
			}
			if i-start > MaxFieldBytes {
				return start, tooLong
			}
			rec.fields = append(rec.fields, window[start:i])
		}
		if i < len(window) && window[i] == r.delim {
			if len(rec.fields) == MaxFields {
				return start, tooMany
			}
			i++
			continue
		}
		next := lineEnd(window, i)
		if next == len(window) && !r.last && (next == i || window[next-1] == '\r') {
			return start, partial
		}
		rec.raw = window[:i]
		return next, whole
	}
}

// lineEnd returns the offset behind the line end at window[i], which is the
// end of the window or holds CR or LF.
func lineEnd(window []byte, i int) int {
	if i < len(window) && window[i] == '\r' {
		i++
		if i < len(window) && window[i] == '\n' {
			i++
		}
		return i
	}
	return min(i+1, len(window))
}

// quoted appends the quoted field that opens at window[start] to the record
// and returns the offset behind its closing quote.
func (r *Reader) quoted(window []byte, start int) (int, outcome) {
	i, doubled, what := closing(window, start, r.last)
	if what != whole {
		return start, what
	}
	text := window[start+1 : i-1]
	if len(text) > MaxFieldBytes {
		return start, tooLong
	}
	breaks := countBreaks(text)
	if i < len(window) && (!r.stop[window[i]] || window[i] == '"') {
		// Over several lines, this is rather the next field's opening quote.
		if breaks > 0 {
			return start, unclosed
		}
		return start, stray
	}
	r.rec.breaks += breaks
	if doubled {
		text = r.rec.undouble(text)
	}
	r.rec.fields = append(r.rec.fields, text)
	return i, whole
}

// closing returns the offset behind the quote that closes the one at
// window[start], and whether there are doubled quotes in between. Unless the
// window is the last, the byte behind it must be there.
func closing(window []byte, start int, last bool) (end int, doubled bool, what outcome) {
	i := start + 1
	for {
		n := bytes.IndexByte(window[i:], '"')
		if n < 0 {
			if last {
				return start, doubled, unclosed
			}
			return start, doubled, partial
		}
		i += n + 1
		if i == len(window) && !last {
			return start, doubled, partial
		}
		if i == len(window) || window[i] != '"' {
			return i, doubled, whole
		}
		doubled = true
		i++
	}
}

// undouble returns text with each pair of quotes made one.
func (r *Record) undouble(text []byte) []byte {
	begin := len(r.plain)
	for {
		n := bytes.IndexByte(text, '"')
		if n < 0 {
			break
		}
		r.plain = append(r.plain, text[:n+1]...)
		text = text[n+2:]
	}
	r.plain = append(r.plain, text...)
	return r.plain[begin:len(r.plain):len(r.plain)]
}

// countBreaks returns the number of line ends in text.
func countBreaks(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if bytes.IndexByte(text, '\r') >= 0 {
		n += bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
	}
	return n
}

// fieldLine returns the physical line on which field i begins.
func (r *Record) fieldLine(i int, delim byte) int {
	if r.breaks == 0 {
		return r.line
	}
	inside := false
	for at, char := range r.raw {
		if i == 0 {
			return r.line + countBreaks(r.raw[:at])
		}
		if char == '"' {
			inside = !inside
		} else if char == delim && !inside {
			i--
		}
	}
	return r.line + r.breaks
}

// fail describes the defect at offset at of the window and moves on to the
// next line if it can tell where that is.
func (r *Reader) fail(at int, what outcome) error {
	window := r.buf[r.pos:r.end]
	d := &Defect{
		Line:   r.line + countBreaks(window[:at]),
		Column: len(r.rec.fields) + 1,
	}
	switch what {
	case tooMany:
		return r.failFields(d)
	case stray:
		d.Code = CodeStrayQuote
		d.Message = `a quote inside a field: a field with quotes must be in quotes itself, and each quote in it doubled`
		if err := r.skipLine(at); err != nil {
			return err
		}
		return d
	case unclosed:
		d.Code, d.Message = CodeUnclosedQuote, "the quote that opens here is never closed"
	case tooLong:
		d.Code, d.Message = CodeTooLong, fmt.Sprintf("a record of more than %d MiB", MaxRecordBytes>>20)
		if len(window)-at > MaxFieldBytes {
			d.Message = fmt.Sprintf("a field of more than %d MiB", MaxFieldBytes>>20)
		}
		if at < len(window) && window[at] == '"' {
			d.Code, d.Message = CodeUnclosedQuote, fmt.Sprintf("the quote that opens here is not closed within %d MiB", MaxFieldBytes>>20)
		}
	}
	r.err = io.EOF
	return d
}

// failFields describes a record of more than MaxFields fields and moves behind it
// if it ends within MaxRecord bytes.
func (r *Reader) failFields(d *Defect) error {
	d.Code, d.Line, d.Column = CodeTooManyColumns, r.line, 0
	fields, ended, err := r.skipRecord()
	if err != nil {
		return err
	}
	more := ""
	if !ended {
		more, fields, r.err = "more than ", fields-1, io.EOF
	}
	d.Message = fmt.Sprintf("%s%s columns: at most %s are read", more, grouped(fields), grouped(MaxFields))
	return d
}

// skipRecord moves behind the next record and returns how many fields it has. It
// gives up behind MaxRecord bytes. Fields are not kept.
func (r *Reader) skipRecord() (fields int, ended bool, err error) {
	fields = 1
	for size, quoted := 0, false; size < MaxRecordBytes; {
		window := r.buf[r.pos:r.end]
		for i, char := range window {
			switch {
			case char == '"':
				quoted = !quoted
			case quoted:
			case char == r.delim:
				fields++
			case char == '\n' || char == '\r':
				return fields, true, r.skipLine(i)
			}
		}
		size += len(window)
		r.line += countBreaks(window)
		r.pos = r.end
		if r.last {
			return fields, true, nil
		}
		if r.err = r.fill(); r.err != nil {
			return 0, false, r.err
		}
	}
	return fields, false, nil
}

// skipLine moves behind the line end that follows offset at.
func (r *Reader) skipLine(at int) error {
	r.line += countBreaks(r.buf[r.pos : r.pos+at])
	r.pos += at
	for {
		window := r.buf[r.pos:r.end]
		if n := bytes.IndexAny(window, "\r\n"); n >= 0 && (n+1 < len(window) || r.last) {
			r.pos += lineEnd(window, n)
			r.line++
			return nil
		}
		if r.last {
			r.pos = r.end
			return nil
		}
		r.pos = max(r.pos, r.end-1) // a CR at the end may be half of a CRLF
		if r.err = r.fill(); r.err != nil {
			return r.err
		}
	}
}
