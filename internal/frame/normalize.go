package frame

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Layout tells where a file's columns are that the contract wants elsewhere.
// The zero Shape is that of the contract: comma, ID first, label last.
type Layout struct {
	// ID names the column that becomes the first. Defaults to the first.
	ID string
	// MakeID puts a new first column in front: the rows are named r1, r2, ….
	MakeID bool
	// MadeID names the column that is made. Defaults to id, or that with a number
	// behind it that is free.
	MadeID string
	// Names are other names for all columns, in the order of the file, by which
	// the fields of a Shape name them. Defaults to those of the header.
	Names []string
	// NoHeader is set for a file whose first row is data. Without Names, its columns
	// are called column_1, column_2 and so on.
	NoHeader bool
	// Label names the column that becomes the last. Defaults to the last.
	Label string
	// Drop names columns that are left out.
	Drop []string
	// Delimiter parts the fields. Defaults to the comma.
	Delimiter byte
	// Blind is set for a file that need not have Label and the columns of Drop.
	Blind bool
}

// SetRoles makes a shape bring the columns of a file with these names into the
// contract's order: the ID first, or one that is made, and the label last. An empty
// label is that of a blind file. A column that stands where it should be is not
// named, so that a file in good order is left as it is.
func (s *Layout) SetRoles(names []string, id string, madeID bool, label string) {
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(s.Drop, name) })
	s.ID, s.MakeID = "", madeID
	switch {
	case madeID && s.MadeID == "":
		s.MadeID = uniqueName("id", func(one string) bool { return slices.Contains(names, one) })
	case !madeID && (len(left) == 0 || left[0] != id):
		s.ID = id
	}
	if s.Label = ""; len(left) == 0 || left[len(left)-1] != label {
		s.Label = label
	}
}

// Normalized is a file in the shape of the contract.
type Normalized struct {
	io.Reader
	normalizer *normalizer // nil if nothing is changed
}

// Locate returns where in the source a line and a column of what was read stand.
// It must not be called beside Read. The column is 0 for one that was made.
func (r *Normalized) Locate(line, column int) (int, int) {
	if r.normalizer == nil {
		return line, column
	}
	return r.normalizer.locate(line, column)
}

// Collect makes Read go on behind a row that is defective, as far as that can be:
// the row is left out and what is wrong with it is kept for Complete. Without it,
// Read ends there.
func (r *Normalized) Collect() {
	if r.normalizer != nil {
		r.normalizer.collecting = true
	}
}

// Complete adds to the profile of what was read the defects that were collected.
func (r *Normalized) Complete(p *Profile) {
	if r.normalizer == nil || len(r.normalizer.defects.groups) == 0 {
		return
	}
	// What a file lacks as a whole is not known without these rows.
	p.log.drop(CodeNoRows, CodeOneClass, CodeTooManyClasses, CodeNumericLabel)
	p.Partial = p.Partial || r.normalizer.partial
	p.updateDefects(&r.normalizer.defects)
}

// Normalize returns src in the shape of the contract, as CSV with commas. If
// nothing is to be changed, the bytes are those of src. A *Defect, from here
// or from Read, has its place in src.
func Normalize(src io.Reader, shape Layout) (*Normalized, error) {
	if shape.Delimiter == DetectDelimiter {
		sampled := bufio.NewReaderSize(src, detectBytes)
		sample, _ := sampled.Peek(detectBytes) // an error comes again with Read
		shape.Delimiter = FindDelimiter(sample, len(sample) == detectBytes)
		src = sampled
	}
	if shape.Delimiter == 0 {
		shape.Delimiter = ','
	}
	if shape.Delimiter == ',' && shape.ID == "" && shape.Label == "" && !shape.MakeID && len(shape.Drop) == 0 && shape.Names == nil && !shape.NoHeader {
		return &Normalized{Reader: src}, nil
	}
	if shape.MakeID && shape.ID != "" {
		return nil, fmt.Errorf("the ID cannot both be the column %s and be made: choose one", excerpt(shape.ID))
	}
	if bytes.IndexByte([]byte("\"\r\n"), shape.Delimiter) >= 0 {
		return nil, fmt.Errorf("delimiter %q: must not be a quote or a line end", shape.Delimiter)
	}
	t, err := openTable(NewReader(src, shape.Delimiter))
	if err != nil {
		return nil, err
	}
	r := &normalizer{table: t, numbered: shape.MakeID, line: 1}
	if shape.NoHeader {
		r.firstRow = t.headerAsRow()
	}
	if err := shape.rename(t); err != nil {
		return nil, err
	}
	if r.order, err = shape.columnOrder(t); err != nil {
		return nil, err
	}
	r.out = NewWriter(&r.pending)
	r.header(shape.MadeID)
	return &Normalized{r, r}, nil
}

// rename sets the names that are wanted.
func (s *Layout) rename(t *table) error {
	if s.Names == nil {
		for i := range t.names {
			if s.NoHeader {
				t.names[i] = "column_" + strconv.Itoa(i+1)
			}
		}
		return nil
	}
	if len(s.Names) != len(t.names) {
		return &Defect{
			Code: CodeRaggedRow, Line: t.line, Column: 1,
			Message: fmt.Sprintf("expected %s, got %d", pluralize(len(s.Names), "column"), len(t.names)),
		}
	}
	t.names = s.Names
	return nil
}

