package cells

import (
	"bytes"
	"math"
)

// atTimeOfDay reports whether the unread text starts with one or two digits and a colon.
func (p *dateParser) atTimeOfDay() bool {
	for i, char := range p.rest[:min(len(p.rest), 3)] {
		if char == ':' {
			return i > 0
		}
		if char-'0' > 9 {
			return false
		}
	}
	return false
}

// otherTimeSeparator returns the separator of a time of day such as 18.00.00 or 09h25, or 0 if the
// unread text is not such a time. If the separators are points, the seconds must be 00 and the
// minutes must not be between 01 and 12, because 18.10.05 may be a date.
func (p *dateParser) otherTimeSeparator() byte {
	hour := countDigits(p.rest[:min(len(p.rest), 3)])
	if rest := p.rest[hour:]; hour == 1 || hour == 2 {
		switch {
		case len(rest) == len("h25") && rest[0] == 'h': // 2H16 may be a code
			return 'h'
		case len(rest) == len(".00.00") && rest[0] == '.' && string(rest[3:]) == ".00" && (string(rest[1:3]) == "00" || string(rest[1:3]) > "12"):
			return '.'
		}
	}
	return 0
}

// skipToTimeOfDay skips what is between a date and a time of day.
func (p *dateParser) skipToTimeOfDay() {
	switch {
	case p.skipByte('T') || p.skipByte('t'):
		if p.isCompact && !p.atTimeOfDay() {
			p.timeSeparator = 0
			return
		}
	case p.hasMonthName && p.skipByte(':'):
	default:
		p.skipByte(',')
		p.failUnless(p.skipByte(' '))
		if p.atDottedTime() {
			p.timeSeparator = '.'
			return
		}
	}
	p.failUnless(p.atTimeOfDay())
}

// atDottedTime reports whether the unread text starts with one or two digits, a point and two digits.
func (p *dateParser) atDottedTime() bool {
	hour := countDigits(p.rest[:min(len(p.rest), 3)])
	return hour >= 1 && hour <= 2 && hour < len(p.rest) && p.rest[hour] == '.' && countDigits(p.rest[hour+1:]) == 2
}

// cutZoneName removes the name of a zone in brackets or parentheses, as in +01:00[Europe/Berlin] and
// GMT+0100 (Central European Standard Time), from the end of the unread text. It returns false if the text
// does not end with such a name.
func (p *dateParser) cutZoneName() bool {
	if n := len(p.rest); n > 0 && p.rest[n-1] == ')' {
		return p.cutZoneInParentheses()
	}
	begin := bytes.LastIndexByte(p.rest, '[')
	if begin < 0 || p.rest[len(p.rest)-1] != ']' || len(p.rest)-begin > maxDateTimeLen {
		return false
	}
	name := p.rest[begin+1 : len(p.rest)-1]
	for _, char := range name {
		if !isLetter(char) && char-'0' > 9 && bytes.IndexByte([]byte("/_+-"), char) < 0 {
			return false
		}
	}
	if len(name) < 3 {
		return false
	}
	p.rest = p.rest[:begin]
	return true
}

// maxLongZoneLen is the largest length of the name of a zone in parentheses, in bytes. Names in some
// languages are long.
const maxLongZoneLen = 80

func (p *dateParser) cutZoneInParentheses() bool {
	begin := bytes.LastIndex(p.rest, []byte(" ("))
	if begin < 0 || len(p.rest)-begin > maxLongZoneLen || bytes.IndexByte(p.rest[begin+2:], '(') >= 0 || bytes.IndexByte(p.rest, ')') < len(p.rest)-1 {
		return false
	}
	p.rest = p.rest[:begin]
	return true
}

// parseTimeOfDay parses a time of day and returns the hours since midnight.
func (p *dateParser) parseTimeOfDay() float64 {
	hour, hourDigits := p.parseDigits(2)
	p.failUnless(p.skipTimeSeparator(true) && (p.timeSeparator != 0 || hourDigits == 2))
	minute, digits := p.parseDigits(2)
	p.failUnless(digits == 2 && minute < 60)
	second := 0.0
	if p.skipTimeSeparator(false) {
		begin := p.rest
		second = p.parseSecond()
		if len(begin)-len(p.rest) == len("05.123456789") {
			p.skipDigits()
		}
	}
	hour = p.parseAMPM(hour)
	p.skipZone()
	p.failUnless(hour < 24)
	return float64(hour) + float64(minute)/60 + second/3600
}

