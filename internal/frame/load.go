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
	l := &loader{table: t, decoder: newRowDecoder(schema, b), builder: newFrameBuilder(schema, opts.Rows)}
	err = t.runPipeline(ctx, t.workers(), t.chunkBytes(), func() chunkWorker { return l.newWorker(ctx) })
	if err == nil {
		err = l.readRows(ctx)
	}
	if err != nil {
		return nil, err
	}
	if l.builder.rows == 0 {
		d := t.defect(CodeNoRows, 0, "no data row follows the header")
		return nil, &d
	}
	return l.builder.build(schema, opts.Labelled), nil
}

// loader is the state of one Load.
type loader struct {
	table   *table
	decoder *rowDecoder // of rows that are read record by record
	builder *frameBuilder
}

// readRows takes what is left of the table record by record.
func (l *loader) readRows(ctx context.Context) error {
	const some = 1 << 12 // rows at a time
	c := l.decoder
	for {
		rec, err := l.table.next(ctx)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		if end || c.rows == some {
			c.measureRanges()
			l.builder.add(c)
			c.reset()
		}
		if end {
			return nil
		}
		if d := c.addRecord(rec); d != nil {
			d.Name = l.table.name(d.Column)
			return d
		}
	}
}

// loadWorker reads chunks of rows.
type loadWorker struct {
	loader  *loader
	ctx     context.Context
	numeric []bool
	chunk   parsedChunk
	decoder *rowDecoder // of the chunk
	whole   bool        // no record is defective
}

func (l *loader) newWorker(ctx context.Context) *loadWorker {
	cells := l.decoder.fork()
	cells.keepDecimals = true
	return &loadWorker{loader: l, ctx: ctx, numeric: cells.numericFields(len(l.table.names)), decoder: cells}
}

func (h *loadWorker) parse(c *chunk) error {
	if h.whole = h.chunk.parse(c, h.numeric) && h.decoder.addChunk(&h.chunk); h.whole {
		h.decoder.measureRanges()
	}
	return nil
}

func (h *loadWorker) commit(c *chunk) error {
	l := h.loader
	if !h.whole {
		return l.table.reread(c, func() error { return l.readRows(h.ctx) })
	}
	l.builder.add(h.decoder)
	l.table.advance(&h.chunk)
	return nil
}
