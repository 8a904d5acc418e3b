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

// Layout describes how a file differs from the canonical form. The zero Layout describes
// the canonical form: fields separated by commas, the ID in the first column, the label
// in the last.
type Layout struct {
	// ID is the name of the column to move to the front. Defaults to the first column.
	ID string
	// GenerateID adds a new first column with IDs r1, r2, ….
	GenerateID bool
	// CopyID is the name of the column whose values GenerateID copies as IDs. If it is empty, the
	// IDs are r1, r2, ….
	CopyID string
	// GeneratedIDName is the name of the generated column. Defaults to id, with a number
	// appended if a column has this name.
	GeneratedIDName string
	// Names are the names of all columns, in file order, if they differ from the header. ID,
	// Label and Drop refer to these names. Defaults to the names in the header.
	Names []string
	// NoHeader is set for a file whose first row is data. Without Names, its columns are
	// named column_1, column_2 and so on.
	NoHeader bool
	// Label is the name of the column to move to the end. Defaults to the last column.
	Label string
	// Drop are the names of columns to omit.
	Drop []string
	// Add are the names of columns to add without values, after all other columns.
	Add []string
	// Delimiter separates the fields. Defaults to the comma.
	Delimiter byte
	// Blind is set for a blind file, which may lack Label and the columns of Drop.
	Blind bool
}

// SetRoles sets ID, GenerateID and Label for a file with the given column names. id and label are
// the names of the columns; label is empty for a file without a label. If generateID is set, IDs
// are generated, and id is ignored. ID and Label stay empty if the columns are already at their
// canonical positions, so that Normalize does not change a canonical file.
func (l *Layout) SetRoles(names []string, id string, generateID bool, label string) {
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(l.Drop, name) })
	l.ID, l.GenerateID = "", generateID
	switch {
	case generateID && l.GeneratedIDName == "":
		l.GeneratedIDName = csvfile.UniqueName("id", func(one string) bool { return slices.Contains(names, one) })
	case !generateID && (len(left) == 0 || left[0] != id):
		l.ID = id
	}
	if l.Label = ""; len(left) == 0 || left[len(left)-1] != label {
		l.Label = label
	}
}

// NormalizeResult is a file in canonical form.
type NormalizeResult struct {
	io.Reader
	canonical *canonicalReader // nil if the source is already in canonical form
}

// Locate maps a line and a column of the canonical form to a line and a column of the source. The
// column is 0 for an added column, and for a generated ID that is not a copy of a column. Locate
// must not be called concurrently with Read.
func (r *NormalizeResult) Locate(line, column int) (sourceLine, sourceColumn int) {
	if r.canonical == nil {
		return line, column
	}
	return r.canonical.locate(line, column)
}

// IsUnchanged reports whether the source is already in canonical form, so that Read returns the
// same bytes.
func (r *NormalizeResult) IsUnchanged() bool { return r.canonical == nil }

// CollectDefects makes Read skip defective rows, if possible, and collect their defects instead of
// returning them. AddDefectsTo adds the collected defects to a profile.
func (r *NormalizeResult) CollectDefects() {
	if r.canonical != nil {
		r.canonical.collectDefects = true
	}
}

// AddDefectsTo adds the collected defects to p, the profile of the canonical form.
func (r *NormalizeResult) AddDefectsTo(p *profile.Profile) {
	if r.canonical == nil || r.canonical.defects.IsEmpty() {
		return
	}
	p.MergeDefects(&r.canonical.defects, r.canonical.partial)
}

