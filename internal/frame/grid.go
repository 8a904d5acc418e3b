package frame

import (
	"bytes"
	"math"
	"slices"
	"unicode/utf8"
)

// grid is the cells of a chunk, found and read as numbers:
//
//	text    1,2.5,cat␊2,,dog␊        begins  0 2 6 10 | 10 12 13 17
//
// All ends of cells are found first, so that none waits for the one before it to
// be read. The cells lie row by row, as they are found; their numbers lie column
// by column, as they are used.
type grid struct {
	text   []byte
	fields int
	rows   int
	breaks int     // line ends in text
	marks  []int32 // where the text goes on behind each end of a cell
	begins []int32 // by row: where its cells begin, and where one more would
	lines  []int32 // by row: line ends before its record

	cells   []fraction // by field and row: its number
	values  []float64  // the same for fields that were asked for, or are wide
	numeric []bool     // by field: it was asked for
	stride  int        // from field to field in cells and values
	others  []bool     // by field: some cell is otherFraction or otherCell
	wide    []bool     // by field: some number is no fraction, so that all are in values
}

// What stands in the place of a number. A quiet NaN has bits to spare; NaN
// itself is the empty cell, as noFraction is.
var (
	emptyCell = NaN
	otherCell = math.Float64frombits(math.Float64bits(NaN) + 1) // or any text that is not a number
)

// otherFraction is otherCell among fractions.
const otherFraction = noFraction + 1

func isOther(value float64) bool {
	return value != value && math.Float64bits(value) == math.Float64bits(otherCell)
}

// parse takes the records of a text apart and reads the fields that may be
// numeric. It returns false if a record is defective: not text, or of another
// number of fields. The grid refers to text until the next parse.
func (g *grid) parse(c *chunk, numeric []bool) bool {
	if !utf8.Valid(c.text) || bytes.IndexByte(c.text, 0) >= 0 {
		return false
	}
	g.text, g.fields, g.numeric = c.text[:len(c.text)+slack], len(numeric), numeric
	quoted := bytes.IndexByte(c.text, '"') >= 0
	g.marks = slices.Grow(g.marks[:0], len(g.text)+markSlack)
	g.marks = g.marks[:mark(g.marks[:cap(g.marks)], g.text, quoted)]
	if !g.lay(quoted) || len(c.text) > MaxFieldBytes && g.longest() > MaxFieldBytes {
		return false
	}
	// An odd number of cache lines from column to column, so that the columns
	// do not meet in the same few sets of the cache.
	g.stride = (g.rows+15)&^15 | 16
	g.cells = slices.Grow(g.cells[:0], g.stride*g.fields)[:g.stride*g.fields]
	g.values = g.values[:0]
	g.others, g.wide = cleared(g.others, g.fields), cleared(g.wide, g.fields)
	g.read(numeric)
	return true
}

func cleared(flags []bool, n int) []bool {
	flags = slices.Grow(flags[:0], n)[:n]
	clear(flags)
	return flags
}

// lay makes rows of the marks. It returns false if a record has another number
// of fields. Only cells in quotes have line ends within them.
func (g *grid) lay(quoted bool) bool {
	text, marks, fields := g.text, g.marks, g.fields
	most := len(marks) / fields
	g.begins = slices.Grow(g.begins[:0], most*(fields+1))[:most*(fields+1)]
	g.lines = slices.Grow(g.lines[:0], most)
	g.breaks = 0
	pairs := 0 // of CR and LF
	for begin := int32(0); len(marks) > 0; {
		used := 0
		if char := text[begin]; char == '\n' || char == '\r' {
			used = 1 // a blank line
		} else if used = fields; !g.row(begin, marks, quoted) {
			return false
		}
		if quoted {
			g.breaks += countBreaks(text[begin : marks[used-1]-1])
		}
		begin = marks[used-1]
		g.breaks++
		if text[begin-1] == '\r' && len(marks) > used && text[begin] == '\n' {
			begin = marks[used]
			used++
			pairs++
		}
		marks = marks[used:]
	}
	g.rows = len(g.lines)
	// If all line ends are where they belong, so are the commas.
	text = text[:len(text)-slack]
	return quoted || g.breaks+pairs == bytes.Count(text, []byte{'\n'})+bytes.Count(text, []byte{'\r'})
}

// row makes a row of the first marks.
func (g *grid) row(begin int32, marks []int32, quoted bool) bool {
	if len(marks) < g.fields {
		return false
	}
	at := len(g.lines) * (g.fields + 1)
	cells := g.begins[at : at+g.fields+1]
	cells[0] = begin
	copy(cells[1:], marks)
	last := len(cells) - 1
	for i := 1; quoted && i < last; i++ {
		if g.text[cells[i]-1] != ',' {
			return false
		}
	}
	g.lines = append(g.lines, int32(g.breaks))
	return g.text[cells[last]-1] != ','
}

