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
// The separators are found first, so that parsing a cell does not depend on the previous cell. The
// locations of cells are stored row by row, the order in which they are found. The parsed numbers
// are stored column by column, the order in which they are used.
type ParsedChunk struct {
	text       []byte
	fieldCount int
	Rows       int
	lineBreaks int     // number of line ends in text
	ends       []int32 // the offset after each separator
	starts     []int32 // by row: the start of each cell, and the start of the next row
	RowLines   []int32 // by row: number of line ends before it

	decimals   []cells.Decimal // by field and row
	Values     []float64       // by field and row; set by FloatsOrText, and by Parse for the fields in NotDecimal
	Numeric    []bool          // by field: its cells were parsed as numbers
	Stride     int             // distance between the fields in decimals and Values
	HasText    []bool          // by field: some cell is unparsedDecimal or TextCell
	NotDecimal []bool          // by field: some number has no exact Decimal, so all its numbers are in Values
}

// TextCell is the value of a cell with a text that is not a number. It is a quiet NaN whose payload
// differs from that of cells.NaN, the value of an empty cell.
var TextCell = math.Float64frombits(math.Float64bits(cells.NaN) + 1)

// unparsedDecimal is the decimal of a cell that is a text or has not been parsed yet.
const unparsedDecimal = cells.MissingDecimal + 1

// IsTextCell reports whether value is TextCell. The operator == cannot compare NaNs.
func IsTextCell(value float64) bool {
	return value != value && math.Float64bits(value) == math.Float64bits(TextCell)
}

// Parse splits the records of a chunk and parses the numeric fields. It returns false if a record
// is invalid: if it is not valid UTF-8, contains a NUL byte, has a wrong number of fields, or has a
// field that is too long. p refers to the chunk's text until the next call of Parse.
func (p *ParsedChunk) Parse(c *Chunk, numeric []bool) (ok bool) {
	if !utf8.Valid(c.Text) || bytes.IndexByte(c.Text, 0) >= 0 {
		return false
	}
	p.text, p.fieldCount, p.Numeric = c.Text[:len(c.Text)+chunkPadding], len(numeric), numeric
	quoted := bytes.IndexByte(c.Text, '"') >= 0
	p.ends = slices.Grow(p.ends[:0], len(p.text)+separatorPadding)
	p.ends = p.ends[:findSeparators(p.ends[:cap(p.ends)], p.text, quoted)]
	if !p.indexRows(quoted) || len(c.Text) > MaxFieldBytes && p.longestCell() > MaxFieldBytes {
		return false
	}
	// Each column takes an odd number of cache lines, so that the columns do not compete for
	// the same cache sets.
	p.Stride = (p.Rows+15)&^15 | 16
	p.decimals = slices.Grow(p.decimals[:0], p.Stride*p.fieldCount)[:p.Stride*p.fieldCount]
	p.Values = p.Values[:0]
	p.HasText, p.NotDecimal = resetFlags(p.HasText, p.fieldCount), resetFlags(p.NotDecimal, p.fieldCount)
	p.parseNumbers(numeric)
	return true
}

func resetFlags(flags []bool, n int) []bool {
	flags = slices.Grow(flags[:0], n)[:n]
	clear(flags)
	return flags
}

// indexRows splits the separators into rows. It returns false if a record has a wrong number of
// fields. quoted is set if the text contains quotes, so that some line ends may be inside cells.
func (p *ParsedChunk) indexRows(quoted bool) (ok bool) {
	text, ends, fields := p.text, p.ends, p.fieldCount
	most := len(ends) / fields
	p.starts = slices.Grow(p.starts[:0], most*(fields+1))[:most*(fields+1)]
	p.RowLines = slices.Grow(p.RowLines[:0], most)
	p.lineBreaks = 0
	pairs := 0 // number of CRLFs
	for begin := int32(0); len(ends) > 0; {
		used := 0
		if char := text[begin]; char == '\n' || char == '\r' {
			used = 1 // a blank line
		} else if used = fields; !p.indexRow(begin, ends, quoted) {
			return false
		}
		if quoted {
			p.lineBreaks += CountLineBreaks(text[begin : ends[used-1]-1])
		}
		begin = ends[used-1]
		p.lineBreaks++
		if text[begin-1] == '\r' && len(ends) > used && text[begin] == '\n' {
			begin = ends[used]
			used++
			pairs++
		}
		ends = ends[used:]
	}
	p.Rows = len(p.RowLines)
	// Without quotes, indexRow does not check whether the separators within a row are commas. If
	// one of them is a line end, text has more line ends than rows.
	text = text[:len(text)-chunkPadding]
	return quoted || p.lineBreaks+pairs == bytes.Count(text, []byte{'\n'})+bytes.Count(text, []byte{'\r'})
}

