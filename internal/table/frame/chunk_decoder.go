package frame

import (
	"slices"

	"foretell/internal/table/csvfile"
)

// numericFields reports which of the given number of fields are parsed as plain numbers.
func (c *rowDecoder) numericFields(fields int) []bool {
	numeric := make([]bool, fields)
	for _, p := range c.direct {
		numeric[p.field] = numeric[p.field] || p.codes == nil
	}
	return numeric
}

// addChunk replaces the rows by those of a chunk. Columns may refer to the chunk's memory
// until the next reset or addChunk. It returns false if addRecord would return a defect
// for any record.
func (c *rowDecoder) addChunk(g *csvfile.ParsedChunk) bool {
	b := c.binding
	if g.HasBlank(b.id) {
		return false
	}
	for i := range c.columns {
		c.columns[i].Floats, c.columns[i].Codes = c.columns[i].Floats[:0], c.columns[i].Codes[:0]
	}
	for _, p := range c.direct {
		switch column := &c.columns[p.column]; {
		case p.codes != nil:
			column.Codes = appendCodes(column.Codes, g, p.field, p.codes)
		case c.keepDecimals && !g.NotDecimal[p.field] && !g.HasText[p.field]:
			*column = Column{encoded: encoded{decimals: g.DecimalColumn(p.field)}}
		default:
			*column = Column{Floats: g.Numbers(p.field)}
		}
	}
	for _, p := range c.split {
		for row := range g.Rows {
			p.extractor.extract(c.columns, g.CellText(row, p.field))
		}
	}
	c.labels = c.labels[:0]
	for row := 0; b.label >= 0 && row < g.Rows; row++ {
		class, known := c.classes[string(g.CellText(row, b.label))]
		if !known {
			return false
		}
		c.labels = append(c.labels, class)
	}
	c.rows = g.Rows
	return true
}

func appendCodes(dst []int32, g *csvfile.ParsedChunk, field int, codes map[string]int32) []int32 {
	for row := range g.Rows {
		dst = append(dst, categoryCode(codes, g.CellText(row, field)))
	}
	return dst
}

// measureRanges measures the value ranges of the numeric columns.
func (c *rowDecoder) measureRanges() {
	for i := range c.columns {
		if cells := c.columns[i].encoded.decimals; cells != nil {
			c.ranges[i] = measureDecimals(cells)
		} else if values := c.columns[i].Floats; values != nil {
			c.decimals[i] = slices.Grow(c.decimals[i][:0], len(values))[:len(values)]
			c.ranges[i] = measureFloats(values, c.decimals[i])
		}
	}
}
