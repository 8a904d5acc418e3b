package profile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
	"foretell/internal/table/dupid"
	"foretell/internal/table/frame"
)

// ScanOptions configure Scan.
type ScanOptions struct {
	// Blind is set for a file without a label column.
	Blind bool
	// ID is the name of the ID column of a blind file. Defaults to the first column, also
	// if no column has the name. A training file has it first.
	ID string
	// Locate maps a line and a column to those of the user's file, if that is not the file
	// that is read. It is called after the whole file has been read. Defaults to no
	// mapping.
	Locate func(line, column int) (int, int)
	// SourceLine maps a line that Locate has returned to a file and a line in it, for
	// messages about several files that make one table. The name is empty for a single
	// file. May be nil.
	SourceLine func(line int) (file string, fileLine int)
	// TextMemory is the approximate memory for texts in bytes. With less memory, fewer
	// columns have exact statistics; defects are the same. Defaults to 16 MB.
	TextMemory int
	// Brief omits medians and LabelAccuracy, which saves time and memory. Schema and
	// defects are the same.
	Brief bool
}

// Scan reads a file once and returns the contents of its columns and its errors. An error
// is that of the source or the context; an invalid file is not an error but has Defects in
// its Profile, which may be incomplete.
//
// Memory does not grow with the file: texts, histograms and sets share a fixed amount, and
// IDs are kept on disk.
func Scan(ctx context.Context, src io.Reader, opts ScanOptions) (p *Profile, err error) {
	opts.TextMemory = cmp.Or(opts.TextMemory, DefaultTextMemory)
	s := &Scanner{Opts: opts, Profile: &Profile{Schema: &frame.Schema{}}, IDs: dupid.NewIDSet(), Label: -1}
	defer func() { err = errors.Join(err, s.IDs.Close()) }()
	reader := csvfile.NewReader(csvfile.ContextReader{Ctx: ctx, Src: src}, ',')
	if err := s.run(ctx, reader); err != nil {
		return nil, err
	}
	s.locateWarnings()
	s.Profile.locate, s.Profile.sourceLine = opts.Locate, opts.SourceLine
	s.Profile.UpdateDefects(new(csvfile.DefectLog))
	s.Profile.Bytes = cmp.Or(s.stoppedAt, reader.Offset+int64(reader.End))
	return s.Profile, nil
}

// Scanner is the state of a call of Scan.
type Scanner struct {
	Opts          ScanOptions
	Profile       *Profile
	Table         *csvfile.Table
	IDs           *dupid.IDSet
	ID            int           // field of the ID
	Label         int           // field of the label, -1 in a blind file
	Columns       []ColumnStats // by field; that of the ID stays empty
	unreadable    int           // number of unreadable records
	stoppedAt     int64         // offset of the end of the chunk where the scan stopped, otherwise 0
	TextMemory    int           // of the texts of all columns
	sinceEviction int           // upper bound of the memory of texts added since the last eviction
	fingerprints  map[fingerprint]int
	Sample        *rowSample
}

func (s *Scanner) run(ctx context.Context, reader *csvfile.Reader) error {
	var defect *csvfile.Defect
	var err error
	s.Table, err = csvfile.OpenTable(reader)
	if errors.As(err, &defect) {
		s.addDefects(*defect)
		s.Profile.Partial = true
		return nil
	}
	if err != nil {
		return err
	}
	need := csvfile.MinLabelledColumns
	if s.Opts.Blind {
		need = csvfile.MinBlindColumns
	}
	s.addDefects(s.Table.CheckHeader(need)...)
	if len(s.Table.Names) < need {
		s.Profile.Partial = true
		return nil
	}
	s.assignRoles()
	err = s.Table.RunPipeline(ctx, s.Table.Workers(), s.Table.ChunkBytes(), func() csvfile.ChunkWorker { return s.newWorker(ctx) })
	if err == nil {
		err = s.readRows(ctx)
	}
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("reading the file: %w", err)
	}
	return s.finish(ctx)
}

// addDefects adds defects of the file.
func (s *Scanner) addDefects(defects ...csvfile.Defect) {
	s.Profile.Log.Add(defects...)
}

