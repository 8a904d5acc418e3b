package csvfile

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"

	"foretell/internal/table/cells"
)

// ParsedChunk holds the cells of a chunk, located and parsed as numbers:
//
//	text    1,2.5,cat␊2,,dog␊        starts  0 2 6 10 | 10 12 13 17
//
// The separators are found first, so that parsing a cell does not depend on the one before
// it. Cells are located row by row, as they are found; their numbers are stored column by
// column, as they are used.
type ParsedChunk struct {
	text       []byte
	fields     int
	Rows       int
	lineBreaks int     // line ends in text
	ends       []int32 // offsets after each separator
	starts     []int32 // by row: the start of each cell, and of one more
	RowLines   []int32 // by row: number of line ends before it

	decimals   []cells.Decimal // by field and row
	Values     []float64       // by field and row, of fields that were requested, or that have other numbers
	Numeric    []bool          // by field: parse it as numbers
	Stride     int             // from field to field in decimals and values
	HasText    []bool          // by field: some cell is unparsedDecimal or TextCell
	NotDecimal []bool          // by field: some number is not a decimal, so all are in values
}

// The values of cells that are not numbers. A quiet NaN has spare bits; NaN itself is the
// empty cell, as is cells.MissingDecimal.
var (
	EmptyCell = cells.NaN
	TextCell  = math.Float64frombits(math.Float64bits(cells.NaN) + 1) // any text that is not a number
)

// unparsedDecimal ends a cell that is not parsed yet, or is text.
const unparsedDecimal = cells.MissingDecimal + 1

// IsTextCell reports whether value is TextCell, which == cannot, since a NaN equals none.
func IsTextCell(value float64) bool {
	return value != value && math.Float64bits(value) == math.Float64bits(TextCell)
}

// Parse splits the records of a chunk and parses the numeric fields. It returns false if a
// record is defective: not text, or with another number of fields. The ParsedChunk refers
// to the chunk's text until the next parse.
func (g *ParsedChunk) Parse(c *Chunk, numeric []bool) bool {
	if !utf8.Valid(c.Text) || bytes.IndexByte(c.Text, 0) >= 0 {
		return false
	}
	g.text, g.fields, g.Numeric = c.Text[:len(c.Text)+readSlack], len(numeric), numeric
	quoted := bytes.IndexByte(c.Text, '"') >= 0
	g.ends = slices.Grow(g.ends[:0], len(g.text)+separatorSlack)
	g.ends = g.ends[:findSeparators(g.ends[:cap(g.ends)], g.text, quoted)]
	if !g.indexRows(quoted) || len(c.Text) > MaxFieldBytes && g.longestCell() > MaxFieldBytes {
		return false
	}
	// An odd number of cache lines per column, so that the columns do not compete for the
	// same cache sets.
	g.Stride = (g.Rows+15)&^15 | 16
	g.decimals = slices.Grow(g.decimals[:0], g.Stride*g.fields)[:g.Stride*g.fields]
	g.Values = g.Values[:0]
	g.HasText, g.NotDecimal = resetFlags(g.HasText, g.fields), resetFlags(g.NotDecimal, g.fields)
	g.parseNumbers(numeric)
	return true
}

func resetFlags(flags []bool, n int) []bool {
	flags = slices.Grow(flags[:0], n)[:n]
	clear(flags)
	return flags
}

