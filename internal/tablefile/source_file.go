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

// wrapError adds the file to an error.
func (p *sourceFile) wrapError(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{File: p.Name, Err: err}
}

// wrapReader adds the file to the errors of src.
func (p *sourceFile) wrapReader(src io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := src.Read(b)
		if err != nil && !errors.Is(err, io.EOF) {
			err = p.wrapError(err)
		}
		return n, err
	})
}

// sourceFile is one file of a table.
type sourceFile struct {
	File
	compression string  // the compression of the file, "" for none
	charset     string  // the encoding of its text, "" for UTF-8
	format      string  // the format of the file, "" for CSV
	temp        string  // path of the table as CSV in UTF-8; "" if the file itself is read
	lines       lineMap // lines of the rows in the file if it is converted
	warnings    []csvfile.Warning
	keepsLines  bool // temp has the lines and the delimiter of the file
	member      bool // the file is a member of an archive
	offsets
}

// offsets locate the rows of a file in the concatenation.
type offsets struct {
	begin int     // first line in the concatenation; 0 if unknown or the only file
	shift int     // difference of the line numbers, if rows are not rewritten
	order []int   // column of the file for each of the concatenation; nil if equal
	lines lineMap // lines of the file, if rows are rewritten
}

// inspect determines how to read the file, and converts other formats to CSV.
func (p *sourceFile) inspect(ctx context.Context, opts Options) error {
	if p.temp != "" {
		return nil
	}
	if err := CheckEncoding(opts.Encoding); err != nil {
		return err
	}
	p.charset, p.format, p.warnings = "", "", nil
	head, err := p.detectPacking()
	if err != nil {
		return err
	}
	if err := rejectUnreadable(head, p.Name); err != nil {
		return err
	}
	if found, err := p.randomAccess(ctx, head, opts); found || err != nil {
		return err
	}
	p.charset = opts.Encoding
	if p.charset == "" {
		p.charset = detectUTF16(head)
	}
	if p.charset == "" {
		if err := p.guessCharset(ctx, opts.Delimiter); err != nil {
			return err
		}
	}
	found, err := p.isJSON()
	if err != nil {
		return err
	}
	if !found {
		return p.convertText(ctx, opts)
	}
	for i := range p.warnings {
		p.warnings[i].Column = 0 // of CSV
	}
	return p.convertJSON(ctx, opts)
}

// detectPacking detects the compression of the file and returns the first bytes of its
// content.
func (p *sourceFile) detectPacking() ([]byte, error) {
	s, err := openFile(p.Path, noCount)
	if err != nil {
		return nil, err
	}
	defer s.discard()
	var head []byte
	p.compression, head, err = s.unpack()
	return head, err
}

// content returns the unpacked text in UTF-8.
func (p *sourceFile) content(read func(n int)) (*stream, error) {
	s, err := openFile(p.Path, read)
	if err != nil {
		return nil, err
	}
	if _, _, err = s.unpack(); err == nil && p.charset != "" {
		s.Reader, err = transcode(s.Reader, p.charset)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open returns the table as CSV in UTF-8. done counts the bytes read.
func (p *sourceFile) open(done *int64) (*stream, error) {
	read := func(n int) { *done += int64(n) }
	if p.temp != "" {
		return openFile(p.temp, read)
	}
	return p.content(read)
}

// converted reports whether the file was converted from another format.
func (p *sourceFile) converted() bool { return p.temp != "" && !p.keepsLines }

// currentPath returns the path of the file that is read.
func (p *sourceFile) currentPath() string { return cmp.Or(p.temp, p.Path) }

// discard removes the converted CSV.
func (p *sourceFile) discard() error {
	if p.temp == "" {
		return nil
	}
	err := os.Remove(p.temp)
	p.temp, p.lines, p.keepsLines = "", lineMap{}, false
	return err
}

func (p *sourceFile) warn(w csvfile.Warning) { p.warnings = append(p.warnings, w) }

// steps returns the conversions of the file.
func (p *sourceFile) steps() []Step {
	var steps []Step
	if p.compression != "" {
		steps = append(steps, Step{CodeUnpacked, p.compression})
	}
	if p.charset != "" && !strings.EqualFold(strings.ReplaceAll(p.charset, "-", ""), "utf8") {
		steps = append(steps, Step{CodeCharset, p.charset})
	}
	if p.format != "" {
		steps = append(steps, Step{CodeConverted, p.format})
	}
	return steps
}

// locate maps a location in the concatenation to one in the file.
func (p *sourceFile) locate(line, column int) (int, int) {
	if p.order != nil && column > 0 && column <= len(p.order) {
		column = p.order[column-1] + 1
	}
	if p.offsets.lines.any() {
		line = p.offsets.lines.source(line)
	} else if line > 0 {
		line += p.shift
	}
	if p.converted() {
		line = p.lines.source(line)
	}
	return line, column
}
