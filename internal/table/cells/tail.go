package cells

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// numberTail describes the text after the first number of a cell if this text contains another
// number.
type numberTail struct {
	at     int    // the offset after the first number
	power  int    // the exponent of a power of ten; 0 if there is none
	total  int    // the denominator of a score; 0 if there is none
	suffix []byte // the text after this other number
}

const (
	maxPower       = 22
	maxTotalDigits = 6
)

// parseNumberTail parses what follows the number at the start of text:
//
//	55.9 ± 0.3  55.9 +/- 0.3        the error, which is ignored
//	5.2×10^9/L  5.2 x 10^9  5.2*10⁹  a power of ten
//	72.1/100  42 of 100  4 out of 5  the largest possible score
//
// A total between 1900 and 2099 is not accepted, because it is a year rather than a score.
// parseNumberTail returns false if anything else follows the number.
func parseNumberTail(text []byte) (t numberTail, ok bool) {
	t.at = numberEnd(text)
	rest := bytes.TrimLeftFunc(text[t.at:], isCellSpace)
	if len(rest) == 0 || isLetter(rest[0]) && rest[0] != 'x' && rest[0] != 'X' && rest[0] != 'o' {
		return numberTail{}, false
	}
	if after, found := cutAny(rest, "±", "+/-"); found {
		t.suffix, ok = skipUnsigned(after)
		return t, ok
	}
	if after, found := cutAny(rest, "×", "x", "X", "*", "·", "⋅"); found {
		t.power, t.suffix, ok = parsePowerOf10(after)
		return t, ok
	}
	after, found := bytes.CutPrefix(rest, []byte("/"))
	if !found && len(rest) < len(text)-t.at {
		if after, found = cutAny(rest, "of", "out of"); found {
			char, _ := utf8.DecodeRune(after)
			found = isCellSpace(char)
		}
	}
	if !found {
		return numberTail{}, false
	}
	isPadded := t.at > 1 && text[0] == '0' && text[1]-'0' <= 9 // 05/12 is a month or a code
	t.total, t.suffix, ok = parseDenominator(after)
	return t, ok && !isPadded && (t.total < 1900 || t.total > 2099)
}

// apply returns the number and the unit of the whole cell: 72.1 and /100 for 72.1/100, and 5.2e9
// and /L for 5.2×10^9/L. value is the number before the tail, currency is the text before this
// number, and unit is the text after the tail. apply returns false for a score that is negative,
// has a currency, or is above its total.
func (t *numberTail) apply(value float64, currency, unit string) (number float64, unitWithTotal string, ok bool) {
	switch {
	case t.total > 0:
		total := "/" + strconv.Itoa(t.total)
		if unit != "" {
			total += " " + unit
		}
		return value, total, currency == "" && value >= 0 && value <= float64(t.total)
	case t.power < 0:
		value /= PowersOf10[-t.power]
	default:
		value *= PowersOf10[t.power]
	}
	return value, currency + unit, true
}

// numberEnd returns the offset just past the number at the start of text, which begins with a
// digit.
func numberEnd(text []byte) (end int) {
	for i := 0; i < len(text); {
		char, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case char >= '0' && char <= '9':
			end = i
		case !isThousandsSeparator(char):
			return end
		}
	}
	return end
}

// cutAny removes from text the first of the prefixes that it begins with.
func cutAny(text []byte, prefixes ...string) (rest []byte, found bool) {
	for _, prefix := range prefixes {
		if rest, found := bytes.CutPrefix(text, []byte(prefix)); found {
			return rest, true
		}
	}
	return text, false
}

func countDigits(text []byte) (n int) {
	for n < len(text) && text[n]-'0' <= 9 {
		n++
	}
	return n
}

// skipUnsigned skips a number without a sign, with a point or a comma before its decimals.
func skipUnsigned(text []byte) (rest []byte, ok bool) {
	text = bytes.TrimLeftFunc(text, isCellSpace)
	n := countDigits(text)
	if n == 0 {
		return nil, false
	}
	text = text[n:]
	if len(text) > 1 && (text[0] == '.' || text[0] == ',') {
		if decimals := countDigits(text[1:]); decimals > 0 {
			text = text[1+decimals:]
		}
	}
	return text, true
}

// parseDenominator parses the denominator of a score.
func parseDenominator(text []byte) (total int, rest []byte, ok bool) {
	text = bytes.TrimLeftFunc(text, isCellSpace)
	n := countDigits(text)
	if n == 0 || n > maxTotalDigits || text[0] == '0' {
		return 0, nil, false
	}
	total, _ = strconv.Atoi(string(text[:n]))
	return total, text[n:], true
}

// superscripts are the digits of an exponent.
var superscripts = map[rune]int{'⁰': 0, '¹': 1, '²': 2, '³': 3, '⁴': 4, '⁵': 5, '⁶': 6, '⁷': 7, '⁸': 8, '⁹': 9}

// parsePowerOf10 parses 10 and an exponent of one or two digits, as in 10^3, 10^-3 and 10³. It returns the
// exponent, which is not 0.
func parsePowerOf10(text []byte) (power int, rest []byte, ok bool) {
	text, ok = bytes.CutPrefix(bytes.TrimLeftFunc(text, isCellSpace), []byte("10"))
	if !ok {
		return 0, nil, false
	}
	digits, negative := 0, false
	if rest, found := bytes.CutPrefix(text, []byte("^")); found {
		text = rest
		for _, sign := range []string{"-", minusSign, "+"} {
			if rest, found := bytes.CutPrefix(text, []byte(sign)); found {
				text, negative = rest, sign != "+"
				break
			}
		}
		if digits = countDigits(text); digits > 2 {
			return 0, nil, false
		}
		power, _ = strconv.Atoi(string(text[:digits]))
		text = text[digits:]
	} else {
		text, negative = bytes.CutPrefix(text, []byte("⁻"))
		for {
			char, size := utf8.DecodeRune(text)
			digit, found := superscripts[char]
			if !found {
				break
			}
			if digits++; digits > 2 {
				return 0, nil, false
			}
			power, text = 10*power+digit, text[size:]
		}
	}
	if negative {
		power = -power
	}
	return power, text, digits > 0 && power != 0 && power <= maxPower && power >= -maxPower
}

// approximateMarks are the marks before a number that is not exact.
var approximateMarks = []string{"~", "\u223C", "≈", "ca. ", "ca.", "ca ", "Ca. ", "Ca.", "Ca ", "approx. ", "approx "}

// HasApproximateMark reports whether a cell begins with a mark such as ~ and ca. before a number.
func HasApproximateMark(cell []byte) bool {
	cell = Trim(cell)
	return len(cutApproximateMark(cell)) < len(cell)
}

// cutApproximateMark returns a cell without the mark before its number, as in ~70.7 and ca. 5.
func cutApproximateMark(cell []byte) []byte {
	if len(cell) == 0 || cell[0] < utf8.RuneSelf && bytes.IndexByte([]byte("~cCa"), cell[0]) < 0 {
		return cell
	}
	rest, found := cutAny(cell, approximateMarks...)
	if !found {
		return cell
	}
	return bytes.TrimLeftFunc(rest, isCellSpace)
}
