package frame

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// BlockReader reads a blind file as a sequence of frames, in memory that does not
// grow with the file: what IDs that occur twice are found by waits on the disk.
// Features are taken by their names; the ID is the column that has its name, else
// the first. All columns, the extra ones and a label included, stay with their
// rows as text.
type BlockReader struct {
	table *table
	cells *cells
	ids   *identities
	size  int // bytes of a block, about
}

// Block is a run of rows of a blind file.
type Block struct {
	// Frame holds the features, without labels.
	Frame *Frame
	// Raw holds each row as it stands in the file, without its line end: valid
	// RFC 4180 that can be written into another file as it is.
	Raw [][]byte
}

// BlockWorker does one goroutine's part of what is done with all blocks. It
// has one block at a time, which is valid until Settle returns.
type BlockWorker interface {
	// Work does what needs no other block.
	Work(ctx context.Context, b *Block) error
	// Commit does the rest. The blocks are settled one at a time and in the
	// order of the file, whatever worker they are with.
	Commit(b *Block) error
}

// NewBlockReader reads the header of a blind file. A *Defect names a column of the
// schema that is missing, or tells what else is wrong with the header.
func NewBlockReader(src io.Reader, schema *Schema) (*BlockReader, error) {
	t, err := openTable(NewReader(src, ','))
	if err != nil {
		return nil, err
	}
	b, err := bindByName(t, schema)
	if err != nil {
		return nil, err
	}
	// The shortest rows may become as many probabilities as there are classes.
	size := max(2*chunkSize/(2+len(schema.Classes)), 4<<10)
	return &BlockReader{table: t, cells: newCells(schema, b), ids: newIdentities(), size: min(size, chunkSize)}, nil
}

// Header returns the names of all columns in the order of the file. The
// caller must not change it.
func (b *BlockReader) Header() []string { return b.table.names }

// RawHeader returns the header as it stands in the file, without its line end
// and byte order mark. The caller must not change it.
func (b *BlockReader) RawHeader() []byte { return b.table.header }

// Run has all blocks of the file worked on by as many goroutines as there are
// workers. It returns the first error of the first block that has one. A *Defect
// tells what is wrong with the file; IDs that occur twice are known only when all
// rows have been read. It can be called once.
func (b *BlockReader) Run(ctx context.Context, workers []BlockWorker) (err error) {
	defer func() { err = errors.Join(err, b.ids.Close()) }()
	next := 0
	err = b.table.share(ctx, len(workers), b.size, func() hand {
		next++
		return b.newHand(ctx, workers[next-1])
	})
	if err == nil {
		err = b.newHand(ctx, workers[0]).readRows()
	}
	if err != nil {
		return err
	}
	return b.judge(ctx)
}

// judge tells what is wrong with the file as a whole.
func (b *BlockReader) judge(ctx context.Context) error {
	if b.table.rows == 0 {
		d := b.table.defect(CodeNoRows, 0, "no data row follows the header")
		return &d
	}
	id := b.cells.binding.id
	repeated, _, err := b.ids.repeated(ctx, 1)
	for _, r := range repeated {
		d := b.table.defect(CodeDuplicateID, id, "the ID of line %d again: IDs must be unique", r.first)
		d.Line = r.line
		return &d
	}
	return err
}

// blockHand makes blocks of chunks.
type blockHand struct {
	blocks  *BlockReader
	ctx     context.Context
	worker  BlockWorker
	numeric []bool
	grid    grid
	ids     gridIDs
	cells   *cells
	raw     [][]byte
	block   Block
	whole   bool // no record is defective
}

func (b *BlockReader) newHand(ctx context.Context, worker BlockWorker) *blockHand {
	return &blockHand{
		blocks: b, ctx: ctx, worker: worker,
		numeric: b.cells.numericFields(len(b.table.names)), cells: b.cells.fork(),
	}
}

func (h *blockHand) work(c *chunk) error {
	h.whole = h.grid.parse(c, h.numeric) && h.cells.take(&h.grid)
	if !h.whole || h.grid.rows == 0 {
		return nil
	}
	h.blocks.ids.gather(&h.ids, &h.grid, h.cells.binding.id)
	h.raw = h.raw[:0]
	for row := range h.grid.rows {
		h.raw = append(h.raw, h.grid.raw(row))
	}
	h.block = Block{Frame: h.cells.frame(), Raw: h.raw}
	return h.worker.Work(h.ctx, &h.block)
}

func (h *blockHand) settle(c *chunk) error {
	b := h.blocks
	if !h.whole {
		return b.table.reread(c, h.readRows)
	}
	b.table.passed(&h.grid)
	if h.grid.rows == 0 {
		return nil
	}
	b.ids.addGrid(&h.ids, &h.grid, c.line)
	return h.worker.Commit(&h.block)
}

// readRows takes what is left of the table record by record.
func (h *blockHand) readRows() error {
	for more := true; more; {
		h.cells.reset()
		h.raw = nil
		for size := 0; more && size < h.blocks.size; {
			rec, err := h.blocks.table.next(h.ctx)
			if more = !errors.Is(err, io.EOF); !more {
				break
			}
			if err != nil {
				return err
			}
			if d := h.cells.add(rec); d != nil {
				d.Name = h.blocks.table.name(d.Column)
				return d
			}
			h.blocks.ids.add(rec.fields[h.cells.binding.id], rec.line)
			h.raw = append(h.raw, bytes.Clone(rec.raw))
			size += len(rec.raw)
		}
		if h.cells.rows == 0 {
			return nil
		}
		h.block = Block{Frame: h.cells.frame(), Raw: h.raw}
		if err := h.worker.Work(h.ctx, &h.block); err != nil {
			return err
		}
		if err := h.worker.Commit(&h.block); err != nil {
			return err
		}
	}
	return nil
}
