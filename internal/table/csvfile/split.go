package csvfile

import (
	"bytes"
	"fmt"
	"io"

	"foretell/internal/humanize"
)

// splitStatus is the result of splitting the record at the start of a window. The window is the
// part of the file that is in the buffer and not yet read.
type splitStatus uint8

const (
	recordComplete splitStatus = iota // the window starts with a complete record
	recordPartial                     // the record continues after the window
	strayQuote                        // an unquoted field has a quote
	unclosedQuote                     // a quote is never closed
	tooLong                           // a field exceeds MaxFieldBytes or the record MaxRecordBytes
	tooManyFields                     // the record has more than MaxFields fields
)

// split splits the record at the start of the window into r.rec. If the record is complete,
// recordEnd is the offset just past its line end. If not, recordEnd is the offset of the field or
// stray quote that caused the status.
func (r *Reader) split(window []byte) (recordEnd int, status splitStatus) {
	rec := &r.rec
	rec.Fields, rec.unquoted, rec.LineBreaks = rec.Fields[:0], rec.unquoted[:0], 0
	i := 0
	for {
		start := i
		if i < len(window) && window[i] == '"' {
			end, status := r.readQuoted(window, start)
			if status != recordComplete {
				return start, status
			}
			i = end
		} else {
			for i < len(window) && !r.stopBytes[window[i]] {
				i++
			}
			if i < len(window) && window[i] == '"' {
				return i, strayQuote
			}
			if i-start > MaxFieldBytes {
				return start, tooLong
			}
			rec.Fields = append(rec.Fields, window[start:i])
		}
		if i < len(window) && window[i] == r.delim {
			if len(rec.Fields) == MaxFields {
				return start, tooManyFields
			}
			i++
			continue
		}
		next := afterLineEnd(window, i)
		if next == len(window) && !r.atEOF && (next == i || window[next-1] == '\r') {
			return start, recordPartial
		}
		rec.Text = window[:i]
		return next, recordComplete
	}
}

// afterLineEnd returns the offset just past the line end that begins at window[i], which must be CR
// or LF. If i is the length of window, it returns i.
func afterLineEnd(window []byte, i int) int {
	if i < len(window) && window[i] == '\r' {
		i++
		if i < len(window) && window[i] == '\n' {
			i++
		}
		return i
	}
	return min(i+1, len(window))
}

// readQuoted appends the quoted field that starts at window[start] to the record and returns the
// offset just past its closing quote.
func (r *Reader) readQuoted(window []byte, start int) (end int, status splitStatus) {
	i, doubled, status := closingQuote(window, start, r.atEOF)
	if status != recordComplete {
		return start, status
	}
	text := window[start+1 : i-1]
	if len(text) > MaxFieldBytes {
		return start, tooLong
	}
	breaks := CountLineBreaks(text)
	if i < len(window) && (!r.stopBytes[window[i]] || window[i] == '"') {
		// If the field spans several lines, the quote at i-1 more likely opens the next field, and
		// the closing quote of this field is missing.
		if breaks > 0 {
			return start, unclosedQuote
		}
		return start, strayQuote
	}
	r.rec.LineBreaks += breaks
	if doubled {
		text = r.rec.appendUnescaped(text)
	}
	r.rec.Fields = append(r.rec.Fields, text)
	return i, recordComplete
}

// closingQuote returns the offset just past the quote that closes the quote at window[start], and
// whether there are doubled quotes between them. last is set if the file ends with the window. If
// last is not set, a quote at the end of the window may be the first half of a doubled quote, so
// the status is then recordPartial.
func closingQuote(window []byte, start int, last bool) (end int, doubled bool, status splitStatus) {
	i := start + 1
	for {
		n := bytes.IndexByte(window[i:], '"')
		if n < 0 {
			if last {
				return start, doubled, unclosedQuote
			}
			return start, doubled, recordPartial
		}
		i += n + 1
		if i == len(window) && !last {
			return start, doubled, recordPartial
		}
		if i == len(window) || window[i] != '"' {
			return i, doubled, recordComplete
		}
		doubled = true
		i++
	}
}

// appendUnescaped returns text with each pair of quotes replaced by one. It appends the
// result to r.unquoted.
func (r *Record) appendUnescaped(text []byte) []byte {
	begin := len(r.unquoted)
	for {
		n := bytes.IndexByte(text, '"')
		if n < 0 {
			break
		}
		r.unquoted = append(r.unquoted, text[:n+1]...)
		text = text[n+2:]
	}
	r.unquoted = append(r.unquoted, text...)
	return r.unquoted[begin:len(r.unquoted):len(r.unquoted)]
}

