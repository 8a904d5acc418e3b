package csvfile

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// The codes of the corrections of a LenientReader. They never change.
const (
	FixEncoding      = "cell-encoding"
	FixByteOrderMark = "byte-order-mark"
	FixLineEnds      = "line-ends"
	FixNUL           = "nul-removed"
	FixQuotes        = "quotes"
	FixEscapes       = "quote-escapes"
	FixSingleQuotes  = "single-quotes"
	FixEmptyLine     = "empty-line-kept"
)

// LenientReader reads records like a Reader, and corrects records that a Reader rejects:
//
//	5" pipe              a quote in a field is kept
//	"say "hi"",x         a quote closes a field only where the field may end
//	"lost,x              a quote that is not closed in its line is removed
//	"say \"hi\"",x       a backslash before a quote is removed
//	"a", "b"             spaces around a quoted field are removed
//	="007",x             the field is the text in the quotes
//	'a','b'              single quotes are removed if the first line has them
//	a lone CR            is a line end
//	a NUL                is removed
//	an empty line        is a row without a value if Width is 1 and a record follows
//
// A quoted field may span several lines if its quotes stand directly beside the delimiters. If the
// record then has a wrong number of fields, but its first line alone has the right number, only the
// first line is taken as the record.
type LenientReader struct {
	*Reader
	Width           int // expected number of fields of a record; 0 if unknown
	emptyLines      int // empty lines before the next record that are rows, because Width is 1
	lineBuffer      []byte
	cells           [][]byte // the fields of a record that is read as a single line
	onFix           func(code string, line, column int)
	isHeaderStyled  bool // the header, which is read before Width is set, has a style that splitStyled reads
	areSingleQuotes bool // set by readSingleQuotes
	quotesLine      int  // line of the last record for which FixQuotes was reported
	firstDecoded    string
}

// FirstDecoded returns the first field that was decoded as Windows-1252, or "" if there was none.
func (l *LenientReader) FirstDecoded() string { return l.firstDecoded }

// NewLenientReader returns a LenientReader on src whose fields are separated by delim. It calls
// onFix for each correction; column is 0 for a correction of the whole record. onFix must not be
// nil.
func NewLenientReader(src io.Reader, delim byte, onFix func(code string, line, column int)) *LenientReader {
	return &LenientReader{Reader: NewReader(src, delim), onFix: onFix}
}

// Next returns the fields of the next record and the line on which it begins. The fields
// are valid until the next call. After the last record, the error is io.EOF. A *Defect is
// an error in the file that cannot be corrected.
func (l *LenientReader) Next() (fields [][]byte, line int, err error) {
	r := l.Reader
	if !r.opened {
		r.opened = true
		if err := r.startReading(); err != nil {
			return nil, 1, err
		}
		if r.pos > 0 {
			l.onFix(FixByteOrderMark, 1, 0)
		}
		l.readSingleQuotes()
	}
	for r.err == nil {
		window := r.buf[r.pos:r.end]
		if len(window) == 0 && r.atEOF {
			return nil, r.nextLine, io.EOF
		}
		if l.emptyLines > 0 && len(window) > 0 && window[0] != '\n' && window[0] != '\r' {
			line = r.nextLine - l.emptyLines
			l.emptyLines--
			l.onFix(FixEmptyLine, line, 0)
			return [][]byte{nil}, line, nil
		}
		line = r.nextLine
		at, status := r.split(window)
		if status == recordPartial && len(window)-at <= MaxFieldBytes && len(window) <= MaxRecordBytes {
			r.err = r.fill()
			continue
		}
		if status == recordComplete && !l.mayBeSeveralRecords() {
			if at >= 2 && window[at-1] == '\n' && window[at-2] == '\r' || at >= 1 && window[at-1] == '\r' {
				l.onFix(FixLineEnds, line, 0)
			}
			r.pos += at
			r.nextLine += r.rec.LineBreaks + 1
			if len(r.rec.Text) == 0 {
				if l.Width == 1 {
					l.emptyLines++
				}
				continue
			}
			return l.cleanFields(r.rec.Fields, line), line, nil
		}
		fields, more, err := l.readAsLine(at, status)
		switch {
		case err != nil:
			return nil, line, err
		case more:
			continue
		}
		return l.cleanFields(fields, line), line, nil
	}
	return nil, r.nextLine, r.err
}

// mayBeSeveralRecords reports whether the record in l.rec may be several records that a stray quote
// has joined, because it spans several lines and has a wrong number of fields.
func (l *LenientReader) mayBeSeveralRecords() bool {
	return l.Width > 0 && l.rec.LineBreaks > 0 && len(l.rec.Fields) != l.Width
}

