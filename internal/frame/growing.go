package frame

import "math"

// form is how a packed column keeps its cells.
type form uint8

const (
	formSmall form = iota
	formMedium
	formLarge
	formFloats
)

// span is what a form has to hold.
type span struct {
	least  form
	digits int     // of small and medium cells
	top    float64 // and their largest size
}

// read returns the span of values. large has room for all of them, and holds
// them if they are formLarge.
func read(values []float64, large []fraction) span {
	if s := readShort(values); s.least < formLarge {
		return s
	}
	if toFractions(large, values) {
		return span{least: formLarge}
	}
	return span{least: formFloats}
}

// readShort returns the span of values, formLarge if that does not hold them
// either.
func readShort(values []float64) span {
	s, power := span{}, 1.0
	for _, x := range values {
		size := math.Abs(x)
		for size*power <= math.MaxInt16 && float64(nearest(x*power))/power != x && s.digits < mostDigits {
			s.digits++
			power = powers[s.digits]
		}
		if size*power > math.MaxInt16 || s.digits == mostDigits {
			return span{least: formLarge}
		}
		if size > s.top {
			s.top = size
		}
	}
	return s.with(span{})
}

// written returns the span of fractions.
func written(cells []fraction) span {
	s := span{}
	for _, cell := range cells {
		if cell == noFraction {
			continue
		}
		k, digits := int32(cell)>>exponentBits, int(cell&mostDigits)
		for digits > 0 && k%10 == 0 {
			k, digits = k/10, digits-1
		}
		size := math.Abs(float64(k)) / powers[digits]
		s.digits, s.top = max(s.digits, digits), max(s.top, size)
		if s.top*powers[s.digits] > math.MaxInt16 || digits == mostDigits {
			return span{least: formLarge}
		}
	}
	return s.with(span{})
}

// with returns the span of the cells of both.
func (s span) with(t span) span {
	s = span{max(s.least, t.least), max(s.digits, t.digits), max(s.top, t.top)}
	if s.least >= formLarge {
		return span{least: s.least}
	}
	switch top := math.Round(s.top * powers[s.digits]); {
	case top > math.MaxInt16:
		return span{least: formLarge}
	case top > math.MaxInt8:
		s.least = formMedium
	}
	return s
}

// growing is a numeric column that rows are added to.
type growing struct {
	Column
	span span
	rows int
	room int // rows to expect
}

// add appends the rows of a column, whose span is s. If that is formLarge and the
// column is not packed, large holds its numbers.
func (g *growing) add(c *Column, rows int, s span, large []fraction) {
	before := g.span
	g.span = before.with(s)
	if !g.IsNumeric() || g.span.least != before.least || g.span.digits != before.digits {
		g.recast(before.digits)
	}
	switch {
	case g.span.least == formLarge && c.packed.large != nil:
		g.packed.large = append(g.packed.large, c.packed.large...)
	case g.span.least == formLarge && s.least == formLarge:
		g.packed.large = append(g.packed.large, large[:rows]...)
	default:
		g.carry(c, rows, s.digits)
	}
	g.rows += rows
}

// carry appends the numbers of a column to the cells, see put.
func (g *growing) carry(c *Column, rows, digits int) {
	var some [1 << 9]float64
	for lo := 0; lo < rows; lo += len(some) {
		g.put(c.Values(some[:], lo, min(lo+len(some), rows)), digits)
	}
}

// put appends values to the cells. If they are formLarge, the values have so
// many digits, or are.
func (g *growing) put(values []float64, digits int) {
	switch p := &g.packed; g.span.least {
	case formSmall:
		p.small = pack(p.small, values, noSmall, powers[p.digits])
	case formMedium:
		p.medium = pack(p.medium, values, noMedium, powers[p.digits])
	case formLarge:
		for _, x := range values {
			cell := noFraction
			if x == x {
				cell = newFraction(nearest(x*powers[digits]), uint8(digits))
			}
			p.large = append(p.large, cell)
		}
	default:
		g.Floats = append(g.Floats, values...)
	}
}

// recast gives the rows the form of the span. They have had so many digits.
func (g *growing) recast(digits int) {
	old, room := g.Column, max(g.room, g.rows)
	g.Column = Column{packed: packed{digits: g.span.digits}}
	switch p := &g.packed; g.span.least {
	case formSmall:
		p.small = make([]int8, 0, room)
	case formMedium:
		p.medium = make([]int16, 0, room)
	case formLarge:
		p.large = make([]fraction, 0, room)
	default:
		g.Floats = make([]float64, 0, room)
	}
	g.carry(&old, g.rows, digits)
}

// gathered is what Load has read so far.
type gathered struct {
	numbers []growing // by column; those of categories are not used
	codes   [][]int32
	labels  []int32
	rows    int
}

func newGathered(schema *Schema, rows int) *gathered {
	g := &gathered{
		numbers: make([]growing, len(schema.Columns)), codes: make([][]int32, len(schema.Columns)),
		labels: make([]int32, 0, rows),
	}
	for i := range schema.Columns {
		if schema.Columns[i].Kind == Numeric {
			g.numbers[i].room = rows
		} else {
			g.codes[i] = make([]int32, 0, rows)
		}
	}
	return g
}

// add appends the rows of c, which are measured.
func (g *gathered) add(c *cells) {
	for i := range c.columns {
		if g.codes[i] != nil {
			g.codes[i] = append(g.codes[i], c.columns[i].Codes...)
		} else {
			g.numbers[i].add(&c.columns[i], c.rows, c.spans[i], c.large[i])
		}
	}
	g.labels = append(g.labels, c.labels...)
	g.rows += c.rows
}

// frame returns what was added.
func (g *gathered) frame(schema *Schema, labelled bool) *Frame {
	f := &Frame{Schema: schema, Rows: g.rows, Columns: make([]Column, len(g.codes))}
	for i := range f.Columns {
		if f.Columns[i] = g.numbers[i].Column; g.codes[i] != nil {
			f.Columns[i] = Column{Codes: g.codes[i]}
		}
		f.Columns[i].packed.rank()
	}
	if labelled {
		f.Labels = g.labels
	}
	return f
}
