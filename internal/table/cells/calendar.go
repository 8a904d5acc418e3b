package cells

import "math"

func daysInMonth(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// DaysFromCivil returns the number of days from 1 January 1970 to a date. It counts years
// from 1 March, so that the leap day is the last day of a year (Hinnant, chrono-compatible
// low-level date algorithms, 2013).
func DaysFromCivil(year, month, day int) int {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719_468
}

// IsCompactDate reports whether a number is a date such as 20060102, from 1900 to 2099.
func IsCompactDate(number float64) bool {
	if !(number >= 1900_00_00 && number < 2100_00_00) || number != math.Trunc(number) {
		return false
	}
	year, month, day := int(number)/1_00_00, int(number)/1_00%1_00, int(number)%1_00
	return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

// CivilFromDays returns the date for a number of days since 1 January 1970. It is the
// inverse of DaysFromCivil.
func CivilFromDays(epochDays int) (year, month, day int) {
	epochDays += 719_468
	era := epochDays / 146_097
	dayOfEra := epochDays % 146_097
	year = (dayOfEra - dayOfEra/1_460 + dayOfEra/36_524 - dayOfEra/146_096) / 365
	dayOfEra -= 365*year + year/4 - year/100
	month = (5*dayOfEra + 2) / 153
	day = dayOfEra - (153*month+2)/5 + 1
	year += 400 * era
	if month += 3; month > 12 {
		year, month = year+1, month-12
	}
	return year, month, day
}
