package frame

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// BlockReader reads a blind file as a sequence of frames, in memory independent of the
// size of the file: the IDs for finding duplicates are kept on disk. Features are found by
// name; the ID is the column with its name, otherwise the first. The text of all columns,
// including extra ones and a label, is kept in Block.Raw.
type BlockReader struct {
	table   *table
	decoder *rowDecoder
	ids     *idSet
	size    int // approximate size of a block in bytes
}

// Block is a sequence of rows of a blind file.
type Block struct {
	// Frame has the features, without labels.
	Frame *Frame
	// Raw has each row as it is in the file, without its line end: valid RFC 4180 that can
	// be copied to another file.
	Raw [][]byte
}

// BlockWorker processes blocks in one goroutine. It has one block at a time, which is
// valid until Commit returns.
type BlockWorker interface {
	// Work does the work that does not depend on other blocks.
	Work(ctx context.Context, b *Block) error
	// Commit does the rest. Blocks are committed one at a time and in the order of the
	// file, whichever worker they belong to.
	Commit(b *Block) error
}

// NewBlockReader reads the header of a blind file. A *Defect names a missing column of the
// schema, or another defect of the header.
func NewBlockReader(src io.Reader, schema *Schema) (*BlockReader, error) {
	t, err := openTable(NewReader(src, ','))
	if err != nil {
		return nil, err
	}
	b, err := bindByName(t, schema)
	if err != nil {
		return nil, err
	}
	// Even the shortest row may become one probability for each class.
	size := max(2*chunkSize/(2+len(schema.Classes)), 4<<10)
	return &BlockReader{table: t, decoder: newRowDecoder(schema, b), ids: newIDSet(), size: min(size, chunkSize)}, nil
}

// Header returns the names of all columns in the order of the file. The
// caller must not change it.
func (b *BlockReader) Header() []string { return b.table.names }

// RawHeader returns the header as it is in the file, without its line end and byte order
// mark. The caller must not change it.
func (b *BlockReader) RawHeader() []byte { return b.table.header }

// Run processes all blocks of the file with one goroutine per worker. It returns the first
// error of the first block that has one. A *Defect describes an error in the file;
// duplicate IDs are reported only after all rows have been read. Run must be called once
// only.
func (b *BlockReader) Run(ctx context.Context, workers []BlockWorker) (err error) {
	defer func() { err = errors.Join(err, b.ids.Close()) }()
	next := 0
	err = b.table.runPipeline(ctx, len(workers), b.size, func() chunkWorker {
		next++
		return b.newWorker(ctx, workers[next-1])
	})
	if err == nil {
		err = b.newWorker(ctx, workers[0]).readRows()
	}
	if err != nil {
		return err
	}
	return b.finish(ctx)
}

// finish returns the defects of the file as a whole.
func (b *BlockReader) finish(ctx context.Context) error {
	if b.table.rows == 0 {
		d := b.table.defect(CodeNoRows, 0, "no data row follows the header")
		return &d
	}
	id := b.decoder.binding.id
	repeated, _, err := b.ids.duplicates(ctx, 1)
	for _, r := range repeated {
		d := b.table.defect(CodeDuplicateID, id, "the same ID as line %d: IDs must be unique", r.firstLine)
		d.Line = r.line
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
	chunk   parsedChunk
	ids     chunkIDs
	decoder *rowDecoder
	raw     [][]byte
	block   Block
	whole   bool // no record is defective
}

func (b *BlockReader) newWorker(ctx context.Context, worker BlockWorker) *blockLoader {
	return &blockLoader{
		blocks: b, ctx: ctx, worker: worker,
		numeric: b.decoder.numericFields(len(b.table.names)), decoder: b.decoder.fork(),
	}
}

func (h *blockLoader) parse(c *chunk) error {
	h.whole = h.chunk.parse(c, h.numeric) && h.decoder.addChunk(&h.chunk)
	if !h.whole || h.chunk.rows == 0 {
		return nil
	}
	h.blocks.ids.hashChunk(&h.ids, &h.chunk, h.decoder.binding.id)
	h.raw = h.raw[:0]
	for row := range h.chunk.rows {
		h.raw = append(h.raw, h.chunk.rawRow(row))
	}
	h.block = Block{Frame: h.decoder.frame(), Raw: h.raw}
	return h.worker.Work(h.ctx, &h.block)
}

func (h *blockLoader) commit(c *chunk) error {
	b := h.blocks
	if !h.whole {
		return b.table.reread(c, h.readRows)
	}
	b.table.advance(&h.chunk)
	if h.chunk.rows == 0 {
		return nil
	}
	b.ids.addChunk(&h.ids, &h.chunk, c.line)
	return h.worker.Commit(&h.block)
}

// readRows reads the rest of the table record by record.
func (h *blockLoader) readRows() error {
	for more := true; more; {
		h.decoder.reset()
		h.raw = nil
		for size := 0; more && size < h.blocks.size; {
			rec, err := h.blocks.table.next(h.ctx)
			if more = !errors.Is(err, io.EOF); !more {
				break
			}
			if err != nil {
				return err
			}
			if d := h.decoder.addRecord(rec); d != nil {
				d.Name = h.blocks.table.name(d.Column)
				return d
			}
			h.blocks.ids.add(rec.fields[h.decoder.binding.id], rec.startLine)
			h.raw = append(h.raw, bytes.Clone(rec.text))
			size += len(rec.text)
		}
		if h.decoder.rows == 0 {
			return nil
		}
		h.block = Block{Frame: h.decoder.frame(), Raw: h.raw}
		if err := h.worker.Work(h.ctx, &h.block); err != nil {
			return err
		}
		if err := h.worker.Commit(&h.block); err != nil {
			return err
		}
	}
	return nil
}
