package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
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
	t, err := openTable(NewReader(src, ','))
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
	c := newCells(schema, b, opts.Rows)
	for {
		rec, err := t.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if d := c.add(rec); d != nil {
			d.Name = t.name(d.Column)
			return nil, d
		}
	}
	if c.rows == 0 {
		d := t.defect(CodeNoRows, 0, "no data row follows the header")
		return nil, &d
	}
	return c.frame(), nil
}

// binding tells in which field of a record each column of a schema stands.
type binding struct {
	id, label int // label is -1 for a blind file
	features  []int
}

func bindByPosition(t *table, schema *Schema) (*binding, error) {
	if len(t.names) != len(schema.Columns)+2 {
		d := t.defect(CodeTooFewColumns, len(t.names)-1, "%s, expected the %d of the training file",
			plural(len(t.names), "column"), len(schema.Columns)+2)
		return nil, &d
	}
	b := &binding{label: len(t.names) - 1}
	for i := range schema.Columns {
		b.features = append(b.features, i+1)
	}
	return b, nil
}

func bindByName(t *table, schema *Schema) (*binding, error) {
	if defects := t.checkHeader(blindColumns); len(defects) > 0 {
		return nil, &defects[0]
	}
	b := &binding{id: t.find(schema.ID), label: -1}
	for i := range schema.Columns {
		at := t.find(schema.Columns[i].Name)
		if at < 0 {
			return nil, &Defect{
				Code: CodeMissingColumn, Line: t.line, Name: schema.Columns[i].Name,
				Message: fmt.Sprintf("the column %s of the training file is missing", excerpt(schema.Columns[i].Name)),
			}
		}
		b.features = append(b.features, at)
	}
	if b.id < 0 && slices.Contains(b.features, 0) {
		return nil, &Defect{
			Code: CodeMissingColumn, Line: t.line, Name: schema.ID,
			Message: fmt.Sprintf("the ID column %s is missing, and the first column is a feature", excerpt(schema.ID)),
		}
	}
	b.id = max(b.id, 0)
	return b, nil
}

// cells collects the typed columns of records.
type cells struct {
	schema  *Schema
	binding *binding
	rows    int
	columns []Column
	codes   []map[string]int32 // by column: nil for Numeric
	classes map[string]int32
	labels  []int32
}

func newCells(schema *Schema, b *binding, rows int) *cells {
	c := &cells{schema: schema, binding: b, codes: make([]map[string]int32, len(schema.Columns))}
	for i := range schema.Columns {
		if schema.Columns[i].Kind == Category {
			c.codes[i] = indexOf(schema.Columns[i].Levels)
		}
	}
	if b.label >= 0 {
		c.classes = indexOf(schema.Classes)
	}
	c.reset(rows)
	return c
}

func indexOf(texts []string) map[string]int32 {
	index := make(map[string]int32, len(texts))
	for i, one := range texts {
		index[one] = int32(i)
	}
	return index
}

// reset begins new columns with room for so many rows.
func (c *cells) reset(rows int) {
	c.rows, c.labels = 0, nil
	c.columns = make([]Column, len(c.schema.Columns))
	for i := range c.columns {
		if c.codes[i] == nil {
			c.columns[i].Floats = make([]float64, 0, rows)
		} else {
			c.columns[i].Codes = make([]int32, 0, rows)
		}
	}
	if c.classes != nil {
		c.labels = make([]int32, 0, rows)
	}
}

// add takes the cells of a record. The defect it may return has no name.
func (c *cells) add(rec *Record) *Defect {
	b := c.binding
	if isBlank(rec.fields[b.id]) {
		return &Defect{Code: CodeEmptyID, Message: "the row has no ID", Line: rec.fieldLine(b.id, ','), Column: b.id + 1}
	}
	for i, at := range b.features {
		column, cell := &c.columns[i], rec.fields[at]
		if codes := c.codes[i]; codes != nil {
			column.Codes = append(column.Codes, code(codes, cell))
			continue
		}
		_, value := classify(cell)
		column.Floats = append(column.Floats, value)
	}
	if b.label >= 0 {
		class, known := c.classes[string(rec.fields[b.label])]
		if !known {
			return &Defect{
				Code: CodeUnknownLabel, Line: rec.fieldLine(b.label, ','), Column: b.label + 1,
				Message: fmt.Sprintf("%s is none of the dataset's classes", excerpt(string(rec.fields[b.label]))),
			}
		}
		c.labels = append(c.labels, class)
	}
	c.rows++
	return nil
}

func code(codes map[string]int32, cell []byte) int32 {
	if code, known := codes[string(cell)]; known {
		return code
	}
	if isBlank(cell) {
		return Missing
	}
	return int32(len(codes))
}

// frame returns what was collected since the last reset.
func (c *cells) frame() *Frame {
	return &Frame{Schema: c.schema, Rows: c.rows, Columns: c.columns, Labels: c.labels}
}
