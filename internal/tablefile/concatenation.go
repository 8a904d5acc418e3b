package tablefile

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
)

// concatenation reads several files as one CSV: the first file unchanged, then the rows of the
// other files. Rows are rewritten if their file has another column order or delimiter than the
// first file.
type concatenation struct {
	parts     []*sourceFile
	delimiter byte // the delimiter of all files; 0 to detect the delimiter of each file
	noHeader  bool // the first row of each file is data
	bytesRead *int64

	firstNames     []string    // the header of the first file
	firstDelimiter byte        // the delimiter of the first file
	next           int         // index of the next file to open
	current        io.Reader   // the rest of the current file
	stream         *stream     // the current file, to close it
	lines          lineCounter // counts the lines of the concatenated CSV so far
}

// Read implements io.Reader.
func (c *concatenation) Read(p []byte) (int, error) {
	for {
		if c.current == nil {
			if c.next == len(c.parts) {
				return 0, io.EOF
			}
			if err := c.openNext(); err != nil {
				return 0, c.parts[c.next-1].wrapError(err)
			}
		}
		n, err := c.current.Read(p)
		c.lines.add(p[:n])
		if !errors.Is(err, io.EOF) {
			if err != nil {
				err = c.parts[c.next-1].wrapError(err)
			}
			return n, err
		}
		c.current = nil
		if err := c.Close(); err != nil {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
}

// Close closes the file that is being read.
func (c *concatenation) Close() error {
	if c.stream == nil {
		return nil
	}
	err := c.stream.Close()
	c.stream = nil
	return err
}

func (c *concatenation) openNext() error {
	p := c.parts[c.next]
	c.next++
	p.offsets = offsets{}
	var err error
	if c.stream, err = p.openCSV(c.bytesRead); err != nil {
		return err
	}
	delimiter := c.delimiter
	if p.isConverted() {
		delimiter = ','
	}
	h, err := readHeader(c.stream, delimiter)
	if err != nil {
		return err
	}
	p.begin = c.lines.nextLine()
	if c.next == 1 {
		c.firstNames, c.firstDelimiter = h.names, h.delimiter
		c.current = io.MultiReader(bytes.NewReader(h.head), c.stream)
		return nil
	}
	var gap []byte
	if !c.lines.endsLine() {
		gap = []byte{'\n'}
		p.begin++
	}
	var order []int
	if c.noHeader {
		err = c.checkWidth(h)
	} else {
		order, err = matchColumns(c.firstNames, h.names, h.line, c.parts[0].Name)
	}
	if err != nil {
		return err
	}
	var rows io.Reader
	switch {
	case order != nil || h.delimiter != c.firstDelimiter:
		p.order = order
		rewriter := newRewriter(p, io.MultiReader(bytes.NewReader(h.head), c.stream), h.delimiter, c.firstDelimiter, len(h.names))
		rewriter.skippedHeader = c.noHeader
		rows = rewriter
	case c.noHeader:
		p.shift = h.line - p.begin
		rows = io.MultiReader(bytes.NewReader(h.head[h.begin:]), c.stream)
	default:
		p.shift = h.line + h.lines - p.begin
		rows = io.MultiReader(bytes.NewReader(h.head[h.end:]), c.stream)
	}
	c.current = io.MultiReader(bytes.NewReader(gap), rows)
	return nil
}

// checkWidth returns a *csvfile.Defect if the first row of a file without a header does not have as many
// fields as the first row of the first file.
func (c *concatenation) checkWidth(h *header) error {
	if len(h.names) == len(c.firstNames) {
		return nil
	}
	return &csvfile.Defect{
		Code: csvfile.CodeRaggedRow, Line: h.line, Column: min(len(h.names), len(c.firstNames)) + 1,
		Message: fmt.Sprintf("the first row has %s, but the first row of %s has %d: files that make one table must have the same columns", humanize.Count(len(h.names), "field"), c.parts[0].Name, len(c.firstNames)),
	}
}

// header is the beginning of a CSV file.
type header struct {
	head      []byte // the bytes read so far
	begin     int    // offset in head of the header
	end       int    // offset in head after the header and its line end
	names     []string
	delimiter byte
	line      int // the line in which the header starts
	lines     int // number of lines of the header
}

// readHeader reads the header of src. It may read further bytes, which it keeps in the
// head of the result. If delimiter is 0, it detects the delimiter.
func readHeader(src io.Reader, delimiter byte) (*header, error) {
	h := &header{delimiter: delimiter}
	for size := headSize; ; size *= 2 {
		more, err := io.ReadAll(io.LimitReader(src, int64(size-len(h.head))))
		if err != nil {
			return nil, err
		}
		h.head = append(h.head, more...)
		whole := len(h.head) < size
		if delimiter == 0 {
			h.delimiter = csvfile.FindDelimiter(h.head, !whole)
		}
		record, err := csvfile.NewReader(bytes.NewReader(h.head), h.delimiter).Read()
		if errors.Is(err, io.EOF) {
			return nil, &csvfile.Defect{Code: csvfile.CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
		}
		if err == nil {
			h.setRecord(record)
		}
		if whole || size >= csvfile.MaxRecordBytes || err == nil && h.end < len(h.head) {
			return h, err
		}
	}
}

// setRecord sets the names and the location of the header from its record.
func (h *header) setRecord(record *csvfile.Record) {
	h.names = h.names[:0]
	for i := range record.Fields {
		h.names = append(h.names, strings.TrimSpace(string(record.Fields[i])))
	}
	raw := record.Text
	h.line = record.Line
	h.begin = bytes.Index(h.head, raw) // only a byte order mark or blank lines may precede it
	h.end = h.begin + len(raw)
	var c lineCounter
	c.add(raw)
	h.lines = c.nextLine()
	switch rest := h.head[h.end:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		h.end += 2
	case len(rest) > 0:
		h.end++
	}
}

// matchColumns returns the position in names of each column of the first file. names are the
// columns of another file. The result is nil if the columns are the same in the same order. The
// error is a *csvfile.Defect if the columns differ. line is the line of the other file's header.
// firstFile is the name of the first file.
func matchColumns(firstNames, names []string, line int, firstFile string) (positions []int, err error) {
	if slices.Equal(firstNames, names) {
		return nil, nil
	}
	missing := func(name, message string) *csvfile.Defect {
		return &csvfile.Defect{Code: csvfile.CodeMissingColumn, Line: line, Name: name, Message: message}
	}
	order := make([]int, 0, len(firstNames))
	at := map[string]int{}
	for i, name := range names {
		if _, twice := at[name]; twice {
			return nil, &csvfile.Defect{
				Code: csvfile.CodeDuplicateColumn, Line: line, Column: i + 1, Name: name,
				Message: "two columns have this name, so the columns cannot be matched with the columns of " + firstFile + ": rename the duplicate",
			}
		}
		at[name] = i
	}
	for _, name := range firstNames {
		i, ok := at[name]
		if !ok && slices.Contains(names, name) {
			return nil, &csvfile.Defect{
				Code: csvfile.CodeDuplicateColumn, Line: line, Name: name,
				Message: fmt.Sprintf("%s has two columns with this name, so its columns cannot be matched with the columns of this file: rename the duplicate", firstFile),
			}
		}
		if !ok {
			return nil, missing(name, "this column of "+firstFile+" is missing here: files that make one table must have the same columns")
		}
		order = append(order, i)
		delete(at, name)
	}
	for i, name := range names {
		if _, extra := at[name]; extra {
			d := missing(name, "this column is not in "+firstFile+": files that make one table must have the same columns")
			d.Column = i + 1
			return nil, d
		}
	}
	return order, nil
}

// rewriter rewrites the rows of a file with the column order and delimiter of the first
// file.
type rewriter struct {
	part          *sourceFile
	rows          *csvfile.Reader
	width         int
	out           *csv.Writer
	buffer        bytes.Buffer
	fields        []string
	lines         lineCounter
	skippedHeader bool // the header has been skipped
	err           error
}

func newRewriter(part *sourceFile, src io.Reader, fromDelim, toDelim byte, width int) *rewriter {
	r := &rewriter{part: part, rows: csvfile.NewReader(bufio.NewReader(src), fromDelim), width: width}
	r.out = csv.NewWriter(&r.buffer)
	r.out.Comma = rune(toDelim)
	return r
}

// Read implements io.Reader.
func (r *rewriter) Read(p []byte) (int, error) {
	for r.buffer.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	return r.buffer.Read(p)
}

// fill writes the next row to the buffer.
func (r *rewriter) fill() {
	record, err := r.rows.Read()
	if err != nil {
		r.err = err
		return
	}
	if !r.skippedHeader {
		r.skippedHeader = true
		return
	}
	if len(record.Fields) != r.width {
		r.err = &csvfile.Defect{
			Code: csvfile.CodeRaggedRow, Line: record.Line, Column: min(len(record.Fields), r.width) + 1,
			Message: fmt.Sprintf("expected %d fields, got %d", r.width, len(record.Fields)),
		}
		return
	}
	r.fields = r.fields[:0]
	for i := range r.width {
		if r.part.order != nil {
			i = r.part.order[i]
		}
		r.fields = append(r.fields, string(record.Fields[i]))
	}
	r.part.offsets.lines.add(r.part.begin+r.lines.nextLine()-1, record.Line)
	before := r.buffer.Len()
	r.err = r.out.Write(r.fields)
	r.out.Flush()
	r.lines.add(r.buffer.Bytes()[before:])
}

// lineCounter counts the line ends LF, CRLF and CR of a text that is added in pieces.
type lineCounter struct {
	ends int
	last byte // the last byte of the text; 0 if it is empty
}

func (c *lineCounter) add(piece []byte) {
	if len(piece) == 0 {
		return
	}
	c.ends += bytes.Count(piece, []byte{'\n'})
	if returns := bytes.Count(piece, []byte{'\r'}); returns > 0 {
		c.ends += returns - bytes.Count(piece, []byte("\r\n"))
	}
	if c.last == '\r' && piece[0] == '\n' {
		c.ends--
	}
	c.last = piece[len(piece)-1]
}

// nextLine returns the number of the line on which the next piece starts, counted from 1.
func (c *lineCounter) nextLine() int { return c.ends + 1 }

// endsLine reports whether the text ends with a line end.
func (c *lineCounter) endsLine() bool { return c.last == '\n' || c.last == '\r' }
