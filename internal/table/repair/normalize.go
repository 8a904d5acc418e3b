package repair

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

	"foretell/internal/humanize"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/profile"
)

// Layout describes how a file differs from the canonical form. The zero Layout is the
// canonical form: comma, ID first, label last.
type Layout struct {
	// ID is the name of the column that is moved to the front. Defaults to the first.
	ID string
	// MakeID adds a new first column with IDs r1, r2, ….
	MakeID bool
	// MadeID is the name of the generated column. Defaults to id, with a number if that is
	// taken.
	MadeID string
	// Names are other names for all columns, in the order of the file, to which the fields
	// of Layout refer. Defaults to those of the header.
	Names []string
	// NoHeader is set for a file whose first row is data. Without Names, its columns are
	// named column_1, column_2 and so on.
	NoHeader bool
	// Label is the name of the column that is moved to the end. Defaults to the last.
	Label string
	// Drop are the names of columns to omit.
	Drop []string
	// Delimiter separates the fields. Defaults to the comma.
	Delimiter byte
	// Blind is set for a file that need not have Label and the columns of Drop.
	Blind bool
}

// SetRoles sets the layout to move the ID to the front, or to generate one, and the label
// to the end, for a file with the given column names. An empty label is that of a blind
// file. Columns that are in place are not named, so that a canonical file is not changed.
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

// Normalized is a file in canonical form.
type Normalized struct {
	io.Reader
	normalizer *normalizer // nil if nothing is changed
}

// Locate maps a line and a column of what was read to those of the source. It must not be
// called concurrently with Read. The column is 0 for a generated one.
func (r *Normalized) Locate(line, column int) (int, int) {
	if r.normalizer == nil {
		return line, column
	}
	return r.normalizer.locate(line, column)
}

// Collect makes Read continue after a defective row if possible: the row is omitted and
// its defect is kept for Complete. Without Collect, Read returns the defect.
func (r *Normalized) Collect() {
	if r.normalizer != nil {
		r.normalizer.collecting = true
	}
}

// Complete adds the collected defects to the profile of what was read.
func (r *Normalized) Complete(p *profile.Profile) {
	if r.normalizer == nil || r.normalizer.defects.IsEmpty() {
		return
	}
	p.MergeDefects(&r.normalizer.defects, r.normalizer.partial)
}

// Normalize returns src in canonical form, as CSV with commas. If nothing must be changed,
// the bytes are those of src. A *Defect, returned here or by Read, has its location in
// src.
func Normalize(src io.Reader, shape Layout) (*Normalized, error) {
	if shape.Delimiter == csvfile.AutoDelimiter {
		sampled := bufio.NewReaderSize(src, csvfile.DelimiterSampleBytes)
		sample, _ := sampled.Peek(csvfile.DelimiterSampleBytes) // an error is returned by Read, too
		shape.Delimiter = csvfile.FindDelimiter(sample, len(sample) == csvfile.DelimiterSampleBytes)
		src = sampled
	}
	if shape.Delimiter == 0 {
		shape.Delimiter = ','
	}
	if shape.Delimiter == ',' && shape.ID == "" && shape.Label == "" && !shape.MakeID && len(shape.Drop) == 0 && shape.Names == nil && !shape.NoHeader {
		return &Normalized{Reader: src}, nil
	}
	if shape.MakeID && shape.ID != "" {
		return nil, fmt.Errorf("the ID cannot both be the column %s and be made: choose one", csvfile.Excerpt(shape.ID))
	}
	if bytes.IndexByte([]byte("\"\r\n"), shape.Delimiter) >= 0 {
		return nil, fmt.Errorf("delimiter %q: must not be a quote or a line end", shape.Delimiter)
	}
	t, err := csvfile.OpenTable(csvfile.NewReader(src, shape.Delimiter))
	if err != nil {
		return nil, err
	}
	r := &normalizer{table: t, numbered: shape.MakeID, line: 1}
	if shape.NoHeader {
		r.firstRow = t.HeaderAsRecord()
	}
	if err := shape.rename(t); err != nil {
		return nil, err
	}
	if r.order, err = shape.columnOrder(t); err != nil {
		return nil, err
	}
	r.out = csvfile.NewWriter(&r.pending)
	r.header(shape.MadeID)
	return &Normalized{r, r}, nil
}

