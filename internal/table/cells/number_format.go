package cells

import (
	"bytes"
	"math"
	"unicode"
	"unicode/utf8"
)

// NumberFormat is the format of a column of numbers that are not plain, such as 1,234.5,
// 1'234.5, $12.50, 45%, 36 months or 26:30:00.
type NumberFormat struct {
	// Unit is the text before or after the numbers, in lower case and without a plural s. Numbers
	// without a unit, and numbers with a unit of the same meaning (see [CanonicalUnit]), are also
	// accepted. If Unit is h, days, minutes and seconds are accepted, too; if it is year, months
	// are. For scores such as 72.1/100, Unit is /100, and only scores with this maximum are
	// accepted.
	Unit string
	// DecimalComma is set if a comma separates the decimals. If it is set, points may separate the
	// thousands; if not, commas may. In both cases, apostrophes and narrow spaces may, too.
	DecimalComma bool
	// Grouped is set if some numbers of the column have a comma or a point between thousands. It
	// does not change how numbers are parsed.
	Grouped bool
}

// Parse parses a cell in the format. It returns false if the cell has another format.
func (f *NumberFormat) Parse(cell []byte) (value float64, ok bool) {
	if !f.DecimalComma && !f.HasDenominator() {
		if kind, value := Classify(cell); kind == Number {
			return value, true
		}
	}
	value, unit, ok := ParseAmount(cell, f.DecimalComma)
	if unit == "" && EndsInLetter(cell) && EndsInLetter([]byte(f.Unit)) {
		return 0, false // in a column with the unit A, such as 5A and 7A, the cell 5B is not 5 billion
	}
	factor, isSame := unitFactor(unit, f.Unit)
	return value * factor, ok && isSame
}

// HasDenominator reports whether the numbers are scores, such as 72.1/100.
func (f *NumberFormat) HasDenominator() bool { return IsDenominator(f.Unit) }

// EndsInLetter reports whether the last character of a text is one of the letters A to Z, in any case.
func EndsInLetter(text []byte) bool { return len(text) > 0 && isLetter(text[len(text)-1]) }

// NumberOrNaN parses a cell of a column of plain numbers. It returns NaN if the cell is not
// a number. Separators of thousands are accepted.
func NumberOrNaN(cell []byte) float64 {
	kind, value := Classify(cell)
	if kind == Text {
		if amount, unit, ok := ParseAmount(cell, false); ok && unit == "" && !math.IsInf(amount, 0) {
			return amount
		}
	}
	return value
}

const (
	maxAmountLen = 32
	maxUnitLen   = 12
)

// ParseAmount parses a number with an optional currency, scale and unit:
//
//	sign, currency  digits in groups of three  k, M or B; a plus; the unit; footnote marks
//
// decimalComma is set if a comma separates the decimals. The unit is the currency or the text after
// the digits, in lower case and without a plural s. These rules apply:
//
//   - A mark such as ~ before the number and footnote marks are ignored; see [TrimFootnoteMarks].
//   - A power of ten, an error or a total may follow the digits; see [parseNumberTail]. The unit of a score such
//     as 72.1/100 is /100, and the score is at most the total.
//   - A duration such as 26:30:00 or 3h 36m is a number of hours with the unit h; see [parseDuration]. An
//     age such as 56y 1m is a number of years; see [parseUnitDuration].
//   - Parentheses mean minus, as in accounting. So does a hyphen at the end of a cell, after a number with
//     decimals or thousands: SAP writes 12.50-. After any other number, a hyphen is no sign: 2- may be a
//     grade, and 2005- a range.
func ParseAmount(cell []byte, decimalComma bool) (value float64, unit string, ok bool) {
	if cell = Trim(cell); len(cell) > maxAmountLen {
		return 0, "", false
	}
	if cell = cutApproximateMark(TrimFootnoteMarks(cell)); len(cell) == 0 {
		return 0, "", false
	}
	if duration, unit, isDuration := parseAnyDuration(cell); isDuration {
		return duration, unit, true
	}
	if cell[0] == '(' && cell[len(cell)-1] == ')' {
		return parseNumberWithUnit(cell[1:len(cell)-1], decimalComma, true)
	}
	return parseNumberWithUnit(cell, decimalComma, false)
}