// assignRoles sets the role of each column.
func (s *Scanner) assignRoles() {
	names := s.Table.Names
	s.Columns = make([]ColumnStats, len(names))
	s.TextMemory = TotalTextMemory(len(names), s.Opts.TextMemory)
	limits := NewMemoryLimits(len(names), s.TextMemory)
	for i := range s.Columns {
		s.Columns[i].Limits = limits
	}
	if s.Opts.Blind {
		s.ID = max(0, s.Table.Find(s.Opts.ID))
	} else {
		s.Label = len(names) - 1
		s.Columns[s.Label].Limits = memoryLimits{maxTexts: math.MaxInt, maxHashes: maxHashLimit, sampleBytes: limits.sampleBytes} // labels are texts
		s.Columns[s.Label].isLabel = true
	}
	s.Sample = NewRowSample(len(names), s.ID, s.Label, s.Opts.Brief, s.IDs.Disk)
}

// errStop ends a scan that cannot continue after a defect.
var errStop = errors.New("the file cannot be read after the defect")

// scanWorker counts the rows of chunks.
type scanWorker struct {
	scanner *Scanner
	ctx     context.Context
	numeric []bool
	chunk   csvfile.ParsedChunk
	whole   bool // no record is defective
	ids     dupid.ChunkIDs
	columns []chunkStats  // by field
	texts   []columnTexts // by field
}

func (s *Scanner) newWorker(ctx context.Context) *scanWorker {
	n := len(s.Columns)
	return &scanWorker{scanner: s, ctx: ctx, numeric: make([]bool, n), columns: make([]chunkStats, n), texts: make([]columnTexts, n)}
}

func (h *scanWorker) Parse(c *csvfile.Chunk) error {
	for i := range h.numeric {
		h.numeric[i] = h.scanner.Columns[i].isMeasured()
	}
	h.whole = h.chunk.Parse(c, h.numeric) && !h.chunk.HasBlank(h.scanner.ID) &&
		(h.scanner.Label < 0 || !h.chunk.HasBlank(h.scanner.Label))
	if !h.whole {
		return nil
	}
	for i, asked := range h.numeric {
		h.columns[i].values = nil
		if h.texts[i].prepare(h.chunk.Rows, !asked); asked {
			h.scanner.Columns[i].summarise(&h.columns[i], h.chunk.FloatsOrText(i))
		}
	}
	for lo := 0; lo < h.chunk.Rows; lo += csvfile.CacheRows {
		hi := min(lo+csvfile.CacheRows, h.chunk.Rows)
		for i, asked := range h.numeric {
			if !asked && i != h.scanner.ID {
				h.scanner.Columns[i].hashTexts(&h.texts[i], &h.chunk, i, lo, hi)
			}
		}
	}
	h.scanner.IDs.HashChunk(&h.ids, &h.chunk, h.scanner.ID)
	return nil
}

func (h *scanWorker) Commit(c *csvfile.Chunk) error {
	s := h.scanner
	if !h.whole {
		err := s.Table.Reread(c, func() error { return s.readRows(h.ctx) })
		if errors.Is(err, errStop) {
			s.stoppedAt = c.End
		}
		return err
	}
	if err := s.countChunk(h, c.Line); err != nil {
		return err
	}
	s.Sample.addChunk(&h.chunk, s.Table.Rows)
	s.EvictTexts(len(c.Text), h.chunk.Rows)
	s.Table.Advance(&h.chunk)
	return nil
}

// countChunk counts the rows of a worker's chunk, which starts in the given line. Columns
// are counted in parallel, each by one goroutine, because this part of the work is serial
// from chunk to chunk.
func (s *Scanner) countChunk(h *scanWorker, line int) error {
	g := &h.chunk
	g.ReserveFloats()
	return parallelFor(h.ctx, len(s.Columns), func(i int) {
		if i == s.ID {
			s.IDs.AddChunk(&h.ids, g, line)
			return
		}
		s.Columns[i].addChunk(g, i, line, &h.columns[i], &h.texts[i])
	})
}

// parallelFor calls do for each number below n, with one goroutine per core. When the
// context ends it stops and returns the cause.
func parallelFor(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int32
	worker := func() {
		for i := next.Add(1) - 1; int(i) < n && ctx.Err() == nil; i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		group.Go(worker)
	}
	worker()
	group.Wait()
	return context.Cause(ctx)
}