// indexRow adds the row that starts at offset begin. ends holds the offsets just past the
// separators from there on. For quoted, see indexRows. valid is false if the row has a wrong number
// of fields.
func (p *ParsedChunk) indexRow(begin int32, ends []int32, quoted bool) (valid bool) {
	if len(ends) < p.fieldCount {
		return false
	}
	at := len(p.RowLines) * (p.fieldCount + 1)
	cells := p.starts[at : at+p.fieldCount+1]
	cells[0] = begin
	copy(cells[1:], ends)
	last := len(cells) - 1
	for i := 1; quoted && i < last; i++ {
		if p.text[cells[i]-1] != ',' {
			return false
		}
	}
	p.RowLines = append(p.RowLines, int32(p.lineBreaks))
	return p.text[cells[last]-1] != ','
}

// longestCell returns the length of the longest cell in bytes, including quotes.
func (p *ParsedChunk) longestCell() int {
	most := int32(0)
	for row := range p.Rows {
		cells := p.starts[row*(p.fieldCount+1):][:p.fieldCount+1]
		for i := range p.fieldCount {
			most = max(most, cells[i+1]-1-cells[i])
		}
	}
	return int(most)
}

// CacheBlockRows is the number of rows whose text fits the L1 cache.
const CacheBlockRows = 128

func (p *ParsedChunk) parseNumbers(numeric []bool) {
	for lo := 0; lo < p.Rows; lo += CacheBlockRows {
		hi := min(lo+CacheBlockRows, p.Rows)
		for field, asked := range numeric {
			if asked {
				p.parseDecimalRows(field, lo, hi)
			}
		}
	}
	for field, others := range p.HasText {
		if others {
			p.HasText[field] = false
			p.parseOtherCells(field)
		}
	}
}

// parseDecimalRows parses the plain numbers of a field in rows lo…hi-1 into decimals. If a cell is
// not a plain number, it sets HasText.
func (p *ParsedChunk) parseDecimalRows(field, lo, hi int) {
	if !parseDecimals(p.DecimalColumn(field)[lo:hi], p.text, p.starts[lo*(p.fieldCount+1)+field:], p.fieldCount+1) {
		p.HasText[field] = true
	}
}

// ParseField parses the numbers of a field into FloatBuffer, unless it has already done so.
func (p *ParsedChunk) ParseField(field int) {
	if p.Numeric[field] {
		return
	}
	p.Numeric[field] = true
	p.parseDecimalRows(field, 0, p.Rows)
	if p.HasText[field] {
		p.HasText[field] = false
		p.parseOtherCells(field)
	}
	p.FloatsOrText(field)
}

// parseOtherCells parses the cells of a field that parseDecimalRows has not parsed: empty cells,
// texts, and numbers such as 1e3. If a number has no exact Decimal, it calls parseFloats for the
// whole field.
func (p *ParsedChunk) parseOtherCells(field int) {
	texts := p.DecimalColumn(field)
	for row, cell := range texts {
		if cell != unparsedDecimal {
			continue
		}
		value := parseCellValue(p.Cell(row, field))
		switch cell, whole := cells.ToDecimal(value); {
		case IsTextCell(value):
			p.HasText[field] = true
		case whole:
			texts[row] = cell
		default:
			p.parseFloats(field)
			return
		}
	}
}

