package frame

import (
	"fmt"
	"slices"

	"foretell/internal/humanize"
	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// binding holds the positions of a schema's columns in the records of a file.
type binding struct {
	id, label int   // label is -1 for a blind file
	features  []int // by column of the schema: the position of its source
}

func bindByPosition(t *csvfile.Table, schema *Schema) (*binding, error) {
	fields := schema.FieldNames()
	if len(t.Names) != len(fields)+2 {
		d := t.HeaderDefect(csvfile.CodeTooFewColumns, len(t.Names)-1, "the file has %s, but the training file has %d",
			humanize.Count(len(t.Names), "column"), len(fields)+2)
		return nil, &d
	}
	places := BuildIndex(fields)
	b := &binding{label: len(t.Names) - 1}
	for i := range schema.Columns {
		b.features = append(b.features, int(places[schema.Columns[i].SourceName()])+1)
	}
	return b, nil
}

func bindByName(t *csvfile.Table, schema *Schema) (*binding, error) {
	if defects := t.CheckHeader(csvfile.MinBlindColumns, schema.MaxNameLength()); len(defects) > 0 {
		return nil, &defects[0]
	}
	b := &binding{id: t.ColumnIndex(schema.ID), label: -1}
	places, first := BuildIndex(t.Names), false
	var missing []string
	for _, name := range schema.FieldNames() {
		at, known := places[name]
		if !known {
			missing = append(missing, name)
		}
		first = first || known && at == 0
	}
	if len(missing) > 0 {
		return nil, &csvfile.Defect{
			Code: csvfile.CodeMissingColumn, Line: t.HeaderLine, Name: missing[0], Count: len(missing),
			Message: csvfile.MissingColumnsMessage(missing, "of the training file"),
		}
	}
	for i := range schema.Columns {
		b.features = append(b.features, int(places[schema.Columns[i].SourceName()]))
	}
	if b.id < 0 && first {
		return nil, &csvfile.Defect{
			Code: csvfile.CodeMissingColumn, Line: t.HeaderLine, Name: schema.ID,
			Message: fmt.Sprintf("the ID column %s is missing, and the first column is a feature, not an ID", csvfile.Excerpt(schema.ID)),
		}
	}
	b.id = max(b.id, 0)
	return b, nil
}

// rowDecoder decodes records into typed columns.
type rowDecoder struct {
	schema       *Schema
	binding      *binding
	keepDecimals bool // whether decodeChunk keeps numbers as decimals
	rows         int
	columns      []Column
	direct       []directField
	extracted    []extractedField
	differences  []Difference // computed after all other columns
	classes      map[string]int32
	labels       []int32
	// ranges and decimals are set for the numeric columns by measureRanges.
	ranges   []requiredEncoding
	decimals [][]cells.Decimal
}

// directField is a field whose cells are decoded to one number, one code or one text
// each.
type directField struct {
	field, column int
	levels        *levelIndex // nil if the column is not a Category
	isText        bool
}

// extractedField is a field from whose cells one or several columns are extracted.
type extractedField struct {
	field     int
	columns   []int
	extractor extractor
}

// extractorKey identifies the features that one extractor computes: all features of a field that
// have the same Extraction.group.
type extractorKey struct {
	field int
	group Extraction
}

// newRowDecoder returns a decoder for records in which the columns of schema are at the
// positions in b.
func newRowDecoder(schema *Schema, b *binding) *rowDecoder {
	n := len(schema.Columns)
	d := &rowDecoder{schema: schema, binding: b, differences: schema.Differences(), ranges: make([]requiredEncoding, n), decimals: make([][]cells.Decimal, n)}
	parts := make(map[extractorKey][]int) // the columns that each extractor computes
	var order []extractorKey
	for i := range schema.Columns {
		one, field := &schema.Columns[i], b.features[i]
		switch {
		case one.Kind == Category:
			d.direct = append(d.direct, directField{field: field, column: i, levels: newLevelIndex(one)})
		case one.Kind == Text:
			d.direct = append(d.direct, directField{field: field, column: i, isText: true})
		case one.Feature == "":
			d.direct = append(d.direct, directField{field: field, column: i})
		case one.Feature == ExtractSince: // d.differences has this feature
		default:
			p := extractorKey{field: field}
			p.group, _ = one.Feature.group()
			if parts[p] == nil {
				order = append(order, p)
			}
			parts[p] = append(parts[p], i)
		}
	}
	for _, p := range order {
		d.extracted = append(d.extracted, extractedField{p.field, parts[p], newExtractor(schema, parts[p])})
	}
	if b.label >= 0 {
		d.classes = BuildIndex(schema.Classes)
	}
	d.reset()
	return d
}

// fork returns an empty copy of d for another goroutine.
func (d *rowDecoder) fork() *rowDecoder {
	other := *d
	other.ranges, other.decimals = make([]requiredEncoding, len(d.ranges)), make([][]cells.Decimal, len(d.decimals))
	other.extracted = slices.Clone(d.extracted)
	for i := range other.extracted {
		other.extracted[i].extractor = newExtractor(d.schema, other.extracted[i].columns)
	}
	other.reset()
	return &other
}

// BuildIndex returns a map from each text to its position. For a text that occurs several
// times, this is the last position.
func BuildIndex(texts []string) map[string]int32 {
	index := make(map[string]int32, len(texts))
	for i, one := range texts {
		index[one] = int32(i)
	}
	return index
}

func (d *rowDecoder) reset() {
	d.rows, d.labels = 0, nil
	d.columns = make([]Column, len(d.schema.Columns))
	for i := range d.columns {
		switch d.schema.Columns[i].Kind {
		case Numeric:
			d.columns[i].Floats = []float64{}
		case Category:
			d.columns[i].Codes = []int32{}
		case Text:
			d.columns[i].Texts = []string{}
		}
	}
	if d.classes != nil {
		d.labels = []int32{}
	}
}

// decodeRecord adds a row. If the record is defective, it returns a defect without a Name;
// otherwise, it returns nil.
func (d *rowDecoder) decodeRecord(rec *csvfile.Record) *csvfile.Defect {
	b := d.binding
	if cells.IsBlank(rec.Fields[b.id]) {
		return &csvfile.Defect{Code: csvfile.CodeEmptyID, Message: "the row has no ID", Line: rec.FieldLine(b.id, ','), Column: b.id + 1}
	}
	for i := range d.direct {
		p := &d.direct[i]
		column, cell := &d.columns[p.column], rec.Fields[p.field]
		if p.levels != nil {
			column.Codes = append(column.Codes, p.levels.code(cell))
			continue
		}
		if p.isText {
			column.Texts = append(column.Texts, string(cells.Trim(cell)))
			continue
		}
		column.Floats = append(column.Floats, cells.NumberOrNaN(cell))
	}
	for i := range d.extracted {
		d.extracted[i].extractor.extract(d.columns, rec.Fields[d.extracted[i].field])
	}
	for i := range d.differences {
		d.differences[i].appendTo(d.columns, d.rows)
	}
	if b.label >= 0 {
		class, known := d.classes[string(rec.Fields[b.label])]
		if !known {
			return &csvfile.Defect{
				Code: csvfile.CodeUnknownLabel, Line: rec.FieldLine(b.label, ','), Column: b.label + 1,
				Message: fmt.Sprintf("%s is not one of the dataset's classes", csvfile.Excerpt(string(rec.Fields[b.label]))),
			}
		}
		d.labels = append(d.labels, class)
	}
	d.rows++
	return nil
}

func (d *rowDecoder) frame() *Frame {
	return &Frame{Schema: d.schema, Rows: d.rows, Columns: d.columns, Labels: d.labels}
}
