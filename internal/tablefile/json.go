package tablefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"foretell/internal/table/csvfile"
)

// Limits of JSON, which bound the memory.
const (
	maxDepth   = 32                // of objects in objects
	maxKeys    = csvfile.MaxFields // different keys of a file, as they become columns
	maxKeyText = 64 << 20          // bytes of these
	maxObject  = 2 * maxField      // bytes of an object, and between two objects
	maxField   = csvfile.MaxRecordBytes
)

// convertJSON reads JSON Lines, or the one list of objects in a JSON document: the
// document itself or a member of it. Objects are the rows, keys the columns in the
// order of their first appearance.
func (p *sourceFile) convertJSON(ctx context.Context, opts Options) error {
	form, err := p.jsonForm(ctx)
	if err != nil {
		return err
	}
	keys := &keySet{at: map[string]int{}}
	for {
		known := len(keys.names)
		err := p.convert(ctx, opts, func(w *csvFile) error { return p.jsonRows(form, keys, w) })
		if err != nil {
			return err
		}
		if known == len(keys.names) || known == 0 && !keys.grew {
			break
		}
		keys.grew = false
		if err := p.discard(); err != nil {
			return err
		}
		p.warnings = slices.DeleteFunc(p.warnings, func(w csvfile.Warning) bool { return w.Code == CodeNested })
	}
	p.format = form.name
	return nil
}

// jsonForm is the location of the rows of a document.
type jsonForm struct {
	name   string // of the format
	list   bool   // the rows are in a list, otherwise consecutive values
	member string // key of the list in an object; "" for the document itself
}

// jsonForm determines the location of the rows.
func (p *sourceFile) jsonForm(ctx context.Context) (*jsonForm, error) {
	s, err := p.content(noCount)
	if err != nil {
		return nil, err
	}
	defer s.discard()
	d := newJSONDecoder(cancellable(ctx, s))
	if d.PeekKind() == '[' {
		return &jsonForm{name: "JSON", list: true}, nil
	}
	first, err := d.firstObject()
	if err != nil {
		return nil, d.fault(err)
	}
	if kind := d.PeekKind(); kind == '{' || first.list == "" && first.columns == 0 {
		return &jsonForm{name: "JSON Lines"}, nil // an error comes again when it is read
	}
	if first.list != "" {
		return &jsonForm{name: "JSON", list: true, member: first.list}, nil
	}
	return nil, &csvfile.Defect{
		Code: CodeNested, Line: 1,
		Message: `this is JSON of whole columns, not of rows: write rows, in pandas with to_json(path, orient="records", lines=True)`,
	}
}

// firstObject describes the first object of a document.
type firstObject struct {
	list    string // key of the first list of objects
	columns int    // members that are lists of values, or objects, if there is no other member
}

// keySet are the keys of a file in the order of their first appearance.
type keySet struct {
	at    map[string]int
	names []string
	size  int
	grew  bool // a key was added after the header was written
}

// find returns the position of a key, which may be new.
func (k *keySet) find(key []byte) (int, error) {
	if at, ok := k.at[string(key)]; ok {
		return at, nil
	}
	if k.size += len(key); len(k.names) == maxKeys || k.size > maxKeyText {
		return 0, &csvfile.Defect{Code: csvfile.CodeTooManyColumns, Message: fmt.Sprintf("more than %d different keys: each would be a column", len(k.names))}
	}
	at := len(k.names)
	k.at[string(key)] = at
	k.names = append(k.names, string(key))
	return at, nil
}

// jsonRows writes the rows. The header has the keys known before, or those of the first
// row; if there are more, the output is discarded.
func (p *sourceFile) jsonRows(form *jsonForm, keys *keySet, w *csvFile) error {
	s, err := p.content(noCount)
	if err != nil {
		return err
	}
	defer s.discard()
	r := &jsonRow{jsonDecoder: newJSONDecoder(cancellable(w.ctx, s)), part: p, keys: keys}
	if err := r.skipToRows(form); err != nil {
		return r.fault(err)
	}
	width := len(keys.names)
	if width > 0 {
		if err := w.record(keys.names, 0); err != nil {
			return err
		}
	}
	for {
		more, err := r.read(form)
		if err != nil {
			return r.fault(err)
		}
		if !more {
			break
		}
		if width == 0 {
			if width = len(keys.names); width > 0 {
				err = w.record(keys.names, 0)
			}
			keys.grew = keys.grew || width == 0
		}
		if keys.grew = keys.grew || len(keys.names) > width; keys.grew {
			if w.rows++; w.rows&0x3FF == 0 {
				err = w.ctx.Err()
			}
		} else if err == nil {
			err = r.write(w, width)
		}
		if err != nil {
			return err
		}
	}
	if r.rows == 0 {
		return &csvfile.Defect{Code: csvfile.CodeNoRows, Message: "there are no objects in the list, so there are no rows", Line: 1}
	}
	return nil
}

