package frame

import (
	"math"

	"foretell/internal/table/cells"
)

// encoding is the type of the cells of an encoded column.
type encoding uint8

const (
	encodedInt8 encoding = iota
	encodedInt16
	encodedDecimal
	encodedFloat64
)

// valueRange is the range of values that an encoding must represent.
type valueRange struct {
	encoding encoding
	digits   int     // of encodedInt8 and encodedInt16
	maxAbs   float64 // and their largest absolute value
}

// measureFloats returns the range of values. large must be as long as values, and is set
// to them if they are encodedDecimal.
func measureFloats(values []float64, large []cells.Decimal) valueRange {
	if s := measureShort(values); s.encoding < encodedDecimal {
		return s
	}
	if cells.ToDecimals(large, values) {
		return valueRange{encoding: encodedDecimal}
	}
	return valueRange{encoding: encodedFloat64}
}

// measureShort returns the range of values, encodedDecimal if that does not fit
// encodedInt16.
func measureShort(values []float64) valueRange {
	s, power := valueRange{}, 1.0
	for _, x := range values {
		size := math.Abs(x)
		for size*power <= math.MaxInt16 && float64(cells.RoundToInt32(x*power))/power != x && s.digits < cells.MaxDecimalDigits {
			s.digits++
			power = cells.PowersOf10[s.digits]
		}
		if size*power > math.MaxInt16 || s.digits == cells.MaxDecimalDigits {
			return valueRange{encoding: encodedDecimal}
		}
		if size > s.maxAbs {
			s.maxAbs = size
		}
	}
	return s.union(valueRange{})
}

// measureDecimals returns the range of decimals.
func measureDecimals(texts []cells.Decimal) valueRange {
	s := valueRange{}
	for _, cell := range texts {
		if cell == cells.MissingDecimal {
			continue
		}
		k, digits := int32(cell)>>cells.ExponentBits, int(cell&cells.MaxDecimalDigits)
		for digits > 0 && k%10 == 0 {
			k, digits = k/10, digits-1
		}
		size := math.Abs(float64(k)) / cells.PowersOf10[digits]
		s.digits, s.maxAbs = max(s.digits, digits), max(s.maxAbs, size)
		if s.maxAbs*cells.PowersOf10[s.digits] > math.MaxInt16 || digits == cells.MaxDecimalDigits {
			return valueRange{encoding: encodedDecimal}
		}
	}
	return s.union(valueRange{})
}

// union returns the range that includes both.
func (s valueRange) union(t valueRange) valueRange {
	s = valueRange{max(s.encoding, t.encoding), max(s.digits, t.digits), max(s.maxAbs, t.maxAbs)}
	if s.encoding >= encodedDecimal {
		return valueRange{encoding: s.encoding}
	}
	switch top := math.Round(s.maxAbs * cells.PowersOf10[s.digits]); {
	case top > math.MaxInt16:
		return valueRange{encoding: encodedDecimal}
	case top > math.MaxInt8:
		s.encoding = encodedInt16
	}
	return s
}

// columnBuilder builds a numeric column, like Arrow's builders.
type columnBuilder struct {
	Column
	valueRange valueRange
	rows       int
	capacity   int // number of rows to expect
}

// add appends the rows of a column with range s. If that is encodedDecimal and the column
// is not encoded, large holds its numbers.
func (g *columnBuilder) add(c *Column, rows int, s valueRange, large []cells.Decimal) {
	before := g.valueRange
	g.valueRange = before.union(s)
	if !g.IsNumeric() || g.valueRange.encoding != before.encoding || g.valueRange.digits != before.digits {
		g.widen(before.digits)
	}
	switch {
	case g.valueRange.encoding == encodedDecimal && c.encoded.decimals != nil:
		g.encoded.decimals = append(g.encoded.decimals, c.encoded.decimals...)
	case g.valueRange.encoding == encodedDecimal && s.encoding == encodedDecimal:
		g.encoded.decimals = append(g.encoded.decimals, large[:rows]...)
	default:
		g.appendValues(c, rows, s.digits)
	}
	g.rows += rows
}

// appendValues appends the values of a column, see encode.
func (g *columnBuilder) appendValues(c *Column, rows, digits int) {
	var some [1 << 9]float64
	for lo := 0; lo < rows; lo += len(some) {
		g.encode(c.Values(some[:], lo, min(lo+len(some), rows)), digits)
	}
}

// encode appends values. If the column is encodedDecimal, the values have the given number
// of digits, or are decimals.
func (g *columnBuilder) encode(values []float64, digits int) {
	switch p := &g.encoded; g.valueRange.encoding {
	case encodedInt8:
		p.int8s = encode(p.int8s, values, missingInt8, cells.PowersOf10[p.digits])
	case encodedInt16:
		p.int16s = encode(p.int16s, values, missingInt16, cells.PowersOf10[p.digits])
	case encodedDecimal:
		for _, x := range values {
			cell := cells.MissingDecimal
			if x == x {
				cell = cells.NewDecimal(cells.RoundToInt32(x*cells.PowersOf10[digits]), uint8(digits))
			}
			p.decimals = append(p.decimals, cell)
		}
	default:
		g.Floats = append(g.Floats, values...)
	}
}

// widen converts the rows, which have the given number of digits, to the encoding of the
// range.
func (g *columnBuilder) widen(digits int) {
	old, capacity := g.Column, max(g.capacity, g.rows)
	g.Column = Column{encoded: encoded{digits: g.valueRange.digits}}
	switch p := &g.encoded; g.valueRange.encoding {
	case encodedInt8:
		p.int8s = make([]int8, 0, capacity)
	case encodedInt16:
		p.int16s = make([]int16, 0, capacity)
	case encodedDecimal:
		p.decimals = make([]cells.Decimal, 0, capacity)
	default:
		g.Floats = make([]float64, 0, capacity)
	}
	g.appendValues(&old, g.rows, digits)
}

// frameBuilder builds the frame of Load.
type frameBuilder struct {
	columns []columnBuilder // by column; unused for categories
	codes   [][]int32
	labels  []int32
	rows    int
}

func newFrameBuilder(schema *Schema, rows int) *frameBuilder {
	g := &frameBuilder{
		columns: make([]columnBuilder, len(schema.Columns)), codes: make([][]int32, len(schema.Columns)),
		labels: make([]int32, 0, rows),
	}
	for i := range schema.Columns {
		if schema.Columns[i].Kind == Numeric {
			g.columns[i].capacity = rows
		} else {
			g.codes[i] = make([]int32, 0, rows)
		}
	}
	return g
}

// add appends the rows of c, whose ranges must be measured.
func (g *frameBuilder) add(c *rowDecoder) {
	for i := range c.columns {
		if g.codes[i] != nil {
			g.codes[i] = append(g.codes[i], c.columns[i].Codes...)
		} else {
			g.columns[i].add(&c.columns[i], c.rows, c.ranges[i], c.decimals[i])
		}
	}
	g.labels = append(g.labels, c.labels...)
	g.rows += c.rows
}

// build returns the frame.
func (g *frameBuilder) build(schema *Schema, labelled bool) *Frame {
	f := &Frame{Schema: schema, Rows: g.rows, Columns: make([]Column, len(g.codes))}
	for i := range f.Columns {
		if f.Columns[i] = g.columns[i].Column; g.codes[i] != nil {
			f.Columns[i] = Column{Codes: g.codes[i]}
		}
		f.Columns[i].encoded.useDictionary()
	}
	if labelled {
		f.Labels = g.labels
	}
	return f
}
