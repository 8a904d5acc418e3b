package frame

import (
	"context"
	"errors"
	"io"

	"foretell/internal/table/csvfile"
)

// LoadOptions configure Load.
type LoadOptions struct {
	// Labelled is set for a training file. Its columns are found by position, and the
	// last is the label. The columns of a blind file are found by name.
	Labelled bool
	// Rows is the number of data rows, or 0 if it is unknown. If it is set, Load needs
	// less memory.
	Rows int
}

// Load reads a file into memory as the columns of a schema. It returns a *csvfile.Defect for an
// error in the file.
//
// A blind file may contain the features in any order, and other columns. Unlike profile.Scan, Load
// checks neither for duplicate IDs nor the names of the columns of a training file.
func Load(ctx context.Context, src io.Reader, schema *Schema, opts LoadOptions) (*Frame, error) {
	t, err := csvfile.OpenTable(csvfile.NewReader(csvfile.ContextReader{Ctx: ctx, Src: src}, ','))
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
	l := &loader{table: t, decoder: newRowDecoder(schema, b), builder: newFrameBuilder(schema, opts.Rows), maxRows: csvfile.MaxRows}
	err = t.RunPipeline(ctx, t.Workers(), t.ChunkBytes(), func() csvfile.ChunkWorker { return l.newWorker(ctx) })
	if err == nil {
		err = l.readRows(ctx)
	}
	if err != nil {
		return nil, err
	}
	if l.builder.rows == 0 {
		d := t.HeaderDefect(csvfile.CodeNoRows, -1, "no data row follows the header")
		return nil, &d
	}
	return l.builder.build(schema, opts.Labelled), nil
}

// loader is the state of a call of Load.
type loader struct {
	table   *csvfile.Table
	decoder *rowDecoder // for rows that are read one by one
	builder *frameBuilder
	maxRows int // csvfile.MaxRows, or less in tests
}

// add adds the rows of d to the frame. It returns a *csvfile.Defect if the frame would then have
// too many rows.
func (l *loader) add(d *rowDecoder) error {
	l.builder.add(d)
	if defect := l.table.TooManyRowsDefect(l.builder.rows, l.maxRows); defect != nil {
		return defect
	}
	return nil
}

// readRows reads the rest of the table record by record.
func (l *loader) readRows(ctx context.Context) error {
	const batchRows = 1 << 12
	c := l.decoder
	for {
		rec, err := l.table.Next(ctx)
		end := errors.Is(err, io.EOF)
		if err != nil && !end {
			return err
		}
		if end || c.rows == batchRows {
			c.measureRanges()
			if err := l.add(c); err != nil {
				return err
			}
			c.reset()
		}
		if end {
			return nil
		}
		if d := c.decodeRecord(rec); d != nil {
			d.Name = l.table.ColumnName(d.Column)
			return d
		}
	}
}

type loadWorker struct {
	loader  *loader
	ctx     context.Context
	numeric []bool
	chunk   csvfile.ParsedChunk
	decoder *rowDecoder // the decoder of the chunk
	valid   bool        // no record is defective
}

func (l *loader) newWorker(ctx context.Context) *loadWorker {
	cells := l.decoder.fork()
	cells.keepDecimals = true
	return &loadWorker{loader: l, ctx: ctx, numeric: cells.numericFields(len(l.table.Names)), decoder: cells}
}

func (w *loadWorker) Parse(c *csvfile.Chunk) error {
	if w.valid = w.chunk.Parse(c, w.numeric) && w.decoder.decodeChunk(&w.chunk); w.valid {
		w.decoder.measureRanges()
	}
	return nil
}

func (w *loadWorker) Commit(c *csvfile.Chunk) error {
	l := w.loader
	if !w.valid {
		return l.table.RereadChunk(c, func() error { return l.readRows(w.ctx) })
	}
	l.table.CountRowsOf(&w.chunk)
	return l.add(w.decoder)
}
