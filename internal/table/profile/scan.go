package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"foretell/internal/rescue"
	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/dupid"
	"foretell/internal/table/frame"
	"foretell/internal/table/rowsample"
)

// ScanOptions configure Scan.
type ScanOptions struct {
	// Blind is set for a file without a label column.
	Blind bool
	// ID is the name of the ID column of a blind file. If no column has this name, the
	// first column is the ID, as in a training file.
	ID string
	// If the scanned file is blind, Training is the schema of the training file; it may be nil. It
	// decides what the scanned file leaves open, such as whether 1/2/2006 is in January or February
	// and whether the comma in 4,568 separates decimals.
	Training *frame.Schema
	// GeneratedID is set if the user's file has no IDs, so that the IDs in the first column of the
	// table are generated.
	GeneratedID bool
	// Locate maps a line and a column of the file that is read to a line and a column of the user's
	// file. It is called only after the whole file has been read. If Locate is nil, the two files
	// are the same.
	Locate func(line, column int) (int, int)
	// If the table consists of several files, SourceLine maps a line that Locate has returned to a
	// file and a line of that file. For a single file, it returns an empty name, or SourceLine is
	// nil.
	SourceLine func(line int) (file string, fileLine int)
	// TextMemory is the approximate memory for texts in bytes. With less memory, the statistics of
	// fewer columns are exact, but the defects are the same. Defaults to 16 MiB.
	TextMemory int
	// Brief omits medians and LabelAccuracy to save time and memory. It does not change
	// Schema and Defects.
	Brief bool
}

// Scan reads a file once and returns its profile. For an invalid file, it returns a profile with
// Defects, which may be incomplete. Errors that Scan returns come from the source or the context.
//
// The memory does not grow with the file: texts, histograms and sets share a fixed amount of
// memory, and IDs are kept on disk.
func Scan(ctx context.Context, src io.Reader, opts ScanOptions) (p *Profile, err error) {
	s := &scanner{opts: opts, profile: &Profile{Schema: &frame.Schema{}}, ids: dupid.NewSet(), label: -1}
	defer func() { err = errors.Join(err, s.ids.Close()) }()
	reader := csvfile.NewReader(csvfile.ContextReader{Ctx: ctx, Src: src}, ',')
	if err := s.run(ctx, reader); err != nil {
		return nil, err
	}
	s.locateWarnings()
	s.profile.locate, s.profile.sourceLine = opts.Locate, opts.SourceLine
	s.profile.updateDefects(new(csvfile.DefectLog))
	s.profile.Bytes = cmp.Or(s.stopOffset, reader.BytesRead())
	return s.profile, nil
}

// scanner is the state of a call of Scan.
type scanner struct {
	opts           ScanOptions
	profile        *Profile
	table          *csvfile.Table
	ids            *dupid.Set
	id             int                  // position of the ID
	label          int                  // position of the label, -1 in a blind file
	columns        []columnstats.Column // by position; the element of the ID is empty
	unreadableRows int                  // number of unreadable records
	stopOffset     int64                // the end of the chunk where the scan stopped, 0 if it did not stop
	budget         columnstats.Budget   // for the texts of all columns
	fingerprints   map[fingerprint]int  // the position of the first column with each fingerprint
	sample         *rowsample.Sample
	firstCell      string // the cell of totalColumn in the first row
	lastCell       []byte // the cell of totalColumn in the last row that was read
	lastLine       int
}

func (s *scanner) run(ctx context.Context, reader *csvfile.Reader) error {
	var defect *csvfile.Defect
	var err error
	s.table, err = csvfile.OpenTable(reader)
	if errors.As(err, &defect) {
		s.addDefects(*defect)
		s.profile.Partial = true
		return nil
	}
	if err != nil {
		return err
	}
	need := csvfile.MinLabelledColumns
	if s.opts.Blind {
		need = csvfile.MinBlindColumns
	}
	s.addDefects(s.table.CheckHeader(need, s.opts.Training.MaxNameLength())...)
	if len(s.table.Names) < need {
		s.profile.Partial = true
		return nil
	}
	s.assignRolesAndColumns()
	err = s.table.RunPipeline(ctx, s.table.Workers(), s.table.ChunkBytes(), func() csvfile.ChunkWorker { return s.newWorker(ctx) })
	if err == nil {
		err = s.readRows(ctx)
	}
	if err != nil && !errors.Is(err, errUnreadable) {
		return fmt.Errorf("reading the file: %w", err)
	}
	return s.finishProfile(ctx)
}