// parseFloats parses a whole field into FloatBuffer and sets NotDecimal, because a number of the
// field has no exact Decimal.
func (p *ParsedChunk) parseFloats(field int) {
	p.NotDecimal[field] = true
	values := p.FloatBuffer(field)
	for row, cell := range p.DecimalColumn(field) {
		if cell != unparsedDecimal {
			values[row] = cell.Value()
			continue
		}
		begin, end := p.cellBounds(row, field)
		value, long := parseLongNumber(p.text, begin, end)
		if !long {
			value = parseCellValue(unquote(p.text[begin:end]))
			p.HasText[field] = p.HasText[field] || IsTextCell(value)
		}
		values[row] = value
	}
}

// parseCellValue returns the number in a cell. It returns cells.NaN if the cell is empty, and
// TextCell if it is a text.
func parseCellValue(cell []byte) float64 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = cells.Trim(cell)
	}
	if len(cell) == 0 {
		return cells.NaN
	}
	if cell[0] > '9' { // not a sign, a point or a digit
		return TextCell
	}
	if value, ok := cells.ParseNumber(cell); ok && !math.IsInf(value, 0) {
		return value
	}
	return TextCell
}

// DecimalColumn returns the decimals of a field by row. They are valid unless NotDecimal is
// set for the field.
func (p *ParsedChunk) DecimalColumn(field int) []cells.Decimal {
	return p.decimals[field*p.Stride:][:p.Rows]
}

// FloatBuffer returns the elements of Values for a field. They are undefined until ParseField or
// FloatsOrText has set them. FloatBuffer is safe for concurrent use after ReserveFloats.
func (p *ParsedChunk) FloatBuffer(field int) []float64 {
	if len(p.Values) < len(p.decimals) {
		p.ReserveFloats()
	}
	return p.Values[field*p.Stride:][:p.Rows]
}

// ReserveFloats allocates Values for all fields.
func (p *ParsedChunk) ReserveFloats() {
	p.Values = slices.Grow(p.Values[:0], len(p.decimals))[:len(p.decimals)]
}

// FloatsOrText returns the values of a parsed field by row: NaN for an empty cell, TextCell
// for a text.
func (p *ParsedChunk) FloatsOrText(field int) []float64 {
	values := p.FloatBuffer(field)
	if p.NotDecimal[field] {
		return values
	}
	for row, cell := range p.DecimalColumn(field) {
		if values[row] = cell.Value(); cell == unparsedDecimal {
			values[row] = TextCell
		}
	}
	return values
}

// RawRow returns the text of a row, with quotes but without its line end.
func (p *ParsedChunk) RawRow(row int) []byte {
	cells := p.starts[row*(p.fieldCount+1):][:p.fieldCount+1]
	begin, end := cells[0], cells[p.fieldCount]-1
	return p.text[begin:end:end]
}

// cellBounds returns the offsets of the beginning and the end of a cell, including its
// quotes.
func (p *ParsedChunk) cellBounds(row, field int) (begin, end int32) {
	at := row*(p.fieldCount+1) + field
	return p.starts[at], p.starts[at+1] - 1
}

// Cell returns the text of a cell without its quotes. It is valid until the next Parse.
func (p *ParsedChunk) Cell(row, field int) []byte {
	begin, end := p.cellBounds(row, field)
	return unquote(p.text[begin:end])
}

// unquote returns the text of a cell that may be quoted.
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
func (p *ParsedChunk) HasBlank(field int) bool {
	for row := range p.Rows {
		begin, end := p.cellBounds(row, field)
		if begin == end || p.text[begin] <= '"' && cells.IsBlank(p.Cell(row, field)) {
			return true
		}
	}
	return false
}

// FloatsOrNaN returns the values of a parsed field by row: NaN if a cell is not a number.
func (p *ParsedChunk) FloatsOrNaN(field int) []float64 {
	values := p.FloatsOrText(field)
	for row := 0; p.HasText[field] && row < len(values); row++ {
		if IsTextCell(values[row]) { // perhaps a number in quotes or with commas
			values[row] = cells.NumberOrNaN(p.Cell(row, field))
		}
	}
	return values
}