// readAsLine returns the fields of the next line. end and status are the results of split for the
// record that begins with this line. If split found a complete record and the line does not have
// Width fields, readAsLine returns the fields of the record instead.
//
// If the buffer does not contain the whole line, readAsLine reads more of the file and returns more
// = true. The caller must then call split again.
func (l *LenientReader) readAsLine(end int, status splitStatus) (fields [][]byte, more bool, err error) {
	r := l.Reader
	window := r.buf[r.pos:r.end]
	n := bytes.IndexAny(window, "\r\n")
	if n < 0 && r.atEOF {
		n = len(window)
	}
	if n < 0 || n+1 >= len(window) && !r.atEOF {
		if len(window) > MaxRecordBytes {
			return nil, false, &Defect{
				Code: CodeTooLong, Line: r.nextLine, Column: 1,
				Message: fmt.Sprintf("the line exceeds %d MiB: are the line ends missing?", MaxRecordBytes>>20),
			}
		}
		r.err = r.fill()
		return nil, true, nil
	}
	code := FixEscapes
	cells, fixed := l.splitStyled(window[:n], true)
	if fixed < 0 {
		code = FixQuotes
		cells, fixed = l.splitStyled(window[:n], false)
	}
	if fixed < 0 {
		cells, fixed = l.splitLenient(window[:n])
	}
	if status == recordComplete && len(cells) != l.Width {
		r.pos += end
		r.nextLine += r.rec.LineBreaks + 1
		return r.rec.Fields, false, nil
	}
	if fixed >= 0 {
		if code == FixQuotes {
			l.quotesLine = r.nextLine
		}
		l.onFix(code, r.nextLine, fixed+1)
	}
	r.pos += afterLineEnd(window, n)
	r.nextLine++
	return cells, false, nil
}

// splitLenient splits a line into fields. fixed is the position of the first field whose
// quotes were invalid, or -1.
func (l *LenientReader) splitLenient(line []byte) (cells [][]byte, fixed int) {
	l.lineBuffer = append(l.lineBuffer[:0], line...)
	line, l.cells, fixed = l.lineBuffer, l.cells[:0], -1
	for {
		begin, end, next := 0, 0, 0
		if l.isHeaderStyled {
			line = bytes.TrimLeft(line, " ")
		}
		if len(line) > 0 && line[0] == '"' {
			begin = 1
			end, next = closingQuoteOnLine(line, l.delim, l.isHeaderStyled)
		}
		if end == 0 {
			if end = bytes.IndexByte(line[begin:], l.delim) + begin; end < begin {
				end = len(line)
			}
			next = end
		}
		text := line[begin:end]
		if quoted := next > end; bytes.IndexByte(text, '"') >= 0 || begin == 1 && !quoted {
			rest := text
			if quoted {
				text = bytes.ReplaceAll(text, []byte(`""`), []byte{'"'})
				rest = bytes.ReplaceAll(line[begin:end], []byte(`""`), nil)
			}
			if fixed < 0 && (!quoted || bytes.IndexByte(rest, '"') >= 0) {
				fixed = len(l.cells)
			}
		}
		l.cells = append(l.cells, text)
		if next >= len(line) {
			return l.cells, fixed
		}
		line = line[next+1:]
	}
}

// closingQuoteOnLine returns the offset of the quote that closes the field starting at line[0], and
// the offset of the delimiter or line end after it. This is the first quote directly before delim
// or the line end; if spaces is true, there may be spaces in between. If there is no such quote,
// closingQuoteOnLine returns 0, 0.
func closingQuoteOnLine(line []byte, delim byte, spaces bool) (quote, next int) {
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		rest := line[i+1:]
		if spaces {
			rest = bytes.TrimLeft(rest, " ")
		}
		if len(rest) == 0 || rest[0] == delim {
			return i, len(line) - len(rest)
		}
		if line[i+1] == '"' {
			i++
		}
	}
	return 0, 0
}

// cleanFields undoes the exchange of readSingleQuotes, replaces formulas such as ="007" with their
// texts, removes NUL bytes, and decodes fields that are not valid UTF-8 as Windows-1252, which
// includes Latin-1.
func (l *LenientReader) cleanFields(fields [][]byte, line int) [][]byte {
	for i, field := range fields {
		if l.areSingleQuotes {
			exchangeQuotes(field)
		}
		if text, ok := textOfFormula(field); ok {
			field, fields[i] = text, text
			if l.quotesLine != line { // once for each row
				l.onFix(FixQuotes, line, i+1)
				l.quotesLine = line
			}
		}
		if bytes.IndexByte(field, 0) >= 0 {
			field = bytes.ReplaceAll(field, []byte{0}, nil)
			fields[i] = field
			l.onFix(FixNUL, line, i+1)
		}
		if utf8.Valid(field) {
			continue
		}
		var text []byte
		for _, c := range field {
			text = utf8.AppendRune(text, charmap.Windows1252.DecodeByte(c))
		}
		fields[i] = text
		if l.firstDecoded == "" {
			l.firstDecoded = string(text)
		}
		l.onFix(FixEncoding, line, i+1)
	}
	return fields
}
