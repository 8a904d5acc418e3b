package repair

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/dupid"
	"foretell/internal/table/profile"
)

// Options configure File.
type Options struct {
	// Layout is the layout of the file, as for Normalize.
	Layout Layout
	// Choose determines the columns of the ID and the label unless Layout names them, from
	// their names and the first rows, which may have other lengths. It is not called for a
	// blind file with Train. If it is nil, the first column is the ID and the last that is
	// not dropped the label.
	Choose func(names []string, rows [][][]byte) (ColumnRoles, error)
	// Train is the profile of the training file of a blind file, without defects. It may
	// be nil.
	Train *profile.Profile
	// NumberedTrain is set if the ID of the training file was generated.
	NumberedTrain bool
}

// ColumnRoles are the positions of the columns that are not features, from 0.
type ColumnRoles struct {
	ID    int // -1 if IDs are generated
	Label int // -1 for the last that is not dropped
	// Reason briefly explains why another column is the label.
	Reason string
}

// Report describes what File did.
type Report struct {
	// Changes are the changes, each kind once; without any, the copy differs in formatting
	// only.
	Changes []Change
	// Read and Written are the numbers of data rows of both files. They differ by the sum
	// of Change.LeftOut.
	Read, Written int
	// Numbered is set if an ID column was generated.
	Numbered bool
	// Line is the line of the header in the source, SourceColumns the number of the
	// source's column, from 1, for each column of the copy: 0 for a generated one.
	Line          int
	SourceColumns []int
}

// File writes a corrected copy of a file to dst: UTF-8, commas, one header, ID first and
// label last, an ID and the same number of fields for every row; for a blind file the
// columns are in the order of the training file. It makes only unambiguous changes, and
// reports all of them.
//
// The file is read twice; open returns it from its beginning, unpacked and, if its
// encoding is known, in UTF-8. A *Defect cannot be corrected. Errors that rows alone do
// not show, such as a missing column, are found by a Scan of the copy.
func File(ctx context.Context, open func() (io.ReadCloser, error), dst io.Writer, opts Options) (done *Report, err error) {
	m := &repairer{ctx: ctx, opts: opts, blind: opts.Layout.Blind, ids: dupid.NewSet()}
	defer func() { err = errors.Join(err, m.ids.Close()) }()
	for _, pass := range []func(io.Reader) error{m.analyse, func(src io.Reader) error { return m.write(src, dst) }} {
		src, err := open()
		if err != nil {
			return nil, err
		}
		m.firstPass = m.stats == nil // otherwise it is the second pass, which logs
		err = pass(src)
		if err := errors.Join(err, src.Close()); err != nil {
			return nil, err
		}
	}
	m.report.Changes, m.report.Line = m.log.report(m.names), m.dialect.line
	if m.id == madeID {
		m.report.SourceColumns = append(m.report.SourceColumns, 0)
	}
	for _, at := range m.order {
		m.report.SourceColumns = append(m.report.SourceColumns, at+1)
	}
	return &m.report, nil
}

// repairer is the state of a call of File.
type repairer struct {
	ctx   context.Context
	opts  Options
	blind bool

	dialect dialect // how the file is written
	names   []string
	ids     *dupid.Set
	stats   *profile.Collector // of the rows with the right number of fields
	id      int                // field of the ID, -1 if it is made
	label   int                // field of the label, -1 in a blind file
	chosen  ColumnRoles
	order   []int // fields of the copy, in order

	log          changeLog
	firstPass    bool // changes are logged in the second pass only
	countedFirst bool // the first row was counted because it is not a header
	report       Report
}

func (m *repairer) logChange(code string, line, column int) {
	if !m.firstPass {
		m.log.add(code, line, column)
	}
}

// sniffBytes is the number of bytes that are read to infer the dialect.
const sniffBytes = 1 << 20

// analyse is the first pass: it infers the dialect and scans the columns.
func (m *repairer) analyse(src io.Reader) error {
	head := bufio.NewReaderSize(src, sniffBytes)
	sample, _ := head.Peek(sniffBytes) // an error is returned by Read, too
	var err error
	if m.dialect, err = sniffDialect(sample, len(sample) == sniffBytes, m.opts.Layout.Delimiter); err != nil {
		return err
	}
	rows, err := m.open(head)
	if err != nil {
		return err
	}
	if err := m.newCollector(); err != nil {
		return err
	}
	for {
		fields, line, err := rows.next()
		if csvfile.IsEOF(err) {
			break
		}
		if err != nil {
			return err
		}
		if rows.reads&0x3FF == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if len(fields) == len(m.names) && !m.repeatsHeader(fields) && !allBlank(fields) {
			m.countRow(fields, line)
		}
	}
	return m.assignRoles()
}

// newCollector makes the collector of the first pass.
func (m *repairer) newCollector() error {
	m.stats, m.countedFirst = profile.NewCollector(m.names), !m.dialect.header
	return m.chooseRoles()
}

func (m *repairer) countRow(fields [][]byte, line int) {
	m.stats.AddRow(fields, line)
	if m.id >= 0 && !cells.IsBlank(fields[m.id]) {
		m.ids.Add(fields[m.id], line)
	}
}

