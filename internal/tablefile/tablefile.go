// Package tablefile reads a table from one or several files in common formats as one CSV
// in UTF-8. It detects the formats from the contents of the files.
package tablefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Options configure how a Table is read. With the zero value, everything is detected.
type Options struct {
	// Encoding is the encoding of text: utf-8, utf-16, latin-1, windows-1252, cp850, cp437 or another
	// name of the WHATWG encoding standard. If it is empty, the encoding is detected:
	// UTF-8, UTF-16 or Windows-1252.
	Encoding string
	// OrUTF8 detects UTF-8 and UTF-16, and applies Encoding only to other text.
	OrUTF8 bool
	// Delimiter separates the fields of CSV files. Defaults to the result of csvfile.FindDelimiter
	// for each file. For a single CSV file, it is used only to detect the format of the file.
	Delimiter byte
	// Sheet is the name of the sheet of a workbook to read. Defaults to the first visible sheet.
	Sheet string
	// SkipRows is the number of lines of a text, or of rows of a sheet, that are ignored at the
	// beginning of each file. It has no effect on files of JSON and Parquet.
	SkipRows int
	// MaxBytes limits the size of each converted or unpacked file. 0 means no limit.
	MaxBytes int64
	// StdinCommand returns the command that reads the named file from standard input instead, for
	// messages. Defaults to "foretell run -".
	StdinCommand func(name string) string
}

// File is a file to read.
type File struct {
	Name string // the name that the user knows, for errors and locations
	Path string
}

// Error is an error that occurred while a file was read as a table.
type Error struct {
	File string // the name of the file
	Err  error  // a *csvfile.Defect if the content is invalid
}

