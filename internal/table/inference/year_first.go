package inference

import (
	"strings"

	"foretell/internal/table/cells"
	"foretell/internal/table/columnstats"
)

// FirstYearFirst returns the first text of a column whose texts all look like dates that begin with a year of
// two digits, such as 21/11/19 for 19 November 2021. Such dates are not read in this way. It returns nil for
// any other column.
func FirstYearFirst(t *columnstats.Column) (first *columnstats.Value) {
	texts := t.AllOrSample()
	var years, days [100]bool
	for i := range texts {
		one := &texts[i]
		if one.Kind == cells.Null {
			continue
		}
		year, day, ok := parseYearFirst(one.Text)
		if !ok {
			return nil
		}
		years[year], days[day] = true, true
		if first == nil || one.FirstLine() < first.FirstLine() {
			first = one
		}
	}
	if !areDaysOfMonth(&days) || !areAdjacentYears(&years, &days) {
		return nil
	}
	return first
}

// parseYearFirst parses a text that begins with a date such as 21/11/19, 21-11-19 or 21.11.19 as year,
// month and day.
func parseYearFirst(text string) (year, day int, ok bool) {
	const length = len("21/11/19")
	if len(text) < length || text[2] != text[5] || !strings.Contains("/-.", text[2:3]) {
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

// areDaysOfMonth reports whether nearly all days of a month occur, up to one of the last.
func areDaysOfMonth(days *[100]bool) bool {
	count := 0
	for day := 1; day <= 31; day++ {
		if days[day] {
			count++
		}
	}
	return count >= 25 && (days[30] || days[31])
}

// areAdjacentYears reports whether the years are a range with few gaps, with at most half as many years as
// there are days. Days of a month would not be such a range.
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