// CountLineBreaks returns the number of line ends in text.
func CountLineBreaks(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	if bytes.IndexByte(text, '\r') >= 0 {
		n += bytes.Count(text, []byte{'\r'}) - bytes.Count(text, []byte("\r\n"))
	}
	return n
}

// FieldLine returns the physical line on which field i begins.
func (r *Record) FieldLine(i int, delim byte) int {
	if r.LineBreaks == 0 {
		return r.Line
	}
	inside := false
	for at, char := range r.Text {
		if i == 0 {
			return r.Line + CountLineBreaks(r.Text[:at])
		}
		if char == '"' {
			inside = !inside
		} else if char == delim && !inside {
			i--
		}
	}
	return r.Line + r.LineBreaks
}

// failAt returns the defect that status stands for, such as a stray quote. offset is the location
// of the defect, counted from the first unread byte. After a stray quote or too many fields,
// reading continues with the next line. After any other defect, nothing more is read.
func (r *Reader) failAt(offset int, status splitStatus) error {
	window := r.buf[r.pos:r.end]
	d := &Defect{
		Line:   r.nextLine + CountLineBreaks(window[:offset]),
		Column: len(r.rec.Fields) + 1,
	}
	switch status {
	case tooManyFields:
		return r.failTooManyFields(d)
	case strayQuote:
		d.Code = CodeStrayQuote
		d.Message = "the field has a quote inside: put the field in quotes, and double each quote in it"
		if err := r.skipThroughLineEnd(offset); err != nil {
			return err
		}
		return d
	case unclosedQuote:
		d.Code, d.Message = CodeUnclosedQuote, "the quote that opens here is never closed"
	case tooLong:
		d.Code, d.Message = CodeTooLong, fmt.Sprintf("the record exceeds %d MiB", MaxRecordBytes>>20)
		if len(window)-offset > MaxFieldBytes {
			d.Message = fmt.Sprintf("the field exceeds %d MiB", MaxFieldBytes>>20)
		}
		if offset < len(window) && window[offset] == '"' {
			d.Code, d.Message = CodeUnclosedQuote, fmt.Sprintf("the quote that opens here is not closed within %d MiB", MaxFieldBytes>>20)
		}
	}
	r.err = io.EOF
	return d
}

// failTooManyFields returns the defect of a record with more than MaxFields fields. It
// skips the record if the record ends within MaxRecordBytes bytes.
func (r *Reader) failTooManyFields(d *Defect) error {
	d.Code, d.Line, d.Column = CodeTooManyColumns, r.nextLine, 0
	fields, ended, err := r.skipRecord()
	if err != nil {
		return err
	}
	more := ""
	if !ended {
		more, fields, r.err = "more than ", fields-1, io.EOF
	}
	d.Message = fmt.Sprintf("the row has %s%s fields; the maximum is %s", more, humanize.Comma(fields), humanize.Comma(MaxFields))
	return d
}

// skipRecord skips the next record and returns its number of fields. If the record does not
// end within MaxRecordBytes bytes, ended is false.
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
				return fields, true, r.skipThroughLineEnd(i)
			}
		}
		size += len(window)
		r.nextLine += CountLineBreaks(window)
		r.pos = r.end
		if r.atEOF {
			return fields, true, nil
		}
		if r.err = r.fill(); r.err != nil {
			return 0, false, r.err
		}
	}
	return fields, false, nil
}

// skipThroughLineEnd skips all bytes through the end of the line that contains the given offset. The
// offset is counted from the first unread byte.
func (r *Reader) skipThroughLineEnd(offset int) error {
	r.nextLine += CountLineBreaks(r.buf[r.pos : r.pos+offset])
	r.pos += offset
	for {
		window := r.buf[r.pos:r.end]
		if n := bytes.IndexAny(window, "\r\n"); n >= 0 && (n+1 < len(window) || r.atEOF) {
			r.pos += afterLineEnd(window, n)
			r.nextLine++
			return nil
		}
		if r.atEOF {
			r.pos = r.end
			return nil
		}
		r.pos = max(r.pos, r.end-1) // keeps a CR at the end, which may be the first half of a CRLF
		if r.err = r.fill(); r.err != nil {
			return r.err
		}
	}
}
