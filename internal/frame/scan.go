package frame

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
)

// ScanOptions tell Scan what it reads.
type ScanOptions struct {
	// Blind is set for a file without a label column.
	Blind bool
	// ID names the ID column of a blind file. Defaults to the first column,
	// also where no column has the name. Of a training file it is the first.
	ID string
	// Locate tells where in the file that a user knows a line and a column stand,
	// if that is not the one that is read. It is called when all has been read.
	Locate func(line, column int) (int, int)
	// SourceLine names a line that Place has returned, where messages say one: the file
	// and the line in it, where several files make one table. Nil, and an empty
	// name, stand for the one file.
	SourceLine func(line int) (file string, fileLine int)
	// TextMemory is about how many bytes texts may take. With less, fewer columns
	// are known by all of theirs; defects are the same. Defaults to 16 MB.
	TextMemory int
	// Brief leaves out what only a person reads, medians and what a column tells
	// of the label by itself, and takes less time and memory. Schema and defects
	// are the same.
	Brief bool
}

// Scan reads a file once and tells what its columns hold and what is wrong
// with it. The error is the source's or the context's; a bad file is no error
// but has Defects in its Profile, which then may know less than usual.
//
// Memory does not grow with the file: texts, histograms and sets share what is
// bounded, and what IDs that occur twice are found by waits on the disk.
func Scan(ctx context.Context, src io.Reader, opts ScanOptions) (p *Profile, err error) {
	opts.TextMemory = cmp.Or(opts.TextMemory, defaultTextMemory)
	s := &scan{opts: opts, profile: &Profile{Schema: &Schema{}}, ids: newIdentities(), label: -1}
	defer func() { err = errors.Join(err, s.ids.Close()) }()
	reader := NewReader(contextReader{ctx, src}, ',')
	if err := s.run(ctx, reader); err != nil {
		return nil, err
	}
	s.placeWarnings()
	s.profile.locate, s.profile.sourceLine = opts.Locate, opts.SourceLine
	s.profile.listDefects(new(defectLog))
	s.profile.Bytes = cmp.Or(s.stopped, reader.offset+int64(reader.end))
	return s.profile, nil
}

// scan is the state of one pass.
type scan struct {
	opts    ScanOptions
	profile *Profile
	table   *table
	ids     *identities
	id      int     // field of the ID
	label   int     // field of the label, -1 in a blind file
	tallies []tally // one a field; that of the ID stays empty
	skipped int     // records that could not be read
	stopped int64   // offset of the chunk's end where the scan gave up, else 0
	memory  int     // of the texts of all columns
	fresh   int     // memory that texts may have taken since the last relief
	twins   map[fingerprint]int
	sample  *sample
}

func (s *scan) run(ctx context.Context, reader *Reader) error {
	var defect *Defect
	var err error
	s.table, err = openTable(reader)
	if errors.As(err, &defect) {
		s.refuse(*defect)
		s.profile.Partial = true
		return nil
	}
	if err != nil {
		return err
	}
	need := labelledColumns
	if s.opts.Blind {
		need = blindColumns
	}
	s.refuse(s.table.checkHeader(need)...)
	if len(s.table.names) < need {
		s.profile.Partial = true
		return nil
	}
	s.assign()
	err = s.table.share(ctx, s.table.hands(), s.table.chunkBytes(), func() hand { return s.newHand(ctx) })
	if err == nil {
		err = s.readRows(ctx)
	}
	if err != nil && !errors.Is(err, errEnough) {
		return fmt.Errorf("reading the file: %w", err)
	}
	return s.finish(ctx)
}

// refuse counts defects of the file.
func (s *scan) refuse(defects ...Defect) {
	s.profile.log.add(defects...)
}