func (s *scanner) addDefects(defects ...csvfile.Defect) {
	s.profile.log.Add(defects...)
}

// assignRolesAndColumns determines the positions of the ID and the label, and allocates the
// columns.
func (s *scanner) assignRolesAndColumns() {
	names := s.table.Names
	s.columns, s.budget = columnstats.NewColumns(len(names), s.opts.TextMemory)
	if s.opts.Blind {
		s.id = max(0, s.table.ColumnIndex(s.opts.ID))
	} else {
		s.label = len(names) - 1
		s.columns[s.label].SetLabel()
	}
	s.sample = rowsample.New(len(names), s.id, s.label, s.opts.Brief, s.ids.File)
}

// errUnreadable ends a scan that cannot continue after a defect.
var errUnreadable = errors.New("the file cannot be read after the defect")

type scanWorker struct {
	scanner *scanner
	ctx     context.Context
	numeric []bool
	chunk   csvfile.ParsedChunk
	valid   bool // no record is defective
	ids     dupid.ChunkIDs
	columns []columnstats.ChunkColumn // by field
}

func (s *scanner) newWorker(ctx context.Context) *scanWorker {
	n := len(s.columns)
	return &scanWorker{scanner: s, ctx: ctx, numeric: make([]bool, n), columns: make([]columnstats.ChunkColumn, n)}
}

func (w *scanWorker) Parse(c *csvfile.Chunk) error {
	for i := range w.numeric {
		w.numeric[i] = w.scanner.columns[i].HasSnapshot()
	}
	w.valid = w.chunk.Parse(c, w.numeric) && !w.chunk.HasBlank(w.scanner.id) &&
		(w.scanner.label < 0 || !w.chunk.HasBlank(w.scanner.label))
	if !w.valid {
		return nil
	}
	for i, asked := range w.numeric {
		if w.columns[i].Reset(w.chunk.Rows, asked); asked {
			w.scanner.columns[i].ComputeNumbers(&w.columns[i], w.chunk.FloatsOrText(i))
		}
	}
	for lo := 0; lo < w.chunk.Rows; lo += csvfile.CacheBlockRows {
		hi := min(lo+csvfile.CacheBlockRows, w.chunk.Rows)
		for i, asked := range w.numeric {
			if !asked && i != w.scanner.id {
				w.scanner.columns[i].HashTexts(&w.columns[i], &w.chunk, i, lo, hi)
			}
		}
	}
	w.scanner.ids.HashChunk(&w.ids, &w.chunk, w.scanner.id)
	return nil
}

func (w *scanWorker) Commit(c *csvfile.Chunk) error {
	s := w.scanner
	if !w.valid {
		err := s.table.RereadChunk(c, func() error { return s.readRows(w.ctx) })
		if errors.Is(err, errUnreadable) {
			s.stopOffset = c.End
		}
		return err
	}
	if err := s.countChunk(w, c.Line); err != nil {
		return err
	}
	if last := w.chunk.Rows - 1; last >= 0 {
		s.setLastCell(w.chunk.Cell(0, s.totalColumn()), c.Line) // sets the first cell, if this is the first chunk
		s.setLastCell(w.chunk.Cell(last, s.totalColumn()), c.Line+int(w.chunk.RowLines[last]))
	}
	s.sample.AddChunk(&w.chunk, s.table.Rows)
	s.budget.CountInputAndEvict(s.columns, len(c.Text), w.chunk.Rows)
	s.table.CountRowsOf(&w.chunk)
	return nil
}

// countChunk adds the rows of w's chunk, which starts in the given line, to the columns.
// It processes several columns in parallel, because only one chunk is committed at a
// time.
func (s *scanner) countChunk(w *scanWorker, line int) error {
	chunk := &w.chunk
	chunk.ReserveFloats()
	return rescue.ParallelFor(w.ctx, len(s.columns), func(i int) {
		if i == s.id {
			s.ids.AddChunk(&w.ids, chunk, line)
			return
		}
		s.columns[i].AddChunk(chunk, i, line, &w.columns[i])
	})
}

