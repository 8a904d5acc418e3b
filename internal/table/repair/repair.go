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
	"foretell/internal/table/check"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/dupid"
	"foretell/internal/table/profile"
)

// Options configure File.
type Options struct {
	// Layout is the layout of the file, as for Normalize.
	Layout Layout
	// ChooseRoles chooses the ID and the label if Layout does not. Its arguments are the names of
	// the columns and the first rows, which may have too many or too few fields. For a blind file
	// with Train, it is always called, and its result takes precedence over Layout. If ChooseRoles
	// is nil, the ID is the first column, and the label is the last column that is not dropped.
	ChooseRoles func(names []string, rows [][][]byte) (ColumnRoles, error)
	// Train is the profile of the training file that belongs to a blind file. It must
	// have no defects. It may be nil.
	Train *profile.Profile
	// SwapSeparators are the names of columns in whose numbers points and commas are exchanged, as
	// in 1.234,5 for 1,234.5.
	SwapSeparators []string
}

// ColumnRoles are the positions of the columns that are not features, counted from 0, and the names of
// the columns of a blind file.
type ColumnRoles struct {
	// Names are the new names of all columns. If it is nil, File makes the names in the header unique.
	Names []string
	// NoHeader is set if Names is not nil and the first row is data.
	NoHeader bool
	ID       int // -1 to generate IDs
	// GenerateInvalid is set if IDs must be generated as soon as a row has no value in the column
	// ID, or the same value as an earlier row.
	GenerateInvalid bool
	Label           int // -1 for the last column that is not dropped
	// LabelReason briefly explains the choice of the label.
	LabelReason string
}

// Report describes what File did.
type Report struct {
	// Changes holds one element for each kind of change. If it is empty, the copy differs
	// from the file only in formatting.
	Changes []Change
	// RowsRead and RowsWritten are the numbers of data rows of the source and of the copy. The
	// difference is the sum of Change.LeftOut over all changes.
	RowsRead, RowsWritten int
	// ID is the name of the ID column of the copy. GeneratedID is set if the column was generated.
	ID          string
	GeneratedID bool
	// HeaderLine is the line of the header in the source. SourceColumns holds, for each column of
	// the copy, the number of the column in the source, counted from 1, or 0 if the column was
	// generated.
	HeaderLine    int
	SourceColumns []int
}

// File writes a corrected copy of a file to dst. The copy is in canonical form: it has one header,
// and every row has an ID and the same number of fields. The columns of a blind file are in the
// order of the training file. File makes only unambiguous changes and reports all of them.
//
// open must return the file from its beginning, unpacked and, if its encoding is known, in UTF-8.
// It is called twice. File returns a *csvfile.Defect for an error in the file that it cannot
// correct. It does not find errors such as a missing column; to find them, scan the copy.
func File(ctx context.Context, open func() (io.ReadCloser, error), dst io.Writer, opts Options) (done *Report, err error) {
	r := &repairer{ctx: ctx, opts: opts, blind: opts.Layout.Blind, ids: dupid.NewSet()}
	defer func() { err = errors.Join(err, r.ids.Close()) }()
	for _, pass := range []func(io.Reader) error{r.analyse, func(src io.Reader) error { return r.writeRepaired(src, dst) }} {
		src, err := open()
		if err != nil {
			return nil, err
		}
		r.firstPass = r.stats == nil
		err = pass(src)
		if err := errors.Join(err, src.Close()); err != nil {
			return nil, err
		}
	}
	r.report.Changes, r.report.HeaderLine = r.log.report(r.names), r.dialect.line
	r.quoteDecoded()
	if r.id == generatedID {
		r.report.SourceColumns = append(r.report.SourceColumns, 0)
	}
	for _, at := range r.order {
		r.report.SourceColumns = append(r.report.SourceColumns, at+1)
	}
	return &r.report, nil
}

// repairer is the state of a call of File.
type repairer struct {
	ctx   context.Context
	opts  Options
	blind bool

	dialect     dialect
	names       []string
	ids         *dupid.Set
	stats       *columnstats.Collector // statistics of the rows with the right number of fields
	id          int                    // position of the ID, or generatedID
	blankIDs    []int                  // lines of the first rows without an ID that have a label
	label       int                    // position of the label, or -1
	suggested   ColumnRoles
	moreHeaders []int // lines of the rows below the header that look like a second header
	order       []int // positions of the source's columns in the order of the copy

	log             changeLog
	firstPass       bool   // set during the first pass, in which no changes are logged
	countedFirstRow bool   // the first pass counted the first row, because it is not a header
	firstDecoded    string // the first field that was decoded as Windows-1252
	report          Report
}