// rename sets the names of the columns.
func (s *Layout) rename(t *csvfile.Table) error {
	if s.Names == nil {
		for i := range t.Names {
			if s.NoHeader {
				t.Names[i] = "column_" + strconv.Itoa(i+1)
			}
		}
		return nil
	}
	if len(s.Names) != len(t.Names) {
		return &csvfile.Defect{
			Code: csvfile.CodeRaggedRow, Line: t.HeaderLine, Column: 1,
			Message: fmt.Sprintf("expected %s, got %d", humanize.Count(len(s.Names), "column"), len(t.Names)),
		}
	}
	t.Names = s.Names
	return nil
}

// missingColumn returns the defect of a file without the column of a role.
func missingColumn(line int, name, role string, names []string) *csvfile.Defect {
	return &csvfile.Defect{
		Code: csvfile.CodeMissingColumn, Line: line, Name: name,
		Message: fmt.Sprintf("there is no column %s to be %s%s", csvfile.Excerpt(name), role, csvfile.DidYouMean(name, names)),
	}
}

// columnOrder returns the positions of the columns in their new order.
func (s *Layout) columnOrder(t *csvfile.Table) ([]int, error) {
	find := func(name, role string, optional bool) (int, error) {
		at := t.ColumnIndex(name)
		if at < 0 && !optional {
			return at, missingColumn(t.HeaderLine, name, role, t.Names)
		}
		return at, nil
	}
	order := make([]int, len(t.Names))
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
	table      *csvfile.Table
	order      []int
	numbered   bool
	rows       int
	firstRow   *csvfile.Record // the first record if it is data, until it is written
	out        *csvfile.Writer
	pending    bytes.Buffer
	err        error
	line       int          // next line of the output
	offsets    []lineOffset // offsets of lines in the source
	collecting bool         // see Collect
	defects    csvfile.DefectLog
	partial    bool // the source was not read to its end
}

// lineOffset is the offset of lines in the source from a line of the output on: blank
// lines are not written.
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

// recordWritten records the offset of a written record that starts in line from of the
// source.
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
			r.line += csvfile.CountLineBreaks(fields[at])
		}
	}
}

// header writes the header, with the given name of a generated ID column, which may be
// empty.
func (r *normalizer) header(made string) {
	if r.numbered {
		if made == "" {
			made = uniqueName("id", func(one string) bool { return r.table.ColumnIndex(one) >= 0 })
		}
		r.out.WriteField([]byte(made))
	}
	for _, at := range r.order {
		r.out.WriteField([]byte(r.table.Names[at]))
	}
	r.out.EndRecord()
	r.recordWritten(r.table.HeaderLine, nil, 0)
	for _, at := range r.order {
		r.line += csvfile.CountLineBreaks([]byte(r.table.Names[at]))
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

// collect keeps an error that is a defect of the source, and reports whether it is one. It
// ends the reading if nothing more can be read.
func (r *normalizer) collect(err error) bool {
	var defect *csvfile.Defect
	if !r.collecting || !errors.As(err, &defect) {
		return false
	}
	if r.defects.Add(*defect); r.table.Reader.Done() {
		r.err, r.partial = io.EOF, true
	}
	return true
}

// fill writes records until the buffer has data or the table ends.
func (r *normalizer) fill() {
	for r.err == nil && r.pending.Len() == 0 {
		// The caller cancels by not calling Read.
		rec, err := r.firstRow, error(nil)
		if r.firstRow = nil; rec == nil {
			rec, err = r.table.Next(context.Background())
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
			r.out.WriteField(strconv.AppendInt([]byte{'r'}, int64(r.rows), 10))
		}
		for _, at := range r.order {
			r.out.WriteField(rec.Fields[at])
		}
		r.out.EndRecord()
		r.recordWritten(rec.Line, rec.Fields, rec.LineBreaks)
	}
	if err := r.out.Flush(); err != nil && r.err == nil {
		r.err = err
	}
}
