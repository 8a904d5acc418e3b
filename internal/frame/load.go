package frame

import (
	"context"
	"errors"
	"io"
)

// LoadOptions tell Load what it reads.
type LoadOptions struct {
	// Labelled is set for a training file: its columns are taken by position,
	// its last is the label. Of a blind file they are taken by name.
	Labelled bool
	// Rows is the number of data rows if it is known, which saves memory.
	Rows int
}

// Load reads a file into memory as the columns of a schema.
//
// The features of a blind file may stand in any order and among others; its
// label, if it has one, is not read. An error that is a *Defect tells what is
// wrong with the file. Load looks for less than Scan does: not for duplicate IDs,
// nor at the names of a training file.
func Load(ctx context.Context, src io.Reader, schema *Schema, opts LoadOptions) (*Frame, error) {
	t, err := openTable(NewReader(contextReader{ctx, src}, ','))
	if err != nil {
		return nil, err
	}
	bind := bindByName
	if opts.Labelled {
		bind = bindByPosition
	}
	b, err := bind(t, schema)
	if err != nil {
		return nil, err
	}
	l := &load{table: t, cells: newCells(schema, b), gathered: newGathered(schema, opts.Rows)}
	err = t.share(ctx, t.hands(), t.chunkBytes(), func() hand { return l.newHand(ctx) })
	if err == nil {
		err = l.readRows(ctx)
	}
	if err != nil {
		return nil, err
	}
	if l.gathered.rows == 0 {
		d := t.defect(CodeNoRows, 0, "no data row follows the header")
		return nil, &d
	}
	return l.gathered.frame(schema, opts.Labelled), nil
}

// load is the state of one Load.
type load struct {
	table    *table
	cells    *cells // of rows that are read record by record
	gathered *gathered
}

// readRows takes what is left of the table record by record.
func (l *load) readRows(ctx context.Context) error {
	const some = 1 << 12 // rows at a time
	c := l.cells
	for {
		rec, err := l.table.next(ctx)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		if end || c.rows == some {
			c.measure()
			l.gathered.add(c)
			c.reset()
		}
		if end {
			return nil
		}
		if d := c.add(rec); d != nil {
			d.Name = l.table.name(d.Column)
			return d
		}
	}
}

// loadHand reads chunks of rows.
type loadHand struct {
	load    *load
	ctx     context.Context
	numeric []bool
	grid    grid
	cells   *cells // of the chunk
	whole   bool   // no record is defective
}

func (l *load) newHand(ctx context.Context) *loadHand {
	cells := l.cells.fork()
	cells.packs = true
	return &loadHand{load: l, ctx: ctx, numeric: cells.numericFields(len(l.table.names)), cells: cells}
}

func (h *loadHand) work(c *chunk) error {
	if h.whole = h.grid.parse(c, h.numeric) && h.cells.take(&h.grid); h.whole {
		h.cells.measure()
	}
	return nil
}

func (h *loadHand) settle(c *chunk) error {
	l := h.load
	if !h.whole {
		return l.table.reread(c, func() error { return l.readRows(h.ctx) })
	}
	l.gathered.add(h.cells)
	l.table.passed(&h.grid)
	return nil
}
