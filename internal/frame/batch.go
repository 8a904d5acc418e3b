package frame

import "slices"

// numericFields tells which of so many fields are read as plain numbers.
func (c *cells) numericFields(fields int) []bool {
	numeric := make([]bool, fields)
	for _, p := range c.plain {
		numeric[p.field] = numeric[p.field] || p.codes == nil
	}
	return numeric
}

// take makes the cells those of a grid, of which they may be a part until the
// next reset or take. It returns false if some record is one that add refuses.
func (c *cells) take(g *grid) bool {
	b := c.binding
	if g.anyBlank(b.id) {
		return false
	}
	for i := range c.columns {
		c.columns[i].Floats, c.columns[i].Codes = c.columns[i].Floats[:0], c.columns[i].Codes[:0]
	}
	for _, p := range c.plain {
		switch column := &c.columns[p.column]; {
		case p.codes != nil:
			column.Codes = appendCodes(column.Codes, g, p.field, p.codes)
		case c.packs && !g.wide[p.field] && !g.others[p.field]:
			*column = Column{packed: packed{large: g.fractions(p.field)}}
		default:
			*column = Column{Floats: g.numbers(p.field)}
		}
	}
	for _, p := range c.parted {
		for row := range g.rows {
			p.filler.fill(c.columns, g.cellText(row, p.field))
		}
	}
	c.labels = c.labels[:0]
	for row := 0; b.label >= 0 && row < g.rows; row++ {
		class, known := c.classes[string(g.cellText(row, b.label))]
		if !known {
			return false
		}
		c.labels = append(c.labels, class)
	}
	c.rows = g.rows
	return true
}

// numbers returns the values of a field, NaN where there is no number.
func (g *grid) numbers(field int) []float64 {
	values := g.column(field)
	for row := 0; g.others[field] && row < len(values); row++ {
		if isOther(values[row]) { // in quotes with quotes, perhaps
			values[row] = plainNumber(g.cellText(row, field))
		}
	}
	return values
}

func appendCodes(dst []int32, g *grid, field int, codes map[string]int32) []int32 {
	for row := range g.rows {
		dst = append(dst, code(codes, g.cellText(row, field)))
	}
	return dst
}

// measure finds the spans of the numeric columns.
func (c *cells) measure() {
	for i := range c.columns {
		if cells := c.columns[i].packed.large; cells != nil {
			c.spans[i] = written(cells)
		} else if values := c.columns[i].Floats; values != nil {
			c.large[i] = slices.Grow(c.large[i][:0], len(values))[:len(values)]
			c.spans[i] = read(values, c.large[i])
		}
	}
}
