package cells

import "bytes"

// DurationUnit is the unit of durations. A number with this unit, such as 5 h, is also a duration.
const DurationUnit = "h"

// maxDurationDigits is the maximum number of digits of each number in a duration.
const maxDurationDigits = 9

// IsDuration reports whether a cell is a duration, or a time of day with seconds, which may also be
// a duration.
func IsDuration(cell []byte) bool { return DurationUnitOf(cell) == DurationUnit }

// DurationUnitOf returns the unit of a duration that is written with several numbers:
// [DurationUnit] for 26:30:00 or 3h 36m, and year for an age such as 56y 1m. It returns "" for any
// other cell.
func DurationUnitOf(cell []byte) string {
	_, unit, _ := parseAnyDuration(cutApproximateMark(TrimFootnoteMarks(Trim(cell))))
	return unit
}

// parseAnyDuration parses a duration or an age. value is in hours or years, according to unit.
func parseAnyDuration(cell []byte) (value float64, unit string, ok bool) {
	if hours, ok := parseDuration(cell); ok {
		return hours, DurationUnit, true
	}
	if value, unit, ok = parseUnitDuration(cell); ok {
		return value, unit, true
	}
	return 0, "", false
}

// parseDuration parses a duration and returns its hours:
//
//	26:30:00  -0:05:07.25  +0:05:07       hours, minutes and seconds; a time of day has fewer than 24 hours
//	1 day, 2:03:04  -1 day, 23:00:00      as Python prints them; only the days are negative
//	1 days 02:03:04.5  -1 days +23:00:00  as pandas prints them
//	PT1H30M  P1DT2H  PT0.5S  P2W          ISO 8601, without years and months, whose length is not fixed
//	PT-15M  P-1DT23H30M0S                 as Java and pandas write negative durations; each number has its sign
//
// A minus is a hyphen or U+2212.
func parseDuration(cell []byte) (hours float64, ok bool) {
	p := &dateParser{rest: cell, ok: true}
	sign := p.parseSign()
	if p.skipByte('P') {
		hours = sign * p.parseISODuration()
		return hours, p.ok && len(p.rest) == 0
	}
	if bytes.IndexByte(p.rest, ':') < 0 {
		return 0, false
	}
	hour, _ := p.parseDigits(maxDurationDigits)
	if !p.skipByte(' ') {
		hours = sign * p.parseClock(hour)
		return hours, p.ok && len(p.rest) == 0
	}
	days := hour
	for _, char := range []byte("day") {
		p.failUnless(p.skipByte(char))
	}
	p.skipByte('s')
	p.skipByte(',')
	p.failUnless(p.skipByte(' '))
	p.skipByte('+')
	hour, _ = p.parseDigits(2)
	p.failUnless(hour < 24)
	hours = sign*24*float64(days) + p.parseClock(hour)
	return hours, p.ok && len(p.rest) == 0
}

// parseSign parses an optional sign, and returns 1 or -1.
func (p *dateParser) parseSign() float64 {
	if rest, found := bytes.CutPrefix(p.rest, []byte(minusSign)); found {
		p.rest = rest
		return -1
	}
	if p.skipByte('-') {
		return -1
	}
	p.skipByte('+')
	return 1
}

// parseClock parses the minutes and the seconds after the given number of hours, and returns the
// whole duration in hours.
func (p *dateParser) parseClock(hour int) float64 {
	p.failUnless(p.skipByte(':'))
	minute, digits := p.parseDigits(2)
	p.failUnless(digits == 2 && minute < 60 && p.skipByte(':'))
	return float64(hour) + float64(minute)/60 + p.parseSecond()/3600
}

// isoUnits are the units of an ISO 8601 duration, in their order. isoHours are their lengths in
// hours. The units from firstTimeUnit on follow the letter T.
const (
	isoUnits      = "WDHMS"
	firstTimeUnit = 2
)

var isoHours = [len(isoUnits)]float64{7 * 24, 24, 1, 1.0 / 60, 1.0 / 3600}

// parseISODuration parses what follows the P of an ISO 8601 duration, and returns the hours.
func (p *dateParser) parseISODuration() (hours float64) {
	last, isTime := -1, false
	for p.ok {
		isComplete := last >= 0 && (!isTime || last >= firstTimeUnit) // neither P nor P1DT is a duration
		if len(p.rest) == 0 && isComplete {
			break
		}
		if !isTime && p.skipByte('T') {
			isTime = true
			continue
		}
		sign := p.parseSign()
		whole, _ := p.parseDigits(maxDurationDigits)
		number := sign * (float64(whole) + p.parseFraction())
		if len(p.rest) == 0 {
			p.ok = false
			return 0
		}
		unit := bytes.IndexByte([]byte(isoUnits), p.rest[0])
		p.failUnless(unit > last && isTime == (unit >= firstTimeUnit))
		if !p.ok {
			return 0
		}
		// The conversion prevents a fused multiply-add, which would slightly change the result on
		// arm64.
		hours, last, p.rest = hours+float64(number*isoHours[unit]), unit, p.rest[1:]
	}
	return hours
}
