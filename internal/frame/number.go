package frame

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// cellKind is what one cell looks like on its own.
type cellKind uint8

const (
	blank  cellKind = iota // empty, or spaces only: missing in every column
	number                 // a finite number
	marker                 // a way to write "no number"; missing among numbers
	text                   // anything else
)

// markers are texts that stand for a missing value in a column of numbers, in
// lower case. In a column of texts they are texts like any other.
var markers = map[string]bool{
	"nan": true, "+nan": true, "-nan": true, "na": true, "n/a": true, "<na>": true, "#n/a": true, "#na": true,
	"null": true, "nil": true, "none": true, "?": true, "-": true, "--": true, ".": true, "#div/0!": true, "#value!": true,
	"inf": true, "+inf": true, "-inf": true, "infinity": true, "+infinity": true, "-infinity": true,
}

const longestMarker = 9

// classify tells what a cell is, and its value if that is a number.
//
// Spaces and tabs around a number are ignored. A number is written in decimal
// with an optional sign, fraction and exponent. One too large for a float64
// is a marker, as infinity is.
func classify(cell []byte) (cellKind, float64) {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = trim(cell)
	}
	if len(cell) == 0 {
		return blank, NaN
	}
	if value, ok := parseNumber(cell); ok {
		if math.IsInf(value, 0) {
			return marker, NaN
		}
		return number, value
	}
	if len(cell) <= longestMarker && markers[strings.ToLower(string(cell))] {
		return marker, NaN
	}
	return text, NaN
}

func isBlank(cell []byte) bool {
	return len(cell) == 0 || (cell[0] <= ' ' && len(trim(cell)) == 0)
}

func trim(cell []byte) []byte {
	for len(cell) > 0 && isSpace(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && isSpace(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

// powers of ten that a float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseNumber returns the float64 nearest to the decimal number that is all
// of b, and ±Inf if that is too large.
//
// Clinger's observation (How to read floating point numbers accurately, 1990)
// covers nearly every cell of real files: if the digits make an integer below
// 2⁵³ and the power of ten is at most 10²², both are exact, and one division
// or multiplication rounds once. The rest goes to strconv.
func parseNumber(b []byte) (float64, bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	var mantissa uint64
	begin := i
	for i < len(b) && b[i]-'0' <= 9 {
		mantissa = mantissa*10 + uint64(b[i]-'0')
		i++
	}
	digits, exponent := i-begin, 0
	if i < len(b) && b[i] == '.' {
		i++
		begin = i
		for i < len(b) && b[i]-'0' <= 9 {
			mantissa = mantissa*10 + uint64(b[i]-'0')
			i++
		}
		exponent = begin - i
		digits -= exponent
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(b) {
		power, ok := parseExponent(b[i:])
		if !ok {
			return 0, false
		}
		exponent += power
	}
	if digits > 19 || mantissa >= 1<<53 || exponent < -22 || exponent > 22 {
		return parseSlowly(b)
	}
	value := float64(mantissa)
	if exponent < 0 {
		value /= powers[-exponent]
	} else {
		value *= powers[exponent]
	}
	if negative {
		value = -value
	}
	return value, true
}

// parseExponent reads an e, an optional sign and digits that are all of b.
// Beyond ten thousand the power is so far out that its size does not matter.
func parseExponent(b []byte) (int, bool) {
	if b[0] != 'e' && b[0] != 'E' {
		return 0, false
	}
	b = b[1:]
	negative := len(b) > 0 && b[0] == '-'
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	power := 0
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		power = min(power*10+int(c-'0'), 10_000)
	}
	if negative {
		power = -power
	}
	return power, true
}

func parseSlowly(b []byte) (float64, bool) {
	// The string shares b's bytes to save a copy; strconv does not keep it.
	// The syntax was checked, so the only error left is the range.
	value, _ := strconv.ParseFloat(unsafe.String(&b[0], len(b)), 64)
	return value, true
}
