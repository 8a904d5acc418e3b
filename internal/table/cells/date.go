package cells

// DateTime is a point in local time. Time zones are ignored, because people's behaviour depends on
// their local time.
type DateTime struct {
	Day  int     // days since 1 January 1970; 0 if there is only a time of day
	Hour float64 // hours since midnight, with a fraction
	// HasDate is set if the cell has a date. HasTime is set if it has a time of day.
	HasDate, HasTime bool
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
	// yearFirst is set if the date begins with a two-digit year, as in 06-01-02.
	yearFirst bool
	// hour is the time of day in hours since midnight if it precedes the year, as in the output of
	// Unix date. hasHour is set only in this case.
	hour    float64
	hasHour bool
	zone    []byte // the text of the zone after the time of day; nil if there is none
	// timeSeparator is the character between the hour, the minute and the second; 0 if there is none.
	// isCompact is set if the date has eight digits, and hasMonthName if it has a form such as
	// 02/Jan/2006.
	timeSeparator           byte
	isCompact, hasMonthName bool
	otherOrder              *dayFirstResult // nil except in ParseBothOrders
}

// dayFirstResult is the second result of parsing a date such as 1/2/2006 in ParseBothOrders: the
// date with the day first.
type dayFirstResult struct {
	isKnown     bool // whether the cell contains such a date; if not, the other fields are not set
	day         int  // DateTime.Day
	byMonth, ok bool // whether the date is valid with the month first, and with the day first
}

// ParseDateTime parses a cell as a date, a time of day or both:
//
//	2006-01-02  2006/1/2  2006.01.02  20060102
//	2.1.2006  2.1.06  2. 1. 2006          the day first
//	1/2/2006  1-2-06                      the day first if dayFirst is set
//	Jan 2, 2006  2 January 2006  02-Jan-06  Mon, 2 Jan 2006
//	2006 Jan 2  2006-Jan-02
//	2. Januar 2006  2.Jan.2006  1er janv. 2006  2 de enero de 2006    see monthNames
//	2006-01  Jan 2006  Jan-06  2006, January    the first of a month
//	15:04  3:04 PM  3:04 p.m.  15:04:05.999   alone, or after a date and a T or a space
//	18.00.00  15h04                       alone; with points, only if it is not a date such as 18.10.05
//	15.04  15.04.05                       after a date and a space
//	20060102T1504  20060102T150405.999    ISO 8601 basic format
//	02/Jan/2006:15:04:05 -0700            as web servers log it
//	Z  UTC  +01:00  +0100  +0100 CET      after a time of day
//	GMT+0100 (Central European Time)      as JavaScript prints it, after a time of day
//	+01:00[Europe/Berlin]                 as Java prints it, after a date and a time of day
//	Mon Jan 2 15:04:05 2006               as Unix date prints it, optionally with a zone
func ParseDateTime(cell []byte, dayFirst bool) (parsed DateTime, ok bool) {
	p := newDateParser(cell, dayFirst)
	return p.parse()
}

// ParseBothOrders is like ParseDateTime, but reads a date such as 1/2/2006 in both orders: with the
// month first for the result month, and with the day first for the result day. byMonth and byDay
// report whether the cell is valid in the respective order; if it is not, month or day is
// undefined. For any other cell, the results are the same in both orders.
func ParseBothOrders(cell []byte) (month, day DateTime, byMonth, byDay bool) {
	p, other := newDateParser(cell, false), dayFirstResult{}
	p.otherOrder = &other
	month, byMonth = p.parse()
	if !other.isKnown {
		return month, month, byMonth, byMonth
	}
	day, byDay = month, byMonth && other.ok
	day.Day = other.day
	return month, day, byMonth && other.byMonth, byDay
}

func newDateParser(cell []byte, dayFirst bool) *dateParser {
	return &dateParser{rest: Trim(cell), dayFirst: dayFirst, ok: true, timeSeparator: ':'}
}

