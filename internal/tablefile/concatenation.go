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

	"foretell/internal/table/csvfile"
)

// concatenation reads several files as one CSV: the first unchanged, of the others the
// rows. A file with another column order or delimiter is rewritten.
type concatenation struct {
	parts     []*sourceFile
	delimiter byte // 0 to detect each file's
	done      *int64

	first   []string // the header of the first file
	comma   byte     // what separates its fields
	next    int      // index of the next file to open
	current io.Reader
	stream  *stream // of now
	lines   lineCounter
}

// Read implements io.Reader.
func (j *concatenation) Read(p []byte) (int, error) {
	for {
		if j.current == nil {
			if j.next == len(j.parts) {
				return 0, io.EOF
			}
			if err := j.open(); err != nil {
				return 0, j.parts[j.next-1].wrapError(err)
			}
		}
		n, err := j.current.Read(p)
		j.lines.count(p[:n])
		if !errors.Is(err, io.EOF) {
			if err != nil {
				err = j.parts[j.next-1].wrapError(err)
			}
			return n, err
		}
		j.current = nil
		if err := j.Close(); err != nil {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
	}
}

// Close closes the file that is being read.
func (j *concatenation) Close() error {
	if j.stream == nil {
		return nil
	}
	err := j.stream.Close()
	j.stream = nil
	return err
}

// open opens the rows of the next file.
func (j *concatenation) open() error {
	p := j.parts[j.next]
	j.next++
	p.offsets = offsets{}
	var err error
	if j.stream, err = p.open(j.done); err != nil {
		return err
	}
	delimiter := j.delimiter
	if p.converted() {
		delimiter = ','
	}
	h, err := readHeader(j.stream, delimiter)
	if err != nil {
		return err
	}
	p.begin = j.lines.line()
	if j.next == 1 {
		j.first, j.comma = h.names, h.comma
		j.current = io.MultiReader(bytes.NewReader(h.head), j.stream)
		return nil
	}
	var gap []byte
	if !j.lines.ended() {
		gap = []byte{'\n'}
		p.begin++
	}
	order, err := align(j.first, h.names, h.line, j.parts[0].Name)
	if err != nil {
		return err
	}
	var rows io.Reader
	if order == nil && h.comma == j.comma {
		p.shift = h.line + h.lines - p.begin
		rows = io.MultiReader(bytes.NewReader(h.head[h.end:]), j.stream)
	} else {
		p.order = order
		rows = newRewriter(p, io.MultiReader(bytes.NewReader(h.head), j.stream), h.comma, j.comma, len(h.names))
	}
	j.current = io.MultiReader(bytes.NewReader(gap), rows)
	return nil
}

// header is the beginning of a CSV file.
type header struct {
	head  []byte // the bytes read so far
	end   int    // offset after the header and its line end in head
	names []string
	comma byte // what separates the fields
	line  int  // line of the header
	lines int  // number of lines of the header
}

// readHeader reads the header from src, and possibly more. delimiter 0 asks for detection.
func readHeader(src io.Reader, delimiter byte) (*header, error) {
	h := &header{comma: delimiter}
	for size := headSize; ; size *= 2 {
		more, err := io.ReadAll(io.LimitReader(src, int64(size-len(h.head))))
		if err != nil {
			return nil, err
		}
		h.head = append(h.head, more...)
		whole := len(h.head) < size
		if delimiter == 0 {
			h.comma = csvfile.FindDelimiter(h.head, !whole)
		}
		record, err := csvfile.NewReader(bytes.NewReader(h.head), h.comma).Read()
		if errors.Is(err, io.EOF) {
			return nil, &csvfile.Defect{Code: csvfile.CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
		}
		if err == nil {
			h.set(record)
		}
		if whole || size >= csvfile.MaxRecordBytes || err == nil && h.end < len(h.head) {
			return h, err
		}
	}
}

// set sets the header to a record.
func (h *header) set(record *csvfile.Record) {
	h.names = h.names[:0]
	for i := range record.Fields {
		h.names = append(h.names, strings.TrimSpace(string(record.Fields[i])))
	}
	raw := record.Text
	h.line = record.Line
	h.end = bytes.Index(h.head, raw) + len(raw) // only a byte order mark and line ends may precede it
	var c lineCounter
	c.count(raw)
	h.lines = c.line()
	switch rest := h.head[h.end:]; {
	case bytes.HasPrefix(rest, []byte("\r\n")):
		h.end += 2
	case len(rest) > 0:
		h.end++
	}
}

// align returns the position among names for each of the first file's columns,
// nil if they are the same in the same order. line is that of the header.
func align(first, names []string, line int, firstFile string) ([]int, error) {
	if slices.Equal(first, names) {
		return nil, nil
	}
	missing := func(name, message string) *csvfile.Defect {
		return &csvfile.Defect{Code: csvfile.CodeMissingColumn, Line: line, Name: name, Message: message}
	}
	order := make([]int, 0, len(first))
	at := map[string]int{}
	for i, name := range names {
		if _, twice := at[name]; twice {
			return nil, &csvfile.Defect{
				Code: csvfile.CodeDuplicateColumn, Line: line, Column: i + 1, Name: name,
				Message: "the name is twice in the header, so the columns cannot be matched with those of " + firstFile,
			}
		}
		at[name] = i
	}
	for _, name := range first {
		i, ok := at[name]
		if !ok {
			return nil, missing(name, "the column of "+firstFile+" is missing: files that make one table must have the same columns")
		}
		order = append(order, i)
		delete(at, name)
	}
	for i, name := range names {
		if _, extra := at[name]; extra {
			d := missing(name, "the column is not in "+firstFile+": files that make one table must have the same columns")
			d.Column = i + 1
			return nil, d
		}
	}
	if len(order) != len(names) {
		return nil, &csvfile.Defect{
			Code: csvfile.CodeDuplicateColumn, Line: line,
			Message: fmt.Sprintf("%d columns cannot be matched with the %d of %s, which has a name twice", len(names), len(first), firstFile),
		}
	}
	return order, nil
}

// rewriter rewrites the rows of a file in the format of the first file.
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

func newRewriter(p *sourceFile, src io.Reader, from, to byte, width int) *rewriter {
	r := &rewriter{part: p, rows: csvfile.NewReader(bufio.NewReader(src), from), width: width}
	r.out = csv.NewWriter(&r.buffer)
	r.out.Comma = rune(to)
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

// fill writes a row.
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
	r.part.offsets.lines.add(r.part.begin+r.lines.line()-1, record.Line)
	before := r.buffer.Len()
	r.err = r.out.Write(r.fields)
	r.out.Flush()
	r.lines.count(r.buffer.Bytes()[before:])
}

// lineCounter counts the line ends LF, CRLF and CR of a text in pieces.
type lineCounter struct {
	ends int
	last byte // of the text; 0 before it
}

func (c *lineCounter) count(piece []byte) {
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

// line returns the number of the line after the text, from 1.
func (c *lineCounter) line() int { return c.ends + 1 }

// ended reports whether the text ends with a line end.
func (c *lineCounter) ended() bool { return c.last == '\n' || c.last == '\r' }
