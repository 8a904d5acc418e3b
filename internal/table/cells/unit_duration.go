package cells

import (
	"bytes"
	"strings"
)

// YearUnit is the unit of ages such as 56y 1m.
const YearUnit = "year"

// timeUnit is the unit of one part of a duration, such as the h in 3h 36m.
type timeUnit struct {
	rank   int     // 0 for the largest unit
	factor float64 // the length in hours or years
	limit  int     // how many of these units make the next larger unit; 0 if there is no larger unit
}

// timeUnitsInHours and timeUnitsInYears are the units of durations in hours and in years, in lower case.
var (
	timeUnitsInHours = indexTimeUnits([]timeUnit{{0, 24, 0}, {1, 1, 24}, {2, 1.0 / 60, 60}, {3, 1.0 / 3600, 60}},
		"d day days tag tage", "h hr hrs hour hours std stunde stunden", "m min mins minute minutes minuten", "s sec secs second seconds sek sekunde sekunden")
	timeUnitsInYears = indexTimeUnits([]timeUnit{{0, 1, 0}, {1, 1.0 / 12, 12}}, "y yr yrs year years", "m mo mos mth mths month months")
)

// indexTimeUnits maps the names to units. Each text of names has the names of one unit, separated
// by spaces.
func indexTimeUnits(units []timeUnit, names ...string) map[string]timeUnit {
	found := make(map[string]timeUnit)
	for i, list := range names {
		for name := range strings.FieldsSeq(list) {
			found[name] = units[i]
		}
	}
	return found
}

// unitFactor returns the factor that converts numbers from one unit to another, such as 1/60 from
// min to h. Conversions are possible between units that mean the same, from units of durations to
// [DurationUnit] or [YearUnit], and from numbers without a unit, with the factor 1, to any unit
// except the unit of scores: 5 is not 5/10. ok is false if the numbers cannot be converted.
func unitFactor(from, to string) (factor float64, ok bool) {
	if from == "" && !IsDenominator(to) || CanonicalUnit(from) == CanonicalUnit(to) {
		return 1, true
	}
	parts := timeUnitsInHours
	switch to {
	case DurationUnit:
	case YearUnit:
		parts = timeUnitsInYears
	default:
		return 0, false
	}
	part, found := parts[strings.TrimSuffix(from, ".")]
	return part.factor, found
}

// IsDenominator reports whether a unit is a total after a slash, such as the /10 of 7/10.
func IsDenominator(unit string) bool { return len(unit) > 1 && unit[0] == '/' && unit[1]-'0' <= 9 }

// CanConvertUnit reports whether numbers with one unit (from) can be in a column with another unit
// (to), such as 5 min in a column of hours. The units are in the form that [ParseAmount] returns.
func CanConvertUnit(from, to string) bool {
	_, ok := unitFactor(from, to)
	return ok
}

// parseUnitDuration parses a duration of at least two numbers with units, from the largest unit to the
// smallest. Only the last number may have a fraction:
//
//	3h 36m  3h36m  75m16s  2 d 4 h  3 h 54 min  1 hour, 5 minutes and 2.5 seconds  3 Std. 5 Min.   hours
//	56y 1m  56 years 1 month                                                                     years
//
// A one-letter unit must be in lower case. A single number with a unit, such as 5 m, is not a
// duration, because m may mean metres.
func parseUnitDuration(cell []byte) (value float64, unit string, ok bool) {
	p := &dateParser{rest: cell, ok: true}
	sign := p.parseSign()
	if !mayBeCompoundDuration(p.rest) {
		return 0, "", false
	}
	parts, last, count, isFraction := timeUnitsInHours, timeUnit{rank: -1}, 0, false
	for p.ok && len(p.rest) > 0 {
		if count > 0 {
			p.skipDurationSeparator()
		}
		whole, _ := p.parseDigits(maxDurationDigits)
		if p.failUnless(!isFraction); !p.ok {
			break
		}
		begin := len(p.rest)
		number := float64(whole) + p.parseFraction()
		isFraction = len(p.rest) < begin
		p.skipByte(' ')
		name := p.parseUnitName()
		if _, isYear := timeUnitsInYears[name]; count == 0 && isYear && name != "m" {
			parts = timeUnitsInYears
		}
		part, found := parts[name]
		p.failUnless(found && part.rank > last.rank && (count == 0 || part.limit > 0 && whole < part.limit))
		// The conversion prevents a fused multiply-add, which would slightly change the result on
		// arm64.
		value, last, count = value+float64(number*part.factor), part, count+1
	}
	unit = DurationUnit
	if _, isYears := parts["y"]; isYears {
		unit = YearUnit
	}
	return sign * value, unit, p.ok && count >= 2
}

// mayBeCompoundDuration reports whether a text begins with a digit and has another digit after a
// letter. For most cells of a table, the result is false, so that they need not be parsed further.
func mayBeCompoundDuration(text []byte) bool {
	if len(text) == 0 || text[0]-'0' > 9 {
		return false
	}
	hasLetter := false
	for _, char := range text {
		if hasLetter && char-'0' <= 9 {
			return true
		}
		hasLetter = hasLetter || isLetter(char)
	}
	return false
}

// skipDurationSeparator skips what may be between two parts of a duration: " and ", " und ", or an
// optional comma and an optional space.
func (p *dateParser) skipDurationSeparator() {
	for _, word := range []string{" and ", " und "} {
		if rest, found := bytes.CutPrefix(p.rest, []byte(word)); found {
			p.rest = rest
			return
		}
	}
	p.skipByte(',')
	p.skipByte(' ')
}

// parseUnitName parses the letters of a unit and, if there is more than one letter, an optional
// point. It returns the letters in lower case, or "" if there are no letters or only a single
// capital letter.
func (p *dateParser) parseUnitName() string {
	n := 0
	for n < len(p.rest) && isLetter(p.rest[n]) {
		n++
	}
	name := string(p.rest[:n])
	p.rest = p.rest[n:]
	if n == 1 {
		return strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	}
	p.skipByte('.')
	return strings.ToLower(name)
}
