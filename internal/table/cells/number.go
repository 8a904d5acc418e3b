package cells

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"
)

// ValueKind is the kind of a single cell, regardless of its column.
type ValueKind uint8

// The kinds of cells.
const (
	Blank  ValueKind = iota // empty or only spaces; missing in every column
	Number                  // a finite number
	Null                    // a text such as NaN or N/A; missing in a column of numbers
	Text                    // anything else
)

// nullTexts are the texts, in lower case, that mean a missing value in a column of numbers. In a
// text column, they are ordinary texts.
var nullTexts = map[string]bool{
	"nan": true, "+nan": true, "-nan": true, "na": true, "n/a": true, "<na>": true, "#n/a": true, "#na": true,
	"null": true, "nil": true, "none": true, "?": true, "-": true, "--": true, ".": true, "#div/0!": true, "#value!": true,
	"..": true, "...": true, "…": true, ":": true, "[c]": true, "[x]": true, "[z]": true, "[low]": true, // of official statistics
	"inf": true, "+inf": true, "-inf": true, "infinity": true, "+infinity": true, "-infinity": true,
}

const maxNullLen = 9

// Classify returns the kind of a cell and, if the cell is a number, its value; otherwise value is
// NaN.
//
// White space around a number is ignored. A number is decimal and has an optional sign, fraction
// and exponent. A number that is too large for a float64 is Null, like infinity.
func Classify(cell []byte) (kind ValueKind, value float64) {
	if len(cell) > 0 && (cell[0] <= ' ' || cell[len(cell)-1] <= ' ') {
		cell = Trim(cell)
	}
	if len(cell) == 0 {
		return Blank, NaN
	}
	if value, ok := ParseNumber(cell); ok {
		if math.IsInf(value, 0) {
			return Null, NaN
		}
		return Number, value
	}
	if len(cell) <= maxNullLen && nullTexts[strings.ToLower(string(cell))] {
		return Null, NaN
	}
	return Text, NaN
}

// IsBlank reports whether a cell is empty or has only spaces.
func IsBlank(cell []byte) bool {
	return len(cell) == 0 || (cell[0] <= ' ' && len(Trim(cell)) == 0)
}

// Trim returns a cell without surrounding ASCII white space. The result shares the cell's
// memory.
func Trim(cell []byte) []byte {
	for len(cell) > 0 && isSpace(cell[0]) {
		cell = cell[1:]
	}
	for len(cell) > 0 && isSpace(cell[len(cell)-1]) {
		cell = cell[:len(cell)-1]
	}
	return cell
}

func isSpace(c byte) bool { return c == ' ' || (c >= '\t' && c <= '\r') }

// PowersOf10 are the powers of ten that a float64 represents exactly.
var PowersOf10 = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// 64-bit words whose eight bytes are equal.
const (
	lowBits    = 0x0101010101010101
	highBits   = 0x80 * lowBits
	ASCIIZeros = '0' * lowBits
)

// SeparatorMask marks the bytes of word that are less than '-', as commas and line ends
// are. The result has the high bit of each of these bytes set, and no other bit.
func SeparatorMask(word uint64) uint64 { return ^(word | highBits - '-'*lowBits) &^ word & highBits }

// NonDigitMask returns 0 if each byte of word is between 0 and 9. If not, the lowest set bit of the
// result is the high bit of the first byte above 9, and higher bits are undefined.
func NonDigitMask(word uint64) uint64 { return (word + 0x76*lowBits | word) & highBits }

// Parse8Digits returns the number that eight digits make. Each byte of word is the value of
// a digit; the lowest byte is the first digit.
func Parse8Digits(word uint64) uint64 {
	const low = 0x000000FF000000FF
	word = word*10 + word>>8
	return (word&low*(100+1_000_000<<32) + word>>16&low*(1+10_000<<32)) >> 32
}

// powersOf5 holds the powers of five that fit a uint64.
var powersOf5 = func() (list [28]powerOf5) {
	for k, power := 0, uint64(1); k < len(list); k, power = k+1, power*5 {
		one := powerOf5{shift: bits.LeadingZeros64(power), inverse: math.MaxUint64}
		if one.power = power << one.shift; k > 0 {
			one.inverse, _ = bits.Div64(1<<63, 0, one.power)
		}
		list[k] = one
	}
	return list
}()

type powerOf5 struct {
	power   uint64 // shifted until its highest bit is set
	shift   int    // the number of bits shifted by
	inverse uint64 // 2¹²⁷ / power, rounded down, at most 2⁶⁴-1
}