// sniffBytes is the number of bytes that are read to infer the dialect.
const sniffBytes = 1 << 20

// analyse reads the file for the first time. It infers the dialect, and collects the statistics of
// the columns, from which it chooses their roles.
func (r *repairer) analyse(src io.Reader) error {
	head := bufio.NewReaderSize(src, sniffBytes)
	var err error
	if r.dialect, err = readDialect(head, &r.opts.Layout); err != nil {
		return err
	}
	rows, err := r.open(head)
	if err != nil {
		return err
	}
	if err := r.initCollector(); err != nil {
		return err
	}
	if r.dialect.hasHeader { // initCollector may have set it
		rows.firstRow = nil
	}
	for {
		fields, line, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if rows.reads&0x3FF == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		if len(fields) == len(r.names) && !r.repeatsHeader(fields) && (len(r.names) == 1 || !isBlankRow(fields)) {
			r.addRowToStatsAndIDs(fields, line)
		}
	}
	return r.assignRolesAndOrder()
}

// initCollector chooses the ID, and prepares the collection of column statistics and IDs.
func (r *repairer) initCollector() error {
	r.stats = columnstats.NewCollector(len(r.names))
	err := r.chooseIDAndSuggestLabel()
	r.countedFirstRow = !r.dialect.hasHeader
	return err
}

func (r *repairer) addRowToStatsAndIDs(fields [][]byte, line int) {
	r.stats.AddRow(fields, line)
	switch {
	case r.id < 0:
	case cells.IsBlank(fields[r.id]):
		label := r.expectedLabel()
		if len(r.blankIDs) < maxBlankIDs && (label < 0 || !cells.IsBlank(fields[label])) { // otherwise, the row is left out
			r.blankIDs = append(r.blankIDs, line)
		}
	default:
		r.ids.Add(fields[r.id], line)
	}
}

// assignRolesAndOrder determines the roles of the columns from their contents, and their order in
// the copy.
func (r *repairer) assignRolesAndOrder() error {
	if err := r.rejectInvalidIDs(); err != nil {
		return err
	}
	if r.dialect.hasHeader && r.suggested.Names == nil {
		r.dialect.hasHeader = !r.isKeptHeaderNumeric() && (r.stats.Rows() == 0 || !r.lacksHeader())
	}
	r.makeNamesUnique()
	for _, name := range r.opts.Layout.Drop {
		if !r.blind && !slices.Contains(r.names, name) {
			return r.missingColumnDefect(name, "to be dropped")
		}
	}
	if err := r.chooseLabel(); err != nil {
		return err
	}
	if r.dialect.hasHeader {
		r.findMoreHeaders()
	}
	if r.blind {
		r.orderBlindColumns()
	} else {
		r.orderTrainingColumns()
	}
	return nil
}

// findMoreHeaders finds the rows below the header that look like a second header or a line of units.
func (r *repairer) findMoreHeaders() {
	label := r.label
	if r.blind {
		label = -1
	}
	r.moreHeaders = check.SecondHeaderLines(r.stats.Columns(), r.id, label)
}

// isKeptHeaderNumeric reports whether the header consists only of numbers, apart from
// dropped columns.
func (r *repairer) isKeptHeaderNumeric() bool {
	var kept []string
	for i, name := range r.names {
		if !r.isDropped(i) {
			kept = append(kept, name)
		}
	}
	return len(kept) > 0 && csvfile.IsHeaderNumeric(kept)
}

// lacksHeader reports whether the header looks like a row of data; see check.LacksHeader.
func (r *repairer) lacksHeader() bool {
	label := -1
	if !r.blind {
		label = len(r.names) - 1
	}
	return check.LacksHeader(r.names, r.stats.Columns(), r.id, label)
}

// rowReader reads the records after the header.
type rowReader struct {
	*csvfile.LenientReader
	reads    int
	firstRow [][]byte // the first record if it is data; nil once it was returned
	line     int      // the line of firstRow
}

func (r *rowReader) next() (fields [][]byte, line int, err error) {
	r.reads++
	if again := r.firstRow; again != nil {
		r.firstRow = nil
		return again, r.line, nil
	}
	return r.Next()
}