// longest returns the length of the longest cell, with its quotes.
func (g *grid) longest() int {
	most := int32(0)
	for row := range g.rows {
		cells := g.begins[row*(g.fields+1):][:g.fields+1]
		for i := range g.fields {
			most = max(most, cells[i+1]-1-cells[i])
		}
	}
	return int(most)
}

// nearRows is how many rows' text fits the nearest cache.
const nearRows = 128

// read reads the cells of the fields that may be numeric.
func (g *grid) read(numeric []bool) {
	for lo := 0; lo < g.rows; lo += nearRows {
		hi := min(lo+nearRows, g.rows)
		for field, asked := range numeric {
			if asked {
				g.readPlain(field, lo, hi)
			}
		}
	}
	for field, others := range g.others {
		if others {
			g.others[field] = false
			g.readOthers(field)
		}
	}
}

// readPlain reads the plain cells of a field in some rows.
func (g *grid) readPlain(field, lo, hi int) {
	if !plain(g.fractions(field)[lo:hi], g.text, g.begins[lo*(g.fields+1)+field:], g.fields+1) {
		g.others[field] = true
	}
}

// ask reads the cells of a field if that was not asked for before, and leaves
// its values in its room.
func (g *grid) ask(field int) {
	if g.numeric[field] {
		return
	}
	g.numeric[field] = true
	g.readPlain(field, 0, g.rows)
	if g.others[field] {
		g.others[field] = false
		g.readOthers(field)
	}
	g.column(field)
}

// readOthers reads the cells of a field that are not plain.
func (g *grid) readOthers(field int) {
	cells := g.fractions(field)
	for row, cell := range cells {
		if cell != otherFraction {
			continue
		}
		value := cellValue(g.cellText(row, field))
		switch cell, whole := toFraction(value); {
		case isOther(value):
			g.others[field] = true
		case whole:
			cells[row] = cell
		default:
			g.readWide(field)
			return
		}
	}
}

// readWide reads the cells of a field that has numbers which are no fractions.
func (g *grid) readWide(field int) {
	g.wide[field] = true
	values := g.room(field)
	for row, cell := range g.fractions(field) {
		if cell != otherFraction {
			values[row] = cell.value()
			continue
		}
		begin, end := g.bounds(row, field)
		value, long := longNumber(g.text, begin, end)
		if !long {
			value = cellValue(bare(g.text[begin:end]))
			g.others[field] = g.others[field] || isOther(value)
		}
		values[row] = value
	}
}

// cellValue returns the number in a cell, emptyCell or otherCell.
func cellValue(cell []byte) float64 {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = trim(cell)
	}
	if len(cell) == 0 {
		return emptyCell
	}
	if cell[0] > '9' { // the sign, the point and the digits are not
		return otherCell
	}
	if value, ok := parseNumber(cell); ok && !math.IsInf(value, 0) {
		return value
	}
	return otherCell
}

// fractions returns the cells of a field that was read and is not wide.
func (g *grid) fractions(field int) []fraction {
	return g.cells[field*g.stride:][:g.rows]
}

// room returns where the values of a field belong. Once reserve was called any
// goroutine may ask.
func (g *grid) room(field int) []float64 {
	if len(g.values) < len(g.cells) {
		g.reserve()
	}
	return g.values[field*g.stride:][:g.rows]
}

// reserve makes room for the values of all fields.
func (g *grid) reserve() {
	g.values = slices.Grow(g.values[:0], len(g.cells))[:len(g.cells)]
}

// column returns the values of a field that was read.
func (g *grid) column(field int) []float64 {
	values := g.room(field)
	if g.wide[field] {
		return values
	}
	for row, cell := range g.fractions(field) {
		if values[row] = cell.value(); cell == otherFraction {
			values[row] = otherCell
		}
	}
	return values
}

// raw returns the record of a row without its line end.
func (g *grid) raw(row int) []byte {
	cells := g.begins[row*(g.fields+1):][:g.fields+1]
	begin, end := cells[0], cells[g.fields]-1
	return g.text[begin:end:end]
}

// bounds returns where a cell begins and ends, with its quotes.
func (g *grid) bounds(row, field int) (begin, end int32) {
	at := row*(g.fields+1) + field
	return g.begins[at], g.begins[at+1] - 1
}

// cellText returns the text of a cell without its quotes, valid until the next
// parse.
func (g *grid) cellText(row, field int) []byte {
	begin, end := g.bounds(row, field)
	return bare(g.text[begin:end])
}

// bare returns a cell without its quotes.
func bare(cell []byte) []byte {
	if len(cell) == 0 || cell[0] != '"' {
		return cell
	}
	return unquoted(cell)
}

func unquoted(cell []byte) []byte {
	cell = cell[1 : len(cell)-1]
	if bytes.IndexByte(cell, '"') < 0 {
		return cell
	}
	return bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
}

// anyBlank reports whether a field is blank in some row.
func (g *grid) anyBlank(field int) bool {
	for row := range g.rows {
		begin, end := g.bounds(row, field)
		if begin == end || g.text[begin] <= '"' && isBlank(g.cellText(row, field)) {
			return true
		}
	}
	return false
}