// jsonRow reads objects as rows.
type jsonRow struct {
	*jsonDecoder
	part  *sourceFile
	keys  *keySet
	rows  int
	line  int     // of the row
	cells []span  // by column
	text  []byte  // of the cells
	path  []byte  // key of the value that is read
	noted [2]bool // warned of nested objects, of lists
}

// span is a part of a row's text; end is 0 for a missing cell.
type span struct{ begin, end int }

// skipToRows skips to the first row.
func (r *jsonRow) skipToRows(form *jsonForm) error {
	if !form.list {
		return nil
	}
	if form.member != "" {
		if _, err := r.ReadToken(); err != nil {
			return err
		}
		for {
			name, err := r.ReadToken()
			if err != nil {
				return err
			}
			if name.String() == form.member {
				break
			}
			if err := r.skipValue(0); err != nil {
				return err
			}
		}
	}
	_, err := r.ReadToken()
	return err
}

// read reads the next row, and reports whether there is one.
func (r *jsonRow) read(form *jsonForm) (bool, error) {
	r.release()
	switch kind := r.PeekKind(); {
	case kind == '{':
	case form.list && kind == ']':
		if _, err := r.ReadToken(); err != nil || form.member != "" {
			return false, err
		}
		if _, err := r.ReadToken(); !errors.Is(err, io.EOF) {
			return false, orDefect(err, "more behind the list of rows")
		}
		return false, nil
	default:
		_, err := r.ReadToken()
		if !form.list && errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, orDefect(err, "a row that is no object: each row is written {\"column\": value, …}")
	}
	r.line = 0
	clear(r.cells)
	r.text = append(r.text[:0], 0) // so that no cell ends at 0
	r.rows++
	if _, err := r.ReadToken(); err != nil {
		return false, err
	}
	r.line = r.lineAt(r.InputOffset())
	r.path = r.path[:0]
	return true, r.object(0)
}

func orDefect(err error, message string) error {
	if err != nil {
		return err
	}
	return &csvfile.Defect{Code: CodeInvalidFile, Message: message}
}

// object reads an object to its end. path is its key.
func (r *jsonRow) object(depth int) error {
	prefix := len(r.path)
	for r.PeekKind() != '}' {
		name, err := r.ReadValue()
		if err != nil {
			return err
		}
		r.path = r.path[:prefix]
		if prefix > 0 {
			r.path = append(r.path, '.')
		}
		if r.path, err = jsontext.AppendUnquote(r.path, name); err != nil {
			return err
		}
		if r.PeekKind() == '{' {
			if depth == maxDepth {
				return &csvfile.Defect{Code: CodeNested, Name: string(r.path), Message: fmt.Sprintf("objects in objects, more than %d deep", maxDepth)}
			}
			r.note(0, "it holds objects: their keys are columns such as "+string(r.path)+".KEY")
			if _, err := r.ReadToken(); err != nil {
				return err
			}
			if err := r.object(depth + 1); err != nil {
				return err
			}
			continue
		}
		if err := r.value(); err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// value reads a cell.
func (r *jsonRow) value() error {
	at, err := r.keys.find(r.path)
	if err != nil {
		return err
	}
	for len(r.cells) <= at {
		r.cells = append(r.cells, span{})
	}
	if r.cells[at].end > 0 {
		return &csvfile.Defect{Code: csvfile.CodeDuplicateColumn, Name: string(r.path), Message: "the key is twice in the object"}
	}
	raw, err := r.ReadValue()
	if err != nil {
		return err
	}
	begin := len(r.text)
	switch raw.Kind() {
	case 'n':
	case '"':
		r.text, err = jsontext.AppendUnquote(r.text, raw)
	case '[':
		r.note(1, "it holds lists: they are kept as text such as "+shorten(string(raw)))
		raw = bytes.Clone(raw)
		err = raw.Compact()
		r.text = append(r.text, raw...)
	default:
		r.text = append(r.text, raw...)
	}
	r.cells[at] = span{begin, len(r.text)}
	return err
}

func shorten(text string) string {
	if text = strings.Join(strings.Fields(text), " "); len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// note warns of the first value of a kind.
func (r *jsonRow) note(kind int, message string) {
	if r.noted[kind] {
		return
	}
	r.noted[kind] = true
	r.part.warn(csvfile.Warning{Code: CodeNested, Line: r.line, Name: string(r.path), Message: message})
}

// write writes the row.
func (r *jsonRow) write(w *csvFile, width int) error {
	for i := range width {
		if i < len(r.cells) {
			w.field(r.text[r.cells[i].begin:r.cells[i].end])
		} else {
			w.field(nil)
		}
	}
	return w.end(r.line)
}
