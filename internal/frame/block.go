package frame

import (
	"context"
	"errors"
	"io"
)

// Blocks reads a blind file as a sequence of frames, in memory that does not
// grow with the file but for 12 bytes a row, by which IDs that occur twice are
// found. Features are taken by their names; the ID is the column that has its
// name, else the first. All columns, the extra ones and a label included, stay
// with their rows as text.
type Blocks struct {
	table *table
	cells *cells
	ids   *identities
	done  bool
}

// firstRows is the room a block begins with: files are often shorter than a
// block may be.
const firstRows = 8 << 10

// Block is a run of rows of a blind file. It is the caller's own.
type Block struct {
	// Frame holds the features, without labels.
	Frame *Frame
	// Raw holds each row as it stands in the file, without its line end: valid
	// RFC 4180 that can be written into another file as it is.
	Raw [][]byte
}

// NewBlocks reads the header of a blind file. A *Defect names a column of the
// schema that is missing, or tells what else is wrong with the header.
func NewBlocks(src io.Reader, schema *Schema) (*Blocks, error) {
	t, err := openTable(NewReader(src, ','))
	if err != nil {
		return nil, err
	}
	b, err := bindByName(t, schema)
	if err != nil {
		return nil, err
	}
	return &Blocks{table: t, cells: newCells(schema, b, 0), ids: newIdentities()}, nil
}

// Header returns the names of all columns in the order of the file. The
// caller must not change it.
func (b *Blocks) Header() []string { return b.table.names }

// RawHeader returns the header as it stands in the file, without its line end
// and byte order mark. The caller must not change it.
func (b *Blocks) RawHeader() []byte { return b.table.header }

// Next returns the next rows, at most maxRows of them and at least one, and
// io.EOF behind the last. A *Defect tells what is wrong with the file; IDs that
// occur twice are known only when all rows have been read, in place of io.EOF.
func (b *Blocks) Next(ctx context.Context, maxRows int) (*Block, error) {
	if b.done {
		return nil, b.end()
	}
	b.cells.reset(min(maxRows, firstRows))
	rows := rawRows{}
	for b.cells.rows < maxRows {
		rec, err := b.table.next(ctx)
		if errors.Is(err, io.EOF) {
			b.done = true
			break
		}
		if err != nil {
			return nil, err
		}
		if d := b.cells.add(rec); d != nil {
			d.Name = b.table.name(d.Column)
			return nil, d
		}
		b.ids.add(rec.fields[b.cells.binding.id], rec.line)
		rows.add(rec.raw)
	}
	if b.cells.rows == 0 {
		return nil, b.end()
	}
	return &Block{Frame: b.cells.frame(), Raw: rows.list()}, nil
}

// end judges the file as a whole.
func (b *Blocks) end() error {
	if b.table.rows == 0 {
		d := b.table.defect(CodeNoRows, 0, "no data row follows the header")
		return &d
	}
	id := b.cells.binding.id
	for _, r := range b.ids.repeated(1) {
		d := b.table.defect(CodeDuplicateID, id, "the ID of line %d again: IDs must be unique", r.first)
		d.Line = r.line
		return &d
	}
	return io.EOF
}

// rawRows keeps the bytes of many records in few pieces.
type rawRows struct {
	text []byte
	ends []int
}

func (r *rawRows) add(raw []byte) {
	r.text = append(r.text, raw...)
	r.ends = append(r.ends, len(r.text))
}

func (r *rawRows) list() [][]byte {
	list := make([][]byte, len(r.ends))
	begin := 0
	for i, end := range r.ends {
		list[i] = r.text[begin:end:end]
		begin = end
	}
	return list
}
