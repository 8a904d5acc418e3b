package frame

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"foretell/internal/humanize"
)

// table reads a CSV file with a header: records as long as the header.
type table struct {
	reader     *Reader
	names      []string // the header's names, without surrounding spaces
	header     []byte   // the header as it is in the file
	line       int      // the header's line
	rows       int      // data records read
	sinceCheck int      // fields read since next checked its context
}

// openTable reads the header. A *Defect describes what is wrong with it.
func openTable(reader *Reader) (*table, error) {
	rec, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Defect{Code: CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
	}
	if err != nil {
		return nil, err
	}
	t := &table{reader: reader, line: rec.startLine, header: bytes.Clone(rec.text)}
	for _, field := range rec.fields {
		t.names = append(t.names, string(trim(field)))
	}
	return t, nil
}

// next returns the next data record, a *Defect that names its column, or
// io.EOF.
func (t *table) next(ctx context.Context) (*Record, error) {
	const often = 1 << 14 // fields
	if t.sinceCheck += len(t.names); t.sinceCheck >= often {
		if t.sinceCheck = 0; ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	rec, err := t.reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	t.rows++
	var defect *Defect
	switch {
	case errors.As(err, &defect):
		if !t.reader.done() || errors.Is(t.reader.err, io.EOF) { // otherwise the source sets its own names
			defect.Name = t.name(defect.Column)
		}
		return nil, defect
	case err != nil:
		return nil, err
	case len(rec.fields) != len(t.names):
		return nil, t.ragged(rec)
	}
	return rec, nil
}

func (t *table) ragged(rec *Record) *Defect {
	want, got := len(t.names), len(rec.fields)
	at := min(want, got)
	d := &Defect{
		Code: CodeRaggedRow, Line: rec.startLine, Column: at + 1, Name: t.name(at + 1),
		Message: fmt.Sprintf("expected %d fields, got %d", want, got),
	}
	if rec.lineBreaks > 0 {
		d.Message += fmt.Sprintf(" (the record reaches to line %d: is a quote never closed?)", rec.startLine+rec.lineBreaks)
	}
	return d
}

// name returns the name of the column with a number from 1.
func (t *table) name(column int) string {
	if column < 1 || column > len(t.names) {
		return ""
	}
	return t.names[column-1]
}

// find returns the position of the column with a name, -1 if there is none.
func (t *table) find(name string) int {
	for i, one := range t.names {
		if one == name {
			return i
		}
	}
	return -1
}

// defect returns a defect of the header's cell at a position.
func (t *table) defect(code string, at int, format string, args ...any) Defect {
	return Defect{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: t.line, Column: at + 1, Name: t.name(at + 1),
	}
}

// The minimum number of columns.
const (
	minLabelledColumns = 3
	minBlindColumns    = 2
)

// checkHeader returns the defects of the header of a file that needs at least the given
// number of columns. The ID may have no name, as some tools write it.
func (t *table) checkHeader(columns int) []Defect {
	if n := len(t.names); n < columns {
		roles := "an ID first and a feature"
		if columns == minLabelledColumns {
			roles = "an ID first, a feature and the label last"
		}
		d := t.defect(CodeTooFewColumns, n-1, "%s, need at least %d: %s", humanize.Count(n, "column"), columns, roles)
		if other := likelyDelimiter(t.header); other != 0 {
			d.Message += fmt.Sprintf(" (are the fields separated by %q?)", other)
		}
		return []Defect{d}
	}
	if t.allNumeric() {
		return []Defect{t.defect(CodeNoHeader, 0, "the first row holds numbers only: the file needs a header row that names the columns")}
	}
	var defects []Defect
	first := make(map[string]int, len(t.names))
	for i, name := range t.names {
		before, known := first[name]
		switch {
		case name == "" && i > 0:
			defects = append(defects, t.defect(CodeUnnamedColumn, i, "the column has no name"))
		case known:
			defects = append(defects, t.defect(CodeDuplicateColumn, i, "column %d has the same name", before+1))
		default:
			first[name] = i
		}
	}
	return defects
}

func (t *table) allNumeric() bool {
	for _, name := range t.names {
		if kind, _ := classify([]byte(name)); kind != number {
			return false
		}
	}
	return true
}

// likelyDelimiter returns the delimiter other than a comma that is most frequent in the
// header, 0 if none occurs.
func likelyDelimiter(header []byte) byte {
	best, most := byte(0), 0
	for _, delim := range []byte(";\t|") {
		if n := bytes.Count(header, []byte{delim}); n > most {
			best, most = delim, n
		}
	}
	return best
}

// headerAsRow returns the first record of a file without a header.
func (t *table) headerAsRow() *Record {
	row := &Record{startLine: t.line, text: t.header, lineBreaks: countLineBreaks(t.header)}
	for _, name := range t.names {
		row.fields = append(row.fields, []byte(name))
	}
	return row
}

// CountRows returns the number of rows of a CSV after its header. It is an error if one
// has another number of fields.
func CountRows(ctx context.Context, src io.Reader) (int, error) {
	t, err := openTable(NewReader(src, ','))
	if err != nil {
		return 0, err
	}
	for rows := 0; ; rows++ {
		_, err := t.next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
	}
}
