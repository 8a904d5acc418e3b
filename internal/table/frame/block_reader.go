package frame

import (
	"bytes"
	"context"
	"errors"
	"io"

	"foretell/internal/table/csvfile"
	"foretell/internal/table/dupid"
)

// BlockReader reads a blind file as a sequence of frames. Its memory does not grow with the file,
// because the IDs, which are needed to find duplicates, are kept on disk. Features are found by
// name. The ID is the column with the name of the schema's ID or, if no column has this name, the
// first column. Block.Raw contains the text of all columns, including extra columns and a label.
type BlockReader struct {
	table   *csvfile.Table
	decoder *rowDecoder
	ids     *dupid.Set
	size    int // approximate size of a block in bytes
}

// Block is a number of consecutive rows of a blind file.
type Block struct {
	// Frame holds the features of the rows, without labels.
	Frame *Frame
	// Raw holds the text of each row as it is in the file, without the line end. It is
	// valid RFC 4180.
	Raw [][]byte
}

// BlockWorker processes blocks in one goroutine, one block at a time. A block may be used
// until Commit returns.
type BlockWorker interface {
	// Process does the part of the work that does not depend on other blocks.
	Process(ctx context.Context, b *Block) error
	// Commit does the remaining work. Blocks are committed in file order, and no two
	// calls of Commit, even of different workers, run at the same time.
	Commit(b *Block) error
}

// NewBlockReader reads the header of a blind file and returns a reader of its rows. A
// *csvfile.Defect describes an error in the header, such as a missing column of the schema.
func NewBlockReader(src io.Reader, schema *Schema) (*BlockReader, error) {
	t, err := csvfile.OpenTable(csvfile.NewReader(src, ','))
	if err != nil {
		return nil, err
	}
	b, err := bindByName(t, schema)
	if err != nil {
		return nil, err
	}
	// The result for a row contains one probability per class. Blocks are therefore smaller if
	// there are many classes.
	size := max(2*csvfile.ChunkSize/(2+len(schema.Classes)), 4<<10)
	return &BlockReader{table: t, decoder: newRowDecoder(schema, b), ids: dupid.NewSet(), size: min(size, csvfile.ChunkSize)}, nil
}

// Schema returns the schema of the features.
func (b *BlockReader) Schema() *Schema { return b.decoder.schema }

// Header returns the names of all columns in file order. The caller must not change them.
func (b *BlockReader) Header() []string { return b.table.Names }

// RawHeader returns the header as it is in the file, without its line end and byte order
// mark. The caller must not change it.
func (b *BlockReader) RawHeader() []byte { return b.table.Header }

// Run processes all blocks of the file with one goroutine per worker. It returns the error of the
// first block with an error. A *csvfile.Defect describes an error in the file. Duplicate IDs are
// reported only after all rows have been read. Run must be called only once.
func (b *BlockReader) Run(ctx context.Context, workers []BlockWorker) (err error) {
	defer func() { err = errors.Join(err, b.ids.Close()) }()
	next := 0
	err = b.table.RunPipeline(ctx, len(workers), b.size, func() csvfile.ChunkWorker {
		next++
		return b.newWorker(ctx, workers[next-1])
	})
	if err == nil {
		err = b.newWorker(ctx, workers[0]).readRows()
	}
	if err != nil {
		return err
	}
	return b.checkRowsAndIDs(ctx)
}

// checkRowsAndIDs returns the defect of a file without rows or with duplicate IDs.
func (b *BlockReader) checkRowsAndIDs(ctx context.Context) error {
	if b.table.Rows == 0 {
		d := b.table.HeaderDefect(csvfile.CodeNoRows, -1, "no data row follows the header")
		return &d
	}
	id := b.decoder.binding.id
	repeated, _, err := b.ids.Duplicates(ctx, 1)
	for _, r := range repeated {
		d := b.table.HeaderDefect(csvfile.CodeDuplicateID, id, "line %d has the same ID: IDs must be unique", r.FirstLine)
		d.Line = r.Line
		return &d
	}
	return err
}

// blockLoader turns chunks into blocks.
type blockLoader struct {
	blocks  *BlockReader
	ctx     context.Context
	worker  BlockWorker
	numeric []bool
	chunk   csvfile.ParsedChunk
	ids     dupid.ChunkIDs
	decoder *rowDecoder
	raw     [][]byte
	block   Block
	valid   bool // no record is defective
}

func (b *BlockReader) newWorker(ctx context.Context, worker BlockWorker) *blockLoader {
	return &blockLoader{
		blocks: b, ctx: ctx, worker: worker,
		numeric: b.decoder.numericFields(len(b.table.Names)), decoder: b.decoder.fork(),
	}
}

func (w *blockLoader) Parse(c *csvfile.Chunk) error {
	w.valid = w.chunk.Parse(c, w.numeric) && w.decoder.decodeChunk(&w.chunk)
	if !w.valid || w.chunk.Rows == 0 {
		return nil
	}
	w.blocks.ids.HashChunk(&w.ids, &w.chunk, w.decoder.binding.id)
	w.raw = w.raw[:0]
	for row := range w.chunk.Rows {
		w.raw = append(w.raw, w.chunk.RawRow(row))
	}
	w.block = Block{Frame: w.decoder.frame(), Raw: w.raw}
	return w.worker.Process(w.ctx, &w.block)
}

func (w *blockLoader) Commit(c *csvfile.Chunk) error {
	b := w.blocks
	if !w.valid {
		return b.table.RereadChunk(c, w.readRows)
	}
	b.table.CountRowsOf(&w.chunk)
	if w.chunk.Rows == 0 {
		return nil
	}
	b.ids.AddChunk(&w.ids, &w.chunk, c.Line)
	return w.worker.Commit(&w.block)
}

// readRows reads the rest of the table record by record and processes it in blocks.
func (w *blockLoader) readRows() error {
	for more := true; more; {
		w.decoder.reset()
		w.raw = nil
		for size := 0; more && size < w.blocks.size; {
			rec, err := w.blocks.table.Next(w.ctx)
			if more = !errors.Is(err, io.EOF); !more {
				break
			}
			if err != nil {
				return err
			}
			if d := w.decoder.decodeRecord(rec); d != nil {
				d.Name = w.blocks.table.ColumnName(d.Column)
				return d
			}
			w.blocks.ids.Add(rec.Fields[w.decoder.binding.id], rec.Line)
			w.raw = append(w.raw, bytes.Clone(rec.Text))
			size += len(rec.Text)
		}
		if w.decoder.rows == 0 {
			return nil
		}
		w.block = Block{Frame: w.decoder.frame(), Raw: w.raw}
		if err := w.worker.Process(w.ctx, &w.block); err != nil {
			return err
		}
		if err := w.worker.Commit(&w.block); err != nil {
			return err
		}
	}
	return nil
}
