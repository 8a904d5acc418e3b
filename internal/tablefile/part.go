package tablefile

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"foretell/internal/frame"
)

// fault says which file an error is about.
func (p *part) fault(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{File: p.Name, Err: err}
}

// faulty returns src, whose errors are about the file.
func (p *part) faulty(src io.Reader) io.Reader {
	return readerFunc(func(b []byte) (int, error) {
		n, err := src.Read(b)
		if err != nil && !errors.Is(err, io.EOF) {
			err = p.fault(err)
		}
		return n, err
	})
}

// part is one file of a table.
type part struct {
	File
	packing  string // what the file is packed with, "" for nothing
	charset  string // the encoding of its text, "" for UTF-8
	format   string // what it is instead of CSV, "" for CSV
	temp     string // path of the table as CSV in UTF-8; "" if the file itself is read
	lines    places // where the rows stand in the file, if they are written anew
	warnings []frame.Warning
	same     bool // temp has the lines and the delimiter of the file
	member   bool // it was packed in an archive, so that it is no archive itself
	joining
}

// joining is where the rows of a file are in the CSV of several.
type joining struct {
	begin int    // line of the joined CSV from which its rows come; 0 if unknown or alone
	shift int    // what to add to a line of the joined CSV, where no rows are written anew
	order []int  // column of the file for each of the joined CSV; nil if they are the same
	lines places // lines of the file, if rows are written anew to be joined
}

// inspect finds out how to read the file, and writes a CSV of one in another
// format.
func (p *part) inspect(ctx context.Context, opts Options) error {
	if p.temp != "" {
		return nil
	}
	if err := CheckEncoding(opts.Encoding); err != nil {
		return err
	}
	p.charset, p.format, p.warnings = "", "", nil
	head, err := p.look()
	if err != nil {
		return err
	}
	if err := refuse(head, p.Name); err != nil {
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

// look finds out what the file is packed with and returns the first bytes of its
// content.
func (p *part) look() ([]byte, error) {
	s, err := openFile(p.Path, ignore)
	if err != nil {
		return nil, err
	}
	defer s.release()
	var head []byte
	p.packing, head, err = s.unpack()
	return head, err
}

// content returns the unpacked text in UTF-8.
func (p *part) content(read func(n int)) (*stream, error) {
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
func (p *part) open(done *int64) (*stream, error) {
	read := func(n int) { *done += int64(n) }
	if p.temp != "" {
		return openFile(p.temp, read)
	}
	return p.content(read)
}

// converted reports whether the CSV that is read was made of a file in another
// format.
func (p *part) converted() bool { return p.temp != "" && !p.same }

// stored is the path of what is read.
func (p *part) stored() string { return cmp.Or(p.temp, p.Path) }

// discard removes the CSV that was made of the file.
func (p *part) discard() error {
	if p.temp == "" {
		return nil
	}
	err := os.Remove(p.temp)
	p.temp, p.lines, p.same = "", places{}, false
	return err
}

func (p *part) warn(w frame.Warning) { p.warnings = append(p.warnings, w) }

// steps returns what is done to the file.
func (p *part) steps() []Step {
	var steps []Step
	if p.packing != "" {
		steps = append(steps, Step{CodeUnpacked, p.packing})
	}
	if p.charset != "" && !strings.EqualFold(strings.ReplaceAll(p.charset, "-", ""), "utf8") {
		steps = append(steps, Step{CodeCharset, p.charset})
	}
	if p.format != "" {
		steps = append(steps, Step{CodeConverted, p.format})
	}
	return steps
}

// place returns where a place of the joined CSV is in the file.
func (p *part) place(line, column int) (int, int) {
	if p.order != nil && column > 0 && column <= len(p.order) {
		column = p.order[column-1] + 1
	}
	if p.joining.lines.any() {
		line = p.joining.lines.source(line)
	} else if line > 0 {
		line += p.shift
	}
	if p.converted() {
		line = p.lines.source(line)
	}
	return line, column
}
