package frame

import (
	"fmt"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// binding holds the field of each column of a schema.
type binding struct {
	id, label int // label is -1 for a blind file
	features  []int
}

func bindByPosition(t *csvfile.Table, schema *Schema) (*binding, error) {
	fields := schema.FieldNames()
	if len(t.Names) != len(fields)+2 {
		d := t.Defect(csvfile.CodeTooFewColumns, len(t.Names)-1, "%s, expected the %d of the training file",
			humanize.Count(len(t.Names), "column"), len(fields)+2)
		return nil, &d
	}
	places := IndexOf(fields)
	b := &binding{label: len(t.Names) - 1}
	for i := range schema.Columns {
		b.features = append(b.features, int(places[schema.Columns[i].Field()])+1)
	}
	return b, nil
}

func bindByName(t *csvfile.Table, schema *Schema) (*binding, error) {
	if defects := t.CheckHeader(csvfile.MinBlindColumns); len(defects) > 0 {
		return nil, &defects[0]
	}
	b := &binding{id: t.Find(schema.ID), label: -1}
	places, first := IndexOf(t.Names), false
	for _, name := range schema.FieldNames() {
		at, known := places[name]
		if !known {
			return nil, &csvfile.Defect{
				Code: csvfile.CodeMissingColumn, Line: t.Line, Name: name,
				Message: fmt.Sprintf("the column %s of the training file is missing", csvfile.Excerpt(name)),
			}
		}
		first = first || at == 0
	}
	for i := range schema.Columns {
		b.features = append(b.features, int(places[schema.Columns[i].Field()]))
	}
	if b.id < 0 && first {
		return nil, &csvfile.Defect{
			Code: csvfile.CodeMissingColumn, Line: t.Line, Name: schema.ID,
			Message: fmt.Sprintf("the ID column %s is missing, and the first column is a feature", csvfile.Excerpt(schema.ID)),
		}
	}
	b.id = max(b.id, 0)
	return b, nil
}

// rowDecoder decodes records to typed columns.
type rowDecoder struct {
	schema       *Schema
	binding      *binding
	keepDecimals bool // addChunk keeps numbers as decimals
	rows         int
	columns      []Column
	direct       []directCell
	split        []splitCell
	classes      map[string]int32
	labels       []int32
	// ranges and decimals are set for the numeric columns by measureRanges.
	ranges   []valueRange
	decimals [][]cells.Decimal
}

// directCell is a cell that becomes one number or code.
type directCell struct {
	field, column int
	codes         map[string]int32 // nil for Numeric
}

// splitCell is a cell from which several columns are extracted.
type splitCell struct {
	field     int
	columns   []int
	extractor extractor
}

// newRowDecoder returns a decoder for records whose fields b assigns to the columns of
// schema.
func newRowDecoder(schema *Schema, b *binding) *rowDecoder {
	n := len(schema.Columns)
	c := &rowDecoder{schema: schema, binding: b, ranges: make([]valueRange, n), decimals: make([][]cells.Decimal, n)}
	parts := make(map[int][]int) // the columns extracted from each field
	var fields []int
	for i := range schema.Columns {
		one, field := &schema.Columns[i], b.features[i]
		switch {
		case one.Kind == Category:
			c.direct = append(c.direct, directCell{field, i, IndexOf(one.Levels)})
		case one.Feature == "":
			c.direct = append(c.direct, directCell{field: field, column: i})
		default:
			if parts[field] == nil {
				fields = append(fields, field)
			}
			parts[field] = append(parts[field], i)
		}
	}
	for _, field := range fields {
		c.split = append(c.split, splitCell{field, parts[field], newExtractor(schema, parts[field])})
	}
	if b.label >= 0 {
		c.classes = IndexOf(schema.Classes)
	}
	c.reset()
	return c
}

// fork returns an empty rowDecoder of the same kind for another goroutine.
func (c *rowDecoder) fork() *rowDecoder {
	other := *c
	other.ranges, other.decimals = make([]valueRange, len(c.ranges)), make([][]cells.Decimal, len(c.decimals))
	other.split = slices.Clone(c.split)
	for i := range other.split {
		other.split[i].extractor = newExtractor(c.schema, other.split[i].columns)
	}
	other.reset()
	return &other
}

// IndexOf returns the position of each text. Of equal texts the last counts.
func IndexOf(texts []string) map[string]int32 {
	index := make(map[string]int32, len(texts))
	for i, one := range texts {
		index[one] = int32(i)
	}
	return index
}

// reset starts new columns.
func (c *rowDecoder) reset() {
	c.rows, c.labels = 0, nil
	c.columns = make([]Column, len(c.schema.Columns))
	for i := range c.columns {
		if c.schema.Columns[i].Kind == Numeric {
			c.columns[i].Floats = []float64{}
		} else {
			c.columns[i].Codes = []int32{}
		}
	}
	if c.classes != nil {
		c.labels = []int32{}
	}
}

// addRecord adds a row. A defect has no column name.
func (c *rowDecoder) addRecord(rec *csvfile.Record) *csvfile.Defect {
	b := c.binding
	if cells.IsBlank(rec.Fields[b.id]) {
		return &csvfile.Defect{Code: csvfile.CodeEmptyID, Message: "the row has no ID", Line: rec.FieldLine(b.id, ','), Column: b.id + 1}
	}
	for i := range c.direct {
		p := &c.direct[i]
		column, cell := &c.columns[p.column], rec.Fields[p.field]
		if p.codes != nil {
			column.Codes = append(column.Codes, categoryCode(p.codes, cell))
			continue
		}
		column.Floats = append(column.Floats, cells.NumberOrNaN(cell))
	}
	for i := range c.split {
		c.split[i].extractor.extract(c.columns, rec.Fields[c.split[i].field])
	}
	if b.label >= 0 {
		class, known := c.classes[string(rec.Fields[b.label])]
		if !known {
			return &csvfile.Defect{
				Code: csvfile.CodeUnknownLabel, Line: rec.FieldLine(b.label, ','), Column: b.label + 1,
				Message: fmt.Sprintf("%s is not one of the dataset's classes", csvfile.Excerpt(string(rec.Fields[b.label]))),
			}
		}
		c.labels = append(c.labels, class)
	}
	c.rows++
	return nil
}

func categoryCode(codes map[string]int32, cell []byte) int32 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = cells.Trim(cell)
	}
	if code, known := codes[string(cell)]; known {
		return code
	}
	if len(cell) == 0 {
		return Missing
	}
	return int32(len(codes))
}

// frame returns the rows since the last reset.
func (c *rowDecoder) frame() *Frame {
	return &Frame{Schema: c.schema, Rows: c.rows, Columns: c.columns, Labels: c.labels}
}