// Normalize returns a reader of src in canonical form. If src is already in canonical form, the
// reader returns the same bytes. If the file has a defect, Normalize or the Read method of the
// result returns a *csvfile.Defect with the line and column in src.
func Normalize(src io.Reader, layout Layout) (*NormalizeResult, error) {
	if layout.Delimiter == csvfile.AutoDelimiter {
		sampled := bufio.NewReaderSize(src, csvfile.DelimiterSampleBytes)
		sample, _ := sampled.Peek(csvfile.DelimiterSampleBytes) // a later Read returns the error
		layout.Delimiter = csvfile.FindDelimiter(sample, len(sample) == csvfile.DelimiterSampleBytes)
		src = sampled
	}
	if layout.Delimiter == 0 {
		layout.Delimiter = ','
	}
	if layout.Delimiter == ',' && layout.ID == "" && layout.Label == "" && !layout.GenerateID && len(layout.Drop) == 0 && len(layout.Add) == 0 && layout.Names == nil && !layout.NoHeader {
		return &NormalizeResult{Reader: src}, nil
	}
	if layout.GenerateID && layout.ID != "" {
		return nil, fmt.Errorf("the ID cannot be both the column %s and generated: choose one", csvfile.Excerpt(layout.ID))
	}
	if bytes.IndexByte([]byte("\"\r\n"), layout.Delimiter) >= 0 {
		return nil, fmt.Errorf("delimiter %q: must not be a quote or a line end", layout.Delimiter)
	}
	t, err := csvfile.OpenTable(csvfile.NewReader(src, layout.Delimiter))
	if err != nil {
		return nil, err
	}
	r := &canonicalReader{table: t, generateID: layout.GenerateID, copyID: -1, added: layout.Add, line: 1}
	if layout.NoHeader {
		r.firstRow = t.HeaderAsRecord()
	}
	if t.Names, err = layout.namesFor(t.Names, t.HeaderLine); err != nil {
		return nil, err
	}
	if r.order, err = layout.columnOrder(t); err != nil {
		return nil, err
	}
	if layout.CopyID != "" {
		if r.copyID = t.ColumnIndex(layout.CopyID); r.copyID < 0 {
			return nil, missingColumnDefect(t.HeaderLine, layout.CopyID, "for the ID", t.Names)
		}
	}
	r.out = csvfile.NewWriter(&r.pending)
	r.writeHeader(layout.GeneratedIDName)
	return &NormalizeResult{r, r}, nil
}

// namesFor returns the names of the columns of a file whose first row, in the given line, is header.
func (l *Layout) namesFor(header []string, line int) ([]string, error) {
	switch {
	case l.Names != nil && len(l.Names) != len(header):
		return nil, &csvfile.Defect{
			Code: csvfile.CodeRaggedRow, Line: line, Column: 1,
			Message: fmt.Sprintf("expected %s, got %d", humanize.Count(len(l.Names), "column"), len(header)),
		}
	case l.Names != nil:
		return l.Names, nil
	case !l.NoHeader:
		return header, nil
	}
	return NumberedNames(len(header)), nil
}

// NumberedNames returns the names column_1, column_2, … of n columns.
func NumberedNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = "column_" + strconv.Itoa(i+1)
	}
	return names
}

// missingColumnDefect returns the defect of a file that lacks the named column. role is
// the purpose of the column in the message, such as "for the ID".
func missingColumnDefect(line int, name, role string, names []string) *csvfile.Defect {
	return &csvfile.Defect{
		Code: csvfile.CodeMissingColumn, Line: line, Name: name,
		Message: fmt.Sprintf("there is no column %s %s%s", csvfile.Excerpt(name), role, csvfile.DidYouMean(name, names)),
	}
}