// readRows reads the rest of the table record by record. It returns errStop if the table
// cannot be read to its end.
func (s *Scanner) readRows(ctx context.Context) error {
	for {
		rec, err := s.Table.Next(ctx)
		var defect *csvfile.Defect
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &defect):
			s.addDefects(*defect)
			s.unreadable++
			if s.Table.Reader.Done() {
				s.Profile.Partial = true
				return errStop
			}
		case err != nil:
			return err
		default:
			s.addRecord(rec)
		}
	}
}

func (s *Scanner) addRecord(rec *csvfile.Record) {
	for i, cell := range rec.Fields {
		if i != s.ID {
			s.Columns[i].AddCell(cell, rec.StartLine)
		}
	}
	s.Sample.Add(rec.Fields, s.Table.Rows-1)
	s.EvictTexts(len(rec.Text), 1)
	if id := rec.Fields[s.ID]; cells.IsBlank(id) {
		s.addDefects(s.cellDefect(rec, csvfile.CodeEmptyID, s.ID, "the row has no ID"))
	} else {
		s.IDs.Add(id, rec.StartLine)
	}
	if s.Label >= 0 && cells.IsBlank(rec.Fields[s.Label]) {
		s.addDefects(s.cellDefect(rec, csvfile.CodeEmptyLabel, s.Label, "the row has no label"))
	}
}

// EvictTexts evicts rare texts after every few megabytes of input.
func (s *Scanner) EvictTexts(bytes, rows int) {
	const interval = 4 << 20
	if s.sinceEviction += bytes + rows*valueBytes*len(s.Columns); s.sinceEviction > interval {
		evictTexts(s.Columns, s.TextMemory)
		s.sinceEviction = 0
	}
}

func (s *Scanner) cellDefect(rec *csvfile.Record, code string, at int, message string) csvfile.Defect {
	return csvfile.Defect{
		Code: code, Message: message,
		Line: rec.FieldLine(at, ','), Column: at + 1, Name: s.Table.Names[at],
	}
}

// finish fills in the profile and checks the file as a whole.
func (s *Scanner) finish(ctx context.Context) error {
	p := s.Profile
	p.line = s.Table.Line
	p.Rows = s.Table.Rows
	p.Schema.ID = s.Table.Names[s.ID]
	if p.Schema.ID == "" {
		s.warn(csvfile.CodeUnnamedID, s.ID, "the ID column has no name")
	}
	if err := s.checkColumns(ctx); err != nil {
		return err
	}
	if s.Label >= 0 {
		if err := s.checkLabel(ctx); err != nil {
			return err
		}
	}
	if err := s.checkDuplicateIDs(ctx); err != nil {
		return err
	}
	again, err := s.findRepeatedHeader()
	if err != nil {
		return err
	}
	s.checkHeader(again)
	s.groupWarnings()
	return nil
}

// checkDuplicateIDs adds the defect of rows with the ID of an earlier row.
func (s *Scanner) checkDuplicateIDs(ctx context.Context) error {
	repeated, count, err := s.IDs.Duplicates(ctx, csvfile.MaxLocations)
	if err != nil || count == 0 {
		return err
	}
	first, places := repeated[0], []csvfile.Location(nil)
	for _, r := range repeated[1:] {
		places = append(places, csvfile.Location{Line: r.Line, Column: s.ID + 1})
	}
	s.Profile.Log.AddMany(csvfile.Defect{
		Code: csvfile.CodeDuplicateID, Line: first.Line, Column: s.ID + 1, Name: s.Profile.Schema.ID,
		Message: fmt.Sprintf("the same ID as %s: IDs must be unique", s.formatLine(first.FirstLine)),
	}, count, places)
	return nil
}

// formatLine formats a line of the user's file: "line 3", or "b.csv:3" if several files
// make one table.
func (s *Scanner) formatLine(line int) string {
	if s.Opts.Locate != nil {
		line, _ = s.Opts.Locate(line, 0)
	}
	file, line := csvfile.SourceLine(s.Opts.SourceLine, line)
	if file != "" {
		return file + ":" + strconv.Itoa(line)
	}
	return "line " + strconv.Itoa(line)
}

// locateWarnings maps the locations of all warnings to the user's file.
func (s *Scanner) locateWarnings() {
	if s.Opts.Locate == nil {
		return
	}
	p := s.Profile
	for i := range p.Warnings {
		p.Warnings[i].Line, p.Warnings[i].Column = s.Opts.Locate(p.Warnings[i].Line, p.Warnings[i].Column)
	}
}
