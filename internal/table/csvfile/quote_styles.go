package csvfile

import (
	"bytes"
	"io"
)

// splitStyled splits a line with quotes in one of these styles:
//
//	"a", "b" ,"c"    spaces around a quoted field
//	="007"           a text that Excel must not convert
//	"say \"hi\""     a backslash before each quote within a field, if escaped is set
//
// A field in these styles ends on its line. fixed is the position of the first field with such
// quotes. It is -1 in three cases: if there is no such field, if another quote is misplaced, or if
// the line has a wrong number of fields and the header is not in one of these styles.
func (l *LenientReader) splitStyled(line []byte, escaped bool) (cells [][]byte, fixed int) {
	if escaped && !bytes.Contains(line, []byte(`\"`)) {
		return nil, -1
	}
	l.lineBuffer = append(l.lineBuffer[:0], line...)
	line, l.cells, fixed = l.lineBuffer, l.cells[:0], -1
	for {
		text, next := line, bytes.IndexByte(line, l.delim)
		if begin := openingQuote(line); begin >= 0 {
			var size int
			text, size = textInQuotes(line[begin:], escaped)
			next = len(line) - len(bytes.TrimLeft(line[begin+size:], " "))
			if size == 0 || next < len(line) && line[next] != l.delim {
				return nil, -1
			}
			if fixed < 0 && (begin > 0 || next > begin+size || escaped && bytes.IndexByte(text, '"') >= 0) {
				fixed = len(l.cells)
			}
		} else {
			if next >= 0 {
				text = line[:next]
			}
			if bytes.IndexByte(text, '"') >= 0 {
				return nil, -1
			}
		}
		l.cells = append(l.cells, text)
		if next < 0 || next >= len(line) {
			break
		}
		line = line[next+1:]
	}
	if l.Width > 0 && len(l.cells) != l.Width && !l.isHeaderStyled {
		return nil, -1
	}
	l.isHeaderStyled = l.isHeaderStyled || l.Width == 0 && fixed >= 0
	return l.cells, fixed
}

// openingQuote returns the offset of the quote with which the first field of line begins, after
// spaces and the = of a formula, or -1.
func openingQuote(line []byte) int {
	rest := bytes.TrimPrefix(bytes.TrimLeft(line, " "), []byte{'='})
	if len(rest) == 0 || rest[0] != '"' {
		return -1
	}
	return len(line) - len(rest)
}

// textInQuotes returns the text between line[0], which is a quote, and the closing quote. end is
// the offset just past the closing quote, or 0 if it is missing. If escaped is set, quotes within
// the text follow a backslash; otherwise, they are doubled.
func textInQuotes(line []byte, escaped bool) (text []byte, end int) {
	within, quote := []byte(`""`), []byte{'"'}
	if escaped {
		within, end = []byte(`\"`), firstUnescapedQuote(line)+1
	} else if at, _, status := closingQuote(line, 0, true); status == recordComplete {
		end = at
	}
	if end < 2 {
		return nil, 0
	}
	return bytes.ReplaceAll(line[1:end-1], within, quote), end
}

// firstUnescapedQuote returns the offset of the first quote after line[0] that is not escaped,
// because an even number of backslashes precedes it. It returns 0 if there is no such quote.
func firstUnescapedQuote(line []byte) int {
	escaped := false
	for i := 1; i < len(line); i++ {
		switch {
		case escaped:
			escaped = false
		case line[i] == '\\':
			escaped = true
		case line[i] == '"':
			return i
		}
	}
	return 0
}

// textOfFormula returns the text of a field such as ="007". ok is false for other fields.
func textOfFormula(field []byte) (text []byte, ok bool) {
	if !bytes.HasPrefix(field, []byte(`="`)) {
		return nil, false
	}
	text, end := textInQuotes(field[1:], false)
	return text, 1+end == len(field)
}

// readSingleQuotes makes the reader accept single quotes if the first line of the file uses them,
// as in 'id','size','class'. Single and double quotes are then exchanged when the file is read, and
// exchanged back in the fields.
func (l *LenientReader) readSingleQuotes() {
	r := l.Reader
	head := r.buf[r.pos:r.end]
	line := bytes.TrimLeft(head, "\r\n")
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	line = bytes.TrimRight(line, " ")
	if !bytes.HasPrefix(line, []byte{'\''}) || !bytes.HasSuffix(line, []byte{'\''}) || !bytes.Contains(line, []byte{'\'', l.delim}) {
		return
	}
	l.areSingleQuotes = true
	exchangeQuotes(head)
	r.src = quoteExchanger{r.src}
	l.onFix(FixSingleQuotes, 1, 0)
}

// quoteExchanger exchanges single and double quotes in what it reads.
type quoteExchanger struct{ src io.Reader }

func (e quoteExchanger) Read(p []byte) (int, error) {
	n, err := e.src.Read(p)
	exchangeQuotes(p[:n])
	return n, err
}

func exchangeQuotes(text []byte) {
	for i, char := range text {
		if char == '"' || char == '\'' {
			text[i] = '"' ^ '\'' ^ char
		}
	}
}
