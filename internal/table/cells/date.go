package cells

import "math"

// DateTime is a point in local time. Time zones are ignored: what people do at nine
// o'clock depends on their local time.
type DateTime struct {
	Day  int     // since 1 January 1970; 0 for a time of day only
	Hour float64 // since midnight, with a fraction
	// HasDate and hasTime are set if the cell has a date, a time of day.
	HasDate, hasTime bool
}

// Days returns the days since the beginning of 1970, with a fraction.
func (m *DateTime) Days() float64 { return float64(m.Day) + m.Hour/24 }

// The range of years.
const (
	MinYear = 1000
	MaxYear = 2999
)

// dateParser parses a cell from left to right. After an error, ok is false.
type dateParser struct {
	rest     []byte
	dayFirst bool
	ok       bool
	// hour is the time of day if it precedes the year; hasHour is set then.
	hour    float64
	hasHour bool
}

// ParseDateTime parses a cell as a date, a time of day or both:
//
//	2006-01-02  2006/1/2  2006.01.02  20060102
//	2.1.2006  2.1.06                      the day first
//	1/2/2006  1-2-06                      the day first if dayFirst is set
//	Jan 2, 2006  2 January 2006  02-Jan-06  Mon, 2 Jan 2006
//	2006 Jan 2  2006-Jan-02
//	2006-01  Jan 2006  Jan-06  2006, January    the first of a month
//	15:04  3:04 PM  15:04:05.999          alone, or after a date and a T or a space
//	Z  UTC  +01:00  +0100                 after a time of day
//	Mon Jan 2 15:04:05 2006               as Unix date prints it, optionally with a zone
func ParseDateTime(cell []byte, dayFirst bool) (DateTime, bool) {
	r := &dateParser{rest: Trim(cell), dayFirst: dayFirst, ok: true}
	if len(r.rest) < 4 || len(r.rest) > maxDateTimeLen {
		return DateTime{}, false
	}
	var m DateTime
	if !r.atTimeOfDay() {
		m.Day, m.HasDate = r.date(), true
		if !r.ok {
			return DateTime{}, false
		}
		if len(r.rest) == 0 {
			m.Hour, m.hasTime = r.hour, r.hasHour
			return m, true
		}
		r.require(!r.hasHour)
		if !r.skip('T') && !r.skip('t') {
			r.skip(',')
			r.require(r.skip(' '))
		}
		r.require(r.atTimeOfDay())
	}
	m.Hour, m.hasTime = r.timeOfDay(), true
	return m, r.ok && len(r.rest) == 0
}

const maxDateTimeLen = 40

func (r *dateParser) require(ok bool) { r.ok = r.ok && ok }

func (r *dateParser) skip(char byte) bool {
	if len(r.rest) > 0 && r.rest[0] == char {
		r.rest = r.rest[1:]
		return true
	}
	return false
}

// skipSpaces skips any number of spaces.
func (r *dateParser) skipSpaces() {
	for r.skip(' ') {
		continue
	}
}

// digits parses at least one and at most the given number of digits, and returns how many
// there were.
func (r *dateParser) digits(most int) (value, digits int) {
	for digits < most && digits < len(r.rest) && r.rest[digits]-'0' <= 9 {
		value = value*10 + int(r.rest[digits]-'0')
		digits++
	}
	r.require(digits > 0)
	r.rest = r.rest[digits:]
	return value, digits
}

// atTimeOfDay reports whether one or two digits and a colon follow.
func (r *dateParser) atTimeOfDay() bool {
	for i, char := range r.rest[:min(len(r.rest), 3)] {
		if char == ':' {
			return i > 0
		}
		if char-'0' > 9 {
			return false
		}
	}
	return false
}

// date parses a date and returns its day since 1 January 1970.
func (r *dateParser) date() int {
	if r.rest[0]-'0' > 9 {
		return r.startingWithName()
	}
	first, digits := r.digits(8)
	if digits == 8 {
		return r.day(first/10_000, first/100%100, first%100)
	}
	if len(r.rest) == 0 {
		r.ok = false
		return 0
	}
	part := r.rest[0]
	if digits <= 2 && (part == ' ' || isLetter(part) || len(r.rest) > 1 && isLetter(r.rest[1])) {
		return r.afterDay(first)
	}
	if digits == 4 && (part == ',' || len(r.rest) > 1 && isLetter(r.rest[1])) {
		return r.afterYear(first)
	}
	r.rest = r.rest[1:]
	r.require(part == '-' || part == '/' || part == '.')
	second, _ := r.digits(2)
	if len(r.rest) == 0 && digits == 4 && part != '.' {
		return r.day(first, second, 1)
	}
	r.require(r.skip(part))
	third, last := r.digits(4)
	switch {
	case digits == 4:
		r.require(last <= 2)
		return r.day(first, second, third)
	case digits > 2 || last == 3 || last == 1:
		r.ok = false
	}
	if last == 2 {
		third = fullYear(third)
	}
	if part == '.' || r.dayFirst {
		return r.day(third, second, first)
	}
	return r.day(third, first, second)
}

// fullYear returns the year for two digits with the pivot of spreadsheets, 2029, because
// most such dates come from them. The pivot of POSIX, 2068, would move birthdays into the
// future.
func fullYear(year int) int {
	if year < 30 {
		return year + 2000
	}
	return year + 1900
}

