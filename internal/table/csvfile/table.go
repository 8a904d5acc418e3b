package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
)

// Table reads a CSV file with a header. Every record must have as many fields as the header.
type Table struct {
	Reader     *Reader
	Names      []string // the header's names, without surrounding spaces
	RawNames   []string // the header's names, with surrounding spaces
	Header     []byte   // the header as it is in the file
	HeaderLine int      // the header's line
	Rows       int      // data records read
	sinceCheck int      // fields read since Next checked its context
}

// OpenTable reads the header and returns the table. A *Defect describes an error in the
// header.
func OpenTable(reader *Reader) (*Table, error) {
	rec, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, &Defect{Code: CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
	}
	if err != nil {
		return nil, err
	}
	t := &Table{Reader: reader, HeaderLine: rec.Line, Header: bytes.Clone(rec.Text)}
	for _, field := range rec.Fields {
		t.Names = append(t.Names, string(cells.Trim(field)))
		t.RawNames = append(t.RawNames, string(field))
	}
	return t, nil
}

// Next returns the next data record, or io.EOF after the last. A *Defect describes an error
// in the record, with the name of the column.
func (t *Table) Next(ctx context.Context) (*Record, error) {
	const often = 1 << 14 // number of fields between two checks of ctx
	if t.sinceCheck += len(t.Names); t.sinceCheck >= often {
		if t.sinceCheck = 0; ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	rec, err := t.Reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	t.Rows++
	var defect *Defect
	switch {
	case errors.As(err, &defect):
		if !t.Reader.Done() || errors.Is(t.Reader.err, io.EOF) { // a defect that the source returned already has its name
			defect.Name = t.ColumnName(defect.Column)
		}
		return nil, defect
	case err != nil:
		return nil, err
	case len(rec.Fields) != len(t.Names):
		return nil, RaggedRowDefect(t.Names, rec)
	}
	return rec, nil
}

// RaggedRowDefect returns the defect of a record with more or fewer fields than names, the header.
func RaggedRowDefect(names []string, rec *Record) *Defect {
	want, got := len(names), len(rec.Fields)
	at := min(want, got)
	d := &Defect{
		Code: CodeRaggedRow, Line: rec.Line, Column: at + 1,
		Message: fmt.Sprintf("expected %d fields, got %d", want, got),
	}
	if at < want {
		d.Name = names[at]
	}
	if rec.LineBreaks > 0 {
		d.Message += fmt.Sprintf(" (the record ends in line %d: is a quote not closed?)", rec.Line+rec.LineBreaks)
	}
	return d
}

// NextLine returns the physical line on which the next record begins, from 1.
func (t *Table) NextLine() int { return t.Reader.nextLine }

// ColumnName returns the name of a column, which is numbered from 1. It is empty if there is
// no such column.
func (t *Table) ColumnName(column int) string {
	if column < 1 || column > len(t.Names) {
		return ""
	}
	return t.Names[column-1]
}

// ColumnIndex returns the position of the first column with the name, or -1.
func (t *Table) ColumnIndex(name string) int {
	for i, one := range t.Names {
		if one == name {
			return i
		}
	}
	return -1
}

// HeaderDefect returns a defect of the header. The parameter at is the position of the column, from
// 0, or -1 if the defect is not in one column.
func (t *Table) HeaderDefect(code string, at int, format string, args ...any) Defect {
	return Defect{
		Code: code, Message: fmt.Sprintf(format, args...),
		Line: t.HeaderLine, Column: at + 1, Name: t.ColumnName(at + 1),
	}
}

// MaxRows is the largest number of rows of a training file, because the engine numbers rows with int32.
const MaxRows = math.MaxInt32

// TooManyRowsDefect returns a defect if rows exceeds limit, otherwise nil.
func (t *Table) TooManyRowsDefect(rows, limit int) *Defect {
	if rows <= limit {
		return nil
	}
	d := t.HeaderDefect(CodeTooManyRows, -1, "the file has more than %s rows, the limit of a training file: use a sample of the rows", humanize.Comma(limit))
	return &d
}

// The minimum number of columns of a training file and of a blind file.
const (
	MinLabelledColumns = 3
	MinBlindColumns    = 2
)

// The maximum lengths of the names of columns and of labels, in characters. Descriptions of datasets
// and models repeat each name, and each row of a result repeats a label. The column of the
// probabilities of a class has the label in its name.
const (
	MaxNameLength  = 1_000
	MaxLabelLength = 500
)

// CheckHeader returns the defects of the header: fewer than minColumns columns, numbers instead of
// names, missing or duplicate names, and names of more than maxName characters. The first column
// may have no name, because some tools write none for an ID.
func (t *Table) CheckHeader(minColumns, maxName int) []Defect {
	if n := len(t.Names); n < minColumns {
		roles := "an ID first and a feature"
		if minColumns == MinLabelledColumns {
			roles = "an ID first, a feature and the label last"
		}
		d := t.HeaderDefect(CodeTooFewColumns, n-1, "%s, but at least %d are required: %s", humanize.Count(n, "column"), minColumns, roles)
		if other := likelyDelimiter(t.Header); other != 0 {
			d.Message += fmt.Sprintf(" (are the fields separated by %q?)", other)
		}
		return []Defect{d}
	}
	if IsHeaderNumeric(t.Names) {
		return []Defect{t.HeaderDefect(CodeNoHeader, 0, "the first row holds numbers only: the file needs a header row that names the columns")}
	}
	var defects []Defect
	first := make(map[string]int, len(t.Names))
	for i, name := range t.Names {
		before, known := first[name]
		switch {
		case name == "" && i > 0:
			defects = append(defects, t.HeaderDefect(CodeUnnamedColumn, i, "the column has no name"))
		case known:
			defects = append(defects, t.HeaderDefect(CodeDuplicateColumn, i, "column %d has the same name", before+1))
		default:
			first[name] = i
		}
		if length := utf8.RuneCountInString(name); length > maxName {
			defects = append(defects, t.HeaderDefect(CodeLongName, i, "the column's name has %s characters, but may have at most %s: shorten it", humanize.Comma(length), humanize.Comma(maxName)))
		}
	}
	return defects
}

// IsHeaderNumeric reports whether every name is a number, which suggests that the file has no
// header.
func IsHeaderNumeric(names []string) bool {
	for _, name := range names {
		if kind, _ := cells.Classify([]byte(name)); kind != cells.Number {
			return false
		}
	}
	return true
}

// likelyDelimiter returns the most frequent delimiter in the header other than the comma,
// or 0 if the header has no such delimiter.
func likelyDelimiter(header []byte) byte {
	best, most := byte(0), 0
	for _, delim := range []byte(";\t|") {
		if n := bytes.Count(header, []byte{delim}); n > most {
			best, most = delim, n
		}
	}
	return best
}

// HeaderAsRecord returns the header as a record of data, for a file without a header.
func (t *Table) HeaderAsRecord() *Record {
	row := &Record{Line: t.HeaderLine, Text: t.Header, LineBreaks: CountLineBreaks(t.Header)}
	for _, name := range t.Names {
		row.Fields = append(row.Fields, []byte(name))
	}
	return row
}

// CountRows returns the number of rows of a CSV file without its header. It is an error if a row
// does not have as many fields as the header.
func CountRows(ctx context.Context, src io.Reader) (int, error) {
	t, err := OpenTable(NewReader(src, ','))
	if err != nil {
		return 0, err
	}
	for rows := 0; ; rows++ {
		_, err := t.Next(ctx)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
	}
}
