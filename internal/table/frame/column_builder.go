package frame

import (
	"math"

	"foretell/internal/table/cells"
)

// encoding is the type in which the values of a column are stored. Each encoding can represent all
// numbers of the encodings before it.
type encoding uint8

const (
	encodedInt8 encoding = iota
	encodedInt16
	encodedDecimal
	encodedFloat64
)

// requiredEncoding describes the values that an encoding must represent.
type requiredEncoding struct {
	encoding encoding
	digits   int     // largest number of decimal digits; only for encodedInt8 and encodedInt16
	maxAbs   float64 // largest absolute value; only for encodedInt8 and encodedInt16
}

// measureFloatsAndEncode returns the required encoding of values. If this is encodedDecimal, the
// encoded values are stored in dst, which must be as long as values.
func measureFloatsAndEncode(values []float64, dst []cells.Decimal) requiredEncoding {
	if s := measureInt16(values); s.encoding < encodedDecimal {
		return s
	}
	if cells.ToDecimals(dst, values) {
		return requiredEncoding{encoding: encodedDecimal}
	}
	return requiredEncoding{encoding: encodedFloat64}
}

// measureInt16 returns the required encoding of values, or encodedDecimal if encodedInt16 cannot
// represent them.
func measureInt16(values []float64) requiredEncoding {
	s, power := requiredEncoding{}, 1.0
	for _, x := range values {
		size := math.Abs(x)
		for size*power <= math.MaxInt16 && float64(cells.RoundToInt32(x*power))/power != x && s.digits < cells.MaxDecimalDigits {
			s.digits++
			power = cells.PowersOf10[s.digits]
		}
		if size*power > math.MaxInt16 || s.digits == cells.MaxDecimalDigits {
			return requiredEncoding{encoding: encodedDecimal}
		}
		if size > s.maxAbs {
			s.maxAbs = size
		}
	}
	return s.union(requiredEncoding{})
}

func measureDecimals(decimals []cells.Decimal) requiredEncoding {
	s := requiredEncoding{}
	for _, cell := range decimals {
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
			return requiredEncoding{encoding: encodedDecimal}
		}
	}
	return s.union(requiredEncoding{})
}

// union returns the smallest encoding that can represent the values of both s and t.
func (s requiredEncoding) union(t requiredEncoding) requiredEncoding {
	s = requiredEncoding{max(s.encoding, t.encoding), max(s.digits, t.digits), max(s.maxAbs, t.maxAbs)}
	if s.encoding >= encodedDecimal {
		return requiredEncoding{encoding: s.encoding}
	}
	switch top := math.Round(s.maxAbs * cells.PowersOf10[s.digits]); {
	case top > math.MaxInt16:
		return requiredEncoding{encoding: encodedDecimal}
	case top > math.MaxInt8:
		s.encoding = encodedInt16
	}
	return s
}

// columnBuilder builds a numeric column by appending values. It changes the encoding when
// necessary.
type columnBuilder struct {
	Column
	required requiredEncoding // of the values added so far
	rows     int
	capacity int // expected number of rows; 0 if unknown
}

// add appends rows 0…rows-1 of c. s is the required encoding of the values in these rows. If s is
// encodedDecimal and c is not encoded, decimals must hold the values.
func (b *columnBuilder) add(c *Column, rows int, s requiredEncoding, decimals []cells.Decimal) {
	before := b.required
	b.required = before.union(s)
	if !b.IsNumeric() || b.required.encoding != before.encoding || b.required.digits != before.digits {
		b.changeEncoding(before.digits)
	}
	switch {
	case b.required.encoding == encodedDecimal && c.encoded.decimals != nil:
		b.encoded.decimals = append(b.encoded.decimals, c.encoded.decimals...)
	case b.required.encoding == encodedDecimal && s.encoding == encodedDecimal:
		b.encoded.decimals = append(b.encoded.decimals, decimals[:rows]...)
	default:
		b.appendValues(c, rows, s.digits)
	}
	b.rows += rows
}