// startingWithName parses a date that starts with the name of a month or weekday.
func (r *dateParser) startingWithName() int {
	month := r.month()
	if month == 0 && r.weekday() {
		r.skip(',')
		r.skipSpaces()
		if len(r.rest) > 0 && r.rest[0]-'0' <= 9 {
			day, digits := r.digits(2)
			r.require(digits <= 2)
			return r.afterDay(day)
		}
		month = r.month()
	}
	r.require(month > 0)
	if r.skip('-') || r.skip('/') {
		return r.day(r.year(), month, 1)
	}
	r.skipSpaces()
	day, digits := r.digits(4)
	if digits == 4 {
		return r.day(day, month, 1)
	}
	r.require(digits <= 2)
	r.skipOrdinal()
	r.skip(',')
	r.require(r.skip(' '))
	if r.atTimeOfDay() {
		r.hour, r.hasHour = r.timeOfDay(), true
		r.require(r.skip(' '))
	}
	return r.day(r.year(), month, day)
}

// afterDay parses the part after the day: the month's name and the year.
func (r *dateParser) afterDay(day int) int {
	r.skipOrdinal()
	r.skipSeparator()
	month := r.month()
	r.require(month > 0)
	r.skip(',')
	r.skipSeparator()
	return r.day(r.year(), month, day)
}

// afterYear parses the part after the year: the month's name and an optional day.
func (r *dateParser) afterYear(year int) int {
	r.skip(',')
	r.skipSeparator()
	month, day := r.month(), 1
	r.require(month > 0)
	if len(r.rest) > 0 {
		r.skipSeparator()
		day, _ = r.digits(2)
	}
	return r.day(year, month, day)
}

func (r *dateParser) skipSeparator() {
	if !r.skip('-') && !r.skip('/') {
		r.skipSpaces()
	}
}

// skipOrdinal skips the letters after a day: 1st, 2nd, 3rd, 4th.
func (r *dateParser) skipOrdinal() {
	if len(r.rest) < 2 {
		return
	}
	switch string(r.rest[:2]) {
	case "st", "nd", "rd", "th":
		r.rest = r.rest[2:]
	}
}

func (r *dateParser) year() int {
	year, digits := r.digits(4)
	r.require(digits == 2 || digits == 4)
	if digits == 2 {
		return fullYear(year)
	}
	return year
}

// The names of months and weekdays, which may be cut to three letters.
var (
	months = [...]string{
		"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
	}
	weekdays = [...]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
)

// month parses the name of a month and returns its number, or 0 without reading anything.
func (r *dateParser) month() int { return r.name(months[:]) }

func (r *dateParser) weekday() bool { return r.name(weekdays[:]) > 0 }

func (r *dateParser) name(list []string) int {
	n := 0
	for n < len(r.rest) && isLetter(r.rest[n]) {
		n++
	}
	for i, name := range list {
		if (n == 3 || n == len(name)) && equalFold(r.rest[:n], name[:n]) {
			r.rest = r.rest[n:]
			r.skip('.')
			return i + 1
		}
	}
	return 0
}

func isLetter(c byte) bool { return c|0x20-'a' < 26 }

// equalFold reports whether word equals lower, ignoring case; both have the same length.
func equalFold(word []byte, lower string) bool {
	for i, c := range word {
		if c|0x20 != lower[i] {
			return false
		}
	}
	return true
}

// day returns the day since 1 January 1970, by the Gregorian calendar.
func (r *dateParser) day(year, month, day int) int {
	if year < MinYear || year > MaxYear || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) {
		r.ok = false
		return 0
	}
	return DaysFromCivil(year, month, day)
}

// timeOfDay parses a time of day and returns it in hours.
func (r *dateParser) timeOfDay() float64 {
	hour, _ := r.digits(2)
	r.require(r.skip(':'))
	minute, digits := r.digits(2)
	r.require(digits == 2 && minute < 60)
	second := 0.0
	if r.skip(':') {
		whole, digits := r.digits(2)
		r.require(digits == 2 && whole <= 60)
		second = float64(whole)
		if r.skip('.') || r.skip(',') {
			fraction, digits := r.digits(9)
			second += float64(fraction) / math.Pow10(digits)
		}
	}
	hour = r.amPM(hour)
	r.skipZone()
	r.require(hour < 24)
	return float64(hour) + float64(minute)/60 + second/3600
}

// amPM parses an optional AM or PM and returns the hour on a 24-hour clock.
func (r *dateParser) amPM(hour int) int {
	rest := r.rest
	if len(rest) > 0 && rest[0] == ' ' {
		rest = rest[1:]
	}
	if len(rest) < 2 || rest[1]|0x20 != 'm' || (rest[0]|0x20 != 'a' && rest[0]|0x20 != 'p') {
		return hour
	}
	r.rest = rest[2:]
	r.require(hour >= 1 && hour <= 12)
	hour %= 12
	if rest[0]|0x20 == 'p' {
		hour += 12
	}
	return hour
}

// skipZone skips a time zone if there is one.
func (r *dateParser) skipZone() {
	before := r.rest
	r.skip(' ')
	letters := 0
	for letters < len(r.rest) && r.rest[letters]-'A' < 26 {
		letters++
	}
	switch {
	case letters > 0 && letters <= maxZoneLen || r.skip('z'):
		r.rest = r.rest[letters:]
	case r.skip('+') || r.skip('-'):
		hours, digits := r.digits(2)
		r.require(digits == 2 && hours <= 14)
		if len(r.rest) == 0 || r.rest[0] == ' ' {
			return
		}
		r.skip(':')
		minutes, digits := r.digits(2)
		r.require(digits == 2 && minutes < 60)
	default:
		r.rest = before
	}
}

const maxZoneLen = 5 // letters