// indexRows splits the separators into rows. It returns false if a record has another
// number of fields. Only quoted cells contain line ends.
func (g *ParsedChunk) indexRows(quoted bool) bool {
	text, ends, fields := g.text, g.ends, g.fields
	most := len(ends) / fields
	g.starts = slices.Grow(g.starts[:0], most*(fields+1))[:most*(fields+1)]
	g.RowLines = slices.Grow(g.RowLines[:0], most)
	g.lineBreaks = 0
	pairs := 0 // of CR and LF
	for begin := int32(0); len(ends) > 0; {
		used := 0
		if char := text[begin]; char == '\n' || char == '\r' {
			used = 1 // a blank line
		} else if used = fields; !g.indexRow(begin, ends, quoted) {
			return false
		}
		if quoted {
			g.lineBreaks += CountLineBreaks(text[begin : ends[used-1]-1])
		}
		begin = ends[used-1]
		g.lineBreaks++
		if text[begin-1] == '\r' && len(ends) > used && text[begin] == '\n' {
			begin = ends[used]
			used++
			pairs++
		}
		ends = ends[used:]
	}
	g.Rows = len(g.RowLines)
	// If all line ends are at the ends of rows, the commas are inside them.
	text = text[:len(text)-readSlack]
	return quoted || g.lineBreaks+pairs == bytes.Count(text, []byte{'\n'})+bytes.Count(text, []byte{'\r'})
}

// indexRow adds a row from the first separators.
func (g *ParsedChunk) indexRow(begin int32, ends []int32, quoted bool) bool {
	if len(ends) < g.fields {
		return false
	}
	at := len(g.RowLines) * (g.fields + 1)
	cells := g.starts[at : at+g.fields+1]
	cells[0] = begin
	copy(cells[1:], ends)
	last := len(cells) - 1
	for i := 1; quoted && i < last; i++ {
		if g.text[cells[i]-1] != ',' {
			return false
		}
	}
	g.RowLines = append(g.RowLines, int32(g.lineBreaks))
	return g.text[cells[last]-1] != ','
}

// longestCell returns the length of the longest cell, with its quotes.
func (g *ParsedChunk) longestCell() int {
	most := int32(0)
	for row := range g.Rows {
		cells := g.starts[row*(g.fields+1):][:g.fields+1]
		for i := range g.fields {
			most = max(most, cells[i+1]-1-cells[i])
		}
	}
	return int(most)
}

// CacheRows is the number of rows whose text fits the L1 cache.
const CacheRows = 128

// parseNumbers parses the cells of the numeric fields.
func (g *ParsedChunk) parseNumbers(numeric []bool) {
	for lo := 0; lo < g.Rows; lo += CacheRows {
		hi := min(lo+CacheRows, g.Rows)
		for field, asked := range numeric {
			if asked {
				g.parseRows(field, lo, hi)
			}
		}
	}
	for field, others := range g.HasText {
		if others {
			g.HasText[field] = false
			g.parseRest(field)
		}
	}
}

// parseRows parses the plain numbers of a field in rows lo…hi-1.
func (g *ParsedChunk) parseRows(field, lo, hi int) {
	if !parseDecimals(g.DecimalColumn(field)[lo:hi], g.text, g.starts[lo*(g.fields+1)+field:], g.fields+1) {
		g.HasText[field] = true
	}
}

// ParseField parses a field unless that was done before, and stores its values in
// FloatBuffer.
func (g *ParsedChunk) ParseField(field int) {
	if g.Numeric[field] {
		return
	}
	g.Numeric[field] = true
	g.parseRows(field, 0, g.Rows)
	if g.HasText[field] {
		g.HasText[field] = false
		g.parseRest(field)
	}
	g.FloatsOrText(field)
}

// parseRest parses the cells of a field that are not plain numbers.
func (g *ParsedChunk) parseRest(field int) {
	texts := g.DecimalColumn(field)
	for row, cell := range texts {
		if cell != unparsedDecimal {
			continue
		}
		value := parseCell(g.CellText(row, field))
		switch cell, whole := cells.ToDecimal(value); {
		case IsTextCell(value):
			g.HasText[field] = true
		case whole:
			texts[row] = cell
		default:
			g.parseFloats(field)
			return
		}
	}
}

