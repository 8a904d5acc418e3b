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

// Limits for JSON files, which bound the memory of their conversion.
const (
	maxJSONDepth    = 32                // largest depth of nested objects
	maxJSONKeys     = csvfile.MaxFields // largest number of distinct keys of a file, which become columns
	maxJSONKeyBytes = 64 << 20          // largest total size of all distinct keys in bytes
	maxJSONObject   = 2 * maxFieldBytes // largest size of an object in bytes, and of the text between two objects
	maxFieldBytes   = csvfile.MaxRecordBytes
)

// convertJSON converts JSON Lines or a JSON document to CSV. The document must be a list of objects,
// or an object that has a list of objects as a member. Each object becomes a row. A single object
// that also has values such as numbers and texts is a row itself, unless one of its lists has the rows;
// see objectSummary.rowsKey. Keys become columns, in the order of their first appearance.
func (f *sourceFile) convertJSON(ctx context.Context, opts Options) error {
	form, err := f.findJSONRows(ctx)
	if err != nil {
		return err
	}
	keys := &keySet{positions: map[string]int{}, objects: map[string]bool{}, omitted: map[int]bool{}}
	for {
		known, omitted := len(keys.names), len(keys.omitted)
		err := f.convert(ctx, opts, func(w *limitedTempCSV) error { return f.writeJSONRows(form, keys, w) })
		if err != nil {
			return err
		}
		if known == len(keys.names) || known == 0 && !keys.grew {
			if keys.omitNullObjects(); len(keys.omitted) == omitted {
				break
			}
		}
		keys.grew = false
		if err := f.removeTemp(); err != nil {
			return err
		}
		f.warnings = slices.DeleteFunc(f.warnings, func(w csvfile.Warning) bool { return w.Code == CodeNested })
	}
	f.format = form.name
	if form.isGuess {
		f.warn(csvfile.Warning{Code: CodeNested, Message: fmt.Sprintf("the rows are read from the list %s; the other members of the object are ignored", csvfile.Excerpt(form.member))})
	}
	return nil
}

// jsonLayout describes where the rows of a JSON file are.
type jsonLayout struct {
	name    string // the name of the format
	list    bool   // whether the rows are in a list; otherwise they are consecutive values
	member  string // the key of the list in an object; "" if the whole document is the list
	isGuess bool   // whether another member of the object may have the rows
}

func (f *sourceFile) findJSONRows(ctx context.Context) (*jsonLayout, error) {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return nil, err
	}
	defer s.closeQuietly()
	d := newJSONDecoder(cancellable(ctx, s))
	if d.PeekKind() == '[' {
		return &jsonLayout{name: "JSON", list: true}, nil
	}
	first, err := d.summarizeFirstObject()
	if err != nil {
		return nil, d.toDefect(err)
	}
	member, isUsual := first.rowsKey()
	if d.PeekKind() == '{' || member == "" && (first.hasScalar || first.members == 0) {
		return &jsonLayout{name: "JSON Lines"}, nil // an error is returned again when the rows are read
	}
	if member != "" {
		return &jsonLayout{name: "JSON", list: true, member: member, isGuess: len(first.lists) > 1 || !isUsual && first.members > 1}, nil
	}
	what := "columns instead of rows"
	if !first.hasList {
		what = "nested objects instead of a list of rows"
	}
	return nil, &csvfile.Defect{
		Code: CodeNested, Line: 1,
		Message: "this JSON has " + what + `: write a list of rows, in pandas with to_json(path, orient="records", lines=True)`,
	}
}

// objectSummary describes the first object of a document.
type objectSummary struct {
	members   int      // number of members
	lists     []string // the keys of the lists of objects
	longLists []string // the keys of the lists of at least two objects
	hasList   bool     // whether a member is a list
	hasScalar bool     // whether a member is neither a list nor an object
}

// keySet holds the distinct keys of a file in the order of their first appearance.
type keySet struct {
	positions map[string]int
	names     []string
	size      int  // total size of all names in bytes
	grew      bool // whether a key was added after the header was written

	filled  []bool          // by position: whether a row has a value other than null
	objects map[string]bool // the keys that have objects
	omitted map[int]bool    // the positions of the keys that become no column
}