// columnOrder returns the positions of the source's columns in the order of the canonical
// form.
func (l *Layout) columnOrder(t *csvfile.Table) (positions []int, err error) {
	find := func(name, role string, optional bool) (int, error) {
		at := t.ColumnIndex(name)
		if at < 0 && !optional {
			return at, missingColumnDefect(t.HeaderLine, name, role, t.Names)
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
	for _, name := range l.Drop {
		at, err := find(name, "to be dropped", l.Blind)
		if err != nil {
			return nil, err
		}
		without(at)
	}
	if l.Label != "" {
		at, err := find(l.Label, "for the label", l.Blind)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			without(at)
			order = append(order, at)
		}
	}
	if l.ID != "" {
		at, err := find(l.ID, "for the ID", false)
		if err != nil {
			return nil, err
		}
		without(at)
		order = slices.Insert(order, 0, at)
	}
	return order, nil
}

// canonicalReader reads a table, and Read returns its canonical form.
type canonicalReader struct {
	table          *csvfile.Table
	order          []int
	generateID     bool
	copyID         int      // position of Layout.CopyID, or -1
	added          []string // Layout.Add
	rows           int
	firstRow       *csvfile.Record // the first record if it is data; nil once it is written
	out            *csvfile.Writer
	pending        bytes.Buffer
	err            error
	line           int          // line of the output at which the next record starts
	offsets        []lineOffset // ascending
	collectDefects bool         // set by CollectDefects
	defects        csvfile.DefectLog
	partial        bool // the source was not read to its end
}

// lineOffset maps lines of the output to lines of the source, whose numbers are higher by delta. It
// applies from the output line in its field line up to the line before the next lineOffset. delta
// changes where the source contains blank lines, because these are not written.
type lineOffset struct{ line, delta int }

func (r *canonicalReader) locate(line, column int) (sourceLine, sourceColumn int) {
	at, found := slices.BinarySearchFunc(r.offsets, line, func(one lineOffset, line int) int { return cmp.Compare(one.line, line) })
	if !found {
		at--
	}
	if at >= 0 {
		line += r.offsets[at].delta
	}
	if r.generateID && column > 0 {
		if column--; column == 0 {
			return line, r.copyID + 1
		}
	}
	switch {
	case column > len(r.order): // an added column
		column = 0
	case column > 0:
		column = r.order[column-1] + 1
	}
	return line, column
}

// addOffset updates r.offsets and r.line after a record was written. The record starts in
// line sourceLine of the source and has the given number of line breaks in its fields.
func (r *canonicalReader) addOffset(sourceLine int, fields [][]byte, breaks int) {
	by := 0
	if n := len(r.offsets); n > 0 {
		by = r.offsets[n-1].delta
	}
	if sourceLine-r.line != by {
		r.offsets = append(r.offsets, lineOffset{r.line, sourceLine - r.line})
	}
	r.line++
	for _, at := range r.order {
		if breaks > 0 {
			r.line += csvfile.CountLineBreaks(fields[at])
		}
	}
}

// writeHeader writes the header. idName is the name of a generated ID column. If idName is empty,
// writeHeader chooses an unused name.
func (r *canonicalReader) writeHeader(idName string) {
	if r.generateID {
		if idName == "" {
			idName = csvfile.UniqueName("id", func(one string) bool { return r.table.ColumnIndex(one) >= 0 })
		}
		r.out.WriteField([]byte(idName))
	}
	for _, at := range r.order {
		r.out.WriteField([]byte(r.table.Names[at]))
	}
	for _, name := range r.added {
		r.out.WriteField([]byte(name))
	}
	r.out.EndRecord()
	r.addOffset(r.table.HeaderLine, nil, 0)
	for _, at := range r.order {
		r.line += csvfile.CountLineBreaks([]byte(r.table.Names[at]))
	}
}

// Read implements io.Reader.
func (r *canonicalReader) Read(p []byte) (int, error) {
	for r.pending.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.fill()
	}
	return r.pending.Read(p)
}

// collectDefect adds err to r.defects and returns true if err is a defect and defects are
// collected. If nothing can be read after the defect, it sets r.err to io.EOF.
func (r *canonicalReader) collectDefect(err error) bool {
	var defect *csvfile.Defect
	if !r.collectDefects || !errors.As(err, &defect) {
		return false
	}
	if r.defects.Add(*defect); r.table.Reader.Done() {
		r.err, r.partial = io.EOF, true
	}
	return true
}

// nextRecord returns the next record of the source. In a source with a single column, an empty line
// before a record is a defect. The line may be a row without a value, and if it were skipped, later
// rows would get other IDs than the user expects.
func (r *canonicalReader) nextRecord() (*csvfile.Record, error) {
	line := r.table.NextLine()
	rec, err := r.table.Next(context.Background()) // the caller cancels by no longer calling Read
	for ; err == nil && len(r.table.Names) == 1 && line < rec.Line; line++ {
		defect := &csvfile.Defect{Code: csvfile.CodeEmptyLine, Line: line, Message: "the line is empty, so it is not clear whether it is a row without a value"}
		if !r.collectDefect(defect) {
			return nil, defect
		}
	}
	return rec, err
}

// fill writes records until pending has data or the table ends.
func (r *canonicalReader) fill() {
	for r.err == nil && r.pending.Len() == 0 {
		rec, err := r.firstRow, error(nil)
		if r.firstRow = nil; rec == nil {
			rec, err = r.nextRecord()
		}
		if r.collectDefect(err) {
			continue
		}
		if err != nil {
			r.err = err
			break
		}
		switch {
		case r.copyID >= 0:
			r.out.WriteField(rec.Fields[r.copyID])
		case r.generateID:
			r.rows++
			r.out.WriteField(strconv.AppendInt([]byte{'r'}, int64(r.rows), 10))
		}
		for _, at := range r.order {
			r.out.WriteField(rec.Fields[at])
		}
		for range r.added {
			r.out.WriteField(nil)
		}
		r.out.EndRecord()
		r.addOffset(rec.Line, rec.Fields, rec.LineBreaks)
	}
	if err := r.out.Flush(); err != nil && r.err == nil {
		r.err = err
	}
}
