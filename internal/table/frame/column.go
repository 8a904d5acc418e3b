package frame

import "foretell/internal/table/cells"

// Column holds the values of one feature. The values of a Numeric column are in Floats or, for most
// columns that Load returns, in compact form in the unexported field encoded. The methods read both
// forms. A Category column has Codes, and a Text column has Texts. The zero Column is numeric, and
// all its values are missing.
type Column struct {
	// Floats holds one value per row, NaN if it is missing. It is nil if the values are
	// encoded.
	Floats []float64
	// Codes holds one code per row of a Category column: Missing for an empty cell, the index of
	// the text in ColumnSchema.Levels, or len(Levels) for a text that is not in Levels.
	Codes []int32
	// Texts holds the text of each row of a Text column, without white space around it.
	Texts []string

	encoded encoded
}

// IsNumeric reports whether the column holds numbers.
func (c *Column) IsNumeric() bool { return c.Floats != nil || c.encoded.isSet() }

// Values returns the values of rows lo…hi-1. A missing value is NaN. buffer must have at
// least hi-lo elements. The result is stored in buffer or is part of the column, so the
// caller must not change it.
func (c *Column) Values(buffer []float64, lo, hi int) []float64 {
	if c.Floats != nil {
		return c.Floats[lo:hi]
	}
	buffer = buffer[:hi-lo]
	switch e := &c.encoded; {
	case e.indices != nil:
		for i, index := range e.indices[lo:hi] {
			buffer[i] = e.dictionary[index]
		}
	case e.int8s != nil:
		decode(buffer, e.int8s[lo:hi], missingInt8, cells.PowersOf10[e.digits])
	case e.int16s != nil:
		decode(buffer, e.int16s[lo:hi], missingInt16, cells.PowersOf10[e.digits])
	case e.decimals != nil:
		for i, cell := range e.decimals[lo:hi] {
			buffer[i] = cell.Value()
		}
	default:
		fillNaN(buffer)
	}
	return buffer
}

// Dictionary returns the dictionary of a numeric column with few distinct values. values holds the
// distinct values in ascending order. indices holds, for each row, the index of its value, or
// len(values) if the value is missing. Both are nil if the column has no dictionary. In the result
// of Take or Slice, the dictionary may contain values that no row has. The caller must not change
// the slices.
func (c *Column) Dictionary() (indices []uint8, values []float64) {
	if c.encoded.indices == nil {
		return nil, nil
	}
	return c.encoded.indices, c.encoded.dictionary[:c.encoded.dictionarySize]
}

// Gather sets dst to the values of the given rows. A missing value is NaN. dst must be at
// least as long as rows.
func (c *Column) Gather(dst []float64, rows []int32) {
	dst = dst[:len(rows)]
	switch e := &c.encoded; {
	case c.Floats != nil:
		for i, row := range rows {
			dst[i] = c.Floats[row]
		}
	case e.indices != nil:
		for i, row := range rows {
			dst[i] = e.dictionary[e.indices[row]]
		}
	case e.int8s != nil:
		gatherEncoded(dst, e.int8s, rows, missingInt8, cells.PowersOf10[e.digits])
	case e.int16s != nil:
		gatherEncoded(dst, e.int16s, rows, missingInt16, cells.PowersOf10[e.digits])
	case e.decimals != nil:
		for i, row := range rows {
			dst[i] = e.decimals[row].Value()
		}
	default:
		fillNaN(dst)
	}
}

// Take returns a column with the given rows, in the order of rows. Encoded values stay encoded:
// decoded, a frame of many columns would take up to eight times as much memory.
func (c *Column) Take(rows []int32) Column {
	taken := Column{Floats: takeRows(c.Floats, rows), Codes: takeRows(c.Codes, rows), Texts: takeRows(c.Texts, rows)}
	if c.encoded.isSet() {
		taken.encoded = c.encoded.take(rows)
	}
	return taken
}

// takeRows returns the given rows of cells, in the order of rows, or nil if cells is nil.
func takeRows[T any](cells []T, rows []int32) []T {
	if cells == nil {
		return nil
	}
	taken := make([]T, len(rows))
	for i, row := range rows {
		taken[i] = cells[row]
	}
	return taken
}

// Slice returns a column with rows lo…hi-1, which shares the memory of c.
func (c *Column) Slice(lo, hi int) Column {
	var slice Column
	switch e := &c.encoded; {
	case c.Floats != nil:
		slice.Floats = c.Floats[lo:hi]
	case c.Codes != nil:
		slice.Codes = c.Codes[lo:hi]
	case c.Texts != nil:
		slice.Texts = c.Texts[lo:hi]
	case e.isSet():
		slice.encoded = *e
		slice.encoded.sliceInPlace(lo, hi)
	}
	return slice
}

func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = cells.NaN
	}
}
