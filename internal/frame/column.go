package frame

// Column is one feature. A Numeric one has its values in Floats or, as Load
// leaves most of them, packed; the methods read both. A Category has Codes. The
// zero Column is one that is not there: all its numbers are missing.
type Column struct {
	// Floats holds one value a row, NaN where missing; nil if they are packed.
	Floats []float64
	// Codes is set for Category: one code a row: Missing for an empty cell,
	// 0…len(Levels)-1 for a level, and len(Levels) for a text that is too
	// rare to be a level or was never seen in training.
	Codes []int32

	encoded encoded
}

// IsNumeric reports whether the column holds numbers.
func (c *Column) IsNumeric() bool { return c.Floats != nil || c.encoded.present() }

// Values returns the values of rows lo…hi-1, NaN where missing. They are in
// room, which must be as long, or part of the column: the caller does not
// change them.
func (c *Column) Values(room []float64, lo, hi int) []float64 {
	if c.Floats != nil {
		return c.Floats[lo:hi]
	}
	room = room[:hi-lo]
	switch p := &c.encoded; {
	case p.indices != nil:
		for i, rank := range p.indices[lo:hi] {
			room[i] = p.dictionary[rank]
		}
	case p.int8s != nil:
		decode(room, p.int8s[lo:hi], missingInt8, powersOf10[p.digits])
	case p.int16s != nil:
		decode(room, p.int16s[lo:hi], missingInt16, powersOf10[p.digits])
	case p.decimals != nil:
		for i, cell := range p.decimals[lo:hi] {
			room[i] = cell.value()
		}
	default:
		fillNaN(room)
	}
	return room
}

// Dictionary returns which of its values each row of a numeric column has, and the
// values, ascending: a missing cell has the rank after them. They are nil where
// the column is not kept like this, as Load keeps one of few values. The caller
// does not change them.
func (c *Column) Dictionary() (ranks []uint8, values []float64) {
	if c.encoded.indices == nil {
		return nil, nil
	}
	return c.encoded.indices, c.encoded.dictionary[:c.encoded.dictionarySize]
}

// Gather writes the values of the given rows to dst, which is as long, NaN
// where missing.
func (c *Column) Gather(dst []float64, rows []int32) {
	dst = dst[:len(rows)]
	switch p := &c.encoded; {
	case c.Floats != nil:
		for i, row := range rows {
			dst[i] = c.Floats[row]
		}
	case p.indices != nil:
		for i, row := range rows {
			dst[i] = p.dictionary[p.indices[row]]
		}
	case p.int8s != nil:
		gatherEncoded(dst, p.int8s, rows, missingInt8, powersOf10[p.digits])
	case p.int16s != nil:
		gatherEncoded(dst, p.int16s, rows, missingInt16, powersOf10[p.digits])
	case p.decimals != nil:
		for i, row := range rows {
			dst[i] = p.decimals[row].value()
		}
	default:
		fillNaN(dst)
	}
}

// Take returns a column of the given rows, in their order.
func (c *Column) Take(rows []int32) Column {
	if !c.IsNumeric() && c.Codes == nil {
		return Column{}
	}
	if c.Codes != nil {
		codes := make([]int32, len(rows))
		for i, row := range rows {
			codes[i] = c.Codes[row]
		}
		return Column{Codes: codes}
	}
	floats := make([]float64, len(rows))
	c.Gather(floats, rows)
	return Column{Floats: floats}
}

func fillNaN(dst []float64) {
	for i := range dst {
		dst[i] = NaN
	}
}