// assign gives each column its role.
func (s *scan) assign() {
	names := s.table.names
	s.tallies = make([]tally, len(names))
	s.memory = textMemoryOf(len(names), s.opts.TextMemory)
	share := newLimits(len(names), s.memory)
	for i := range s.tallies {
		s.tallies[i].limits = share
	}
	if s.opts.Blind {
		s.id = max(0, s.table.find(s.opts.ID))
	} else {
		s.label = len(names) - 1
		s.tallies[s.label].limits = limits{few: math.MaxInt, set: mostSet, early: share.early} // labels are texts
		s.tallies[s.label].isLabel = true
	}
	s.sample = newSample(len(names), s.id, s.label, s.opts.Brief, s.ids.disk)
}

// errEnough ends a scan that cannot go on behind a defect.
var errEnough = errors.New("nothing can be read behind the defect")

// scanHand counts chunks of rows.
type scanHand struct {
	scan    *scan
	ctx     context.Context
	numeric []bool
	grid    grid
	whole   bool // no record is defective
	ids     gridIDs
	columns []summary   // by field
	texts   []gridTexts // by field
}

func (s *scan) newHand(ctx context.Context) *scanHand {
	n := len(s.tallies)
	return &scanHand{scan: s, ctx: ctx, numeric: make([]bool, n), columns: make([]summary, n), texts: make([]gridTexts, n)}
}

func (h *scanHand) work(c *chunk) error {
	for i := range h.numeric {
		h.numeric[i] = h.scan.tallies[i].measures()
	}
	h.whole = h.grid.parse(c, h.numeric) && !h.grid.anyBlank(h.scan.id) &&
		(h.scan.label < 0 || !h.grid.anyBlank(h.scan.label))
	if !h.whole {
		return nil
	}
	for i, asked := range h.numeric {
		h.columns[i].values = nil
		if h.texts[i].prepare(h.grid.rows, !asked); asked {
			h.scan.tallies[i].summarise(&h.columns[i], h.grid.column(i))
		}
	}
	for lo := 0; lo < h.grid.rows; lo += nearRows {
		hi := min(lo+nearRows, h.grid.rows)
		for i, asked := range h.numeric {
			if !asked && i != h.scan.id {
				h.scan.tallies[i].gather(&h.texts[i], &h.grid, i, lo, hi)
			}
		}
	}
	h.scan.ids.gather(&h.ids, &h.grid, h.scan.id)
	return nil
}

func (h *scanHand) settle(c *chunk) error {
	s := h.scan
	if !h.whole {
		err := s.table.reread(c, func() error { return s.readRows(h.ctx) })
		if errors.Is(err, errEnough) {
			s.stopped = c.end
		}
		return err
	}
	if err := s.count(h, c.line); err != nil {
		return err
	}
	s.sample.addGrid(&h.grid, s.table.rows)
	s.relieve(len(c.text), h.grid.rows)
	s.table.passed(&h.grid)
	return nil
}

// count takes the rows of a hand's grid, the first of which is in a line. A column is
// counted by one goroutine, several columns by several: what cannot be done
// before a chunk's turn would keep the others waiting.
func (s *scan) count(h *scanHand, line int) error {
	g := &h.grid
	g.reserve()
	return inParallel(h.ctx, len(s.tallies), func(i int) {
		if i == s.id {
			s.ids.addGrid(&h.ids, g, line)
			return
		}
		s.tallies[i].addColumn(g, i, line, &h.columns[i], &h.texts[i])
	})
}

// inParallel calls do with each number below n, on as many goroutines as there
// are cores. Once the context is done it calls no more, and returns the cause.
func inParallel(ctx context.Context, n int, do func(i int)) error {
	var next atomic.Int32
	some := func() {
		for i := next.Add(1) - 1; int(i) < n && ctx.Err() == nil; i = next.Add(1) - 1 {
			do(int(i))
		}
	}
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		group.Go(some)
	}
	some()
	group.Wait()
	return context.Cause(ctx)
}

// readRows takes what is left of the table record by record. It returns
// errEnough if it cannot be read to its end.
func (s *scan) readRows(ctx context.Context) error {
	for {
		rec, err := s.table.next(ctx)
		var defect *Defect
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &defect):
			s.refuse(*defect)
			s.skipped++
			if s.table.reader.done() {
				s.profile.Partial = true
				return errEnough
			}
		case err != nil:
			return err
		default:
			s.row(rec)
		}
	}
}