// open skips the preamble, reads the header and returns a reader of the rows after it. The reader also
// returns the header if it is data or, in the first pass, may be data.
func (r *repairer) open(src io.Reader) (*rowReader, error) {
	rows := &rowReader{LenientReader: csvfile.NewLenientReader(src, r.dialect.delim, r.logChange)}
	for range r.dialect.preamble {
		_, line, err := rows.Next()
		if err != nil {
			return nil, emptyFileError(err)
		}
		r.logChange(changePreambleLeftOut, line, 0)
	}
	fields, line, err := rows.Next()
	if err != nil {
		return nil, emptyFileError(err)
	}
	r.dialect.line = line
	if r.names == nil {
		for _, field := range fields {
			r.names = append(r.names, string(cells.Trim(field)))
		}
		if r.opts.Layout.NoHeader {
			if err := r.nameFromLayout(line); err != nil {
				return nil, err
			}
		}
		if r.dialect.hasRowNames {
			r.names = slices.Insert(r.names, 0, "")
		}
	}
	rows.Width = len(r.names)
	if !r.dialect.hasHeader || r.firstPass {
		for _, field := range fields {
			rows.firstRow = append(rows.firstRow, bytes.Clone(field))
		}
		rows.line = line
	}
	return rows, nil
}

// nameFromLayout names the columns of a file that has no header, in the same way as Normalize. line
// is the line of the first row.
func (r *repairer) nameFromLayout(line int) error {
	names, err := r.opts.Layout.namesFor(r.dialect.names, line)
	r.names = slices.Clone(names)
	return err
}

func emptyFileError(err error) error {
	if errors.Is(err, io.EOF) {
		return &csvfile.Defect{Code: csvfile.CodeEmptyFile, Message: "the file is empty", Line: 1, Column: 1}
	}
	return err
}

func isBlankRow(fields [][]byte) bool {
	return !slices.ContainsFunc(fields, func(field []byte) bool { return !cells.IsBlank(field) })
}

// repeatsHeader reports whether a row repeats the header, as in concatenated files.
func (r *repairer) repeatsHeader(fields [][]byte) bool {
	return r.dialect.hasHeader && r.equalsFirstRow(fields)
}

// equalsFirstRow reports whether a row equals the first record after the preamble, apart from case,
// spaces and invisible characters such as a byte order mark.
func (r *repairer) equalsFirstRow(fields [][]byte) bool {
	if len(fields) != len(r.dialect.names) {
		return false
	}
	for i, field := range fields {
		if !cells.EqualSpelling(string(cells.Trim(field)), r.dialect.names[i]) {
			return false
		}
	}
	return true
}

func (r *repairer) writeRepaired(src io.Reader, dst io.Writer) error {
	rows, err := r.open(src)
	if err != nil {
		return err
	}
	r.logDialect()
	w, err := newRepairWriter(r, dst)
	if err != nil {
		return err
	}
	for {
		if rows.reads&0x3FF == 0 && r.ctx.Err() != nil {
			return r.ctx.Err()
		}
		fields, line, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		r.report.RowsRead++
		if err := w.writeRow(fields, line); err != nil {
			return err
		}
	}
	r.firstDecoded = rows.FirstDecoded()
	if left := r.log.countLeftOut(changeRaggedLeftOut); left > maxRaggedLeftOut && left*rowsPerLeftOut > r.report.RowsRead {
		return &csvfile.Defect{
			Code: csvfile.CodeRaggedRow, Line: w.firstRaggedLine,
			Message: fmt.Sprintf("%s of %s have too many or too few fields and cannot be aligned: is %q the delimiter?",
				humanize.Comma(left), humanize.Count(r.report.RowsRead, "row"), r.dialect.delim),
		}
	}
	if r.report.RowsWritten == 0 && r.log.countLeftOut(changeUnlabelledLeftOut) > 0 {
		return &csvfile.Defect{Code: csvfile.CodeEmptyLabel, Line: r.dialect.line, Column: r.label + 1, Name: r.names[r.label], Message: "no row has a label"}
	}
	return w.out.Flush()
}

// [File] can leave rows with a wrong number of fields out of the copy of a training file: at most
// maxRaggedLeftOut rows or, if that is more, one in rowsPerLeftOut rows.
const (
	maxRaggedLeftOut = 5
	rowsPerLeftOut   = 10
)