// Error returns the file's name and the reason.
func (e *Error) Error() string { return e.File + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

// Table is a table in one or several files. It can be read several times, but not
// concurrently.
type Table struct {
	parts     []*sourceFile
	opts      Options
	noHeader  bool
	inspected bool
}

// New returns the table in one or several files. It does not read the files yet. The columns of all
// files must have the same names. The Table must be closed.
func New(files []File, opts Options) *Table {
	t := &Table{opts: opts}
	for _, file := range files {
		t.parts = append(t.parts, &sourceFile{File: file})
	}
	return t
}

// SetNoHeader sets whether the files have no header, so that the first row of each file is data. The
// setting applies to later calls of [Table.OpenCSV].
func (t *Table) SetNoHeader(noHeader bool) { t.noHeader = noHeader }

// detectAndConvert determines how to read the files. It does nothing after it has succeeded.
func (t *Table) detectAndConvert(ctx context.Context) error {
	if t.inspected {
		return nil
	}
	for _, p := range t.parts {
		if err := p.detectAndConvert(ctx, t.opts); err != nil {
			return p.wrapError(err)
		}
	}
	t.inspected = true
	return nil
}

// Close removes the temporary files of the table.
func (t *Table) Close() error {
	var err error
	for _, p := range t.parts {
		err = errors.Join(err, p.removeTemp())
	}
	return err
}

// Reader reads a Table as CSV. See [Table.OpenCSV].
type Reader struct {
	src   io.Reader
	close func() error
	done  *int64
	err   error
}

// Read implements io.Reader. After an error, all calls return this error.
func (r *Reader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.src.Read(p)
	r.err = err
	return n, err
}

// Close closes the file that is being read.
func (r *Reader) Close() error { return r.close() }

// BytesRead returns how many of the bytes counted by [Table.Size] have been read. It must
// not be called concurrently with Read.
func (r *Reader) BytesRead() int64 { return *r.done }

// OpenCSV returns a reader of the table as CSV in UTF-8. The first call detects the formats
// of the files, which may require reading them. An error about a file, returned here or
// by Read, is an *Error. If it wraps a *csvfile.Defect, the location of the defect is in
// that file. The Reader must be closed.
func (t *Table) OpenCSV(ctx context.Context) (*Reader, error) {
	if err := t.detectAndConvert(ctx); err != nil {
		return nil, err
	}
	done := new(int64)
	if len(t.parts) > 1 {
		j := &concatenation{parts: t.parts, delimiter: t.opts.Delimiter, noHeader: t.noHeader, bytesRead: done}
		return &Reader{src: j, close: j.Close, done: done}, nil
	}
	p := t.parts[0]
	s, err := p.openCSV(done)
	if err != nil {
		return nil, p.wrapError(err)
	}
	return &Reader{src: p.wrapReader(s), close: s.Close, done: done}, nil
}

// IsConverted reports whether the first file has another format than CSV, so that the table has
// commas between the fields. [Table.OpenCSV] must have been called before.
func (t *Table) IsConverted() bool { return t.parts[0].isConverted() }

// OtherSheet returns the name of a sheet that the user may have meant, or "" if it finds no such sheet. If
// Options.Sheet is empty, this is another sheet of the workbook. If no sheet has the name
// Options.Sheet, it is the sheet with the most similar name. [Table.OpenCSV] must have been called
// before.
func (t *Table) OtherSheet() string {
	for _, p := range t.parts {
		if p.otherSheet != "" {
			return p.otherSheet
		}
	}
	return ""
}

// Size returns the number of bytes that a Reader reads from disk, or -1 if it is unknown.
func (t *Table) Size() int64 {
	var sum int64
	for _, p := range t.parts {
		info, err := os.Stat(p.currentPath())
		if err != nil {
			return -1
		}
		sum += info.Size()
	}
	return sum
}

// Locate maps a location in the CSV that was read last to a file, and a line and a column
// of this file. fileLine or fileColumn is 0 if it is unknown.
func (t *Table) Locate(line, column int) (file string, fileLine, fileColumn int) {
	p := t.parts[0]
	for _, next := range t.parts[1:] {
		if next.begin == 0 || line < next.begin {
			break
		}
		p = next
	}
	fileLine, fileColumn = p.locateInFile(line, column)
	return p.Name, fileLine, fileColumn
}

// SourceLine is like [Table.Locate] for a whole line. file is "" if the table has only one file.
func (t *Table) SourceLine(line int) (file string, fileLine int) {
	file, fileLine, _ = t.Locate(line, 0)
	if len(t.parts) == 1 {
		file = ""
	}
	return file, fileLine
}

// Conversion is a step by which a file is converted to CSV in UTF-8.
type Conversion struct {
	// Code is CodeUnpacked, CodeCharset or CodeConverted.
	Code string
	// Name is the original format, such as gzip, UTF-16 or Parquet.
	Name string
}

// The codes of conversions: unpacking, changing the encoding of text, and converting
// another format.
const (
	CodeUnpacked  = "unpacked"
	CodeCharset   = "charset"
	CodeConverted = "converted"
)

// Message describes the conversion, as in "unpacked from gzip" or "Parquet, written as CSV".
func (s Conversion) Message() string {
	switch s.Code {
	case CodeCharset:
		return s.Name + ", written as UTF-8"
	case CodeConverted:
		return s.Name + ", written as CSV"
	}
	return "unpacked from " + s.Name
}

// Warnings returns warnings about assumptions on the files that may be wrong, such as a guessed
// encoding. The list is complete only after the table has been read.
func (t *Table) Warnings() []Warning {
	var all []Warning
	for _, p := range t.parts {
		for _, w := range p.warnings {
			all = append(all, Warning{File: p.Name, Warning: w})
		}
	}
	return all
}

// Conversions returns the conversions of all files. Equal conversions are listed once.
func (t *Table) Conversions() []Conversion {
	var steps []Conversion
	for _, p := range t.parts {
		for _, s := range p.conversions() {
			if !slices.Contains(steps, s) {
				steps = append(steps, s)
			}
		}
	}
	return steps
}

// Description returns how the files differ from one CSV file in UTF-8, such as "2 files,
// gzip, UTF-16", or "" if they do not.
func (t *Table) Description() string {
	var words []string
	if len(t.parts) > 1 {
		words = append(words, fmt.Sprintf("%d files", len(t.parts)))
	}
	for _, s := range t.Conversions() {
		words = append(words, s.Name)
	}
	return strings.Join(words, ", ")
}