// ParseNumber returns the float64 nearest to the decimal number b, or ±Inf if it is too large. It
// returns false if b is not a number.
//
// In most cells, the digits make an integer below 2⁵³, and the power of ten is at most 10²². Both
// are exact in float64, so a single division or multiplication rounds only once (Clinger, How to
// read floating point numbers accurately, 1990). Numbers with more digits are converted by
// DivideByPowerOf10, all others by strconv.
func ParseNumber(b []byte) (value float64, ok bool) {
	i, negative := 0, false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		i, negative = 1, b[0] == '-'
	}
	mantissa, begin := uint64(0), i
	mantissa, i = parseDigits(b, i, mantissa)
	digits, exponent := i-begin, 0
	if i < len(b) && b[i] == '.' {
		begin = i + 1
		mantissa, i = parseDigits(b, begin, mantissa)
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
	value = float64(mantissa)
	switch {
	case digits > 19 || exponent < -27 || exponent > 22:
		return parseWithStrconv(b)
	case mantissa < 1<<53 && exponent < -22, mantissa >= 1<<53 && exponent > 0:
		return parseWithStrconv(b)
	case mantissa >= 1<<53:
		value = DivideByPowerOf10(mantissa, -exponent)
	case exponent < 0:
		value /= PowersOf10[-exponent]
	default:
		value *= PowersOf10[exponent]
	}
	if negative {
		value = -value
	}
	return value, true
}

// parseDigits parses the digits that start at b[i]. For each digit d, number becomes
// 10·number + d. It returns the new number, which overflows after 19 digits, and the offset just
// past the digits.
func parseDigits(b []byte, i int, number uint64) (appended uint64, end int) {
	for len(b)-i >= 8 {
		word := binary.LittleEndian.Uint64(b[i:]) ^ ASCIIZeros
		if NonDigitMask(word) != 0 {
			break
		}
		number = number*1e8 + Parse8Digits(word)
		i += 8
	}
	for i < len(b) && b[i]-'0' <= 9 {
		number = number*10 + uint64(b[i]-'0')
		i++
	}
	return number, i
}

// DivideByPowerOf10 returns the float64 nearest to mantissa / 10ᵏ, for k up to 27.
//
// The mantissa and 5ᵏ are shifted until their highest bits are set, and then divided. The quotient
// has at least 62 bits, more than a float64 holds. If there is a remainder, the last bit of the
// quotient is set, so that it is rounded like the exact quotient. Instead of dividing, it is faster
// to multiply by the inverse of 5ᵏ, but the quotient may then be one too low. The division is
// therefore done only if this error could change the rounded result (Lemire, Number parsing at a
// gigabyte per second, 2021).
func DivideByPowerOf10(mantissa uint64, k int) float64 {
	by, left := &powersOf5[k], bits.LeadingZeros64(mantissa)
	quotient, _ := bits.Mul64(mantissa<<left, by.inverse)
	quotient = quotient>>1 | 1 // fits int64, which one instruction converts to float64
	if (quotient+2)&0xFF < 5 {
		if mantissa == 0 {
			return 0
		}
		var rest uint64
		mantissa <<= left
		quotient, rest = bits.Div64(mantissa>>1, mantissa<<63, by.power)
		quotient, rest = quotient>>1, rest|quotient&1
		if rest != 0 {
			quotient |= 1
		}
	}
	power := uint64(1023+by.shift-left-62-k) << 52
	return float64(int64(quotient)) * math.Float64frombits(power) // exact, because the result is never subnormal
}

// parseExponent parses b, which must be an e, an optional sign and digits. The result is at
// most ten thousand, because every larger power means infinity or 0.
func parseExponent(b []byte) (exponent int, ok bool) {
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

func parseWithStrconv(b []byte) (value float64, ok bool) {
	// The string shares b's bytes to save a copy; strconv does not keep it.
	// The only possible error is strconv.ErrRange, because the syntax has been checked.
	value, _ = strconv.ParseFloat(unsafe.String(&b[0], len(b)), 64)
	return value, true
}

// NaN is the value of a missing cell in a numeric column.
var NaN = math.NaN()

// DigitsFitFloat64 reports whether text has at most 15 decimal digits. Two different numbers
// with more digits may be the same float64.
func DigitsFitFloat64(text string) bool {
	digits := 0
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			digits++
		}
	}
	return digits <= 15
}

// LabelMeansMissing reports whether a label probably stands for a missing label, such as NA. It
// returns false for none, inf and a minus sign, because these are names of classes in many files.
//
// Some texts for which it returns true are not in nullTexts. They must not be added there, because
// models that were trained earlier would then predict other classes for cells with these texts.
func LabelMeansMissing(label string) bool {
	switch strings.TrimSpace(label) {
	case `\N`, "NaT", "(null)", "(NULL)", "(Null)", "—": // of databases, pandas, Oracle and reports
		return true
	case "#NULL!", "#NV", "#WERT!", "#BEZUG!", "#NAME?", "#REF!", "#NUM!", "#ZAHL!": // of SPSS, and of Excel in English and German
		return true
	}
	kind, _ := Classify([]byte(label))
	folded := FoldCase(label)
	return kind == Null && folded != "none" && folded != "-" && !strings.Contains(folded, "inf")
}