// appendValues appends rows 0…rows-1 of c. digits is the largest number of decimal digits of their
// values; see appendEncoded.
func (b *columnBuilder) appendValues(c *Column, rows, digits int) {
	var some [1 << 9]float64
	for lo := 0; lo < rows; lo += len(some) {
		b.appendEncoded(c.Values(some[:], lo, min(lo+len(some), rows)), digits)
	}
}

// appendEncoded appends values in the encoding of b.required. If this encoding is
// encodedDecimal, each value must have at most the given number of decimal digits.
func (b *columnBuilder) appendEncoded(values []float64, digits int) {
	switch e := &b.encoded; b.required.encoding {
	case encodedInt8:
		e.int8s = encode(e.int8s, values, missingInt8, cells.PowersOf10[e.digits])
	case encodedInt16:
		e.int16s = encode(e.int16s, values, missingInt16, cells.PowersOf10[e.digits])
	case encodedDecimal:
		for _, x := range values {
			cell := cells.MissingDecimal
			if x == x {
				cell = cells.NewDecimal(cells.RoundToInt32(x*cells.PowersOf10[digits]), uint8(digits))
			}
			e.decimals = append(e.decimals, cell)
		}
	default:
		b.Floats = append(b.Floats, values...)
	}
}

// changeEncoding converts the values of the rows added so far to the encoding of b.required.
// digits is the largest number of decimal digits of these values.
func (b *columnBuilder) changeEncoding(digits int) {
	old, capacity := b.Column, max(b.capacity, b.rows)
	b.Column = Column{encoded: encoded{digits: b.required.digits}}
	switch e := &b.encoded; b.required.encoding {
	case encodedInt8:
		e.int8s = make([]int8, 0, capacity)
	case encodedInt16:
		e.int16s = make([]int16, 0, capacity)
	case encodedDecimal:
		e.decimals = make([]cells.Decimal, 0, capacity)
	default:
		b.Floats = make([]float64, 0, capacity)
	}
	b.appendValues(&old, b.rows, digits)
}

// frameBuilder builds the frame that Load returns.
type frameBuilder struct {
	columns []columnBuilder // by column; used for numeric columns only
	codes   [][]int32       // by column; nil for a column that is not a Category
	texts   [][]string      // by column; nil for a column that is not a Text
	labels  []int32
	rows    int
}

func newFrameBuilder(schema *Schema, rows int) *frameBuilder {
	b := &frameBuilder{
		columns: make([]columnBuilder, len(schema.Columns)), codes: make([][]int32, len(schema.Columns)),
		texts: make([][]string, len(schema.Columns)), labels: make([]int32, 0, rows),
	}
	for i := range schema.Columns {
		switch schema.Columns[i].Kind {
		case Numeric:
			b.columns[i].capacity = rows
		case Category:
			b.codes[i] = make([]int32, 0, rows)
		case Text:
			b.texts[i] = make([]string, 0, rows)
		}
	}
	return b
}

// add appends the rows of d, whose measureRanges must have been called.
func (b *frameBuilder) add(d *rowDecoder) {
	for i := range d.columns {
		switch {
		case b.codes[i] != nil:
			b.codes[i] = append(b.codes[i], d.columns[i].Codes...)
		case b.texts[i] != nil:
			b.texts[i] = append(b.texts[i], d.columns[i].Texts...)
		default:
			b.columns[i].add(&d.columns[i], d.rows, d.ranges[i], d.decimals[i])
		}
	}
	b.labels = append(b.labels, d.labels...)
	b.rows += d.rows
}

func (b *frameBuilder) build(schema *Schema, labelled bool) *Frame {
	f := &Frame{Schema: schema, Rows: b.rows, Columns: make([]Column, len(b.codes))}
	for i := range f.Columns {
		if f.Columns[i] = b.columns[i].Column; b.codes[i] != nil || b.texts[i] != nil {
			f.Columns[i] = Column{Codes: b.codes[i], Texts: b.texts[i]}
		}
		f.Columns[i].encoded.useDictionaryIfSmall()
	}
	if labelled {
		f.Labels = b.labels
	}
	return f
}
