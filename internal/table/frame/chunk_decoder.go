package frame

import (
	"slices"

	"foretell/internal/table/cells"
	"foretell/internal/table/csvfile"
)

// numericFields returns, for each field of a record, whether its values are parsed as
// plain numbers.
func (d *rowDecoder) numericFields(fieldCount int) []bool {
	numeric := make([]bool, fieldCount)
	for _, p := range d.direct {
		numeric[p.field] = numeric[p.field] || p.levels == nil && !p.isText
	}
	return numeric
}

// decodeChunk replaces the rows of d by the rows of a chunk. The columns may refer to the chunk's
// memory. valid is false if decodeRecord would return a defect for one of the records.
func (d *rowDecoder) decodeChunk(chunk *csvfile.ParsedChunk) (valid bool) {
	b := d.binding
	if chunk.HasBlank(b.id) {
		return false
	}
	for i := range d.columns {
		c := &d.columns[i]
		c.Floats, c.Codes, c.Texts = c.Floats[:0], c.Codes[:0], c.Texts[:0]
	}
	for _, p := range d.direct {
		switch column := &d.columns[p.column]; {
		case p.levels != nil:
			column.Codes = appendCodes(column.Codes, chunk, p.field, p.levels)
		case p.isText:
			for row := range chunk.Rows {
				column.Texts = append(column.Texts, string(cells.Trim(chunk.Cell(row, p.field))))
			}
		case d.keepDecimals && !chunk.NotDecimal[p.field] && !chunk.HasText[p.field]:
			*column = Column{encoded: encoded{decimals: chunk.DecimalColumn(p.field)}}
		default:
			*column = Column{Floats: chunk.FloatsOrNaN(p.field)}
		}
	}
	for _, p := range d.extracted {
		for row := range chunk.Rows {
			p.extractor.extract(d.columns, chunk.Cell(row, p.field))
		}
	}
	for i := range d.differences {
		d.differences[i].appendTo(d.columns, 0)
	}
	d.labels = d.labels[:0]
	for row := 0; b.label >= 0 && row < chunk.Rows; row++ {
		class, known := d.classes[string(chunk.Cell(row, b.label))]
		if !known {
			return false
		}
		d.labels = append(d.labels, class)
	}
	d.rows = chunk.Rows
	return true
}

func appendCodes(dst []int32, chunk *csvfile.ParsedChunk, field int, levels *levelIndex) []int32 {
	for row := range chunk.Rows {
		dst = append(dst, levels.code(chunk.Cell(row, field)))
	}
	return dst
}

// measureRanges sets d.ranges and d.decimals, which frameBuilder.add needs: the required encodings
// of the numeric columns, and their values as decimals.
func (d *rowDecoder) measureRanges() {
	for i := range d.columns {
		if cells := d.columns[i].encoded.decimals; cells != nil {
			d.ranges[i] = measureDecimals(cells)
		} else if values := d.columns[i].Floats; values != nil {
			d.decimals[i] = slices.Grow(d.decimals[i][:0], len(values))[:len(values)]
			d.ranges[i] = measureFloatsAndEncode(values, d.decimals[i])
		}
	}
}
