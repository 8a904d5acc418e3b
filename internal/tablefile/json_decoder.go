package tablefile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"foretell/internal/table/csvfile"
)

// jsonDecoder is a JSON decoder that knows the lines of its input.
type jsonDecoder struct {
	*jsontext.Decoder
	src *lineReader
}

func newJSONDecoder(src io.Reader) *jsonDecoder {
	in := bufio.NewReaderSize(src, headSize)
	if mark, _ := in.Peek(3); string(mark) == "\xEF\xBB\xBF" { // a later Read returns the error
		_, _ = in.Discard(3)
	}
	lines := &lineReader{src: &nonFiniteReader{src: in}, line: 1}
	return &jsonDecoder{Decoder: jsontext.NewDecoder(lines), src: lines}
}

func (d *jsonDecoder) summarizeFirstObject() (first objectSummary, err error) {
	if _, err := d.ReadToken(); err != nil {
		return first, err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return first, err
		}
		key, kind := name.String(), d.PeekKind()
		first.members++
		if kind == '[' {
			first.hasList = true
			if _, err := d.ReadToken(); err != nil {
				return first, err
			}
			if d.PeekKind() == '{' {
				first.lists = append(first.lists, key)
				if err := d.skipValue(0); err != nil {
					return first, err
				}
				if d.PeekKind() == '{' {
					first.longLists = append(first.longLists, key)
				}
			}
			if err := d.skipValue(1); err != nil {
				return first, err
			}
			continue
		}
		first.hasScalar = first.hasScalar || kind != '{'
		if err := d.skipValue(0); err != nil {
			return first, err
		}
	}
	_, err = d.ReadToken()
	return first, err
}

// rowsKey returns the key of the list that has the rows, or "" if there is no such list. It is the
// first of the usual keys, such as data and results. isUsual is set if it is data, rows or records.
// Without a usual key, it is the first list of an object that has only lists and objects. In an
// object that also has other values, such as a count or a title, it is the only list of several
// objects. A list of one object does not count there: the whole object is then more likely a row.
func (s *objectSummary) rowsKey() (key string, isUsual bool) {
	for i, usual := range []string{"data", "rows", "records", "results", "items", "value", "values", "entries"} {
		for _, key := range s.lists {
			if strings.EqualFold(key, usual) {
				return key, i < 3
			}
		}
	}
	switch {
	case !s.hasScalar && len(s.lists) > 0:
		return s.lists[0], false
	case len(s.longLists) == 1:
		return s.longLists[0], false
	}
	return "", false
}

// skipValue skips the next value if open is 0, or the rest of the current list or object if
// open is 1.
func (d *jsonDecoder) skipValue(open int) error {
	for depth := open; ; {
		token, err := d.ReadToken()
		if err != nil {
			return err
		}
		d.releaseReadBytes()
		switch token.Kind() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// toDefect converts an error about the JSON text to a *csvfile.Defect with its line. It
// returns other errors unchanged.
func (d *jsonDecoder) toDefect(err error) error {
	var defect *csvfile.Defect
	var syntax *jsontext.SyntacticError
	switch {
	case errors.As(err, &defect):
		if defect.Line == 0 {
			defect.Line = d.lineAt(d.InputOffset())
		}
		return defect
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &csvfile.Defect{Code: CodeInvalidFile, Line: d.lineAt(d.InputOffset()), Message: "invalid JSON: the file ends within a value; perhaps it is cut off"}
	case errors.As(err, &syntax):
		defect = &csvfile.Defect{Code: CodeInvalidFile, Line: d.lineAt(syntax.ByteOffset), Message: "invalid JSON: " + syntax.Err.Error()}
		if errors.Is(err, jsontext.ErrDuplicateName) {
			defect.Code, defect.Name = csvfile.CodeDuplicateColumn, syntax.JSONPointer.LastToken()
			defect.Message = "the object has the key " + csvfile.Excerpt(defect.Name) + " twice"
		}
		return defect
	}
	return err
}

// releaseReadBytes allows d.src to drop the bytes of all values read so far. After this
// call, lineAt must not be called with an offset in these bytes.
func (d *jsonDecoder) releaseReadBytes() {
	d.src.released = d.InputOffset()
	if d.src.released-d.src.offset > headSize {
		d.lineAt(d.src.released)
	}
}

// lineAt returns the line of an offset in the input. From call to call, the offset must
// not decrease.
func (d *jsonDecoder) lineAt(offset int64) int { return d.src.lineAt(offset) }

// lineReader reads the input of a JSON decoder and keeps the bytes until their lines are
// counted.
type lineReader struct {
	src      io.Reader
	kept     []byte // bytes that were read last
	counted  int    // number of bytes of kept whose lines are counted
	offset   int64  // the offset of kept[counted]
	line     int    // the line of kept[counted]
	released int64  // offset of the end of the values that were released
}

// Read implements io.Reader. It returns a *csvfile.Defect if a row is too long.
func (r *lineReader) Read(p []byte) (int, error) {
	if r.offset+int64(len(r.kept)-r.counted)-r.released > maxJSONObject {
		return 0, &csvfile.Defect{Code: csvfile.CodeTooLong, Message: fmt.Sprintf("the row exceeds %d MiB", maxJSONObject>>20)}
	}
	r.kept = append(r.kept[:0], r.kept[r.counted:]...)
	r.counted = 0
	n, err := r.src.Read(p)
	r.kept = append(r.kept, p[:n]...)
	return n, err
}

func (r *lineReader) lineAt(offset int64) int {
	if n := int(min(offset-r.offset, int64(len(r.kept)-r.counted))); n > 0 {
		r.line += bytes.Count(r.kept[r.counted:r.counted+n], []byte{'\n'})
		r.counted += n
		r.offset += int64(n)
	}
	return r.line
}
