package frame

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Options tell Mend what it reads.
type Options struct {
	// Layout tells where the file has its columns, as for Reshape.
	Layout Layout
	// Choose decides which columns are the ID and the label where Shape does not say,
	// by their names and the first rows, of which some may be too short or too long. It
	// is not asked about a blind file with Train. If it is nil, the first column is the
	// ID and the last that is not left out the label.
	Choose func(names []string, rows [][][]byte) (ColumnRoles, error)
	// Train is what a blind file is for: the profile of a training file without
	// defects. It may be nil.
	Train *Profile
	// NumberedTrain tells that the ID of the training file was made for it.
	NumberedTrain bool
}

// ColumnRoles are the columns of a file that are no features, as positions from 0.
type ColumnRoles struct {
	ID    int // -1 if IDs are made
	Label int // -1 for the last that is not left out
	// Reason says in a few words why another column is the label.
	Reason string
}

// Report is what Mend did.
type Report struct {
	// Changes are what was changed, each kind once; none means that the copy
	// differs from the file in nothing but how it is written.
	Changes []Change
	// Read and Written are the data rows of both files. What lies between them
	// is the sum of Change.LeftOut.
	Read, Written int
	// Numbered tells that an ID column was made.
	Numbered bool
	// Line is that of the header in the file that was read, From the number of the
	// column there, from 1, for each of the copy: 0 for one that was made.
	Line          int
	SourceColumns []int
}

// File writes a corrected copy of a file to dst: UTF-8, commas, one header, ID
// first and label last, an ID and the same number of fields for every row; of a
// blind file the columns in the order of the training file. It changes what can
// be decided and nothing else, and tells every change.
//
// The file is read twice; open returns it from its beginning, unpacked and, as far
// as its encoding is known, in UTF-8. A
// *Defect is something that cannot be put right. What cannot be put right by
// reading rows alone, such as a missing column, is found by a Scan of the copy.
func File(ctx context.Context, open func() (io.ReadCloser, error), dst io.Writer, opts Options) (done *Report, err error) {
	m := &mender{ctx: ctx, opts: opts, blind: opts.Layout.Blind, ids: newIdentities()}
	defer func() { err = errors.Join(err, m.ids.Close()) }()
	for _, pass := range []func(io.Reader) error{m.survey, func(src io.Reader) error { return m.write(src, dst) }} {
		src, err := open()
		if err != nil {
			return nil, err
		}
		m.quiet = m.scan == nil // else it is the second pass, which tells
		err = pass(src)
		if err := errors.Join(err, src.Close()); err != nil {
			return nil, err
		}
	}
	m.done.Changes, m.done.Line = m.ledger.changes(m.names), m.layout.line
	if m.id == made {
		m.done.SourceColumns = append(m.done.SourceColumns, 0)
	}
	for _, at := range m.order {
		m.done.SourceColumns = append(m.done.SourceColumns, at+1)
	}
	return &m.done, nil
}

// mender is the state of one Mend: what the first pass finds out for the second.
type mender struct {
	ctx   context.Context
	opts  Options
	blind bool

	layout dialect // how the file is written
	names  []string
	ids    *identities
	scan   *scan // of the rows that have the right number of fields
	id     int   // field of the ID, -1 if it is made
	label  int   // field of the label, -1 in a blind file
	chosen ColumnRoles
	order  []int // fields of the copy, in their order

	ledger ledger
	quiet  bool // nothing is noted: it will be in the second pass
	first  bool // the first row was counted, though it stands where a header should
	done   Report
}

func (m *mender) note(code string, line, column int) {
	if !m.quiet {
		m.ledger.note(code, line, column)
	}
}

// sniffed is how much of a file is looked at to find out how it is written.
const sniffed = 1 << 20

// survey is the first pass: it finds out how the file is written and counts what
// its columns hold.
func (m *mender) survey(src io.Reader) error {
	head := bufio.NewReaderSize(src, sniffed)
	sample, _ := head.Peek(sniffed) // an error comes again with Read
	var err error
	if m.layout, err = sniff(sample, len(sample) == sniffed, m.opts.Layout.Delimiter); err != nil {
		return err
	}
	rows, err := m.open(head)
	if err != nil {
		return err
	}
	if err := m.begin(); err != nil {
		return err
	}
	for {
		fields, line, err := rows.next()
		if finished(err) {
			break
		}
		if err != nil {
			return err
		}
		if rows.count&0x3FF == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if len(fields) == len(m.names) && !m.repeatsHeader(fields) && !allBlank(fields) {
			m.count(fields, line)
		}
	}
	return m.decide()
}

// begin makes the scan that counts.
func (m *mender) begin() error {
	s := &scan{opts: ScanOptions{Blind: m.blind}, profile: &Profile{Schema: &Schema{}}, ids: m.ids, label: -1}
	s.table = &table{names: m.names, line: m.layout.line}
	s.tallies = make([]tally, len(m.names))
	s.memory = textMemoryOf(len(m.names), defaultTextMemory)
	share := newLimits(len(m.names), s.memory)
	for i := range s.tallies {
		s.tallies[i].limits = share
	}
	s.sample = newSample(len(m.names), -1, -1, false, m.ids.disk)
	m.scan, m.first = s, !m.layout.header
	return m.chooseRoles()
}