// readRows reads the rest of the table record by record. It returns errUnreadable if the
// table cannot be read to its end.
func (s *scanner) readRows(ctx context.Context) error {
	for {
		rec, err := s.table.Next(ctx)
		var defect *csvfile.Defect
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &defect):
			s.addDefects(*defect)
			s.unreadableRows++
			if s.table.Reader.Done() {
				s.profile.Partial = true
				return errUnreadable
			}
		case err != nil:
			return err
		default:
			s.addRecord(rec)
		}
	}
}

func (s *scanner) addRecord(rec *csvfile.Record) {
	for i, cell := range rec.Fields {
		if i != s.id {
			s.columns[i].AddCell(cell, rec.Line)
		}
	}
	s.sample.Add(rec.Fields, s.table.Rows-1)
	s.budget.CountInputAndEvict(s.columns, len(rec.Text), 1)
	if id := rec.Fields[s.id]; cells.IsBlank(id) {
		s.addDefects(s.cellDefect(rec, csvfile.CodeEmptyID, s.id, "the row has no ID"))
	} else {
		s.ids.Add(id, rec.Line)
		s.setLastCell(rec.Fields[s.totalColumn()], rec.Line)
	}
	if s.label >= 0 && cells.IsBlank(rec.Fields[s.label]) {
		s.addDefects(s.cellDefect(rec, csvfile.CodeEmptyLabel, s.label, "the row has no label"))
	}
}

func (s *scanner) cellDefect(rec *csvfile.Record, code string, column int, message string) csvfile.Defect {
	return csvfile.Defect{
		Code: code, Message: message,
		Line: rec.FieldLine(column, ','), Column: column + 1, Name: s.table.Names[column],
	}
}

// finishProfile fills in the profile and checks the file as a whole.
func (s *scanner) finishProfile(ctx context.Context) error {
	p := s.profile
	p.headerLine = s.table.HeaderLine
	p.Rows, p.Unreadable = s.table.Rows, s.unreadableRows
	if !s.opts.Blind {
		s.checkMaxRows(csvfile.MaxRows)
	}
	p.Schema.ID = s.table.Names[s.id]
	if p.Schema.ID == "" {
		s.warn(csvfile.CodeUnnamedID, s.id, "the ID column has no name")
	}
	if err := s.checkColumns(ctx); err != nil {
		return err
	}
	if s.label >= 0 {
		if err := s.checkLabel(ctx); err != nil {
			return err
		}
	}
	if err := s.checkDuplicateIDs(ctx); err != nil {
		return err
	}
	again, err := s.warnRepeatedHeader()
	if err != nil {
		return err
	}
	if s.sample.HasAllRows() && !s.opts.Brief {
		if err := s.hashRows(ctx); err != nil {
			return err
		}
	}
	s.checkHeader(again)
	s.checkFeatures()
	s.warnSecondHeader()
	s.warnSingleQuotes()
	s.warnTotalRow()
	s.groupWarnings()
	return nil
}

// checkDuplicateIDs adds a defect if rows repeat the ID of an earlier row.
func (s *scanner) checkDuplicateIDs(ctx context.Context) error {
	repeated, count, err := s.ids.Duplicates(ctx, csvfile.MaxLocations)
	if err != nil || count == 0 {
		return err
	}
	first, places := repeated[0], []csvfile.Location(nil)
	for _, r := range repeated[1:] {
		places = append(places, csvfile.Location{Line: r.Line, Column: s.id + 1})
	}
	s.profile.log.AddMany(csvfile.Defect{
		Code: csvfile.CodeDuplicateID, Line: first.Line, Column: s.id + 1, Name: s.profile.Schema.ID,
		Message: fmt.Sprintf("%s has the same ID: IDs must be unique", s.formatLine(first.FirstLine)),
	}, count, places)
	return nil
}

// formatLine returns a line number in the user's file for a message: "line 3", or "b.csv:3"
// if several files make one table.
func (s *scanner) formatLine(line int) string {
	if s.opts.Locate != nil {
		line, _ = s.opts.Locate(line, 0)
	}
	file, line := csvfile.SourceLine(s.opts.SourceLine, line)
	if file != "" {
		return file + ":" + strconv.Itoa(line)
	}
	return "line " + strconv.Itoa(line)
}

// locateWarnings changes the locations of all warnings to locations in the user's file.
func (s *scanner) locateWarnings() {
	if s.opts.Locate == nil {
		return
	}
	p := s.profile
	for i := range p.Warnings {
		p.Warnings[i].Line, p.Warnings[i].Column = s.opts.Locate(p.Warnings[i].Line, p.Warnings[i].Column)
	}
}
