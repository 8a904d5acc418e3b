package cells

import (
	"bytes"
	"math"
)

// DateTime is a point in local time. Time zones are ignored: what people do at nine
// o'clock depends on their local time.
type DateTime struct {
	Day  int     // days since 1 January 1970; 0 if there is only a time of day
	Hour float64 // hours since midnight, with a fraction
	// HasDate is set if the cell has a date. hasTime is set if it has a time of day.
	HasDate, hasTime bool
}

// EpochDays returns the number of days since 1 January 1970, with a fraction.
func (t *DateTime) EpochDays() float64 { return float64(t.Day) + t.Hour/24 }

// The first and the last year that a date may have.
const (
	minYear = 1000
	maxYear = 2999
)

// dateParser parses a cell from left to right. After an error, ok is false.
type dateParser struct {
	rest     []byte
	dayFirst bool
	ok       bool
	// hour is the time of day in hours since midnight, if the cell has it before the year,
	// as in the output of Unix date. hasHour is set if the cell has such a time.
	hour    float64
	hasHour bool
	zone    []byte // the text of the zone after the time of day; nil if there is none
}

// ParseDateTime parses a cell as a date, a time of day or both:
//
//	2006-01-02  2006/1/2  2006.01.02  20060102
//	2.1.2006  2.1.06                      the day first
//	1/2/2006  1-2-06                      the day first if dayFirst is set
//	Jan 2, 2006  2 January 2006  02-Jan-06  Mon, 2 Jan 2006
//	2006 Jan 2  2006-Jan-02
//	2. Januar 2006  2.Jan.2006  1er janv. 2006  2 de enero de 2006    see monthNames
//	2006-01  Jan 2006  Jan-06  2006, January    the first of a month
//	15:04  3:04 PM  15:04:05.999          alone, or after a date and a T or a space
//	Z  UTC  +01:00  +0100                 after a time of day
//	Mon Jan 2 15:04:05 2006               as Unix date prints it, optionally with a zone
func ParseDateTime(cell []byte, dayFirst bool) (parsed DateTime, ok bool) {
	p := &dateParser{rest: Trim(cell), dayFirst: dayFirst, ok: true}
	return p.parse()
}

// parse is ParseDateTime for the cell in p.rest.
func (p *dateParser) parse() (parsed DateTime, ok bool) {
	if len(p.rest) < 4 || len(p.rest) > maxDateTimeLen {
		return DateTime{}, false
	}
	var t DateTime
	if !p.atTimeOfDay() {
		t.Day, t.HasDate = p.parseDate(), true
		if !p.ok {
			return DateTime{}, false
		}
		if len(p.rest) == 0 {
			t.Hour, t.hasTime = p.hour, p.hasHour
			return t, true
		}
		p.failUnless(!p.hasHour)
		if !p.skipByte('T') && !p.skipByte('t') {
			p.skipByte(',')
			p.failUnless(p.skipByte(' '))
		}
		p.failUnless(p.atTimeOfDay())
	}
	t.Hour, t.hasTime = p.parseTimeOfDay(), true
	return t, p.ok && len(p.rest) == 0
}

const maxDateTimeLen = 40

func (p *dateParser) failUnless(ok bool) { p.ok = p.ok && ok }

func (p *dateParser) skipByte(char byte) bool {
	if len(p.rest) > 0 && p.rest[0] == char {
		p.rest = p.rest[1:]
		return true
	}
	return false
}

func (p *dateParser) skipSpaces() {
	for p.skipByte(' ') {
		continue
	}
}

// parseDigits parses one to maxDigits digits. It returns their value and the number of
// digits.
func (p *dateParser) parseDigits(maxDigits int) (value, digits int) {
	for digits < maxDigits && digits < len(p.rest) && p.rest[digits]-'0' <= 9 {
		value = value*10 + int(p.rest[digits]-'0')
		digits++
	}
	p.failUnless(digits > 0)
	p.rest = p.rest[digits:]
	return value, digits
}

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

// parseDate parses a date and returns its number of days since 1 January 1970.
func (p *dateParser) parseDate() int {
	if p.rest[0]-'0' > 9 {
		return p.parseNameFirst()
	}
	first, digits := p.parseDigits(8)
	if digits == 8 {
		return p.epochDay(first/10_000, first/100%100, first%100)
	}
	if len(p.rest) == 0 {
		p.ok = false
		return 0
	}
	part := p.rest[0]
	if digits <= 2 && (part == ' ' || isLetter(part) || len(p.rest) > 1 && (isLetter(p.rest[1]) || part == '.' && p.rest[1] == ' ')) {
		return p.parseMonthYear(first)
	}
	if digits == 4 && (part == ',' || len(p.rest) > 1 && isLetter(p.rest[1])) {
		return p.parseMonthDay(first)
	}
	p.rest = p.rest[1:]
	p.failUnless(part == '-' || part == '/' || part == '.')
	second, _ := p.parseDigits(2)
	if len(p.rest) == 0 && digits == 4 && part != '.' {
		return p.epochDay(first, second, 1)
	}
	p.failUnless(p.skipByte(part))
	third, last := p.parseDigits(4)
	switch {
	case digits == 4:
		p.failUnless(last <= 2)
		return p.epochDay(first, second, third)
	case digits > 2 || last == 3 || last == 1:
		p.ok = false
	}
	if last == 2 {
		third = fullYear(third)
	}
	if part == '.' || p.dayFirst {
		return p.epochDay(third, second, first)
	}
	return p.epochDay(third, first, second)
}