// parseNumberWithUnit parses an amount that is not a duration. inParentheses is set if the amount
// was in parentheses, which mean minus. cell does not include the parentheses.
func parseNumberWithUnit(cell []byte, decimalComma, inParentheses bool) (value float64, unit string, ok bool) {
	begin := bytes.IndexAny(cell, "0123456789")
	if begin < 0 {
		return 0, "", false
	}
	digits, suffix := cell[begin:bytes.LastIndexAny(cell, "0123456789")+1], []byte(nil)
	rest, hasTail := parseNumberTail(cell[begin:])
	if hasTail {
		digits, suffix = cell[begin:begin+rest.at], rest.suffix
	} else {
		suffix = cell[begin+len(digits):]
	}
	point := byte('.')
	if decimalComma {
		point = ','
	}
	if begin > 0 && cell[begin-1] == point && (begin == 1 || !isLetter(cell[begin-2])) { // not the point of Rs.500
		begin--
		digits = cell[begin : begin+1+len(digits)]
	}
	minus, before, ok := parsePrefix(cell[:begin])
	if !ok {
		return 0, "", false
	}
	if !hasTail && string(suffix) == "-" && len(bytes.Trim(digits, "0123456789")) > 0 {
		if minus || inParentheses {
			return 0, "", false
		}
		minus, suffix = true, nil
	}
	scale, after, ok := parseSuffix(suffix, rest.power == 0)
	if !ok || before != "" && after != "" {
		return 0, "", false
	}
	value, ok = parseDigitGroups(digits, point)
	if minus != inParentheses {
		value = -value
	}
	if value *= scale; !hasTail || !ok {
		return value, before + after, ok
	}
	return rest.apply(value, before, after)
}

// parsePrefix parses the text before the digits: a sign and a currency symbol or code, in either
// order. Other letters are not accepted, because codes such as A17 start with letters.
func parsePrefix(text []byte) (negative bool, unit string, ok bool) {
	text, negative = cutSign(text)
	currency := trimSpaces(text)
	if len(currency) == 0 {
		return negative, "", true
	}
	if currencyCodes[string(currency)] {
		last, _ := utf8.DecodeLastRune(text)
		return negative, string(bytes.ToLower(currency)), last == '.' || isCellSpace(last)
	}
	symbol, _ := utf8.DecodeLastRune(currency)
	return negative, string(currency), len(currency) <= 5 && unicode.Is(unicode.Sc, symbol)
}

// currencyCodes are the codes that may be before a number, as in USD 1,200. The code must be
// followed by a space or a point, because rs1200 is the name of a gene variant and INR-7 may be a
// product code.
var currencyCodes = map[string]bool{
	"Rs.": true, "Rs": true, "INR": true, "USD": true, "EUR": true, "GBP": true, "CHF": true, "JPY": true, "CNY": true,
	"AUD": true, "CAD": true, "NZD": true, "SEK": true, "NOK": true, "DKK": true, "PLN": true, "CZK": true, "HUF": true,
	"kr": true, "kr.": true, "Kr": true, "Kr.": true, "BRL": true, "MXN": true, "ZAR": true, "TRY": true, "RUB": true, "KRW": true, "SGD": true, "HKD": true, "AED": true,
}

const (
	minusSign = "\u2212"
	enDash    = "\u2013"
)

// cutSign removes a sign from the beginning or the end of text, which precedes the digits of a
// number. It may also remove spaces at the beginning, but not those between a currency and the
// digits. A minus is a hyphen or U+2212. An en dash is a minus only directly before the digits.
func cutSign(text []byte) (rest []byte, negative bool) {
	if rest, found := bytes.CutSuffix(text, []byte(enDash)); found {
		return rest, true
	}
	text = bytes.TrimLeftFunc(text, isCellSpace)
	for _, sign := range []string{"-", minusSign, "+"} {
		if rest, found := bytes.CutPrefix(text, []byte(sign)); found {
			return rest, sign != "+"
		}
		if rest, found := bytes.CutSuffix(trimSpaces(text), []byte(sign)); found {
			return rest, sign != "+"
		}
	}
	return text, false
}

