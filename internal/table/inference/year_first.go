package inference

import (
	"slices"
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// FirstYearFirstDate returns the first text of a column whose dates seem to begin with a two-digit
// year, such as 21/11/19 for 19 November 2021. It returns nil for any other column. In such a
// column, at most one in 20 of the distinct texts may be something else, and at most one in 200 may
// be a date that can only end with its year, such as 21/02/30: there is no 30 February.
//
// isClear is set if the dates clearly begin with a year: if there is no date that can only end with
// its year, and the numbers at the beginning are unlikely to be days. They are unlikely to be days
// if one of them is 0 or above 31, or if there are several numbers and one of them is in the middle
// of a month, between 5 and 25.
func FirstYearFirstDate(t *columnstats.Column) (first *columnstats.Value, isClear bool) {
	texts := t.AllOrSample()
	var years, days [100]bool
	dates, others, yearLast := 0, 0, 0
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Null {
			continue
		}
		year, day, ok := parseYearFirst(one.Text)
		if !ok {
			if others++; others*distinctPerStray > len(texts) {
				return nil, false
			}
			if isYearLast(one.Text) {
				yearLast++
			}
			continue
		}
		dates++
		years[year], days[day] = true, true
		if first == nil || one.FirstLine() < first.FirstLine() {
			first = one
		}
	}
	if others*distinctPerStray > dates || yearLast*datesPerYearLast > dates {
		return nil, false
	}
	if !areDaysOfMonth(&days) || !cannotBeDays(&years) && !areAdjacentYears(&years, &days) {
		return nil, false
	}
	return first, yearLast == 0 && (cannotBeDays(&years) || areUnlikelyDays(&years))
}

// datesPerYearLast is the required number of distinct dates that can begin with a year for each
// distinct date that cannot, such as 21/02/30. In a column of dates that end with the year, about
// one date in 50 cannot begin with a year.
const datesPerYearLast = 200

// inferYearFirst returns the inference for a column of dates that clearly begin with a two-digit year.
func inferYearFirst(t *columnstats.Column) (inf Result, ok bool) {
	if _, isClear := FirstYearFirstDate(t); !isClear {
		return Result{}, false
	}
	inf = Result{Form: FormDate, YearFirst: true, IsSampled: t.IsSampled()}
	inf.Values, _, _ = parseDates(t.AllOrSample(), inf.DateFormat())
	return inf, true
}

// parseYearFirst parses a text that begins with a date such as 21/11/19, 21-11-19 or 21.11.19 as
// year, month and day. year is from 0 to 99.
func parseYearFirst(text string) (year, day int, ok bool) {
	if !looksLikeShortDate(text) {
		return 0, 0, false
	}
	century := "20"
	if text[0] >= '3' {
		century = "19"
	}
	date, ok := cells.ParseDateTime([]byte(century+text), false)
	if !ok || !date.HasDate {
		return 0, 0, false
	}
	year, _, day = cells.CivilFromDays(date.Day)
	return year % 100, day, true
}

// looksLikeShortDate reports whether a text may begin with a date such as 21/11/19.
func looksLikeShortDate(text string) bool {
	return len(text) >= len("21/11/19") && text[2] == text[5] && strings.Contains("/-.", text[2:3])
}

// isYearLast reports whether a text such as 21/02/30 is a date that ends with its year.
func isYearLast(text string) bool {
	_, _, byMonth, byDay := cells.ParseBothOrders([]byte(text))
	return looksLikeShortDate(text) && (byMonth || byDay)
}

// areDaysOfMonth reports whether nearly all days of a month occur, including the 30th or the 31st.
// days[i] is set if i occurs as a day.
func areDaysOfMonth(days *[100]bool) bool {
	count := 0
	for day := 1; day <= 31; day++ {
		if days[day] {
			count++
		}
	}
	return count >= 25 && (days[30] || days[31])
}

// cannotBeDays reports whether one of the numbers at the beginning of dates cannot be a day, so
// that all of them are years. years[i] is set if a date begins with i.
func cannotBeDays(years *[100]bool) bool { return years[0] || slices.Contains(years[32:], true) }

// areUnlikelyDays reports whether the numbers at the beginning of dates are probably years, not
// days: there are at least two different numbers, and one of them is from 5 to 25. If there are
// only few different days, the dates are usually the first or the last working days of months, and
// such days are below 5 or above 25.
func areUnlikelyDays(years *[100]bool) bool {
	const firstDays, lastDays = 4, 26
	count, isBetween := 0, false
	for i := range years {
		if !years[i] {
			continue
		}
		count++
		isBetween = isBetween || i > firstDays && i < lastDays
	}
	return count > 1 && isBetween
}

// areAdjacentYears reports whether the numbers in the array years are probably years, not days of a
// month. The years must have few gaps, as in 19, 20, 22, and there must be at most half as many of
// them as numbers in the array days. If the numbers in years were days of a month, both arrays
// would contain about equally many numbers.
func areAdjacentYears(years, days *[100]bool) bool {
	lowest, highest, count, dayCount := -1, 0, 0, 0
	for i := range years {
		if years[i] {
			if lowest < 0 {
				lowest = i
			}
			highest, count = i, count+1
		}
		if days[i] {
			dayCount++
		}
	}
	return 2*count <= dayCount && highest-lowest < 2*count
}
