package csvfile

import "bytes"

// splitEscaped splits a line in which each quote within a field follows a backslash. fixed is the
// position of the first field with such a quote. It is -1 if the line is not in this style: if it
// has no such quote, if another quote is misplaced, or if the number of fields is wrong.
func (l *LenientReader) splitEscaped(line []byte) (cells [][]byte, fixed int) {
	if !bytes.Contains(line, []byte(`\"`)) {
		return nil, -1
	}
	l.lineBuffer = append(l.lineBuffer[:0], line...)
	line, l.cells, fixed = l.lineBuffer, l.cells[:0], -1
	for {
		text, next := line, bytes.IndexByte(line, l.delim)
		if len(line) > 0 && line[0] == '"' {
			end := firstUnescapedQuote(line)
			if next = end + 1; end == 0 || next < len(line) && line[next] != l.delim {
				return nil, -1
			}
			if text = line[1:end]; bytes.IndexByte(text, '"') >= 0 {
				text = bytes.ReplaceAll(text, []byte(`\"`), []byte{'"'})
				if fixed < 0 {
					fixed = len(l.cells)
				}
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
	if l.Width > 0 && len(l.cells) != l.Width {
		return nil, -1
	}
	return l.cells, fixed
}

// firstUnescapedQuote returns the offset of the first quote after line[0] that no backslash
// escapes: the number of backslashes before it is even. It returns 0 if there is no such quote.
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