// omitNullObjects omits the keys that have an object in some rows and null in all other rows. Such
// a null is a missing object, and the members of the object already have columns.
func (k *keySet) omitNullObjects() {
	for at, name := range k.names {
		if k.objects[name] && !k.filled[at] {
			k.omitted[at] = true
		}
	}
}

// columns returns the names that become columns.
func (k *keySet) columns() []string {
	var names []string
	for at, name := range k.names {
		if !k.omitted[at] {
			names = append(names, name)
		}
	}
	return names
}

// positionOrAdd returns the position of a key. A new key is added.
func (k *keySet) positionOrAdd(key []byte) (int, error) {
	if at, ok := k.positions[string(key)]; ok {
		return at, nil
	}
	if k.size += len(key); len(k.names) == maxJSONKeys || k.size > maxJSONKeyBytes {
		return 0, &csvfile.Defect{Code: csvfile.CodeTooManyColumns, Message: fmt.Sprintf("the rows have more than %d different keys, and each key would be a column", len(k.names))}
	}
	at := len(k.names)
	k.positions[string(key)] = at
	k.names, k.filled = append(k.names, string(key)), append(k.filled, false)
	return at, nil
}

// writeJSONRows writes a header and the rows to w. The header consists of the keys in keys or, if
// keys is empty, of the keys of the first row. If a later row has further keys, writeJSONRows adds
// them to keys and sets keys.grew. The output then lacks columns and must be discarded.
func (f *sourceFile) writeJSONRows(form *jsonLayout, keys *keySet, w *limitedTempCSV) error {
	s, err := f.openText(ignoreCount)
	if err != nil {
		return err
	}
	defer s.closeQuietly()
	r := &jsonRowReader{jsonDecoder: newJSONDecoder(cancellable(w.ctx, s)), part: f, keys: keys}
	if err := r.skipToRows(form); err != nil {
		return r.toDefect(err)
	}
	width := len(keys.names)
	if width > 0 {
		if err := w.writeRecord(keys.columns(), 0); err != nil {
			return err
		}
	}
	for {
		more, err := r.readRow(form)
		if err != nil {
			return r.toDefect(err)
		}
		if !more {
			break
		}
		if width == 0 {
			if width = len(keys.names); width > 0 {
				err = w.writeRecord(keys.columns(), 0)
			}
			keys.grew = keys.grew || width == 0
		}
		if keys.grew = keys.grew || len(keys.names) > width; keys.grew {
			if w.rows++; w.rows&0x3FF == 0 {
				err = w.ctx.Err()
			}
		} else if err == nil {
			err = r.writeRow(w, width)
		}
		if err != nil {
			return err
		}
	}
	if r.rows == 0 {
		return &csvfile.Defect{Code: csvfile.CodeNoRows, Message: "the list has no objects, so there are no rows", Line: 1}
	}
	return nil
}

// jsonRowReader reads JSON objects as rows.
type jsonRowReader struct {
	*jsonDecoder
	part   *sourceFile
	keys   *keySet
	rows   int
	line   int         // the line of the current row
	cells  []byteRange // by column: the text of the current row's cell
	text   []byte      // the texts of all cells of the current row
	path   []byte      // the key of the current value, with the keys of the objects around it
	warned [2]bool     // whether there was a warning about nested objects, and one about lists
}

// byteRange is a part of jsonRowReader.text. end is 0 if the row lacks the cell.
type byteRange struct{ begin, end int }