func (s *scan) row(rec *Record) {
	for i, cell := range rec.fields {
		if i != s.id {
			s.tallies[i].add(cell, rec.line)
		}
	}
	s.sample.add(rec.fields, s.table.rows-1)
	s.relieve(len(rec.raw), 1)
	if id := rec.fields[s.id]; isBlank(id) {
		s.refuse(s.cellDefect(rec, CodeEmptyID, s.id, "the row has no ID"))
	} else {
		s.ids.add(id, rec.line)
	}
	if s.label >= 0 && isBlank(rec.fields[s.label]) {
		s.refuse(s.cellDefect(rec, CodeEmptyLabel, s.label, "the row has no label"))
	}
}

// relieve makes room for texts from time to time, counted by what was read.
func (s *scan) relieve(bytes, rows int) {
	const often = 4 << 20
	if s.fresh += bytes + rows*levelBytes*len(s.tallies); s.fresh > often {
		relieve(s.tallies, s.memory)
		s.fresh = 0
	}
}

func (s *scan) cellDefect(rec *Record, code string, at int, message string) Defect {
	return Defect{
		Code: code, Message: message,
		Line: rec.fieldLine(at, ','), Column: at + 1, Name: s.table.names[at],
	}
}

// finish turns the tallies into the profile and judges the file as a whole.
func (s *scan) finish(ctx context.Context) error {
	p := s.profile
	p.line = s.table.line
	p.Rows = s.table.rows
	p.Schema.ID = s.table.names[s.id]
	if p.Schema.ID == "" {
		s.warn(CodeUnnamedID, s.id, "the ID column has no name")
	}
	if err := s.finishColumns(ctx); err != nil {
		return err
	}
	if s.label >= 0 {
		if err := s.finishLabel(ctx); err != nil {
			return err
		}
	}
	if err := s.refuseRepeated(ctx); err != nil {
		return err
	}
	again, err := s.findHeaderAgain()
	if err != nil {
		return err
	}
	s.finishHeader(again)
	s.foldWarnings()
	return nil
}

// refuseRepeated refuses the rows whose ID an earlier row has.
func (s *scan) refuseRepeated(ctx context.Context) error {
	repeated, count, err := s.ids.repeated(ctx, mostPlaces)
	if err != nil || count == 0 {
		return err
	}
	first, places := repeated[0], []defectPlace(nil)
	for _, r := range repeated[1:] {
		places = append(places, defectPlace{r.line, s.id + 1})
	}
	s.profile.log.addMany(Defect{
		Code: CodeDuplicateID, Line: first.line, Column: s.id + 1, Name: s.profile.Schema.ID,
		Message: fmt.Sprintf("the ID of %s again: IDs must be unique", s.lineName(first.first)),
	}, count, places)
	return nil
}

// lineName names a line in the file that the user knows: "line 3", or
// "b.csv:3" where several files make one table.
func (s *scan) lineName(line int) string {
	if s.opts.Locate != nil {
		line, _ = s.opts.Locate(line, 0)
	}
	file, line := sourceOf(s.opts.SourceLine, line)
	if file != "" {
		return file + ":" + strconv.Itoa(line)
	}
	return "line " + strconv.Itoa(line)
}

// sourceOf calls source unless it is nil.
func sourceOf(source func(line int) (string, int), line int) (file string, fileLine int) {
	if source == nil {
		return "", line
	}
	return source(line)
}

// placeWarnings does so for all warnings.
func (s *scan) placeWarnings() {
	if s.opts.Locate == nil {
		return
	}
	p := s.profile
	for i := range p.Warnings {
		p.Warnings[i].Line, p.Warnings[i].Column = s.opts.Locate(p.Warnings[i].Line, p.Warnings[i].Column)
	}
}
