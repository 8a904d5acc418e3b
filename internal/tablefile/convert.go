package tablefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"foretell/internal/table/csvfile"
)

// The codes of defects and warnings of files in other formats than CSV. Others are those
// of package frame.
const (
	CodeInvalidFile = "invalid-file"
	CodeNested      = "nested-value"
	CodeLargeTable  = "too-large"
	CodeSheets      = "more-sheets"
	CodeEncoding    = "guessed-encoding"
)

// Warning is an assumption about a file that may be wrong.
type Warning struct {
	File string // its name
	csvfile.Warning
}

// csvFile writes the rows of a table to a temporary CSV file.
type csvFile struct {
	ctx      context.Context
	file     *os.File
	out      *csvfile.Writer
	line     int // of the next record
	breaks   int // line ends in the fields of the record
	rows     int
	maxBytes int64
	size     int64
	lineMap  lineMap
}

// newCSVFile creates the file. max is its maximum size in bytes, 0 for no limit.
func newCSVFile(ctx context.Context, max int64) (*csvFile, error) {
	file, err := os.CreateTemp("", "foretell-*.csv")
	if err != nil {
		return nil, err
	}
	w := &csvFile{ctx: ctx, file: file, line: 1, maxBytes: max}
	w.out = csvfile.NewWriter(w)
	return w, nil
}

// Write implements io.Writer for the CSV text.
func (w *csvFile) Write(p []byte) (int, error) {
	if w.size += int64(len(p)); w.maxBytes > 0 && w.size > w.maxBytes {
		return 0, &csvfile.Defect{Code: CodeLargeTable, Message: fmt.Sprintf("the table has more than %d bytes as CSV: at most %d are taken", w.maxBytes, w.maxBytes)}
	}
	return w.file.Write(p)
}

// writeField adds a field to the record.
func (w *csvFile) writeField(text []byte) {
	w.breaks += lineEnds(text)
	w.out.WriteField(text)
}

// endRecord ends the record, which comes from a line of the source; 0 if it comes from no line.
func (w *csvFile) endRecord(source int) error {
	w.out.EndRecord()
	if source > 0 {
		w.lineMap.add(w.line, source)
	}
	w.line += 1 + w.breaks
	w.breaks = 0
	if w.rows++; w.rows&0x3FF == 0 {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		return w.out.Flush()
	}
	return nil
}

// writeRecord writes a record, which comes from a line of the source; 0 if it comes from no line.
func (w *csvFile) writeRecord(fields []string, source int) error {
	for _, text := range fields {
		w.writeField([]byte(text))
	}
	return w.endRecord(source)
}

// finish ends the file, and removes it after an error.
func (w *csvFile) finish(err error) error {
	if err == nil {
		err = w.out.Flush()
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		_ = os.Remove(w.file.Name()) // it is in the folder for temporary files
	}
	return err
}

func lineEnds(text []byte) int {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return 0
	}
	var c lineCounter
	c.add(text)
	return c.ends
}

// convert writes the table to a temporary file with fill. It is read in place of the
// original from then on.
func (f *sourceFile) convert(ctx context.Context, opts Options, fill func(w *csvFile) error) (err error) {
	w, err := newCSVFile(ctx, opts.MaxBytes)
	if err != nil {
		return err
	}
	if err := w.finish(recoverDefect(func() error { return fill(w) })); err != nil {
		return err
	}
	f.temp, f.lines = w.file.Name(), w.lineMap
	return nil
}

// recoverDefect turns a panic of a format's library, which a damaged file may cause, into
// a defect.
func recoverDefect(read func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the file is damaged: %v", fault)}
		}
	}()
	return read()
}

// unpackToTemp copies the unpacked content to a temporary file, for formats that need random
// access.
func (f *sourceFile) unpackToTemp(ctx context.Context, opts Options) (path string, err error) {
	s, err := openFile(f.Path, ignoreCount)
	if err != nil {
		return "", err
	}
	defer s.closeQuietly()
	if _, _, err := s.unpack(); err != nil {
		return "", err
	}
	return copyToTemp(ctx, s, opts.MaxBytes)
}

// copyToTemp copies src to a temporary file of at most max bytes, 0 for no limit.
func copyToTemp(ctx context.Context, src io.Reader, max int64) (path string, err error) {
	file, err := os.CreateTemp("", "foretell-*.table")
	if err != nil {
		return "", err
	}
	if max == 0 {
		max = math.MaxInt64 - 1
	}
	n, err := io.Copy(file, io.LimitReader(cancellable(ctx, src), max+1))
	if err == nil && n > max {
		err = &csvfile.Defect{Code: CodeLargeTable, Message: fmt.Sprintf("more than %d bytes are packed in it: at most that many are taken", max)}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name()) // it is in the folder for temporary files
		return "", err
	}
	return file.Name(), nil
}

// cancellable returns src, whose Read returns the context's error once ctx has ended.
func cancellable(ctx context.Context, src io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return src.Read(b)
	})
}