// skipTimeSeparator skips the separator before the minute or the second of a time of day. It
// returns false if no minute or second can follow. isBeforeMinute is true before the minute, and
// false before the second, which may be missing.
func (p *dateParser) skipTimeSeparator(isBeforeMinute bool) bool {
	if p.timeSeparator != 0 {
		return p.skipByte(p.timeSeparator)
	}
	return isBeforeMinute || len(p.rest) > 0 && p.rest[0]-'0' <= 9
}

// parseSecond parses the seconds of a time of day: two digits and an optional fraction.
func (p *dateParser) parseSecond() float64 {
	whole, digits := p.parseDigits(2)
	p.failUnless(digits == 2 && whole <= 60)
	return float64(whole) + p.parseFraction()
}

// parseFraction parses a point or a comma and the decimals after it. Without a point or comma, it returns 0.
func (p *dateParser) parseFraction() float64 {
	if !p.skipByte('.') && !p.skipByte(',') {
		return 0
	}
	fraction, digits := p.parseDigits(9)
	return float64(fraction) / math.Pow10(digits)
}

func (p *dateParser) skipDigits() { p.rest = p.rest[countDigits(p.rest):] }

// parseAMPM parses an optional AM, PM, a.m. or p.m., and returns the hour on a 24-hour clock.
func (p *dateParser) parseAMPM(hour int) int {
	rest := cutSpace(p.rest)
	if len(rest) < 2 || rest[0]|0x20 != 'a' && rest[0]|0x20 != 'p' {
		return hour
	}
	half, rest := rest[0]|0x20, rest[1:]
	rest, hasPoint := bytes.CutPrefix(rest, []byte("."))
	if hasPoint {
		rest = cutSpace(rest)
	}
	if len(rest) == 0 || rest[0]|0x20 != 'm' {
		return hour
	}
	if p.rest = rest[1:]; hasPoint {
		p.skipByte('.')
	}
	p.failUnless(hour >= 1 && hour <= 12)
	hour %= 12
	if half == 'p' {
		hour += 12
	}
	return hour
}

// cutSpace removes a space or, as in the times of JavaScript, a no-break space from the beginning of text.
func cutSpace(text []byte) []byte {
	for _, space := range []string{" ", "\u00A0", "\u202F"} {
		if rest, found := bytes.CutPrefix(text, []byte(space)); found {
			return rest
		}
	}
	return text
}

func (p *dateParser) skipZone() {
	before := p.rest
	p.skipByte(' ')
	if n := len("GMT"); len(p.rest) > n && (p.rest[n] == '+' || p.rest[n] == '-') && (string(p.rest[:n]) == "GMT" || string(p.rest[:n]) == "UTC") {
		p.rest = p.rest[n:]
	}
	begin := p.rest
	switch letters := p.countCapitals(); {
	case letters > 0 && letters <= maxZoneLen || p.skipByte('z'):
		p.rest = p.rest[letters:]
		p.zone = begin[:len(begin)-len(p.rest)]
	case p.skipByte('+') || p.skipByte('-'):
		hours, digits := p.parseDigits(2)
		p.failUnless(digits == 2 && hours <= 14)
		if len(p.rest) > 0 && p.rest[0] != ' ' {
			p.skipByte(':')
			minutes, digits := p.parseDigits(2)
			p.failUnless(digits == 2 && minutes < 60)
		}
		p.zone = begin[:len(begin)-len(p.rest)]
		p.skipZoneAfterOffset()
	default:
		p.rest = before
	}
}

// skipZoneAfterOffset skips the letters of a zone after its offset, as in +0100 CET, which Go prints.
func (p *dateParser) skipZoneAfterOffset() {
	before := p.rest
	if p.skipByte(' ') {
		if letters := p.countCapitals(); letters > 0 && letters <= maxZoneLen {
			p.rest = p.rest[letters:]
			return
		}
	}
	p.rest = before
}

// countCapitals returns the number of capital letters at the beginning of the unread text.
func (p *dateParser) countCapitals() int {
	letters := 0
	for letters < len(p.rest) && p.rest[letters]-'A' < 26 {
		letters++
	}
	return letters
}

const maxZoneLen = 5 // letters