func (m *mender) count(fields [][]byte, line int) {
	s := m.scan
	size := 0
	for i, cell := range fields {
		s.tallies[i].add(cell, line)
		size += len(cell)
	}
	if m.id >= 0 && !isBlank(fields[m.id]) {
		s.ids.add(fields[m.id], line)
	}
	s.sample.add(fields, s.table.rows)
	s.table.rows++
	s.relieve(size, 1)
}

// decide settles the roles of the columns, once it is known what they hold.
func (m *mender) decide() error {
	s := m.scan
	s.id, s.label = m.id, -1
	s.profile.Rows = s.table.rows
	if m.layout.header {
		m.layout.header = !m.keepsNumbersOnly() && (s.profile.Rows == 0 || !m.headless())
	}
	m.nameColumns()
	for _, name := range m.opts.Layout.Drop {
		if !m.blind && !slices.Contains(m.names, name) {
			return m.missing(name, "dropped")
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

// keepsNumbersOnly reports whether nothing but numbers is left of the header once
// the columns that are left out are gone.
func (m *mender) keepsNumbersOnly() bool {
	kept := table{}
	for i, name := range m.names {
		if !m.dropped(i) {
			kept.names = append(kept.names, name)
		}
	}
	return len(kept.names) > 0 && kept.allNumbers()
}

// headless reports whether the header is rather a row of data. It is a header if it
// has a name of the training file.
func (m *mender) headless() bool {
	s, train := m.scan, m.opts.Train
	if m.blind && train != nil {
		if names := m.trainNames(); names != nil {
			return m.holdsNumbers(train, names)
		}
		if slices.ContainsFunc(m.names, func(name string) bool { return train.columnIndex(name) >= 0 }) {
			return false
		}
	}
	if !m.blind {
		s.label = len(m.names) - 1
	}
	found := s.headless()
	s.label = -1
	return found
}

// holdsNumbers reports whether the header has a number wherever the training file
// has a column of numbers, if there is such a column. names are what its columns are
// then called.
func (m *mender) holdsNumbers(train *Profile, names []string) bool {
	found := false
	for i := range train.Columns {
		if train.Columns[i].Form != FormNumeric {
			continue
		}
		if kind, _ := classify([]byte(m.names[slices.Index(names, train.Columns[i].Name)])); kind != number {
			return false
		}
		found = true
	}
	return found
}

// rows reads the records of a file behind its header.
type rows struct {
	*lenient
	count int
	again [][]byte // a header that was data is the first row
	line  int
}

func (r *rows) next() ([][]byte, int, error) {
	r.count++
	if again := r.again; again != nil {
		r.again = nil
		return again, r.line, nil
	}
	return r.lenient.next()
}

// open reads the header as the layout has it.
func (m *mender) open(src io.Reader) (*rows, error) {
	r := &rows{lenient: newLenient(src, m.layout.delim, m.note)}
	for range m.layout.preamble {
		_, line, err := r.lenient.next()
		if err != nil {
			return nil, orEmpty(err)
		}
		m.note(changePreamble, line, 0)
	}
	fields, line, err := r.lenient.next()
	if err != nil {
		return nil, orEmpty(err)
	}
	m.layout.line = line
	if m.names == nil {
		for _, field := range fields {
			m.names = append(m.names, string(trim(field)))
		}
		if m.layout.rowNames {
			m.names = slices.Insert(m.names, 0, "")
		}
	}
	r.width = len(m.names)
	if !m.layout.header {
		for _, field := range fields {
			r.again = append(r.again, bytes.Clone(field))
		}
		r.line = line
	}
	return r, nil
}

func orEmpty(err error) error {
	if finished(err) {
		return &Defect{Code: CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
	}
	return err
}

func allBlank(fields [][]byte) bool {
	return !slices.ContainsFunc(fields, func(field []byte) bool { return !isBlank(field) })
}

// repeatsHeader reports whether a row is the header again, as where files were
// put one behind the other.
func (m *mender) repeatsHeader(fields [][]byte) bool {
	return m.layout.header && m.likeFirstRow(fields)
}

// likeFirstRow reports whether a row is the same as the first.
func (m *mender) likeFirstRow(fields [][]byte) bool {
	if len(fields) != len(m.layout.names) {
		return false
	}
	for i, field := range fields {
		if string(trim(field)) != m.layout.names[i] {
			return false
		}
	}
	return true
}

// write is the second pass.
func (m *mender) write(src io.Reader, dst io.Writer) error {
	r, err := m.open(src)
	if err != nil {
		return err
	}
	m.tellLayout()
	w, err := newMendWriter(m, dst)
	if err != nil {
		return err
	}
	for {
		if r.count&0x3FF == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		fields, line, err := r.next()
		if finished(err) {
			break
		}
		if err != nil {
			return err
		}
		m.done.Read++
		if err := w.row(fields, line); err != nil {
			return err
		}
	}
	if left := m.ledger.leftOut(changeRaggedOut); left > mostLeftOut && left*leftOutShare > m.done.Read {
		return &Defect{
			Code: CodeRaggedRow, Line: w.firstOut,
			Message: fmt.Sprintf("%s of %s have too many or too few fields, and what is meant cannot be told: is %q what parts the fields?",
				grouped(left), plural(m.done.Read, "row"), m.layout.delim),
		}
	}
	return w.out.Flush()
}

// How many rows with a wrong number of fields a training file may lose.
const (
	mostLeftOut  = 5
	leftOutShare = 10 // or one in so many
)