// assignRoles determines the roles of the columns from their contents.
func (m *repairer) assignRoles() error {
	if m.dialect.header {
		m.dialect.header = !m.keepsNumbersOnly() && (m.stats.Rows() == 0 || !m.lacksHeader())
	}
	m.nameColumns()
	for _, name := range m.opts.Layout.Drop {
		if !m.blind && !slices.Contains(m.names, name) {
			return m.missingColumn(name, "dropped")
		}
	}
	if err := m.chooseLabel(); err != nil {
		return err
	}
	if m.blind {
		m.orderBlind()
	} else {
		m.orderTrain()
	}
	return nil
}

// keepsNumbersOnly reports whether the header without the dropped columns consists of
// numbers.
func (m *repairer) keepsNumbersOnly() bool {
	kept := csvfile.Table{}
	for i, name := range m.names {
		if !m.dropped(i) {
			kept.Names = append(kept.Names, name)
		}
	}
	return len(kept.Names) > 0 && kept.IsHeaderNumeric()
}

// lacksHeader reports whether the header looks like a row of data. It does not if it has a
// name of the training file.
func (m *repairer) lacksHeader() bool {
	train := m.opts.Train
	if m.blind && train != nil {
		if names := m.trainNames(); names != nil {
			return m.holdsNumbers(train, names)
		}
		if slices.ContainsFunc(m.names, func(name string) bool { return train.ColumnIndex(name) >= 0 }) {
			return false
		}
	}
	label := -1
	if !m.blind {
		label = len(m.names) - 1
	}
	return m.stats.LacksHeader(m.id, label)
}

// holdsNumbers reports whether the header has a number for each column of numbers of the
// training file, and there is such a column. names are the names of the columns in that
// case.
func (m *repairer) holdsNumbers(train *profile.Profile, names []string) bool {
	found := false
	for i := range train.Columns {
		if train.Columns[i].Form != profile.FormNumeric {
			continue
		}
		if kind, _ := cells.Classify([]byte(m.names[slices.Index(names, train.Columns[i].Name)])); kind != cells.Number {
			return false
		}
		found = true
	}
	return found
}

// rowReader reads the records after the header.
type rowReader struct {
	*csvfile.LenientReader
	reads    int
	firstRow [][]byte // the first record if it is data
	line     int
}

func (r *rowReader) next() ([][]byte, int, error) {
	r.reads++
	if again := r.firstRow; again != nil {
		r.firstRow = nil
		return again, r.line, nil
	}
	return r.Next()
}

// open reads the header according to the dialect.
func (m *repairer) open(src io.Reader) (*rowReader, error) {
	r := &rowReader{LenientReader: csvfile.NewLenientReader(src, m.dialect.delim, m.logChange)}
	for range m.dialect.preamble {
		_, line, err := r.Next()
		if err != nil {
			return nil, emptyFileError(err)
		}
		m.logChange(changePreamble, line, 0)
	}
	fields, line, err := r.Next()
	if err != nil {
		return nil, emptyFileError(err)
	}
	m.dialect.line = line
	if m.names == nil {
		for _, field := range fields {
			m.names = append(m.names, string(cells.Trim(field)))
		}
		if m.dialect.rowNames {
			m.names = slices.Insert(m.names, 0, "")
		}
	}
	r.Width = len(m.names)
	if !m.dialect.header {
		for _, field := range fields {
			r.firstRow = append(r.firstRow, bytes.Clone(field))
		}
		r.line = line
	}
	return r, nil
}

func emptyFileError(err error) error {
	if csvfile.IsEOF(err) {
		return &csvfile.Defect{Code: csvfile.CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
	}
	return err
}

func allBlank(fields [][]byte) bool {
	return !slices.ContainsFunc(fields, func(field []byte) bool { return !cells.IsBlank(field) })
}

// repeatsHeader reports whether a row repeats the header, as in concatenated files.
func (m *repairer) repeatsHeader(fields [][]byte) bool {
	return m.dialect.header && m.equalsFirstRow(fields)
}

// equalsFirstRow reports whether a row is the same as the first.
func (m *repairer) equalsFirstRow(fields [][]byte) bool {
	if len(fields) != len(m.dialect.columns) {
		return false
	}
	for i, field := range fields {
		if string(cells.Trim(field)) != m.dialect.columns[i] {
			return false
		}
	}
	return true
}

// write is the second pass.
func (m *repairer) write(src io.Reader, dst io.Writer) error {
	r, err := m.open(src)
	if err != nil {
		return err
	}
	m.logDialect()
	w, err := newRepairWriter(m, dst)
	if err != nil {
		return err
	}
	for {
		if r.reads&0x3FF == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		fields, line, err := r.next()
		if csvfile.IsEOF(err) {
			break
		}
		if err != nil {
			return err
		}
		m.report.Read++
		if err := w.row(fields, line); err != nil {
			return err
		}
	}
	if left := m.log.leftOut(changeRaggedOut); left > maxLeftOut && left*minKeptShare > m.report.Read {
		return &csvfile.Defect{
			Code: csvfile.CodeRaggedRow, Line: w.firstOut,
			Message: fmt.Sprintf("%s of %s have too many or too few fields, and cannot be aligned: is %q the delimiter?",
				humanize.Comma(left), humanize.Count(m.report.Read, "row"), m.dialect.delim),
		}
	}
	return w.out.Flush()
}

// The maximum number of rows with a wrong number of fields that a training file may lose.
const (
	maxLeftOut   = 5
	minKeptShare = 10 // or one in this many
)