// parseSuffix parses the text after the digits: a scale, a plus and a unit, all optional. A scale
// is k, M or B. mayHaveScale is false after a power of ten, where M is probably the unit mol/L and
// not a million.
func parseSuffix(text []byte, mayHaveScale bool) (scale float64, unit string, ok bool) {
	text = bytes.TrimPrefix(trimSpaces(text), []byte("+"))
	scale = 1
	if mayHaveScale && len(text) > 0 && (len(text) == 1 || text[1] == '+') {
		switch text[0] {
		case 'k', 'K':
			scale, text = 1e3, text[1:]
		case 'M':
			scale, text = 1e6, text[1:]
		case 'B':
			scale, text = 1e9, text[1:]
		}
		text = bytes.TrimPrefix(text, []byte("+"))
	}
	text = trimSpaces(text)
	if len(text) == 0 {
		return scale, "", true
	}
	if len(text) > maxUnitLen {
		return 0, "", false
	}
	for _, char := range string(text) {
		if !unicode.IsLetter(char) && !unicode.IsSymbol(char) && !bytes.ContainsRune([]byte("%/²³µ'\". ‰"), char) {
			return 0, "", false
		}
	}
	text = bytes.ToLower(text)
	if n := len(text); n > 2 && text[n-1] == 's' {
		text = text[:n-1]
	}
	return scale, string(text), true
}

// parseDigitGroups parses a number whose digits may be in groups; see [digitGroups]. The argument
// point is the decimal separator, '.' or ','. The first group must not begin with 0: in 0,250, the
// comma does not separate thousands. If the decimal separator is a comma, an exponent may follow a
// number without groups, as in 1,23E+05. With a decimal point, such a number would be a plain
// number; see [Classify].
func parseDigitGroups(text []byte, point byte) (value float64, ok bool) {
	var digits [maxAmountLen]byte
	var groups digitGroups
	n, decimals := 0, false
	for i, char := range string(text) {
		switch {
		case char|0x20 == 'e' && point == ',' && groups.count == 0:
			value, ok = ParseNumber(digits[:n+copy(digits[n:], text[i:])])
			return value, ok && !math.IsInf(value, 0)
		case char >= '0' && char <= '9':
			digits[n] = byte(char)
			groups.size++
		case char == rune(point) && !decimals:
			if !groups.isLastValid() {
				return 0, false
			}
			digits[n], decimals = '.', true
		case isThousandsSeparator(char) && !decimals:
			if digits[0] == '0' || !groups.end(char) {
				return 0, false
			}
			continue
		default:
			return 0, false
		}
		n++
	}
	if !decimals && !groups.isLastValid() {
		return 0, false
	}
	return ParseNumber(digits[:n])
}

// digitGroups checks the groups of digits of a number. Each group has three digits, but the first
// may have fewer. All separators of a number must be the same. In Indian numbers such as 12,34,567,
// which have commas, the last group has three digits and the other groups have two, but the first
// may have one.
type digitGroups struct {
	size          int // number of digits of the current group
	count         int // number of groups before it
	first, middle int // sizes of the first group, and of the groups between the first and the current group
	separator     rune
}

// end ends the current group at a separator. It returns false if the group or the separator is invalid.
func (g *digitGroups) end(separator rune) bool {
	switch g.count {
	case 0:
		g.first, g.middle, g.separator = g.size, 0, separator
		if g.size == 0 || g.size > 3 {
			return false
		}
	case 1:
		g.middle = g.size
		if g.size != 3 && (g.size != 2 || g.first > 2 || separator != ',') {
			return false
		}
	}
	if separator != g.separator || g.middle > 0 && g.size != g.middle {
		return false
	}
	g.count, g.size = g.count+1, 0
	return true
}

// isLastValid reports whether the current group may be the last one of a number.
func (g *digitGroups) isLastValid() bool { return g.count == 0 || g.size == 3 }

// isThousandsSeparator reports whether a character is a comma, a point, an apostrophe, or a space that
// does not break a line. Each of them separates thousands in some numbers; a comma or a point may instead
// be the decimal separator. An ordinary space is not accepted, because it may separate two numbers
// in a cell.
func isThousandsSeparator(char rune) bool {
	return char == ',' || char == '.' || char == '\'' || char == '’' || isAmountSpace(char)
}

// isAmountSpace reports whether char is a space that is used in amounts but is not in ASCII: the
// no-break space, the thin space or the narrow no-break space.
func isAmountSpace(char rune) bool { return char == '\u00A0' || char == '\u2009' || char == '\u202F' }

// trimSpaces is like [Trim], but also removes the spaces of amounts.
func trimSpaces(text []byte) []byte {
	return bytes.TrimFunc(text, isCellSpace)
}

// isCellSpace reports whether char is white space of ASCII or a space of amounts.
func isCellSpace(char rune) bool {
	return isAmountSpace(char) || char < utf8.RuneSelf && isSpace(byte(char))
}
