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

// Codes of defects and warnings about files in other formats than CSV, in addition to the
// codes of package csvfile.
const (
	CodeInvalidFile = "invalid-file"
	CodeNested      = "nested-value"
	CodeLargeTable  = "too-large"
	CodeSheets      = "more-sheets"
	CodeEncoding    = "guessed-encoding"

	CodeUncalculated     = "uncalculated-formula"
	CodeMergedCells      = "merged-cells"
	CodeHiddenCells      = "hidden-cells"
	CodeMixedPercentages = "mixed-percentages"
)

// Warning says what was assumed about a file, because the assumption may be wrong.
type Warning struct {
	File string // the name of the file
	csvfile.Warning
}

// limitedTempCSV is a temporary CSV file of limited size to which the rows of a converted table are
// written.
type limitedTempCSV struct {
	ctx      context.Context
	file     *os.File
	out      *csvfile.Writer
	line     int   // line at which the current record starts
	breaks   int   // number of line ends in the fields of the current record
	rows     int   // number of records written, including the header
	maxBytes int64 // largest size of the file in bytes; 0 for no limit
	size     int64
	lineMap  lineMap
}

// newLimitedTempCSV creates a temporary CSV file of at most maxBytes bytes; 0 means no limit.
func newLimitedTempCSV(ctx context.Context, maxBytes int64) (*limitedTempCSV, error) {
	file, err := os.CreateTemp("", "foretell-*.csv")
	if err != nil {
		return nil, err
	}
	w := &limitedTempCSV{ctx: ctx, file: file, line: 1, maxBytes: maxBytes}
	w.out = csvfile.NewWriter(w)
	return w, nil
}

// Write writes CSV text to the file. It returns a *csvfile.Defect if the file would
// exceed maxBytes.
func (w *limitedTempCSV) Write(p []byte) (int, error) {
	if w.size += int64(len(p)); w.maxBytes > 0 && w.size > w.maxBytes {
		return 0, &csvfile.Defect{Code: CodeLargeTable, Message: fmt.Sprintf("the table exceeds %d bytes as CSV", w.maxBytes)}
	}
	return w.file.Write(p)
}

func (w *limitedTempCSV) writeField(text []byte) {
	w.breaks += countLineEnds(text)
	w.out.WriteField(text)
}

// endRecord ends the current record. source is the line of the record in the original file, or 0 if
// the record has no line there.
func (w *limitedTempCSV) endRecord(source int) error {
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

// writeRecord writes a record. source is the line of the record in the original file; 0 if it has
// none.
func (w *limitedTempCSV) writeRecord(fields []string, source int) error {
	for _, text := range fields {
		w.writeField([]byte(text))
	}
	return w.endRecord(source)
}

// finishOrRemove writes the buffered text and closes the file. err is the error of the conversion
// so far, or nil. If it is not nil, or if writing or closing fails, finishOrRemove removes the file
// and returns the error.
func (w *limitedTempCSV) finishOrRemove(err error) error {
	if err == nil {
		err = w.out.Flush()
	}
	if err = errors.Join(err, w.file.Close()); err != nil {
		_ = os.Remove(w.file.Name()) // at worst, a temporary file remains
	}
	return err
}

func countLineEnds(text []byte) int {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return 0
	}
	var c lineCounter
	c.add(text)
	return c.ends
}

// convert creates a temporary CSV file and calls fill, which writes the table to w. After that, the
// table is read from the temporary file instead of the original.
func (f *sourceFile) convert(ctx context.Context, opts Options, fill func(w *limitedTempCSV) error) (err error) {
	w, err := newLimitedTempCSV(ctx, opts.MaxBytes)
	if err != nil {
		return err
	}
	if err := w.finishOrRemove(recoverAsDefect(func() error { return fill(w) })); err != nil {
		return err
	}
	f.temp, f.lines = w.file.Name(), w.lineMap
	return nil
}

// recoverAsDefect calls read and returns its error. If read panics, which libraries may do
// on a damaged file, recoverAsDefect returns a defect.
func recoverAsDefect(read func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &csvfile.Defect{Code: CodeInvalidFile, Message: fmt.Sprintf("the file is damaged: %v", fault)}
		}
	}()
	return read()
}

// unpackToTemp copies the unpacked content of f to a temporary file, for random access.
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

// copyToTemp copies src to a temporary file and returns its path. It is an error if src
// has more than maxBytes bytes; 0 means no limit.
func copyToTemp(ctx context.Context, src io.Reader, maxBytes int64) (path string, err error) {
	file, err := os.CreateTemp("", "foretell-*.table")
	if err != nil {
		return "", err
	}
	if maxBytes == 0 {
		maxBytes = math.MaxInt64 - 1
	}
	n, err := io.Copy(file, io.LimitReader(cancellable(ctx, src), maxBytes+1))
	if err == nil && n > maxBytes {
		err = &csvfile.Defect{Code: CodeLargeTable, Message: fmt.Sprintf("the unpacked file exceeds %d bytes", maxBytes)}
	}
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name()) // at worst, a temporary file remains
		return "", err
	}
	return file.Name(), nil
}

// cancellable returns a reader of src whose Read returns the error of ctx once ctx ends.
func cancellable(ctx context.Context, src io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return src.Read(b)
	})
}
