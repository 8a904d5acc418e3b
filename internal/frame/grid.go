package frame

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"
)

// grid is the cells of a chunk, found and read as numbers in one go.
//
// The ends of the cells lie row by row, as they are found; their values lie
// column by column, as they are used.
type grid struct {
	text   []byte
	fields int
	rows   int
	breaks int       // line ends in text
	begins []int32   // by row: where its record begins
	lines  []int32   // by row: line ends before its record
	ends   []int32   // by row and field: where its cell ends
	values []float64 // by field and row: its number, emptyCell or otherCell
	stride int       // from field to field in values
	others []bool    // by field: some value is otherCell
}

// What stands in the place of a number. A quiet NaN has bits to spare; NaN
// itself is the empty cell.
var (
	emptyCell = NaN
	otherCell = math.Float64frombits(math.Float64bits(NaN) + 1) // or any text that is not a number
)

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
	g.reset(c.text, len(numeric))
	for i := 0; i < len(c.text); {
		if char := c.text[i]; char != '\n' && char != '\r' {
			if g.rows*g.fields == len(g.ends) {
				return false // as many records have too few fields
			}
			g.begins, g.lines = append(g.begins, int32(i)), append(g.lines, int32(g.breaks))
			if i = g.record(i, numeric); i < 0 {
				return false
			}
			g.rows++
		}
		g.breaks++
		i = lineEnd(c.text, i)
	}
	return true
}

// reset makes room for as many records as the text can have.
func (g *grid) reset(text []byte, fields int) {
	g.text, g.fields, g.rows, g.breaks = text[:len(text)+slack], fields, 0, 0
	rows := len(text)/fields + 1
	g.begins, g.lines = slices.Grow(g.begins[:0], rows), slices.Grow(g.lines[:0], rows)
	g.ends = slices.Grow(g.ends[:0], rows*fields)[:rows*fields]
	// An odd number of cache lines from column to column, so that the columns
	// do not meet in the same few sets of the cache.
	g.stride = (rows+7)&^7 | 8
	g.values = slices.Grow(g.values[:0], g.stride*fields)[:g.stride*fields]
	g.others = slices.Grow(g.others[:0], fields)[:fields]
	clear(g.others)
}

// record reads the record that begins at text[i] and returns the offset of
// its line end, -1 if it has not as many fields as it should.
func (g *grid) record(i int, numeric []bool) int {
	text, ends := g.text, g.ends[g.rows*g.fields:][:len(numeric)]
	at := g.rows
	for field, maybe := range numeric {
		value, next := otherCell, 0
		if maybe {
			value, next = scanNumber(text, i)
		}
		if next == 0 || !endsField(text[next], ',') {
			if value, next = g.cell(i, maybe); next < 0 {
				return -1
			}
			g.others[field] = g.others[field] || isOther(value)
		}
		g.values[at] = value
		ends[field] = int32(next)
		at += g.stride
		if text[next] != ',' {
			if field != len(numeric)-1 {
				return -1
			}
			return next
		}
		i = next + 1
	}
	return -1
}

// cell reads a cell that is no plain number and returns where it ends.
func (g *grid) cell(i int, maybe bool) (value float64, end int) {
	text := g.text
	if text[i] == '"' {
		end, doubled, what := closing(text[:len(text)-slack], i, true)
		if what != whole {
			return 0, -1
		}
		g.breaks += countBreaks(text[i:end])
		if !maybe || doubled {
			return otherCell, end
		}
		return cellValue(text[i+1 : end-1]), end
	}
	for end = i; !endsField(text[end], ','); {
		end += max(stop(text[end:]), 1)
	}
	if !maybe {
		return otherCell, end
	}
	return cellValue(text[i:end]), end
}

// stop returns how many bytes come before one that may end a cell, 15 at most.
func stop(text []byte) int {
	return int(firstStop(binary.LittleEndian.Uint64(text), binary.LittleEndian.Uint64(text[8:])))
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

// column returns the values of a field.
func (g *grid) column(field int) []float64 {
	return g.values[field*g.stride:][:g.rows]
}

// raw returns the record of a row without its line end.
func (g *grid) raw(row int) []byte {
	begin, end := g.begins[row], g.ends[(row+1)*g.fields-1]
	return g.text[begin:end:end]
}

// bounds returns where a cell begins and ends, with its quotes.
func (g *grid) bounds(row, field int) (begin, end int32) {
	at := row*g.fields + field
	if field == 0 {
		return g.begins[row], g.ends[at]
	}
	return g.ends[at-1] + 1, g.ends[at]
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