// missingColumn is the defect of a file without a column that is to have a role.
func missingColumn(line int, name, role string, names []string) *Defect {
	return &Defect{
		Code: CodeMissingColumn, Line: line, Name: name,
		Message: fmt.Sprintf("there is no column %s to be %s%s", excerpt(name), role, didYouMean(name, names)),
	}
}

// columnOrder returns the positions of the columns in their new order.
func (s *Layout) columnOrder(t *table) ([]int, error) {
	find := func(name, role string, optional bool) (int, error) {
		at := t.find(name)
		if at < 0 && !optional {
			return at, missingColumn(t.line, name, role, t.names)
		}
		return at, nil
	}
	order := make([]int, len(t.names))
	for i := range order {
		order[i] = i
	}
	without := func(at int) {
		order = slices.DeleteFunc(order, func(i int) bool { return i == at })
	}
	for _, name := range s.Drop {
		at, err := find(name, "dropped", s.Blind)
		if err != nil {
			return nil, err
		}
		without(at)
	}
	if s.Label != "" {
		at, err := find(s.Label, "the label", s.Blind)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			without(at)
			order = append(order, at)
		}
	}
	if s.ID != "" {
		at, err := find(s.ID, "the ID", false)
		if err != nil {
			return nil, err
		}
		without(at)
		order = slices.Insert(order, 0, at)
	}
	return order, nil
}

// normalizer writes the records of a table in another order.
type normalizer struct {
	table      *table
	order      []int
	numbered   bool
	rows       int
	firstRow   *Record // a row that stands where a header should; nil once it is written
	out        *Writer
	pending    bytes.Buffer
	err        error
	line       int          // next of the output
	offsets    []lineOffset // where lines begin to stand elsewhere in the source
	collecting bool         // see Collect
	defects    defectLog
	partial    bool // not all of the source was read
}

// lineOffset tells that from a line of the output on, lines stand so many later in the
// source: blank lines are not written.
type lineOffset struct{ line, by int }

func (r *normalizer) locate(line, column int) (int, int) {
	at, found := slices.BinarySearchFunc(r.offsets, line, func(one lineOffset, line int) int { return cmp.Compare(one.line, line) })
	if !found {
		at--
	}
	if at >= 0 {
		line += r.offsets[at].by
	}
	if r.numbered && column > 0 {
		column--
	}
	if column > 0 && column <= len(r.order) {
		column = r.order[column-1] + 1
	}
	return line, column
}

// recordWritten notes that a record was written that begins in a line of the source.
func (r *normalizer) recordWritten(from int, fields [][]byte, breaks int) {
	by := 0
	if n := len(r.offsets); n > 0 {
		by = r.offsets[n-1].by
	}
	if from-r.line != by {
		r.offsets = append(r.offsets, lineOffset{r.line, from - r.line})
	}
	r.line++
	for _, at := range r.order {
		if breaks > 0 {
			r.line += countLineBreaks(fields[at])
		}
	}
}

// header writes the header, with a name for an ID column that is made; the name
// may be empty.
func (r *normalizer) header(made string) {
	if r.numbered {
		if made == "" {
			made = uniqueName("id", func(one string) bool { return r.table.find(one) >= 0 })
		}
		r.out.Field([]byte(made))
	}
	for _, at := range r.order {
		r.out.Field([]byte(r.table.names[at]))
	}
	r.out.EndRecord()
	r.recordWritten(r.table.line, nil, 0)
	for _, at := range r.order {
		r.line += countLineBreaks([]byte(r.table.names[at]))
	}
}

// Read implements io.Reader.
func (r *normalizer) Read(p []byte) (int, error) {
	for r.pending.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	return r.pending.Read(p)
}

// collect keeps an error that is a defect of the source, and reports whether it
// is one. It ends the reading where nothing more can be told.
func (r *normalizer) collect(err error) bool {
	var defect *Defect
	if !r.collecting || !errors.As(err, &defect) {
		return false
	}
	if r.defects.add(*defect); r.table.reader.done() {
		r.err, r.partial = io.EOF, true
	}
	return true
}

// fill writes records until a piece is full or the table ends.
func (r *normalizer) fill() {
	for r.err == nil && r.pending.Len() == 0 {
		// Who reads decides how long: there is nothing to cancel in here.
		rec, err := r.firstRow, error(nil)
		if r.firstRow = nil; rec == nil {
			rec, err = r.table.next(context.Background())
		}
		if r.collect(err) {
			continue
		}
		if err != nil {
			r.err = err
			break
		}
		if r.numbered {
			r.rows++
			r.out.Field(strconv.AppendInt([]byte{'r'}, int64(r.rows), 10))
		}
		for _, at := range r.order {
			r.out.Field(rec.fields[at])
		}
		r.out.EndRecord()
		r.recordWritten(rec.startLine, rec.fields, rec.lineBreaks)
	}
	if err := r.out.Flush(); err != nil && r.err == nil {
		r.err = err
	}
}
