package tablefile

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"foretell/internal/table/csvfile"
)

// wrapError returns err as an *Error with the file's name, unless it already has the name
// of a file or comes from the context.
func (f *sourceFile) wrapError(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{File: f.Name, Err: err}
}

// wrapReader returns a reader of src whose errors are wrapped by wrapError.
func (f *sourceFile) wrapReader(src io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := src.Read(b)
		if err != nil && !errors.Is(err, io.EOF) {
			err = f.wrapError(err)
		}
		return n, err
	})
}

// sourceFile is one file of a table.
type sourceFile struct {
	File
	compression string  // the compression of the file; "" for none
	charset     string  // the encoding of its text; "" for UTF-8
	format      string  // the format of the file; "" for CSV
	temp        string  // path of the table as CSV in UTF-8; "" if the file itself is read
	lines       lineMap // maps lines of temp to lines of the file, if the file is converted
	warnings    []csvfile.Warning
	keepsLines  bool   // whether temp has the same lines and the same delimiter as the file
	otherSheet  string // a sheet of the workbook that the user may have meant instead; "" if there is none
	isMember    bool   // whether the file is a member of an archive
	offsets

	// The following are for text. They are zero while the format is being detected.
	skipRows     int // Options.SkipRows
	delimiter    byte
	header       headerEdit
	hasBlankRows bool // whether a warning says that blank rows were left out
}

// offsets map locations in the concatenation of several files to locations in one of
// them.
type offsets struct {
	begin int     // the file's first line in the concatenation; 0 if unknown or if there is only one file
	shift int     // the number to add to a line of the concatenation to get the line of the file; unused if rows are rewritten
	order []int   // for each column of the concatenation, the column of the file; nil if they are the same
	lines lineMap // maps lines of the concatenation to lines of the file, if rows are rewritten
}

// detectAndConvert determines how to read the file, and converts a file in another format to CSV.
func (f *sourceFile) detectAndConvert(ctx context.Context, opts Options) error {
	if f.temp != "" {
		return nil
	}
	if err := CheckEncoding(opts.Encoding); err != nil {
		return err
	}
	f.charset, f.format, f.otherSheet, f.warnings = "", "", "", nil
	f.skipRows, f.delimiter, f.header, f.hasBlankRows = 0, 0, headerEdit{}, false
	head, err := f.detectCompression()
	if err != nil {
		return err
	}
	if err := f.rejectUnsupported(head, opts); err != nil {
		return err
	}
	if found, err := f.convertRandomAccess(ctx, head, opts); found || err != nil {
		return err
	}
	if f.charset = opts.Encoding; f.charset == "" || opts.OrUTF8 {
		f.charset = detectUTF16(head)
	}
	if !strings.Contains(f.charset, "16") && isBinary(head) {
		return &csvfile.Defect{Code: csvfile.CodeBinary, Message: "this is a binary file of an unknown format and not a CSV file: write the table as CSV", Line: 1, Column: 1}
	}
	if f.charset == "" {
		if err := f.guessAndSetCharset(ctx, opts); err != nil {
			return err
		}
	}
	found, err := f.isJSON()
	if err != nil {
		return err
	}
	if !found {
		f.skipRows = opts.SkipRows
		return f.convertOtherTextFormats(ctx, opts)
	}
	for i := range f.warnings {
		f.warnings[i].Column = 0 // the file has no columns of CSV
	}
	return f.convertJSON(ctx, opts)
}

// detectCompression sets f.compression and returns the first bytes of the unpacked
// content.
func (f *sourceFile) detectCompression() (head []byte, err error) {
	s, err := openFile(f.Path, ignoreCount)
	if err != nil {
		return nil, err
	}
	defer s.closeQuietly()
	f.compression, head, err = s.unpack()
	return head, err
}

// openText returns a stream of the unpacked text in UTF-8. In this text, a separator line (such as
// sep=;) and the first skipRows lines are empty, and the header is edited by f.header. If
// f.delimiter is set, the blank rows at the end of the file are left out. openText calls onRead with
// the number of bytes of each read from disk.
func (f *sourceFile) openText(onRead func(n int)) (*stream, error) {
	s, err := openFile(f.Path, onRead)
	if err != nil {
		return nil, err
	}
	if _, _, err = s.unpack(); err == nil && f.charset != "" {
		s.Reader, err = transcode(s.Reader, f.charset)
	}
	if err == nil {
		err = s.skipSeparatorLine()
	}
	if err == nil {
		err = s.skipLines(f.skipRows)
	}
	if err == nil {
		err = f.header.apply(s)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if f.delimiter != 0 {
		f.leaveOutBlankRows(s)
	}
	return s, nil
}

// openCSV returns a stream of the table as CSV in UTF-8. Each read from disk adds its
// number of bytes to bytesRead.
func (f *sourceFile) openCSV(bytesRead *int64) (*stream, error) {
	read := func(n int) { *bytesRead += int64(n) }
	if f.temp != "" {
		return openFile(f.temp, read)
	}
	return f.openText(read)
}

// isConverted reports whether the file was converted from another format.
func (f *sourceFile) isConverted() bool { return f.temp != "" && !f.keepsLines }

// currentPath returns the path of the file from which the table is read.
func (f *sourceFile) currentPath() string { return cmp.Or(f.temp, f.Path) }

// removeTemp removes the temporary file, if there is one.
func (f *sourceFile) removeTemp() error {
	if f.temp == "" {
		return nil
	}
	err := os.Remove(f.temp)
	f.temp, f.lines, f.keepsLines = "", lineMap{}, false
	return err
}

func (f *sourceFile) warn(w csvfile.Warning) { f.warnings = append(f.warnings, w) }

func (f *sourceFile) conversions() []Conversion {
	var steps []Conversion
	if f.compression != "" {
		steps = append(steps, Conversion{CodeUnpacked, f.compression})
	}
	if f.charset != "" && !strings.EqualFold(strings.ReplaceAll(f.charset, "-", ""), "utf8") {
		steps = append(steps, Conversion{CodeCharset, f.charset})
	}
	if f.format != "" {
		steps = append(steps, Conversion{CodeConverted, f.format})
	}
	return steps
}

// locateInFile maps a location in the concatenated table to a location in the file.
func (f *sourceFile) locateInFile(tableLine, tableColumn int) (fileLine, fileColumn int) {
	line, column := tableLine, tableColumn
	if f.order != nil && column > 0 && column <= len(f.order) {
		column = f.order[column-1] + 1
	}
	if f.offsets.lines.hasRuns() {
		line = f.offsets.lines.sourceLine(line)
	} else if line > 0 {
		line += f.shift
	}
	if f.isConverted() {
		line = f.lines.sourceLine(line)
	}
	return line, column
}