// parseFloats parses a field with numbers that are not decimals.
func (g *ParsedChunk) parseFloats(field int) {
	g.NotDecimal[field] = true
	values := g.FloatBuffer(field)
	for row, cell := range g.DecimalColumn(field) {
		if cell != unparsedDecimal {
			values[row] = cell.Value()
			continue
		}
		begin, end := g.cellBounds(row, field)
		value, long := parseLongNumber(g.text, begin, end)
		if !long {
			value = parseCell(unquote(g.text[begin:end]))
			g.HasText[field] = g.HasText[field] || IsTextCell(value)
		}
		values[row] = value
	}
}

// parseCell returns the number in a cell, EmptyCell or TextCell.
func parseCell(cell []byte) float64 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = cells.Trim(cell)
	}
	if len(cell) == 0 {
		return EmptyCell
	}
	if cell[0] > '9' { // above all signs, points and digits
		return TextCell
	}
	if value, ok := cells.ParseNumber(cell); ok && !math.IsInf(value, 0) {
		return value
	}
	return TextCell
}

// DecimalColumn returns the decimals of a field that was parsed without parseFloats.
func (g *ParsedChunk) DecimalColumn(field int) []cells.Decimal {
	return g.decimals[field*g.Stride:][:g.Rows]
}

// FloatBuffer returns the memory for the values of a field. It is safe for concurrent use
// after ReserveFloats.
func (g *ParsedChunk) FloatBuffer(field int) []float64 {
	if len(g.Values) < len(g.decimals) {
		g.ReserveFloats()
	}
	return g.Values[field*g.Stride:][:g.Rows]
}

// ReserveFloats allocates the values of all fields.
func (g *ParsedChunk) ReserveFloats() {
	g.Values = slices.Grow(g.Values[:0], len(g.decimals))[:len(g.decimals)]
}

// FloatsOrText returns the values of a field that was parsed: TextCell for a text.
func (g *ParsedChunk) FloatsOrText(field int) []float64 {
	values := g.FloatBuffer(field)
	if g.NotDecimal[field] {
		return values
	}
	for row, cell := range g.DecimalColumn(field) {
		if values[row] = cell.Value(); cell == unparsedDecimal {
			values[row] = TextCell
		}
	}
	return values
}

// RawRow returns the record of a row without its line end.
func (g *ParsedChunk) RawRow(row int) []byte {
	cells := g.starts[row*(g.fields+1):][:g.fields+1]
	begin, end := cells[0], cells[g.fields]-1
	return g.text[begin:end:end]
}

// cellBounds returns the offsets of a cell, including its quotes.
func (g *ParsedChunk) cellBounds(row, field int) (begin, end int32) {
	at := row*(g.fields+1) + field
	return g.starts[at], g.starts[at+1] - 1
}

// CellText returns the text of a cell without its quotes, valid until the next
// parse.
func (g *ParsedChunk) CellText(row, field int) []byte {
	begin, end := g.cellBounds(row, field)
	return unquote(g.text[begin:end])
}

// unquote returns a cell without its quotes.
func unquote(cell []byte) []byte {
	if len(cell) == 0 || cell[0] != '"' {
		return cell
	}
	return unescapeQuotes(cell)
}

func unescapeQuotes(cell []byte) []byte {
	cell = cell[1 : len(cell)-1]
	if bytes.IndexByte(cell, '"') < 0 {
		return cell
	}
	return bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
}

// HasBlank reports whether a field is blank in any row.
func (g *ParsedChunk) HasBlank(field int) bool {
	for row := range g.Rows {
		begin, end := g.cellBounds(row, field)
		if begin == end || g.text[begin] <= '"' && cells.IsBlank(g.CellText(row, field)) {
			return true
		}
	}
	return false
}

// Numbers returns the values of a field, NaN if a cell is not a number.
func (g *ParsedChunk) Numbers(field int) []float64 {
	values := g.FloatsOrText(field)
	for row := 0; g.HasText[field] && row < len(values); row++ {
		if IsTextCell(values[row]) { // perhaps a quoted cell with quotes
			values[row] = cells.NumberOrNaN(g.CellText(row, field))
		}
	}
	return values
}