// fullYear returns the year from 1930 to 2029 with the given last two digits. Most such
// dates come from spreadsheets, which use this range. The range of POSIX, 1969 to 2068,
// would move birthdays into the future.
func fullYear(lastDigits int) int {
	if lastDigits < 30 {
		return lastDigits + 2000
	}
	return lastDigits + 1900
}

// parseNameFirst parses a date that starts with the name of a month or weekday.
func (p *dateParser) parseNameFirst() int {
	month := p.parseMonth()
	if month == 0 && p.skipWeekday() {
		p.skipByte(',')
		p.skipSpaces()
		if len(p.rest) > 0 && p.rest[0]-'0' <= 9 {
			day, digits := p.parseDigits(2)
			p.failUnless(digits <= 2)
			return p.parseMonthYear(day)
		}
		month = p.parseMonth()
	}
	p.failUnless(month > 0)
	if p.skipByte('-') || p.skipByte('/') {
		return p.epochDay(p.parseYear(), month, 1)
	}
	p.skipSpaces()
	day, digits := p.parseDigits(4)
	if digits == 4 {
		return p.epochDay(day, month, 1)
	}
	p.failUnless(digits <= 2)
	p.skipOrdinal()
	p.skipByte(',')
	p.failUnless(p.skipByte(' '))
	if p.atTimeOfDay() {
		p.hour, p.hasHour = p.parseTimeOfDay(), true
		p.failUnless(p.skipByte(' '))
	}
	return p.epochDay(p.parseYear(), month, day)
}

// parseMonthYear parses the part after the day: the month's name and the year.
func (p *dateParser) parseMonthYear(day int) int {
	p.skipOrdinal()
	p.skipSeparator()
	p.skipSpanishOf()
	month := p.parseMonthAfterDay()
	p.failUnless(month > 0)
	p.skipByte(',')
	p.skipSeparator()
	p.skipSpanishOf()
	return p.epochDay(p.parseYear(), month, day)
}

// parseMonthDay parses the part after the year: the month's name and an optional day.
func (p *dateParser) parseMonthDay(year int) int {
	p.skipByte(',')
	p.skipSeparator()
	month, day := p.parseMonth(), 1
	p.failUnless(month > 0)
	if len(p.rest) > 0 {
		p.skipSeparator()
		day, _ = p.parseDigits(2)
	}
	return p.epochDay(year, month, day)
}

func (p *dateParser) skipSeparator() {
	if !p.skipByte('-') && !p.skipByte('/') {
		p.skipSpaces()
	}
}

func (p *dateParser) parseYear() int {
	year, digits := p.parseDigits(4)
	p.failUnless(digits == 2 || digits == 4)
	if digits == 2 {
		return fullYear(year)
	}
	return year
}

// epochDay returns the number of days from 1 January 1970 to a Gregorian date. If the date
// is invalid, it sets p.ok to false.
func (p *dateParser) epochDay(year, month, day int) int {
	if year < minYear || year > maxYear || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) {
		p.ok = false
		return 0
	}
	return DaysFromCivil(year, month, day)
}

// parseTimeOfDay parses a time of day and returns the hours since midnight.
func (p *dateParser) parseTimeOfDay() float64 {
	hour, _ := p.parseDigits(2)
	p.failUnless(p.skipByte(':'))
	minute, digits := p.parseDigits(2)
	p.failUnless(digits == 2 && minute < 60)
	second := 0.0
	if p.skipByte(':') {
		second = p.parseSecond()
	}
	hour = p.parseAMPM(hour)
	p.skipZone()
	p.failUnless(hour < 24)
	return float64(hour) + float64(minute)/60 + second/3600
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

// parseAMPM parses an optional AM or PM and returns the hour on a 24-hour clock.
func (p *dateParser) parseAMPM(hour int) int {
	rest := p.rest
	if len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[1]|0x20 != 'm' || (rest[0]|0x20 != 'a' && rest[0]|0x20 != 'p') {
		return hour
	}
	p.rest = rest[2:]
	p.failUnless(hour >= 1 && hour <= 12)
	hour %= 12
	if rest[0]|0x20 == 'p' {
		hour += 12
	}
	return hour
}

func (p *dateParser) skipZone() {
	before := p.rest
	p.skipByte(' ')
	letters := 0
	for letters < len(p.rest) && p.rest[letters]-'A' < 26 {
		letters++
	}
	switch {
	case letters > 0 && letters <= maxZoneLen || p.skipByte('z'):
		p.rest = p.rest[letters:]
		p.zone = bytes.TrimSpace(before[:len(before)-len(p.rest)])
	case p.skipByte('+') || p.skipByte('-'):
		hours, digits := p.parseDigits(2)
		p.failUnless(digits == 2 && hours <= 14)
		if len(p.rest) > 0 && p.rest[0] != ' ' {
			p.skipByte(':')
			minutes, digits := p.parseDigits(2)
			p.failUnless(digits == 2 && minutes < 60)
		}
		p.zone = bytes.TrimSpace(before[:len(before)-len(p.rest)])
	default:
		p.rest = before
	}
}

const maxZoneLen = 5 // letters