// parse implements ParseDateTime for the cell in p.rest.
func (p *dateParser) parse() (parsed DateTime, ok bool) {
	hasZoneName := p.cutZoneName()
	if len(p.rest) < 4 || len(p.rest) > maxDateTimeLen {
		return DateTime{}, false
	}
	var t DateTime
	separator := p.otherTimeSeparator()
	if separator != 0 {
		p.timeSeparator = separator
	} else if !p.atTimeOfDay() {
		t.Day, t.HasDate = p.parseDate(), true
		if !p.ok {
			return DateTime{}, false
		}
		if len(p.rest) == 0 {
			t.Hour, t.HasTime = p.hour, p.hasHour
			return t, !hasZoneName
		}
		p.failUnless(!p.hasHour)
		p.skipToTimeOfDay()
	}
	t.Hour, t.HasTime = p.parseTimeOfDay(), true
	return t, p.ok && len(p.rest) == 0 && (!hasZoneName || t.HasDate && len(p.zone) > 0)
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

// parseDate parses a date and returns its number of days since 1 January 1970.
func (p *dateParser) parseDate() int {
	if p.rest[0]-'0' > 9 {
		return p.parseNameFirst()
	}
	first, digits := p.parseDigits(8)
	if p.isCompact = digits == 8; p.isCompact {
		return p.epochDay(first/10_000, first/100%100, first%100)
	}
	if len(p.rest) == 0 {
		p.ok = false
		return 0
	}
	part := p.rest[0]
	if digits <= 2 && (part == ' ' || isLetter(part) || len(p.rest) > 1 && (isLetter(p.rest[1]) || part == '.' && p.rest[1] == ' ')) {
		p.hasMonthName = part == '/'
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
	case p.yearFirst && digits == 2 && last <= 2:
		return p.epochDay(fullYear(first), second, third)
	case digits > 2 || last == 3 || last == 1:
		p.ok = false
	}
	if last == 2 {
		third = fullYear(third)
	}
	if part == '.' || p.dayFirst {
		return p.epochDay(third, second, first)
	}
	if other := p.otherOrder; other != nil && p.ok {
		other.isKnown = true
		other.day = p.epochDay(third, second, first)
		other.ok, p.ok = p.ok, true
		day := p.epochDay(third, first, second)
		other.byMonth = p.ok
		p.ok = other.ok || other.byMonth
		return day
	}
	return p.epochDay(third, first, second)
}

// fullYear returns the year from 1930 to 2029 with the given last two digits. Most dates with a
// two-digit year come from spreadsheets, which use this range. The range of POSIX, 1969 to 2068,
// would move some birthdays into the future.
func fullYear(lastDigits int) int {
	if lastDigits < 30 {
		return lastDigits + 2000
	}
	return lastDigits + 1900
}

// parseNameFirst parses a date that starts with the name of a month or weekday. It returns its
// number of days since 1 January 1970.
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

// parseMonthYear parses the part after the day: first the month, as a name or as a number between
// two points, then the year. It returns the date's number of days since 1 January 1970.
func (p *dateParser) parseMonthYear(day int) int {
	hasPoint := len(p.rest) > 0 && p.rest[0] == '.'
	p.skipOrdinal()
	p.skipSeparator()
	if hasPoint && len(p.rest) > 0 && p.rest[0]-'0' <= 9 { // 2. 1. 2006
		month, _ := p.parseDigits(2)
		p.failUnless(p.skipByte('.'))
		p.skipSpaces()
		return p.epochDay(p.parseYear(), month, day)
	}
	p.skipSpanishOf()
	month := p.parseMonthAfterDay()
	p.failUnless(month > 0)
	p.skipByte(',')
	p.skipSeparator()
	p.skipSpanishOf()
	return p.epochDay(p.parseYear(), month, day)
}

// parseMonthDay parses the part after the year: the month's name and an optional day. It returns
// the date's number of days since 1 January 1970.
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