func (r *jsonRowReader) skipToRows(form *jsonLayout) error {
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

// readRow reads the next row and reports whether there was one.
func (r *jsonRowReader) readRow(form *jsonLayout) (found bool, err error) {
	r.releaseReadBytes()
	switch kind := r.PeekKind(); {
	case kind == '{':
	case form.list && kind == ']':
		if _, err := r.ReadToken(); err != nil || form.member != "" {
			return false, err
		}
		if _, err := r.ReadToken(); !errors.Is(err, io.EOF) {
			return false, errOrDefect(err, "the document continues after the list of rows")
		}
		return false, nil
	default:
		_, err := r.ReadToken()
		if !form.list && errors.Is(err, io.EOF) {
			return false, nil
		}
		return false, errOrDefect(err, "the row is not an object: write each row as {\"column\": value, …}")
	}
	r.line = 0
	clear(r.cells)
	r.text = append(r.text[:0], 0) // so that the end of a cell is never 0
	r.rows++
	if _, err := r.ReadToken(); err != nil {
		return false, err
	}
	r.line = r.lineAt(r.InputOffset())
	r.path = r.path[:0]
	return true, r.readObject(0)
}

func errOrDefect(err error, message string) error {
	if err != nil {
		return err
	}
	return &csvfile.Defect{Code: CodeInvalidFile, Message: message}
}

// readObject reads the members of an object as cells of the current row. The { of the object has
// been read. r.path is the key of a nested object, and empty for the row itself. depth is the
// number of objects around the object.
func (r *jsonRowReader) readObject(depth int) error {
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
			if depth == maxJSONDepth {
				return &csvfile.Defect{Code: CodeNested, Name: string(r.path), Message: fmt.Sprintf("objects are nested more than %d deep", maxJSONDepth)}
			}
			if !r.keys.objects[string(r.path)] {
				r.keys.objects[string(r.path)] = true
			}
			r.warnOnce(0, "the column has objects, whose keys become columns such as "+string(r.path)+".KEY")
			if _, err := r.ReadToken(); err != nil {
				return err
			}
			if err := r.readObject(depth + 1); err != nil {
				return err
			}
			continue
		}
		if err := r.readCell(); err != nil {
			return err
		}
	}
	_, err := r.ReadToken()
	return err
}

// readCell reads the next value and stores it as the cell of the column r.path.
func (r *jsonRowReader) readCell() error {
	at, err := r.keys.positionOrAdd(r.path)
	if err != nil {
		return err
	}
	for len(r.cells) <= at {
		r.cells = append(r.cells, byteRange{})
	}
	if r.cells[at].end > 0 {
		return &csvfile.Defect{Code: csvfile.CodeDuplicateColumn, Name: string(r.path), Message: "the object has the key " + csvfile.Excerpt(string(r.path)) + " twice"}
	}
	raw, err := r.ReadValue()
	if err != nil {
		return err
	}
	begin := len(r.text)
	switch raw.Kind() {
	case 'n':
		r.cells[at] = byteRange{begin, begin}
		return nil
	case '"':
		r.text, err = jsontext.AppendUnquote(r.text, raw)
	case '[':
		r.warnOnce(1, "the column has lists, which are kept as text such as "+collapseAndTruncate(string(raw)))
		raw = bytes.Clone(raw)
		err = raw.Compact()
		r.text = append(r.text, raw...)
	default:
		r.text = append(r.text, raw...)
	}
	r.cells[at] = byteRange{begin, len(r.text)}
	r.keys.filled[at] = true
	return err
}

// collapseAndTruncate joins the words of text by single spaces and truncates it to 40 bytes.
func collapseAndTruncate(text string) string {
	if text = strings.Join(strings.Fields(text), " "); len(text) > 40 {
		return strings.ToValidUTF8(text[:40], "") + "…"
	}
	return text
}

// warnOnce adds a warning, but only the first one of each kind. kind is an index of
// r.warned.
func (r *jsonRowReader) warnOnce(kind int, message string) {
	if r.warned[kind] {
		return
	}
	r.warned[kind] = true
	r.part.warn(csvfile.Warning{Code: CodeNested, Line: r.line, Name: string(r.path), Message: message})
}

func (r *jsonRowReader) writeRow(w *limitedTempCSV, width int) error {
	for i := range width {
		switch {
		case len(r.keys.omitted) > 0 && r.keys.omitted[i]:
		case i < len(r.cells):
			w.writeField(r.text[r.cells[i].begin:r.cells[i].end])
		default:
			w.writeField(nil)
		}
	}
	return w.endRecord(r.line)
}
